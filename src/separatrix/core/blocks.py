"""How many rows are taken at a time: the same wherever rows are predicted, so that sums are rounded alike."""

# Rows are handed out in blocks of about this many numbers: four megabytes, which stay in cache while several sums are
# taken over them (measured: half or twice as many make no difference beyond noise). Where p-by-p sums are made of them,
# blocks are up to eight times as tall, so that merging the sums costs little beside making them.
BLOCK_NUMBERS = 1 << 19


def row_blocks(n: int, width: int, numbers: int = BLOCK_NUMBERS, least: int = 1) -> list[slice]:
    """Slices of n rows that hold about so many numbers each, at least `least` rows.

    >>> row_blocks(5, 10, numbers=20)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    height = max(least, numbers // max(width, 1))
    return [slice(i, min(i + height, n)) for i in range(0, n, height)]


def short_blocks(n: int, width: int) -> list[slice]:
    """Slices of rows whose products with a matrix stay in cache."""
    return row_blocks(n, width, BLOCK_NUMBERS // 4, least=16)
