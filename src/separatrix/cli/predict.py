"""``separatrix predict MODEL TABLE``."""

import click

from separatrix.cli.options import OutputFile, as_json, command


@command(
    "separatrix predict model.sepx new.csv > answers.csv",
    "separatrix predict model.sepx new.csv --proba --keep id -o answers.csv",
    "cat new.csv | separatrix predict model.sepx - | head",
    short_help="Predict every row of a table, as CSV; large files are streamed.",
)
@click.argument("model", type=click.Path(dir_okay=False))
@click.argument("table")
@click.option("--output", "-o", type=OutputFile(stdout=True), help="A file to write to; - is stdout, the default.")
@click.option("--proba", is_flag=True, help="Also a column with the probability of each class.")
@click.option("--keep", metavar="COLUMN", multiple=True, help="A column of TABLE to repeat in the answer; repeatable.")
@click.option("--raw", is_flag=True, help="No apostrophe before text that a spreadsheet would run as a formula.")
@as_json
def predict(model, table, output, proba, keep, raw, as_json):
    """Predict every row of a table with a model file, as CSV, in the order of the table.

    TABLE is a file (CSV, TSV, Parquet, Arrow), - for stdin, or the name of a bundled data set. Levels that were never
    met in training and missing cells are fine; a column that the model needs and TABLE has not is an error.
    """
    from separatrix.cli.streams import data_stream
    from separatrix.core.atomic_file import atomic_file, check_writable
    from separatrix.core.printable import printable
    from separatrix.workflow.predict import FilePredictor, predicted_columns, write_predictions

    path = None if output in (None, "-") else output
    if path is not None:
        check_writable(path, others=(model, table))
    predictor = FilePredictor(model, proba=proba, keep=keep)
    if as_json:
        from separatrix.cli import output

        columns = predicted_columns(predictor, table)
        rows = len(columns.get("prediction", ()))
        output.write_json("predict", {"model": model, "table": table, "rows": rows, "columns": columns})
        return
    if path is not None:
        with atomic_file(path, "w", encoding="utf-8", newline="") as file:
            rows, marked = write_predictions(file, predictor, table, raw=raw)
        click.echo(f"{rows:,} rows written to {printable(path)}", err=True)
    else:
        _, marked = write_predictions(data_stream(), predictor, table, raw=raw)
    if marked:
        begin = "1 cell begins" if marked == 1 else f"{marked:,} cells begin"
        click.echo(f"Note: {begin} like a formula and got an apostrophe in front; --raw leaves it out.", err=True)
