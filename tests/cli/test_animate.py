import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from command import ngpu
from full_disk import with_files_of_at_most


@pytest.mark.parametrize("verb", ["animate", "plot"])
def test_help_loads_neither_torch_nor_what_draws(verb: str) -> None:
    program = f"""
import sys
from neuralgpu.cli import main
try:
    main(["{verb}", "--help"])
finally:
    assert not {{"torch", "PIL", "matplotlib", "imageio_ffmpeg"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)


@pytest.mark.parametrize(("name", "format"), [("a.gif", "GIF"), ("a.WEBP", "WEBP"), ("a.png", "PNG")])
def test_the_suffix_decides_what_is_written(
    name: str, format: str, tiny_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    code, out, _ = ngpu(capsys, "animate", str(tiny_run), "101+110", "-o", str(path), "--maps", "0-2", "5")
    assert code == 0
    assert out.startswith(f"{path}: ")
    with Image.open(path) as file:
        assert file.format == format
        assert getattr(file, "n_frames", 1) == (1 if format == "PNG" else 8)


def test_without_a_name_the_file_is_called_after_the_task(
    tiny_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, out, _ = ngpu(capsys, "animate", str(tiny_run), "1+1")
    assert out.startswith("badd.gif: 4 frames in ")
    assert (tmp_path / "badd.gif").exists()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["1+1", "-o", "a.avi"], "a.avi ends in .avi; one of these endings would be right: .gif .webp .mp4 .png"),
        (["1+1", "--maps", "8"], "map 8 does not exist; this network has maps 0 to 7"),
        (["1+1", "--column", "1"], "column 1 does not exist; this network has column 0 alone"),
        (["1+1", "--scale", "0"], "scale is 0; it must be from 1 to 8"),
        (["1+1", "--speed", "1000"], "add --every 40"),
        (["1+1", "--colours", "red"], "Expected one of ('greys', 'diverging')"),
        (["1+a"], "not in the alphabet of badd"),
        (["1"], "takes two numbers with one '+' between them"),
        ([], "INPUT"),
    ],
)
def test_a_wrong_command_says_in_one_line_what_would_be_right(
    arguments: list[str],
    complaint: str,
    tiny_run: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = ngpu(capsys, "animate", str(tiny_run), *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert complaint in err
    assert list(tmp_path.iterdir()) == []


def test_a_network_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = ngpu(capsys, "animate", "/nowhere", "1+1")
    assert code == 2
    assert "/nowhere" in err


@pytest.mark.parametrize("suffix", ["gif", "mp4", "png", "webp"])
def test_a_picture_that_finds_no_room_is_told_in_one_line(suffix: str, tiny_run: Path, tmp_path: Path) -> None:
    path = tmp_path / f"a.{suffix}"
    code, errors = with_files_of_at_most(200, "animate", str(tiny_run), "101+110", "-o", str(path))
    assert code == 2
    assert errors.count("\n") == 1
    assert errors.startswith("ngpu: error: ")
    assert len(errors) < 300
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("options", [["--speed", "1e-7"], ["--speed", "0.01", "--every", "1"], ["--speed", "inf"]])
def test_a_speed_at_which_nobody_would_watch_is_refused(options: list[str], tiny_run: Path, tmp_path: Path) -> None:
    text = "10" * 20 + "+" + "10" * 20
    code, errors = with_files_of_at_most(10**6, "animate", str(tiny_run), text, "-o", f"{tmp_path}/a.mp4", *options)
    assert code == 2
    assert errors.startswith("ngpu: error: speed is ")
