"""Networks that learn an algorithm from short examples and run it exactly on long inputs."""
