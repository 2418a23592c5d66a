"""The CPU cores that this process may use."""

import os


def available_cores() -> int:
    """How many there are."""
    if hasattr(os, "sched_getaffinity"):  # Linux; a container or taskset may allow fewer than the machine has
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
