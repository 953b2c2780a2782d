"""From fitted numbers to predictions in plain numpy: what a saved model needs, and nothing that is slow to import."""
