"""Inline SVG is well formed, silent, small, the same each time, and at home beside others on a page."""

import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from separatrix import plots
from separatrix.plots.outlines import simplify, thinned

SPACE = "{http://www.w3.org/2000/svg}"


def pictures():
    rng = np.random.default_rng(0)
    y, x = rng.integers(0, 2, 100), rng.standard_normal(100)
    from separatrix.neighbors import KNeighborsClassifier

    X = np.column_stack([x, y + 0.7 * rng.standard_normal(100)])
    return {
        "boundary": plots.boundary(KNeighborsClassifier(3).fit(X, y), X, y),
        "roc": plots.roc(y, x + y),
        "calibration": plots.calibration(y, 1 / (1 + np.exp(-x))),
        "losses": plots.losses(),
        "residuals": plots.residuals(y + x, x),
        "confusion": plots.confusion([[5, 1], [2, 7]], ["<no> & 'never'", "yes"]),
        "path": plots.path([1.0, 0.1], [[0.0, 1.0], [0.0, -2.0]], chosen=0.5),
    }


@pytest.fixture(scope="module")
def drawn():
    made = pictures()
    return made, {name: plots.svg(ax) for name, ax in made.items()}


def test_each_is_well_formed_and_says_what_it_shows(drawn):
    axes, texts = drawn
    for name, text in texts.items():
        root = ElementTree.fromstring(text)
        assert root.tag == f"{SPACE}svg" and root.get("role") == "img"
        assert root.get("aria-label") == plots.describe(axes[name]) != ""
        assert re.search(r"\d", root.get("aria-label"))


def test_nothing_runs_nothing_is_fetched_and_nothing_styles_the_page(drawn):
    for text in drawn[1].values():
        root = ElementTree.fromstring(text)
        tags = {element.tag.removeprefix(SPACE) for element in root.iter()}
        assert tags <= {"svg", "g", "defs", "clipPath", "path", "rect", "use", "text", "tspan"}
        for element in root.iter():
            for name, value in element.attrib.items():
                assert "}" not in name and not name.startswith("on") and name not in ("style", "class")
                assert name != "href" or value.startswith("#")
                assert name == "aria-label" or "url(" not in value or value.startswith("url(#")
        assert re.findall(r"https?://[^\"]*", text) == ["http://www.w3.org/2000/svg"]


def test_figures_of_one_page_share_no_id_and_every_reference_is_answered(drawn):
    seen = []
    for text in drawn[1].values():
        ids = re.findall(r'\bid="([^"]+)"', text)
        wanted = re.findall(r'href="#([^"]+)"', text) + re.findall(r"url\(#([^)]+)\)", text)
        assert set(wanted) == set(ids)
        seen += ids
    assert len(seen) == len(set(seen)) > 5


def test_one_picture_twice_takes_a_prefix():
    ax = plots.losses()
    ids = [set(re.findall(r'\bid="([^"]+)"', plots.svg(ax, prefix=prefix))) for prefix in ("a", "b")]
    assert ids[0] and not ids[0] & ids[1]


def test_text_stays_text_in_any_font(drawn):
    root = ElementTree.fromstring(drawn[1]["roc"])
    words = {element.text for element in root.iter(f"{SPACE}text")}
    assert {"false positive rate", "true positive rate", "0.4"} <= words
    assert not any(
        "font" in name for element in root.iter(f"{SPACE}text") for name in element.attrib if name != "font-size"
    )
    assert "<no> & 'never'" in {e.text for e in ElementTree.fromstring(drawn[1]["confusion"]).iter(f"{SPACE}text")}


def test_pictures_are_small(drawn):
    sizes = {name: len(text) for name, text in drawn[1].items()}
    assert max(sizes.values()) < 30_000 and sizes["roc"] < 6_000, sizes


def test_another_process_and_another_day_write_the_same_bytes():
    code = "from separatrix import plots; import sys; sys.stdout.buffer.write(plots.svg(plots.losses()).encode())"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert there == plots.svg(plots.losses()).encode() == plots.svg(plots.losses()).encode()


def test_the_numbers_are_rounded_and_the_picture_keeps_its_place(drawn):
    root = ElementTree.fromstring(drawn[1]["losses"])
    width, height = map(float, root.get("viewBox").split()[2:])
    assert float(root.get("width")) == pytest.approx(width * 4 / 3, abs=1)
    for path in root.iter(f"{SPACE}path"):
        assert not re.search(r"\.\d\d", path.get("d"))
    corners = [float(x) for p in root.iter(f"{SPACE}path") for x in re.findall(r"-?[\d.]+", p.get("d"))]
    assert max(corners) <= 20 * max(width, height)


def test_a_thinned_outline_stays_within_its_tolerance():
    rng = np.random.default_rng(0)
    t = np.linspace(0.0, 6.0, 400)
    line = np.column_stack([40.0 * t, 50.0 * np.sin(t) + 0.05 * rng.standard_normal(400)])
    kept = simplify(line, 0.12)
    assert len(kept) < 150
    distance = [_to_segments(point, kept) for point in line]
    assert max(distance) <= 0.12 + 1e-9


def _to_segments(point, corners):
    a, along = corners[:-1], np.diff(corners, axis=0)
    at = np.clip(((point - a) * along).sum(axis=1) / (along**2).sum(axis=1), 0.0, 1.0)
    return np.hypot(*(a + at[:, None] * along - point).T).min()


def test_a_closed_ring_is_not_thinned_to_nothing():
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    ring = " ".join(f"{'ML'[k > 0]} {30 * np.cos(a):.6f} {30 * np.sin(a):.6f}" for k, a in enumerate(angle)) + " z"
    corners = np.array([[float(x) for x in pair] for pair in re.findall(r"[ML] (\S+) (\S+)", thinned(ring))])
    assert 15 < len(corners) < 100
    assert np.hypot(*corners.T).min() > 29.9


def test_curves_are_left_as_they_are():
    data = "M 0 0 C 1 1 2 2 3 3 L 4 4 L 5 5 L 6 6 z"
    assert thinned(data) == data


def test_no_name_is_given_to_tex_whatever_the_settings_say():
    """A file matplotlibrc in the current folder can turn TeX on, which reads files and runs macros."""
    import matplotlib
    from matplotlib.text import Text

    matrix, labels = [[5, 1], [2, 7]], [r"\input{/etc/passwd}", "$x$"]
    usual = plots.svg(plots.confusion(matrix, labels))
    with matplotlib.rc_context({"text.usetex": True}):
        ax = plots.confusion(matrix, labels)
        assert plots.svg(ax) == usual
    assert not any(text.get_usetex() for text in ax.get_figure().findobj(Text))
