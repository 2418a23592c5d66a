"""Writing frames to a file: GIF, WebP or MP4."""

import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from neuralgpu.errors import UserError
from neuralgpu.view.palette import TRANSPARENT, Indices

Palette = NDArray[np.uint8]

FILM_RATE = 25
"""Frames a second of an MP4, in which a frame that is shown longer is repeated."""


def write_gif(path: Path, frames: Iterable[Indices], seconds: Sequence[float], palette: Palette) -> None:
    """A GIF that repeats for ever; what did not change since the frame before is transparent, which makes it small."""
    images = _images(_changes(frames), palette)
    _save(path, images, seconds, format="GIF", disposal=1, transparency=TRANSPARENT, optimize=False)


def write_webp(path: Path, frames: Iterable[Indices], seconds: Sequence[float], palette: Palette) -> None:
    """An animated WebP without loss that repeats for ever."""
    images = (image.convert("RGB") for image in _images(frames, palette))
    _save(path, images, seconds, format="WEBP", lossless=True, quality=30, method=0)


def write_mp4(path: Path, frames: Iterable[Indices], seconds: Sequence[float], palette: Palette) -> None:
    """A film that every browser and player shows."""
    pictures = iter(frames)
    first = next(pictures)
    with _film(path, *first.shape) as send:
        for frame, length in zip(chain([first], pictures), seconds, strict=True):
            picture = palette[frame].tobytes()
            for _ in range(max(1, round(length * FILM_RATE))):
                send(picture)


@contextmanager
def _film(path: Path, height: int, width: int) -> Iterator[Callable[[bytes], object]]:
    """Gives what writes a picture to a film; a UserError says why ffmpeg could not write it."""
    # 4:2:0 is what players expect, though it blurs colours; brightness, which carries the greys, stays sharp. It needs
    # even sides.
    words = f"""
        -y -v error -f rawvideo -pix_fmt rgb24 -s {width}x{height} -r {FILM_RATE} -i - -an -vcodec libx264
        -pix_fmt yuv420p -vf scale={width + width % 2}:{height + height % 2} -crf 20 -movflags +faststart
    """
    command = [_ffmpeg().get_ffmpeg_exe(), *words.split(), str(path)]
    with tempfile.TemporaryFile() as said:
        # In a session of its own, Ctrl-C does not reach it before us.
        ffmpeg = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=said, start_new_session=True)
        assert ffmpeg.stdin
        try:
            with suppress(BrokenPipeError):  # it has ended, and says why
                yield ffmpeg.stdin.write
                ffmpeg.stdin.close()
        except BaseException:
            ffmpeg.kill()
            raise
        finally:
            with suppress(BrokenPipeError):
                ffmpeg.stdin.close()
            code = ffmpeg.wait()
        if code:
            said.seek(0)
            reason = said.read(10_000).decode(errors="replace").strip().splitlines()
            raise UserError(
                f"cannot write {path}: ffmpeg ended with code {code}: {reason[-1] if reason else 'without a reason'}"
            )


Writer = Callable[[Path, Iterable[Indices], Sequence[float], Palette], None]
WRITERS: dict[str, Writer] = {".gif": write_gif, ".webp": write_webp, ".mp4": write_mp4}
"""What writes a moving picture, by the suffix of its file."""


def check_path(path: Path, suffixes: Iterable[str]) -> None:
    """Refuse a file whose name does not say what to write, or that could not be written."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        ending = f"ends in {path.suffix}" if path.suffix else "has no suffix"
        raise UserError(f"{path} {ending}; one of these endings would be right: {' '.join(suffixes)}")
    if not path.parent.is_dir():
        raise UserError(f"cannot write {path}: {path.parent} is not a directory; make it first, or choose another")
    if path.is_dir():
        raise UserError(f"cannot write {path}: it is a directory; choose another name")
    if suffix == ".mp4":
        _ffmpeg()


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of the one given when all is written and vanishes otherwise."""
    part = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _save(path: Path, images: Iterator[Image.Image], seconds: Sequence[float], **options: Any) -> None:
    """Images one after the other, each for its time, again and again."""
    duration = [round(1000 * length) for length in seconds]
    next(images).save(path, save_all=True, append_images=images, duration=duration, loop=0, **options)


def _changes(frames: Iterable[Indices]) -> Iterator[Indices]:
    """Each frame with what it has in common with the one before left out."""
    before: Indices | None = None
    for frame in frames:
        yield frame if before is None else np.where(frame == before, TRANSPARENT, frame).astype(np.uint8)
        before = frame


def _images(frames: Iterable[Indices], palette: Palette) -> Iterator[Image.Image]:
    for frame in frames:
        image = Image.fromarray(frame)
        image.putpalette(palette.tobytes())
        yield image


def _ffmpeg() -> Any:
    try:
        import imageio_ffmpeg
    except ModuleNotFoundError:
        raise UserError("an MP4 needs imageio-ffmpeg; get it with: pip install 'neuralgpu[view]'") from None
    return imageio_ffmpeg
