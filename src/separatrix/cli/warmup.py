"""``separatrix warmup``."""

import click

from separatrix.cli.options import as_json, command


@command(
    "separatrix warmup",
    "SEPARATRIX_CACHE=/opt/loops separatrix warmup --quiet",
    short_help="Compile the loops ahead, so that no fit waits for them.",
)
@click.option("--model", "models", metavar="CLASS", multiple=True, help="Only loops of this model; repeatable.")
@click.option("--quiet", "-q", is_flag=True, help="No progress bar.")
@as_json
def warmup(models, quiet, as_json):
    """Compile the loops ahead, so that the first fit is as fast as the second.

    It takes a minute or two, once: compiled loops are kept on disk, in the folder SEPARATRIX_CACHE or your cache
    folder.
    """
    import time

    from separatrix.cli import output
    from separatrix.cli.progress import CountBar
    from separatrix.core.jit import cache_folder
    from separatrix.core.kept_loops import trouble
    from separatrix.workflow.warmup import compile_all

    out = output.console(stderr=as_json)
    out.quiet = quiet or as_json
    started = time.perf_counter()
    fits = compile_all(CountBar(out), models or None)
    folder, why = cache_folder(), trouble()
    if as_json:
        seconds = time.perf_counter() - started
        output.write_json("warmup", {"fits": fits, "folder": folder, "seconds": seconds, "trouble": why})
    else:
        out.print(output.cell(why or f"Compiled loops are kept in {folder}"))
