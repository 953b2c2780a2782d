"""A figure as inline SVG: small, reproducible to the byte, valid under a strict Content-Security-Policy.

matplotlib's own SVG carries a style sheet for the whole page, style attributes (which a strict Content-Security-Policy
ignores), ids that repeat from figure to figure, metadata and six decimals. Here styles become attributes, numbers are
rounded, only ids that are referred to remain, and a text alternative is added.
"""

import re
from hashlib import sha256
from io import StringIO
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from separatrix.core.printable import printable
from separatrix.core.protocol import can
from separatrix.plots.outlines import thinned
from separatrix.plots.style import describe, styled

FONT = "system-ui, sans-serif"
_SETTINGS = {
    "svg.fonttype": "none",  # text stays text, for search and screen readers
    "svg.hashsalt": "separatrix",
    "svg.image_inline": True,
    "path.simplify": True,
    "path.simplify_threshold": 0.3,
}
_EMPTY = {"Creator": None, "Date": None, "Format": None, "Type": None}
_NUMBER = re.compile(r"-?\d*\.\d+(?:e-?\d+)?")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_DROPPED = {"metadata", "style"}
# Attributes set once on the root, which every shape inherits
_INHERITED = {"stroke-linejoin": "round", "stroke-linecap": "butt"}


def svg(figure, *, prefix=None, title=None):
    """The text of an SVG element that shows a figure, to be put into a page as it is.

    Parameters
    ----------
    figure : Figure or Axes.
    prefix : str or None.  What ids begin with; None takes a digest of the picture, so that different pictures of one
        page have different ids. A page that shows one picture twice needs it.
    title : str or None.  The text alternative; None takes what :func:`describe` says.

    >>> from separatrix import plots
    >>> text = svg(plots.losses())
    >>> text[:27], "<script" in text, "style=" in text
    ('<svg xmlns="http://www.w3.o', False, False)
    """
    figure = figure if can(figure, "savefig") else figure.get_figure()
    title = printable(describe(figure) if title is None else title)
    drawn = StringIO()
    with styled(**_SETTINGS):
        figure.savefig(drawn, format="svg", metadata=_EMPTY)
    text = printable(drawn.getvalue(), lines=True)  # XML has no control characters
    root = ElementTree.fromstring(text)
    if prefix is None:
        prefix = "s" + sha256((text + title).encode()).hexdigest()[:8]
    wanted = {name for element in root.iter() for name in _referred(element)}
    ids = {name: f"{prefix}-{k}" for k, name in enumerate(sorted(wanted))}
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])
    head = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {_round(width, 0)} {_round(height, 0)}",
        "width": _round(width * 4.0 / 3.0, 0),  # points to pixels
        "height": _round(height * 4.0 / 3.0, 0),
        "role": "img",
        "aria-label": title,
        "font-family": FONT,
        **_INHERITED,
    }
    inside = "".join(_written(child, ids) for child in root)
    return f"<svg{_attributes(head)}>{inside}</svg>"


def _local(name):
    """A name without its namespace."""
    return name.rpartition("}")[2]


def _referred(element):
    """Ids that an element points to."""
    for name, text in element.attrib.items():
        if _local(name) == "href":
            yield text.lstrip("#")
        yield from _REFERENCE.findall(text)


def _written(element, ids):
    """An element with its children, without those that do not show."""
    if not isinstance(element.tag, str) or _local(element.tag) in _DROPPED:
        return ""
    tag = _local(element.tag)
    attributes = _plain(element, ids)
    inside = escape(element.text or "") if tag in ("text", "tspan") else ""
    inside += _markers(element, attributes, ids) or "".join(_written(child, ids) for child in element)
    if not inside and tag in ("g", "defs"):
        return ""
    if tag == "g" and not attributes:
        return inside
    return f"<{tag}{_attributes(attributes)}>{inside}</{tag}>" if inside else f"<{tag}{_attributes(attributes)}/>"


def _markers(group, attributes, ids):
    """The markers of one line; attributes that all of them share move to their group."""
    children = [_plain(child, ids) for child in group if _local(child.tag) == "use"]
    if len(children) < 2 or len(children) != len(group):
        return ""
    shared = {name for name, text in children[0].items() if all(child.get(name) == text for child in children)}
    shared -= {"href", "x", "y"} | set(attributes)
    attributes.update({name: children[0][name] for name in sorted(shared)})
    rest = ({name: text for name, text in child.items() if name not in shared} for child in children)
    return "".join(f"<use{_attributes(one)}/>" for one in rest)


def _plain(element, ids):
    """Attributes with styles taken apart, numbers rounded and ids renamed."""
    kept = {}
    for name, text in element.attrib.items():
        name = _local(name)
        if name == "style":
            kept.update(_presentation(text))
        elif name == "id":
            if text in ids:
                kept["id"] = ids[text]
        elif name == "href":
            kept["href"] = "#" + ids[text.lstrip("#")]
        elif name == "d":
            kept["d"] = _path(text)
        elif name == "transform":
            kept["transform"] = _transform(text)
        else:
            kept[name] = _NUMBER.sub(lambda m: _round(m[0], 1), text)
    kept = {name: _REFERENCE.sub(lambda m: f"url(#{ids[m[1]]})", text) for name, text in kept.items()}
    return {name: text for name, text in kept.items() if text and _INHERITED.get(name) != text}


def _presentation(style):
    """A style attribute as presentation attributes, which a Content-Security-Policy lets pass."""
    attributes = {}
    for part in filter(None, (piece.strip() for piece in style.split(";"))):
        name, _, text = part.partition(":")
        name, text = name.strip(), text.strip()
        if name == "font":
            size = re.search(r"([\d.]+)px", text)
            attributes["font-size"] = _round(size[1], 1) if size else ""
            if "bold" in text:
                attributes["font-weight"] = "bold"
        elif name != "font-family":
            attributes[name] = _NUMBER.sub(lambda m: _round(m[0], 2), text)
    return attributes


def _path(text):
    """Path data with one decimal, without corners that do not show and unneeded spaces."""
    text = _NUMBER.sub(lambda m: _round(m[0], 1), thinned(" ".join(text.split())))
    return re.sub(r" ?([A-Za-z]) ?", r"\1", text)


def _transform(text):
    """A transformation with two decimals; "" for the identity."""
    text = _NUMBER.sub(lambda m: _round(m[0], 2), text)
    return "" if re.fullmatch(r"rotate\(-?0[^)]*\)|translate\(0[, ]0\)", text) else text


def _round(text, places):
    """A rounded number in as few characters as possible.

    >>> _round("12.3400", 1), _round(-0.04, 1), _round(0.25, 2)
    ('12.3', '0', '.25')
    """
    number = f"{float(text):.{places}f}"
    number = number.rstrip("0").rstrip(".") if "." in number else number
    number = "0" if number in ("-0", "") else number
    return re.sub(r"^(-?)0\.", r"\1.", number)


def _attributes(attributes):
    return "".join(f" {name}={quoteattr(text)}" for name, text in attributes.items())
