import pytest

from neuralgpu.errors import LONGEST, UserError, one_line


@pytest.mark.parametrize("text", ["0" * 10**6, "a\nb\r\tc", "\x1b[31m", "\udcff", "\x00" * 1000, ""])
def test_an_error_is_one_short_line_of_symbols_that_can_be_printed(text: str) -> None:
    said = str(UserError(f"the input {text} is wrong; give another one"))
    assert len(said) <= LONGEST
    assert said.isprintable()
    assert said.startswith("the input ")
    assert said.endswith("; give another one")


def test_an_error_that_fits_is_left_as_it_is() -> None:
    text = "x" * LONGEST
    assert one_line(text) == text
    assert len(one_line(text + "x")) == LONGEST
