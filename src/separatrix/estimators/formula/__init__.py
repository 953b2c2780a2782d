"""R's formulas: read, expanded into terms, evaluated on a table, and coded as columns."""
