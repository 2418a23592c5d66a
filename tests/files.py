"""Files of examples for tests."""

from pathlib import Path


def swapped(text: str) -> str:
    """The answer that these files give: every a for a b, and every b for an a."""
    return text.translate(str.maketrans("ab", "ba"))


def numbered(number: int, size: int) -> str:
    """The text of `size` letters a, b and c that this number stands for."""
    return "".join("abc"[number // 3**place % 3] for place in range(size))


def write_pairs(path: Path, sizes: tuple[int, ...] = (4, 5, 6, 7), each: int = 60, twice: bool = False) -> Path:
    """A file of `each` inputs of every size with their answers; `twice` says every answer two times."""
    lines = []
    for size in sizes:
        for number in range(each):
            text = numbered(7 * number + 1, size)
            lines.append(f"{text}\t{swapped(text) * (1 + twice)}\n")
    path.write_text("".join(dict.fromkeys(lines)), encoding="utf-8")
    return path
