"""How a step is computed: the torch reference on any device, or the native kernel on the CPU."""
