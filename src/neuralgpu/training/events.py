"""Numbers of a training for TensorBoard, written at once and in order.

tensorboardX has a writer of its own that does so in a thread, where a full disk ends in a traceback.
"""

import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from tensorboardX.event_file_writer import EventsWriter
from tensorboardX.proto.event_pb2 import Event, SessionLog
from tensorboardX.summary import scalar

FILE_VERSION = "brain.Event:2"
SYNC_SECONDS = 30.0
"""Between two times that events are forced to the disk."""


class Events:
    """A file of events in a directory; use it as a context."""

    def __init__(self, directory: Path, first_step: int) -> None:
        """TensorBoard forgets what earlier files say about steps from `first_step` on."""
        # Each file has its first step in its name: two that begin within a second would have the same.
        self._writer = EventsWriter(str(directory / "events"), f".{first_step}")
        self._synced = time.monotonic()
        self._writer.write_event(Event(step=first_step, file_version=FILE_VERSION))
        self._writer.write_event(Event(step=first_step, session_log=SessionLog(status=SessionLog.START)))

    def add(self, step: int, numbers: Mapping[str, float]) -> None:
        """Write the numbers of a step."""
        for name, number in numbers.items():
            self._writer.write_event(Event(step=step, wall_time=time.time(), summary=scalar(name, number)))
        if time.monotonic() - self._synced >= SYNC_SECONDS:
            self._writer.flush()
            self._synced = time.monotonic()

    def __enter__(self) -> "Events":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()
