r"""Formulas of docstrings for a terminal: LaTeX turned into the characters it stands for, as far as one line can."""

import re

_TABLE = """
alpha α beta β gamma γ delta δ varepsilon ε epsilon ε eta η theta θ lambda λ mu μ nu ν pi π rho ρ sigma σ tau τ phi φ
chi χ psi ψ omega ω ell ℓ Sigma Σ Delta Δ Omega Ω Phi Φ Lambda Λ sum Σ prod ∏ nabla ∇ partial ∂ infty ∞ le ≤ leq ≤ ge ≥
geq ≥ ne ≠ neq ≠ times × cdot · pm ± approx ≈ propto ∝ in ∈ otimes ⊗ circ ∘ odot ∘ sim ~ mid | leftarrow ← to →
rightarrow → top ᵀ prime ′ dots … ldots …
"""
_SYMBOLS = dict(zip(_TABLE.split()[::2], _TABLE.split()[1::2]))
_SYMBOLS |= {"quad": "  ", "qquad": "   ", "|": "‖", ",": "\N{HAIR SPACE}", ";": " ", ":": " ", "!": ""}
_RAISED = dict(zip("0123456789+-=()niT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀ")) | {"ᵀ": "ᵀ", "*": "*", "′": "′", "⊤": "ᵀ"}
_LOWERED = dict(zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"))
_GROUP = r"(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\\[A-Za-z]+|[^\s\\{}])"


def readable(latex):
    r"""A formula in characters.

    >>> readable(r"\frac1{2 \sum s} \sum_i s_i (y_i - x_i^\top w)^2 + \alpha \|w\|_1")
    '1/(2 Σ s) Σᵢ sᵢ (yᵢ - xᵢᵀ w)² + α ‖w‖₁'
    >>> readable(r"\ell = \log(1 + e^{\eta}) - y\,\eta")
    'ℓ = log(1 + e^η) - y η'
    """
    text = " ".join(latex.split())
    text = re.sub(r"\\(?:left|right|[bB]igg?[lr]?|displaystyle|limits)(?![A-Za-z])", "", text)
    text = re.sub(r"\\(?:text|mathrm|mathbf|mathbb|operatorname)\s*\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\\(?:hat|bar|tilde)\s*" + _GROUP, _accented, text)
    text = re.sub(r"\\sqrt\s*" + _GROUP, lambda match: f"√({_inside(match.group(1))})", text)
    for _ in range(3):  # fractions within fractions
        text = re.sub(r"\\[td]?frac\s*" + _GROUP + r"\s*" + _GROUP, _fraction, text)
    text = re.sub(r"\\([A-Za-z]+|[|,;:!{} ])", lambda match: _SYMBOLS.get(match.group(1), match.group(1)), text)
    text = re.sub(r"\^" + _GROUP, lambda match: _moved(match.group(1), _RAISED, "^"), text)
    text = re.sub(r"_" + _GROUP, lambda match: _moved(match.group(1), _LOWERED, "_"), text)
    text = re.sub(r"(?<=[^\s,]) {2}(?=\S)", " ", text)
    return re.sub(r" {4,}", "   ", text.replace("{", "").replace("}", "").replace("\N{HAIR SPACE}", " ")).strip()


def _inside(group):
    return group[1:-1] if group.startswith("{") else group


def _accented(match):
    sign = {"h": "\u0302", "b": "\u0304", "t": "\u0303"}[match.group(0)[1]]
    inner = _SYMBOLS.get(_inside(match.group(1)).lstrip("\\"), _inside(match.group(1)))
    return inner + sign if len(inner) == 1 else inner


def _fraction(match):
    above, below = (_inside(group) for group in match.groups())
    if (above, below) == ("1", "2"):
        return "½ "
    above = above if len(above) == 1 or (above.startswith("\\") and above[1:].isalpha()) else f"({above})"
    return f"{above}/{below} " if len(below) == 1 else f"{above}/({below}) "


def _moved(group, letters, mark):
    """A superscript or subscript in small characters where there are such for all of it."""
    inner = _inside(group)
    if inner and all(letter in letters for letter in inner):
        return "".join(letters[letter] for letter in inner)
    return f"{mark}{inner}" if len(inner) == 1 else f"{mark}({inner})"
