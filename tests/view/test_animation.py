import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from neuralgpu.errors import UserError
from neuralgpu.tasks import get_task
from neuralgpu.view.animation import animate, find_pace
from neuralgpu.view.frame import Painter
from neuralgpu.view.options import PictureOptions
from neuralgpu.view.palette import palette
from neuralgpu.view.trace import Trace

COPY = get_task("copy")


def frames_of(path: Path) -> list[NDArray[np.uint8]]:
    """The frames of a file as a viewer shows them, (height, width, 3) each."""
    with Image.open(path) as file:
        shown = []
        for number in range(getattr(file, "n_frames", 1)):
            file.seek(number)
            shown.append(np.asarray(file.convert("RGB")))
    return shown


def painted(seen: Trace, t: int) -> NDArray[np.uint8]:
    """The frame that belongs in a file, (height, width, 3)."""
    maps = range(seen.states.shape[-1])
    return palette("greys")[Painter(COPY, seen, maps).frame(t)]


@pytest.mark.parametrize("suffix", [".gif", ".webp"])
def test_a_file_has_a_frame_for_every_step_just_as_it_was_painted(
    suffix: str, tmp_path: Path, cgru_trace: Trace
) -> None:
    path = tmp_path / f"copy{suffix}"
    animate(COPY, cgru_trace, path)
    shown = frames_of(path)
    assert len(shown) == 6
    for t, frame in enumerate(shown):
        assert np.array_equal(frame, painted(cgru_trace, t))


def test_a_film_has_the_size_and_the_length_of_the_animation(tmp_path: Path, diagonal_trace: Trace) -> None:
    path = tmp_path / "copy.mp4"
    pace = animate(COPY, diagonal_trace, path, PictureOptions(hold=1))
    program = imageio_ffmpeg.get_ffmpeg_exe()
    command = [program, "-loglevel", "error", "-i", str(path), "-f", "rawvideo", "-pix_fmt", "gray", "-"]
    pixels = np.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, dtype=np.uint8)
    height, width, _ = painted(diagonal_trace, 0).shape
    film = pixels.reshape(-1, height, width)
    assert len(film) == pytest.approx(25 * sum(pace.seconds), abs=2)
    assert np.abs(film[-1] - painted(diagonal_trace, 5).mean(axis=2)).mean() < 5


def test_a_gif_repeats_for_ever_and_holds_its_last_frame(tmp_path: Path, cgru_trace: Trace) -> None:
    path = tmp_path / "copy.gif"
    animate(COPY, cgru_trace, path, PictureOptions(speed=5, hold=2))
    with Image.open(path) as file:
        lengths = []
        for number in range(6):
            file.seek(number)
            lengths.append(file.info["duration"])
    assert file.info["loop"] == 0
    assert lengths == [1000, 200, 200, 200, 200, 2000]


def test_noise_of_401_cells_stays_below_ten_megabytes(tmp_path: Path, noise_trace: Trace) -> None:
    path = tmp_path / "noise.gif"
    animate(COPY, noise_trace, path)
    assert path.stat().st_size < 10_000_000


def test_a_file_that_cannot_be_finished_leaves_nothing_behind(tmp_path: Path, cgru_trace: Trace) -> None:
    def interrupt(step: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        animate(COPY, cgru_trace, tmp_path / "copy.gif", progress=interrupt)
    assert list(tmp_path.iterdir()) == []


def test_progress_comes_to_the_last_step(tmp_path: Path, cgru_trace: Trace) -> None:
    steps: list[int] = []
    animate(COPY, cgru_trace, tmp_path / "copy.gif", progress=steps.append)
    assert steps == [0, 1, 2, 3, 4, 5]


def test_the_last_step_is_shown_however_many_are_left_out() -> None:
    assert find_pace(10, every=4, options=PictureOptions()).steps == (0, 4, 8, 10)


def test_a_speed_that_no_player_shows_is_refused_with_the_remedy() -> None:
    with pytest.raises(UserError, match=r"speed is 100 steps a second, or 50 frames.*add --every 4"):
        find_pace(1000, every=2, options=PictureOptions(speed=100))
    assert find_pace(1000, every=4, options=PictureOptions(speed=100)).seconds[1] == 1 / 25


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("copy.avi", "copy.avi ends in .avi; one of these endings would be right: .gif .webp .mp4"),
        ("copy", "copy has no suffix"),
        ("folder.gif", "folder.gif: it is a directory"),
        ("nowhere/copy.gif", "nowhere is not a directory"),
    ],
)
def test_a_path_that_cannot_be_written_is_refused(name: str, complaint: str, tmp_path: Path, cgru_trace: Trace) -> None:
    (tmp_path / "folder.gif").mkdir()
    with pytest.raises(UserError, match=complaint):
        animate(COPY, cgru_trace, tmp_path / name)


def test_a_film_without_its_library_names_the_command_that_installs_it(
    tmp_path: Path, cgru_trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(UserError, match=r"pip install 'neuralgpu\[view\]'"):
        animate(COPY, cgru_trace, tmp_path / "copy.mp4")


def test_an_unknown_map_is_refused_before_anything_is_drawn(tmp_path: Path, cgru_trace: Trace) -> None:
    with pytest.raises(UserError, match="map 8 does not exist; this network has maps 0 to 7"):
        animate(COPY, cgru_trace, tmp_path / "copy.gif", PictureOptions(maps=("8",)))


def test_frames_in_which_nothing_changes_but_the_step_are_kept(tmp_path: Path, cgru_trace: Trace) -> None:
    assert cgru_trace.target is not None
    still = replace(
        cgru_trace,
        states=np.zeros_like(cgru_trace.states),
        answers=np.repeat(cgru_trace.target[None], 6, axis=0),
    )
    animate(COPY, still, tmp_path / "still.gif")
    assert len(frames_of(tmp_path / "still.gif")) == 6
