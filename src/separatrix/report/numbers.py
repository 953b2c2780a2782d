"""Numbers as a report prints them: rounded to their standard error, with a true minus sign."""

import math

MINUS = "−"


def decimals(error):
    """Decimal places at which an error keeps two digits.

    >>> decimals(0.0123), decimals(4.2), decimals(870.0)
    (3, 1, 0)
    """
    if not error > 0.0 or not math.isfinite(error):
        return 3
    return max(0, 1 - math.floor(math.log10(error)))


def fixed(value, places):
    """A number with `places` decimals and thousands separators.

    >>> fixed(-1234.5678, 1)
    '−1,234.6'
    """
    if value is None or not math.isfinite(value):
        return "–"
    text = f"{value:,.{places}f}"
    if float(text.replace(",", "")) == 0.0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def short(value, digits=3):
    """A number to three significant digits, without an exponent if it is between 1e-5 and 1e9.

    >>> short(0.000123), short(12345.678), short(0.5), short(1.5e-12), short(None)
    ('0.000123', '12,346', '0.5', '1.5e−12', '–')
    """
    if value is None or not math.isfinite(value):
        return "–" if value is None or math.isnan(value) else ("∞" if value > 0 else f"{MINUS}∞")
    size = abs(value)
    if size != 0.0 and not 1e-5 <= size < 1e9:
        mantissa, power = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{mantissa}e{int(power)}".replace("-", MINUS)
    if value == int(value) or size >= 10.0 ** (digits - 1):
        return f"{value:,.0f}".replace("-", MINUS)
    return f"{value:.{digits}g}".replace("-", MINUS)


def plus_minus(value, error):
    """A number and its standard error, both rounded to two digits of the error.

    >>> plus_minus(0.99412, 0.00213), plus_minus(31234.9, 1280.0), plus_minus(0.5, float("nan"))
    ('0.9941 ± 0.0021', '31,235 ± 1,280', '0.5')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if error is None or not math.isfinite(error):
        return short(value)
    if error == 0.0:
        return f"{short(value, 4)} ± 0"
    places = decimals(error)
    return f"{fixed(value, places)} ± {fixed(error, places)}"


def with_interval(value, low, high):
    """An estimate with its 95 % interval, rounded to two digits of a quarter of its width, about one standard error.

    >>> with_interval(0.51234, 0.31, 0.71), with_interval(2.0, None, None)
    ('0.51 (0.31 to 0.71)', '2')
    """
    if low is None or high is None or value is None:
        return short(value)
    places = decimals((high - low) / 4.0)
    return f"{fixed(value, places)} ({fixed(low, places)} to {fixed(high, places)})"


def seconds(value):
    """A duration.

    >>> seconds(0.00042), seconds(0.25), seconds(75.0), seconds(float("nan"))
    ('0.4 ms', '250 ms', '75 s', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if value < 1.0:
        return f"{1e3 * value:.1f} ms" if value < 0.01 else f"{1e3 * value:.0f} ms"
    return f"{value:.1f} s" if value < 10.0 else f"{value:,.0f} s"


def counted(number, one, many=None):
    """A number with its noun.

    >>> counted(1, "row"), counted(2500, "row")
    ('1 row', '2,500 rows')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
