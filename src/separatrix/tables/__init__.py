"""Tables as people keep them: read from files and frames, and understood, without scikit-learn or a compiler."""
