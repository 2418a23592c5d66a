"""What learns: each model is a function of its weights, a tape and a number of steps."""
