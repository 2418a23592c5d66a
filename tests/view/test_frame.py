from dataclasses import replace

import numpy as np
import pytest

from neuralgpu.tasks import get_task
from neuralgpu.view.frame import Painter
from neuralgpu.view.lettering import letters
from neuralgpu.view.palette import FAINT_TEXT, STATE_LEVELS, WRONG_TEXT, palette, shade, symbol_ramp
from neuralgpu.view.stage import LETTER_CELL, LINE, plan
from neuralgpu.view.trace import Trace

COPY = get_task("copy")


def test_minus_one_is_white_one_is_black_and_zero_is_between() -> None:
    greys = palette("greys")[shade(np.array([-1.0, 0.0, 1.0]))]
    assert greys.tolist() == [[255, 255, 255], [128, 128, 128], [0, 0, 0]]


def test_numbers_beyond_one_are_drawn_as_one() -> None:
    assert shade(np.array([-1.7, 1.7])).tolist() == [0, STATE_LEVELS - 1]


def test_the_diverging_colours_are_blue_white_and_brown() -> None:
    blue, white, brown = palette("diverging")[shade(np.array([-1.0, 0.0, 1.0]))].astype(int)
    assert blue[2] > blue[0]
    assert brown[0] > brown[2]
    assert white.min() > 240


def test_every_symbol_of_a_decimal_task_has_a_tint_and_pad_is_paper() -> None:
    places = [symbol_ramp(symbol, symbols=12).start for symbol in range(12)]
    assert places == sorted(places)
    assert places[0] < places[1] < places[-1]


@pytest.mark.parametrize("scale", [1, 2])
def test_each_number_is_drawn_where_its_map_and_cell_are(scale: int, cgru_trace: Trace) -> None:
    painter = Painter(COPY, cgru_trace, maps=[6, 1], scale=scale)
    stage, frame = painter.stage, painter.frame(3)
    assert stage.panels == 1
    for place, number in enumerate([6, 1]):
        for column in range(3):
            for k in range(5):
                y = stage.panel_top + LINE + place * (3 * stage.row + stage.separator) + column * stage.row
                x = stage.panel_left(0) + LINE + k * stage.cell
                block = frame[y : y + stage.row, x : x + stage.cell]
                assert (block == shade(cgru_trace.states[3, k, column, number])).all()


def test_all_maps_are_drawn_though_the_last_panel_is_not_full(diagonal_trace: Trace) -> None:
    seven = replace(diagonal_trace, states=np.full((6, 5, 1, 7), 1.0, dtype=np.float32))
    painter = Painter(COPY, seven, maps=range(7))
    stage = painter.stage
    black = (painter.frame(0)[stage.panel_top : stage.panel_top + stage.panel_height] == STATE_LEVELS - 1).sum()
    assert black == 7 * 5 * stage.cell * stage.row


def test_a_wrong_cell_of_the_answer_is_orange_and_a_right_one_is_not(diagonal_trace: Trace) -> None:
    assert diagonal_trace.target is not None
    answers = np.repeat(diagonal_trace.target[None], 6, axis=0)
    answers[2, 3] = 0
    painter = Painter(COPY, replace(diagonal_trace, answers=answers), maps=[0])
    stage = painter.stage
    left = stage.panel_left(0) + LINE
    corners = painter.frame(2)[stage.answer_top, left : left + 5 * stage.cell : stage.cell]
    assert (corners == WRONG_TEXT.start).tolist() == [False, False, False, True, False]


def test_the_step_and_the_count_of_right_cells_are_written(diagonal_trace: Trace) -> None:
    painter = Painter(COPY, diagonal_trace, maps=[0])
    right = 5 - int(diagonal_trace.wrong[4].sum())
    for words in ("step 4 / 5", f"{right} of 5 cells right" if right < 5 else "every cell is right"):
        tile = letters(words, 13, FAINT_TEXT)
        windows = np.lib.stride_tricks.sliding_window_view(painter.frame(4), tile.shape)
        assert (windows == tile).all(axis=(2, 3)).any()


@pytest.mark.parametrize("n", [1, 5, 11, 41, 101, 401, 2001])
@pytest.mark.parametrize(("w", "maps"), [(4, 24), (1, 96), (1, 1), (4, 128)])
def test_a_frame_has_even_sides_and_room_for_its_panels(n: int, w: int, maps: int) -> None:
    stage = plan(n, w, maps, scale=1, least_width=300)
    assert stage.width % 2 == stage.height % 2 == 0
    assert stage.panels * stage.maps_a_panel >= maps
    assert stage.panel_left(stage.panels - 1) + stage.panel_width <= stage.width
    assert stage.panels == 1 or stage.cell >= LETTER_CELL
