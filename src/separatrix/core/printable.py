"""Text from data, written so that a terminal shows it and obeys none of it.

Column names, labels, levels of categories, file names and model files come from others. Control characters among them
could colour or erase a screen, forge a line, hide text or reverse it. What prints such text passes it through here.
"""

import unicodedata

# Controls, formats (bidirectional overrides, zero-width characters, tags), lone surrogates, ends of lines and
# paragraphs; of letters those that show nothing.
_HIDDEN_KINDS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_HIDDEN_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")


def printable(text: object, *, lines: bool = False) -> str:
    r"""A text with every character that does not show written as an escape of Python's; the others stay.

    Parameters
    ----------
    text : object.  What ``str`` makes of it is shown.
    lines : bool, default False.  Whether ends of lines and tabs stay: for text of several lines, which is not one cell
        or one sentence.

    >>> print(printable("na\N{LATIN SMALL LETTER I WITH DIAERESIS}ve \x1b[31mred\u202e\r\n"))
    naïve \x1b[31mred\u202e\r\n
    """
    text = str(text)
    if text.isprintable() and _HIDDEN_LETTERS.isdisjoint(text):
        return text
    kept = "\n\t" if lines else ""
    return "".join(_escape(char) if _is_hidden(char) and char not in kept else char for char in text)


def shortened(text: object, most: int) -> str:
    """A printable text of at most so many letters: its beginning and its end, where it is longer.

    >>> shortened("petal width (cm)", 24), shortened("a_rather_long_name_of_a_column_2", 12)
    ('petal width (cm)', 'a_rather…n_2')
    """
    text, tail = str(text), (most - 1) // 3
    if len(text) > 8 * most:  # an escape has up to 10 letters: what is cut out need not be written as escapes
        text = f"{text[:most]}…{text[-most:]}"
    text = printable(text)
    return text if len(text) <= most else f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def json_printable(text: str) -> str:
    r"""A JSON document with every character that does not show as an escape of JSON's: the same document.

    >>> print(json_printable('{"a": "\x9b5m\U000e0041"}'))
    {"a": "\u009b5m\udb40\udc41"}
    """
    return "".join(_json_escape(char) if _is_hidden(char) and char != "\n" else char for char in text)


def _is_hidden(char: str) -> bool:
    return unicodedata.category(char) in _HIDDEN_KINDS or char in _HIDDEN_LETTERS


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def _json_escape(char: str) -> str:
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[k : k + 2].hex()}" for k in range(0, len(units), 2))
