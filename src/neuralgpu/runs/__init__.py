"""What is on disk: the configuration of a network and its training, checkpoints and run directories."""
