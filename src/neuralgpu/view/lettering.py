"""Text as arrays of palette places."""

from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from neuralgpu.view.palette import Indices, Ramp


@lru_cache(maxsize=512)
def letters(text: str, size: int, ramp: Ramp) -> Indices:
    """A line of text (height, width), from the ramp's first colour to its last; not to be written to."""
    font = _font(size)
    ascent, descent = font.getmetrics()
    mask = Image.new("L", (max(1, round(font.getlength(text))), ascent + descent))
    ImageDraw.Draw(mask).text((0, 0), text, fill=255, font=font)
    return ramp.pick(np.asarray(mask) / 255)


@lru_cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("this Pillow was built without FreeType, which draws the letters")
    return font


def stamp(canvas: Indices, tile: Indices, top: int, left: int) -> None:
    """Put a tile on a canvas."""
    canvas[top : top + tile.shape[0], left : left + tile.shape[1]] = tile


def stamp_centred(canvas: Indices, tile: Indices, box: tuple[int, int, int, int]) -> None:
    """Put a tile in the middle of a box (top, left, height, width)."""
    top, left, height, width = box
    stamp(canvas, tile, top + (height - tile.shape[0]) // 2, left + (width - tile.shape[1]) // 2)
