from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from neuralgpu.errors import UserError
from neuralgpu.tasks import get_task
from neuralgpu.view.options import PictureOptions
from neuralgpu.view.palette import PAPER, WRONG_TEXT, palette
from neuralgpu.view.spacetime import answer_history, busiest_maps, draw_spacetime, spacetime
from neuralgpu.view.trace import Trace

COPY = get_task("copy")


def test_time_goes_down_and_cells_go_across(tmp_path: Path, diagonal_trace: Trace) -> None:
    states = np.full_like(diagonal_trace.states, -1.0)
    states[4, 1, 0, 2] = 1.0  # after step 4, cell 1, map 2
    path = tmp_path / "copy.png"
    draw_spacetime(COPY, replace(diagonal_trace, states=states), path, PictureOptions(maps=("2",)))
    with Image.open(path) as file:
        picture = np.asarray(file.convert("RGB"))
    white, black = ((picture == value).all(axis=2) for value in (255, 0))
    rows, columns = np.nonzero(white | black)
    top, left, cell = rows.min(), columns.min(), (columns.max() + 1 - columns.min()) // 5
    assert (rows.max() + 1 - top) == 6 * cell
    assert black[top + 4 * cell : top + 5 * cell, left + cell : left + 2 * cell].all()
    assert black.sum() == cell**2


def test_the_answer_s_history_marks_what_is_wrong(diagonal_trace: Trace) -> None:
    marked = answer_history(COPY, diagonal_trace) == WRONG_TEXT.start
    assert np.array_equal(marked, diagonal_trace.wrong)


def test_the_busiest_maps_are_those_that_change(diagonal_trace: Trace) -> None:
    states = np.zeros_like(diagonal_trace.states)
    states[::2, :, :, 4] = 1.0
    states[::3, :, :, 1] = 1.0
    assert busiest_maps(replace(diagonal_trace, states=states), count=2) == [1, 4]


def test_more_maps_than_fit_in_a_row_stand_in_several(noise_trace: Trace) -> None:
    few = spacetime(COPY, noise_trace, PictureOptions(maps=("0",)))
    many = spacetime(COPY, noise_trace, PictureOptions(maps=("0-5",)))
    assert many.shape[1] < 1400
    assert many.shape[0] > 2.5 * few.shape[0] - 100


def test_the_column_is_the_one_that_was_asked_for(cgru_trace: Trace) -> None:
    options = [PictureOptions(maps=("0",), column=column) for column in range(3)]
    pictures = [spacetime(COPY, cgru_trace, option)[60:] for option in options]
    assert not np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[1], pictures[2])


def test_the_margin_is_paper(diagonal_trace: Trace) -> None:
    picture = palette("greys")[spacetime(COPY, diagonal_trace, PictureOptions())]
    assert tuple(picture[0, 0]) == tuple(picture[-1, -1]) == PAPER


def test_a_column_beyond_the_image_is_refused(cgru_trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="column 3 does not exist; this network has columns 0 to 2"):
        draw_spacetime(COPY, cgru_trace, tmp_path / "copy.png", PictureOptions(column=3))
