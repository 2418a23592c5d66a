"""How well a network does: exact and per-symbol scores with their bounds, and the inputs that it gets wrong."""
