"""What a notebook shows of traces and networks."""

import base64
import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import neuralgpu
from neuralgpu.network import Ensemble
from neuralgpu.view.trace import Trace


@pytest.fixture(scope="module")
def seen() -> Trace:
    return neuralgpu.trace("bmul", "0110*0101")


def test_a_trace_shows_a_still(seen: Trace) -> None:
    picture = seen._repr_png_()
    assert picture is not None
    assert Image.open(io.BytesIO(picture)).format == "PNG"


def test_a_trace_shows_its_film_with_the_answer(seen: Trace) -> None:
    shown = seen._repr_html_()
    assert shown is not None
    assert "bmul: 0110*0101 gives 001111, correct; " in shown
    data = re.search(r'src="data:image/gif;base64,([^"]+)"', shown)
    assert data
    film = Image.open(io.BytesIO(base64.b64decode(data[1])))
    assert 2 < getattr(film, "n_frames", 1) <= 61


def test_a_long_tape_and_a_trace_without_a_task_show_no_film(seen: Trace) -> None:
    long = replace(seen, states=np.zeros((2, 501, 1, 24), dtype=np.float32), answers=np.zeros((2, 501), dtype=np.int64))
    assert long._repr_html_() is None
    assert replace(seen, task=None)._repr_html_() is None
    assert replace(seen, task=None)._repr_png_() is None


def test_a_network_shows_its_task_size_and_scores() -> None:
    shown = neuralgpu.load("bmul")._repr_html_()
    assert "<th>task</th><td>bmul, like 0110*0101</td>" in shown
    assert re.search(r"[\d,]+ parameters", shown)
    assert re.search(r"<th>exact at 20 bits, random inputs</th><td>\d+/\d+, with 95 % confidence above", shown)


def test_a_network_without_scores_says_how_to_get_them(tiny_run: Path) -> None:
    network = neuralgpu.load(tiny_run)
    network.home = None
    assert "not known; neuralgpu.evaluate(network) finds out" in network._repr_html_()
    assert "<th>ensemble of</th><td>2</td>" in Ensemble([network, network])._repr_html_()
