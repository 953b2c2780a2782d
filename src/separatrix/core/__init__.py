"""The shared words of the house: verbs, problems, solutions, certificates, errors."""
