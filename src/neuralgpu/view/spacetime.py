"""A space-time picture: the cells of the tape across, time downwards, some maps side by side."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from neuralgpu.tasks import Task
from neuralgpu.view.files import check_path, writing
from neuralgpu.view.lettering import letters, stamp
from neuralgpu.view.options import PictureOptions, chosen_maps
from neuralgpu.view.palette import FAINT_TEXT, INK_TEXT, MARKS, WRONG_TEXT, Indices, palette, shade, symbol_ramp
from neuralgpu.view.trace import Trace

SUFFIXES = (".png",)
BUSIEST = 5
"""Maps that are shown unless asked otherwise."""
PANEL_ROOM = 200
"""Pixels that a panel takes as far as it can; a longer tape takes one for each cell."""
LARGEST_CELL = 14
WIDEST = 1280
"""Panels stand in one row up to here."""
MARGIN, GAP, TITLE_SIZE, WORD_SIZE, WORD_HEIGHT, HEADER = 16, 14, 19, 13, 20, 44


def draw_spacetime(task: Task, trace: Trace, path: Path, options: PictureOptions | None = None) -> None:
    """Write a trace to a .png: first the answer as it forms, with what is wrong in orange, then the maps."""
    options = options or PictureOptions()
    check_path(path, SUFFIXES)
    options.check(*trace.states.shape[2:])
    image = Image.fromarray(palette(options.colours)[spacetime(task, trace, options)])
    with writing(path) as part:
        image.save(part, optimize=True)


def spacetime(task: Task, trace: Trace, options: PictureOptions) -> Indices:
    """The picture (height, width) as places of the palette."""
    m, unit = trace.states.shape[-1], options.scale
    maps = chosen_maps(options.maps, m) if options.maps else busiest_maps(trace, BUSIEST)
    cell = max(1, min(PANEL_ROOM // trace.states.shape[1], LARGEST_CELL)) * unit
    panels = [_panel("answer", answer_history(task, trace), cell, unit)]
    for number in maps:
        panels.append(_panel(f"map {number}", shade(trace.states[:, :, options.column, number]), cell, unit))
    body = _rows(panels, unit)
    canvas = _paper(HEADER * unit + body.shape[0] + MARGIN * unit, body.shape[1] + 2 * MARGIN * unit)
    stamp(canvas, body, HEADER * unit, MARGIN * unit)
    _write_header(canvas, task, trace, options.column, unit)
    return canvas


def busiest_maps(trace: Trace, count: int) -> list[int]:
    """The maps that change most from step to step, in the order of their numbers."""
    change = np.abs(np.diff(trace.states, axis=0)).mean(axis=(0, 1, 2))  # (m,)
    return sorted(int(number) for number in np.argsort(-change, kind="stable")[:count])


def answer_history(task: Task, trace: Trace) -> Indices:
    """The symbol of every cell after every step as a tint (steps + 1, n), what is wrong in orange."""
    tints = np.array([symbol_ramp(symbol, task.symbols).start for symbol in range(task.symbols)], dtype=np.uint8)
    return np.where(trace.wrong, np.uint8(WRONG_TEXT.start), tints[trace.answers])


def _panel(title: str, places: Indices, cell: int, unit: int) -> Indices:
    """Places (steps + 1, n) as square cells, with a line around them and a title above."""
    cells = np.pad(places.repeat(cell, axis=0).repeat(cell, axis=1), 1, constant_values=MARKS.start)
    words = letters(title, WORD_SIZE * unit, FAINT_TEXT)
    canvas = _paper(cells.shape[0] + WORD_HEIGHT * unit, max(cells.shape[1], words.shape[1]))
    stamp(canvas, words, 0, 0)
    stamp(canvas, cells, WORD_HEIGHT * unit, 0)
    return canvas


def _rows(panels: Sequence[Indices], unit: int) -> Indices:
    """Panels of one size side by side, in as many rows as they need."""
    height, width = (max(panel.shape[axis] for panel in panels) for axis in (0, 1))
    gap = GAP * unit
    across = max(1, min(len(panels), (WIDEST * unit + gap) // (width + gap)))
    down = -(-len(panels) // across)
    across = -(-len(panels) // down)
    canvas = _paper(down * (height + gap) - gap, across * (width + gap) - gap)
    for number, panel in enumerate(panels):
        row, column = divmod(number, across)
        stamp(canvas, panel, row * (height + gap), column * (width + gap))
    return canvas


def _write_header(canvas: Indices, task: Task, trace: Trace, column: int, unit: int) -> None:
    title = letters(task.name, TITLE_SIZE * unit, INK_TEXT)
    fact = task.explain(trace.text, task.answer(trace.text)) or f"{task.size(trace.text)} {task.unit}"
    place = f", column {column}" if column else ""
    words = letters(f"{fact}   {trace.steps} steps, time downwards{place}", WORD_SIZE * unit, FAINT_TEXT)
    words = words[:, : canvas.shape[1] - title.shape[1] - (2 * MARGIN + 10) * unit]
    stamp(canvas, title, 12 * unit, MARGIN * unit)
    stamp(canvas, words, 11 * unit + title.shape[0] - words.shape[0], (MARGIN + 10) * unit + title.shape[1])


def _paper(height: int, width: int) -> Indices:
    return np.full((height, width), INK_TEXT.start, dtype=np.uint8)
