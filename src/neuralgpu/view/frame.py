"""One frame of an animation: the mental image after a step, the input above it and the answer below."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from neuralgpu.tasks import Task
from neuralgpu.view.lettering import letters, stamp, stamp_centred
from neuralgpu.view.palette import FAINT_TEXT, INK_TEXT, MARKS, STATE, WRONG_TEXT, Indices, shade, symbol_ramp
from neuralgpu.view.stage import GUTTER, HEADER, LINE, MARGIN, plan
from neuralgpu.view.trace import Symbols, Trace

TITLE_SIZE, WORD_SIZE = 19, 13


class Painter:
    """Paints the frames of one trace; what stays the same in all of them is painted once."""

    def __init__(self, task: Task, trace: Trace, maps: Sequence[int], scale: int = 1) -> None:
        self.task = task
        self.trace = trace
        self.maps = list(maps)
        _, n, w, _ = trace.states.shape
        self.unit = scale
        self.words = task.explain(trace.text, task.answer(trace.text)) or f"{task.size(trace.text)} {task.unit}"
        self.stage = plan(n, w, len(self.maps), scale, self._least_width())
        self.background = self._background()

    def frame(self, t: int) -> Indices:
        """The frame (height, width) after step t, as places of the palette."""
        canvas = self.background.copy()
        for panel in range(self.stage.panels):
            self._paint_maps(canvas, t, panel)
            self._paint_tape(canvas, self.trace.answers[t], self.stage.answer_top, panel, self.trace.wrong[t])
        self._paint_step(canvas, t)
        self._paint_verdict(canvas, t)
        return canvas

    def _least_width(self) -> int:
        header = (self._title(), self._word(self.words), self._word("step 000 / 000"))
        footer = (*self._legend(), self._word("000 of 000 cells right"))
        widths = [sum(int(tile.shape[1]) for tile in tiles) for tiles in (header, footer)]
        return max(widths[0], widths[1] + GUTTER * self.unit) + 40 * self.unit

    def _title(self) -> Indices:
        return letters(self.task.name, TITLE_SIZE * self.unit, INK_TEXT)

    def _word(self, text: str) -> Indices:
        return letters(text, WORD_SIZE * self.unit, FAINT_TEXT)

    def _legend(self) -> tuple[Indices, Indices, Indices]:
        """-1, the shades from it to 1, and 1."""
        shades = np.arange(STATE.levels, dtype=np.uint8)[None].repeat(8 * self.unit, axis=0)
        framed = np.pad(shades.repeat(2 * self.unit, axis=1), LINE, constant_values=MARKS.start)
        return self._word("-1"), framed, self._word("1")

    def _background(self) -> Indices:
        stage, unit = self.stage, self.unit
        canvas = np.full((stage.height, stage.width), INK_TEXT.start, dtype=np.uint8)
        title, words = self._title(), self._word(self.words)
        baseline = 12 * unit + title.shape[0]
        stamp(canvas, title, baseline - title.shape[0], MARGIN * unit)
        stamp(canvas, words, baseline - words.shape[0] - unit, MARGIN * unit + title.shape[1] + 10 * unit)
        for panel in range(stage.panels):
            left = stage.panel_left(panel)
            canvas[stage.panel_top :, left : left + stage.panel_width][: stage.panel_height] = MARKS.start
            self._paint_tape(canvas, self.task.encode(self.trace.text)[0], stage.input_top, panel)
        for word, top in (("input", stage.input_top), ("answer", stage.answer_top)):
            tile = self._word(word)
            left = stage.panel_left(0) - tile.shape[1] - 8 * unit
            stamp_centred(canvas, tile, (top, left, stage.tape_height, tile.shape[1]))
        self._paint_legend(canvas)
        return canvas

    def _paint_legend(self, canvas: Indices) -> None:
        """What the shades mean, at the left of the footer."""
        left = (MARGIN + GUTTER) * self.unit
        height = self._word("-1").shape[0]
        for tile in self._legend():
            top = self.stage.height - 12 * self.unit - height
            stamp_centred(canvas, tile, (top, left, height, tile.shape[1]))
            left += tile.shape[1] + 5 * self.unit

    def _paint_maps(self, canvas: Indices, t: int, panel: int) -> None:
        stage = self.stage
        shown = self.maps[panel * stage.maps_a_panel : (panel + 1) * stage.maps_a_panel]
        numbers = self.trace.states[t][:, :, shown].transpose(2, 1, 0)  # (maps, w, n)
        cells = shade(numbers).repeat(stage.row, axis=1).repeat(stage.cell, axis=2)
        lined = np.pad(cells, ((0, 0), (0, stage.separator), (0, 0)), constant_values=MARKS.start)
        tile = lined.reshape(-1, lined.shape[-1])
        stamp(canvas, tile[: stage.panel_height - 2 * LINE], stage.panel_top + LINE, stage.panel_left(panel) + LINE)

    def _paint_tape(
        self, canvas: Indices, symbols: Symbols, top: int, panel: int, wrong: NDArray[np.bool_] | None = None
    ) -> None:
        stage = self.stage
        for k, symbol in enumerate(symbols):
            ramp = WRONG_TEXT if wrong is not None and wrong[k] else symbol_ramp(int(symbol), self.task.symbols)
            left = stage.panel_left(panel) + LINE + k * stage.cell
            line = LINE if stage.lettered else 0
            canvas[top : top + stage.tape_height, left : left + stage.cell - line] = ramp.start
            if stage.lettered and symbol:
                size = min(stage.cell - 2 * self.unit, 15 * self.unit)
                tile = letters(self.task.alphabet[symbol - 1], size, ramp)
                fitting = tile[:, : stage.cell - line]  # of a word the beginning
                stamp_centred(canvas, fitting, (top, left, stage.tape_height, stage.cell - line))

    def _paint_step(self, canvas: Indices, t: int) -> None:
        """The counter at the right of the header, and the line below it that fills up."""
        unit, steps = self.unit, self.trace.steps
        tile = self._word(f"step {t} / {steps}")
        right = self.stage.width - MARGIN * unit
        stamp(canvas, tile, 11 * unit + self._title().shape[0] - tile.shape[0], right - tile.shape[1])
        top, left = HEADER * unit, MARGIN * unit
        canvas[top : top + 2 * unit, left:right] = MARKS.start
        canvas[top : top + 2 * unit, left : left + (right - left) * t // steps] = MARKS.last

    def _paint_verdict(self, canvas: Indices, t: int) -> None:
        """How many cells of the answer are right, at the right of the footer."""
        wrong, n = int(self.trace.wrong[t].sum()), self.stage.n
        text = f"{n - wrong} of {n} cells right" if wrong else "every cell is right"
        tile = self._word(text)
        right = self.stage.width - MARGIN * self.unit
        stamp(canvas, tile, self.stage.height - 12 * self.unit - tile.shape[0], right - tile.shape[1])
