"""Settings of a network that trains a step in milliseconds."""

PAPER = ["--recipe", "paper"]
TINY = [*PAPER, "--layers", "1", "--width", "1", "--maps", "8", "--batch", "4", "--examples-per-size", "50"]
