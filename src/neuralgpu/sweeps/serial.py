"""The engine without Ray: one trial after the other, in this process."""

from collections import deque
from collections.abc import Callable, Iterator

from neuralgpu.sweeps.trial import Ending, Trial, run_trial


class SerialEngine:
    """Runs trials one after the other."""

    def run(
        self, queue: deque[Trial], tick: Callable[[], None], stop: Callable[[], bool]
    ) -> Iterator[tuple[Trial, Ending | str]]:
        """Each trial of the queue with how it ended, in which more may be put on the way; `tick` is called often."""
        while queue and not stop():
            trial = queue.popleft()
            yield trial, run_trial(trial, lambda now: tick(), stop)

    def close(self) -> None:
        """Nothing to close."""
