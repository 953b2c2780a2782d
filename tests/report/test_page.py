"""The report is one safe, complete and readable page, whatever the table holds and whatever went wrong."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

from separatrix.report import render, section, write
from separatrix.report.page import MOST_BYTES
from separatrix.report.registry import _SECTIONS, sections

VOID = {"meta", "br", "img", "hr", "input", "link", "path", "use", "rect", "circle", "line", "image"}


class Page(HTMLParser):
    """Elements with attributes, in order; complains about tags that do not close as they opened."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.words = [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.words.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]


NAMES = ["two_classes", "three_classes", "regression", "noise"]


@pytest.fixture(scope="session")
def pages(request):
    return {
        name: render(request.getfixturevalue(name), command="separatrix compare 'a b.csv' --target <y>")
        for name in NAMES
    }


@pytest.fixture(params=NAMES)
def text(request, pages):
    return pages[request.param]


def test_a_page_parses_and_closes_every_element(text):
    page = Page(text)
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("h1")) == 1 and len(page.all("main")) == 1 and len(page.all("nav")) == 1
    assert {"name": "viewport", "content": "width=device-width, initial-scale=1"} in page.all("meta")


def test_nothing_is_run_and_nothing_is_loaded(text):
    page = Page(text)
    (policy,) = [m["content"] for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none'") and "script" not in policy
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "iframe", "object", "embed", "link", "base", "form", "img", "foreignobject"}
    for _, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on")]
        for name in ("href", "src", "xlink:href"):
            assert attributes.get(name, "#").startswith(("#", "data:image/png;base64,"))
    assert set(re.findall(r"https?://[^\"\s<]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in text and not re.search(r"url\((?!#)", text)


def test_a_page_is_below_a_megabyte(text):
    assert len(text.encode()) < 1_000_000


def test_ids_are_unique_and_every_anchor_leads_somewhere(text):
    page = Page(text)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        for name in ("href", "aria-labelledby"):
            if name in attributes:
                assert attributes[name].lstrip("#") in ids


def test_every_picture_has_words_and_every_table_a_caption_and_heads(text):
    page = Page(text)
    pictures = page.all("svg")
    assert pictures
    for picture in pictures:
        assert picture["role"] == "img" and len(picture["aria-label"]) > 40
    assert len(page.all("figcaption")) == len(page.all("figure")) == len(pictures)
    assert len(page.all("caption")) == len(page.all("table"))
    assert all(th["scope"] in ("col", "row", "rowgroup") for th in page.all("th"))


def test_headings_go_down_one_step_at_a_time(text):
    levels = [int(tag[1]) for tag, _ in Page(text).elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_section_of_the_task_is_there_and_in_the_contents(pages):
    both = {
        "answer",
        "asked",
        "data",
        "leaderboard",
        "model",
        "importance",
        "dependence",
        "learning",
        "path",
        "boundary",
        "certificate",
        "reproduce",
    }
    classes = both | {"calibration", "ranking", "decisions"}
    for name, expected in (
        ("two_classes", classes),
        ("three_classes", classes - {"path"}),
        ("regression", both | {"residuals"}),
    ):
        page = Page(pages[name])
        assert {s["id"] for s in page.all("section")} == expected
        assert {a["href"][1:] for a in page.all("a")} == expected
    assert {s.key for s in sections("regression")} == both | {
        "residuals",
        "margins",
        "training",
    }  # the last two of machines and of networks alone


def test_no_section_failed(text):
    assert "could not be made" not in text


def test_names_and_labels_and_families_are_shown_but_never_obeyed(pages):
    text = pages["two_classes"]
    assert "<script" not in text and "<b>dirty" not in text and "<i>regression" not in text and "<in>" not in text
    words = Page(text).text
    for shown in (
        '<script>alert("x")</script>',
        "age <in> $years$",
        "quick & <b>dirty</b>",
        "logistic <i>regression</i>",
    ):
        assert shown in words
    assert "a note with <script>" in words and "--target <y>" in words


def test_the_answer_comes_first_and_says_whether_it_beats_guessing(pages):
    words = Page(pages["regression"]).text
    assert words.index("The answer") < words.index("What was asked") < words.index("The data")
    assert "Recommended: lasso." in words and "Yes: the difference is larger than chance explains" in words
    assert "1.000 ± 0.020" in words and "0.910 ± 0.030" in words
    words = Page(pages["noise"]).text
    assert "No: on these data no model is shown to be better than guessing." in words
    assert "The model looks at no column" in words


def test_failures_are_rows_with_their_reason_and_groups_are_told(pages):
    words = Page(pages["two_classes"]).text
    assert "it takes at most 3 columns, and there are 4" in words
    assert (
        "Group 1: the best, and all that are not shown to be worse" in words
        and "Group 2: worse than best of all" in words
    )


def test_a_section_that_fails_does_not_lose_the_report(three_classes):
    @section("broken", "Broken", order=55)
    def broken(context):
        raise ZeroDivisionError("by <nothing>")

    try:
        text = render(three_classes, seconds=0.0)
    finally:
        del _SECTIONS["broken"]
    assert "ZeroDivisionError: by &lt;nothing&gt;" in text
    assert "How to reproduce it" in text


def test_when_the_time_is_over_only_what_must_be_said_is_shown(regression):
    words = Page(render(regression, left=lambda: 0.0)).text
    assert words.count("Not shown: the time budget was used up.") >= 3
    assert "Recommended" in words and "Families that could not take part" in words and "How to reproduce it" in words
    assert "Not shown: the time budget was used up." not in Page(render(regression, left=lambda: 60.0)).text


def test_without_time_expensive_sections_say_so(regression):
    words = Page(render(regression, seconds=-1.0)).text
    assert words.count("there was not enough time for") >= 2


def test_costs_move_the_threshold_and_are_shown(two_classes):
    words = Page(render(two_classes, costs=[[0, 1], [9, 0]], seconds=0.0)).text
    assert "no & never if its probability is above 0.1, else" in words
    assert "Costs of each decision, as given." in words
    plain = Page(render(two_classes, seconds=0.0)).text
    assert "above 0.5, else" in plain


@pytest.mark.parametrize("costs", [[[0, 1]], [[0, 1, 2], [1, 0, 2]]])
def test_costs_of_the_wrong_shape_are_refused(two_classes, costs):
    with pytest.raises(ValueError, match=r"Cannot .* costs of shape"):
        render(two_classes, costs=costs)


def test_costs_of_a_regression_are_refused(regression):
    with pytest.raises(ValueError, match="Cannot report a regression at costs"):
        render(regression, costs=[[0, 1], [1, 0]])


def test_without_held_out_predictions_or_test_rows_the_rest_is_still_written(two_classes):
    bare = replace(
        two_classes,
        y_out_of_fold=None,
        test=two_classes.test.take(slice(0, 0)),
        y_test=two_classes.y_test[:0],
        test_score=float("nan"),
        test_error=float("nan"),
    )
    words = Page(render(bare, seconds=0.0)).text
    assert "no rows were held out" in words
    assert words.count("the comparison kept no predictions for rows that were held out") == 3


def test_pictures_give_way_to_words_where_the_page_would_be_too_large(three_classes, monkeypatch):
    whole = render(three_classes, seconds=0.0)
    monkeypatch.setattr("separatrix.report.page.MOST_BYTES", len(whole.encode()) - 1000)
    fewer = render(three_classes, seconds=0.0)
    assert len(fewer.encode()) <= len(whole.encode()) - 1000
    assert Page(fewer).text.count("A picture was left out") == 1
    assert MOST_BYTES == 1_000_000


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, three_classes, monkeypatch):
    path = tmp_path / "report.html"
    assert write(three_classes, path, seconds=0.0) == path
    first = path.read_bytes()
    assert first.startswith(b"<!DOCTYPE html>") and [p.name for p in tmp_path.iterdir()] == ["report.html"]

    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="no space"):
        write(three_classes, path, seconds=0.0)
    assert path.read_bytes() == first and [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_the_digest_changes_with_any_cell(regression):
    from separatrix.report.sections.reproduce import digest
    from separatrix.tables.table import Table

    same = digest(regression)
    assert digest(replace(regression)) == same and len(same) == 64
    columns = list(regression.train.columns)
    columns[2] = columns[2].copy()
    columns[2][5] = "violet"
    other = replace(regression, train=Table(regression.train.names, tuple(columns), "prices.csv"))
    assert digest(other) != same


def test_units_of_the_table_are_found_through_the_preparation(regression):
    from separatrix.report.context import ReportContext

    units = dict(zip(regression.feature_names, ReportContext(regression).units))
    spread = np.std(regression.train["a"])
    assert units["a"] == pytest.approx(spread, rel=1e-9)
    assert [units[name] for name in units if name.startswith("colour")] == [1.0, 1.0]
