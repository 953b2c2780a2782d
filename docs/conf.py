"""Sphinx: MyST pages, autodoc of the public names, and a gallery whose pictures are drawn at build time."""

import re
import runpy
import sys
from pathlib import Path

import matplotlib

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "src"))

import separatrix  # noqa: E402

project = "separatrix"
author = "the separatrix authors"
copyright = "the separatrix authors, BSD-3-Clause"
version = release = separatrix.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
exclude_patterns = ["_build"]
templates_path: list[str] = []

html_theme = "pydata_sphinx_theme"
html_title = "separatrix"
html_static_path = ["_static"]
html_css_files = ["separatrix.css"]
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_show_sourcelink = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"


def draw_gallery():
    """Run every script of the gallery; a picture is never older than its script."""
    matplotlib.use("Agg")
    pictures = HERE / "gallery" / "pictures"
    pictures.mkdir(exist_ok=True)
    for script in sorted((HERE / "gallery").glob("*.py")):
        runpy.run_path(str(script))["draw"](pictures / f"{script.stem}.png")


# ------------------------------------------------------------------ docstrings: "name : type.  Meaning." to a list

ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*) : *(?:([^`]+?)\.(?:  +|$))?(.*)$")
PROTECTED = re.compile(r"(``.*?``|:\w+(?::\w+)*:`[^`]*`|`[^`]+`)")


def plain(text):
    """Text in which stars, bars and trailing underscores mean themselves; literals and roles are left alone."""
    parts = PROTECTED.split(text)
    parts[::2] = [re.sub(r"([*|])|(?<=\w)(_)(?!\w)", r"\\\g<0>", part) for part in parts[::2]]
    return "".join(parts)


def lay_out(app, what, name, obj, options, lines):
    """Turn the sections of a docstring into rubrics and definition lists."""
    laid, inside, k = [], False, 0
    while k < len(lines):
        line, following = lines[k], lines[k + 1] if k + 1 < len(lines) else ""
        if re.fullmatch(r"-{3,}", following):
            laid += ["", f".. rubric:: {line}", ""]
            inside, k = line in ("Parameters", "Attributes", "Returns"), k + 2
            continue
        entry = ENTRY.match(line) if inside else None
        if entry:
            names, kind, meaning = entry.groups()
            laid += [", ".join(f"``{n}``" for n in names.split(", ")), f"    *{plain(kind)}.*" if kind else "    |"]
            laid[-1] = f"{laid[-1]} {plain(meaning)}".replace("    | ", "    ").rstrip()
        elif inside and line.startswith("    "):
            laid.append(plain(line))
        else:
            inside = inside and not line.startswith(("References", ">>>"))
            laid.append(line)
        k += 1
    lines[:] = laid


def setup(app):
    draw_gallery()
    app.connect("autodoc-process-docstring", lay_out)
