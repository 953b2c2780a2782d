"""From a table of mixed columns to columns of numbers. Each transformer is imported when it is first asked for."""

from separatrix.core.registry import lazily

_HOMES = {
    "Categories": "categories",
    "Codes": "categories",
    "Counts": "counts",
    "Curves": "curves",
    "Dates": "dates",
    "Numbers": "numbers",
    "TableColumns": "table_columns",
    "Thresholds": "thresholds",
    "Words": "words",
}

__all__, __getattr__, __dir__ = lazily(__name__, _HOMES)
