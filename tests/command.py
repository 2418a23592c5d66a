"""The `ngpu` command as tests call it."""

import subprocess
import sys

import pytest

from neuralgpu.cli import main


def ngpu(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command."""
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def error_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a wrong command prints."""
    code, out, err = ngpu(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("ngpu: error: ")
    return err.removeprefix("ngpu: error: ")


def torch_is_not_loaded_by(*arguments: str) -> str:
    """What a command prints, in a process of its own that fails if it loads torch."""
    program = f"""
import sys
from neuralgpu.cli import main
try:
    main({arguments!r})
finally:
    assert "torch" not in sys.modules
"""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout
