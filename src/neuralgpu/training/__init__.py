"""How a network is taught: the loop, and each technique of the paper in a file of its own."""
