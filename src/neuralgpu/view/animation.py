"""A moving picture of a network at work: which steps are shown, and for how long."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from neuralgpu.errors import UserError
from neuralgpu.tasks import Task
from neuralgpu.view.files import WRITERS, check_path, writing
from neuralgpu.view.frame import Painter
from neuralgpu.view.options import PictureOptions, chosen_maps
from neuralgpu.view.palette import Indices, palette
from neuralgpu.view.trace import Trace

MOST_FRAMES = 140
"""Shown unless asked otherwise."""
LARGEST = 9_500_000
"""Bytes of a file, unless asked otherwise; one that gets larger is written again with half as many frames."""
FASTEST = 25
"""Frames a second that every format and player shows."""
USUAL_SECONDS = 8.0
"""What an animation takes as far as its frames come neither slower nor faster than these, each second:"""
SLOW, FAST = 2.5, 12.5
LONGEST = 1800.0
"""Seconds that an animation may take."""
OPENING = 1.0
"""Seconds for which the first frame stands, so that the input can be read."""


@dataclass(frozen=True)
class Pace:
    """The steps that are shown, with the seconds of each."""

    steps: tuple[int, ...]
    seconds: tuple[float, ...]


def animate(
    task: Task,
    trace: Trace,
    path: Path,
    options: PictureOptions | None = None,
    progress: Callable[[int], None] = lambda step: None,
) -> Pace:
    """Write a trace to a .gif, .webp or .mp4; `progress` is told the step that the file has come to."""
    options = options or PictureOptions()
    check_path(path, WRITERS)
    options.check(*trace.states.shape[2:])
    painter = Painter(task, trace, chosen_maps(options.maps, trace.states.shape[-1]), options.scale)

    def frames(pace: Pace) -> Iterator[Indices]:
        for t in pace.steps:
            progress(t)
            yield painter.frame(t)

    every = options.every or -(-trace.steps // MOST_FRAMES)
    with writing(path) as part:
        while True:
            pace = find_pace(trace.steps, every, options)
            WRITERS[path.suffix.lower()](part, frames(pace), pace.seconds, palette(options.colours))
            if options.every or part.stat().st_size <= LARGEST or every >= trace.steps:
                return pace
            every *= 2


def find_pace(steps: int, every: int, options: PictureOptions) -> Pace:
    """Every few steps and always the last, at the speed that is asked for or a usual one."""
    shown = (*range(0, steps, every), steps)
    rate = options.speed / every if options.speed else min(max(len(shown) / USUAL_SECONDS, SLOW), FAST)
    if rate > FASTEST:
        raise UserError(
            f"speed is {options.speed:g} steps a second, or {rate:g} frames, and no more than {FASTEST} are shown; "
            f"add --every {-(-every * rate // FASTEST):g}"
        )
    if len(shown) > LONGEST * rate:
        raise UserError(
            f"speed is {options.speed or rate:g} steps a second, at which {len(shown)} frames take more than "
            f"{LONGEST:g} seconds; choose a higher one"
        )
    lengths = [1 / rate] * len(shown)
    lengths[0] = max(OPENING, 1 / rate)
    lengths[-1] = max(options.hold, 1 / rate)
    return Pace(shown, tuple(lengths))
