from pathlib import Path

import pytest

from neuralgpu import zoo
from neuralgpu.errors import UserError


def test_a_name_that_is_shipped_means_the_shipped_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "copy").mkdir()
    monkeypatch.chdir(tmp_path)
    assert zoo.find("copy") == zoo.HERE / "copy"
    assert zoo.find("./copy") == Path("copy")


def test_a_name_that_is_neither_shipped_nor_a_directory_gets_a_hint() -> None:
    with pytest.raises(UserError, match=r"revers is neither a shipped network nor a directory.*did you mean reverse\?"):
        zoo.find("revers")
