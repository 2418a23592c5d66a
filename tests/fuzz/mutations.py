"""One change to the bytes of a file, or to the file itself."""

import shutil
from pathlib import Path
from random import Random


def mutate(rng: Random, path: Path) -> str:
    """Damage a file in one way, and name the way."""
    name = rng.choice([*OF_BYTES] * 3 + [*OF_FILES])
    if name in OF_FILES:
        OF_FILES[name](rng, path)
        return name
    content = bytearray(path.read_bytes())
    OF_BYTES[name](rng, content)
    path.write_bytes(content)
    return name


def _flip_bit(rng: Random, content: bytearray) -> None:
    if content:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def _set_byte(rng: Random, content: bytearray) -> None:
    if content:
        content[rng.randrange(len(content))] = rng.choice(b'\x00\xff0123456789"{}[],:- \nINe.')


def _zero(rng: Random, content: bytearray) -> None:
    start, end = _part(rng, content)
    content[start:end] = bytes(end - start)


def _cut(rng: Random, content: bytearray) -> None:
    del content[rng.randrange(len(content) + 1) :]


def _remove(rng: Random, content: bytearray) -> None:
    start, end = _part(rng, content)
    del content[start:end]


def _insert(rng: Random, content: bytearray) -> None:
    start, _ = _part(rng, content)
    content[start:start] = rng.randbytes(rng.randint(1, 40))


def _append(rng: Random, content: bytearray) -> None:
    content += rng.choice([b"\n", b"{}", b"\x00" * 8, rng.randbytes(16), b"[" * 20_000])


def _repeat(rng: Random, content: bytearray) -> None:
    start, end = _part(rng, content)
    content[end:end] = content[start:end]


def _change_digit(rng: Random, content: bytearray) -> None:
    """What is most easily overlooked: another number where a number was."""
    digits = [place for place, byte in enumerate(content[:50_000]) if 48 <= byte <= 57]
    if digits:
        content[rng.choice(digits)] = rng.choice(b"0123456789")


def _part(rng: Random, content: bytearray) -> tuple[int, int]:
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.choice([1, 2, 8, 64, 4096]))


def _become_directory(rng: Random, path: Path) -> None:
    path.unlink()
    path.mkdir()
    if rng.random() < 0.5:
        (path / "file").write_text("x")


def _vanish(rng: Random, path: Path) -> None:
    path.unlink()


def _become_another(rng: Random, path: Path) -> None:
    others = sorted(other for other in path.parent.rglob("*") if other.is_file() and other != path)
    if others:
        shutil.copy(rng.choice(others), path)


OF_BYTES = {
    "bit flipped": _flip_bit,
    "byte set": _set_byte,
    "bytes zeroed": _zero,
    "end cut off": _cut,
    "bytes removed": _remove,
    "bytes inserted": _insert,
    "bytes appended": _append,
    "bytes repeated": _repeat,
    "digit changed": _change_digit,
}
OF_FILES = {"made a directory": _become_directory, "removed": _vanish, "made another file": _become_another}
