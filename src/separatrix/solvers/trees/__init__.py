"""Trees: the table of nodes, criteria, exact split search, growers, pruning."""
