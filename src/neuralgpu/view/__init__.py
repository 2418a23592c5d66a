"""What a network does, made visible: traces of its states, animations and space-time pictures, figures of runs."""
