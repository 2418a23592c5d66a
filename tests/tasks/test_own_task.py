"""What is told to someone who writes a task, and what can be done with a task that is not known here."""

import numpy as np
import pytest

from neuralgpu.errors import UserError
from neuralgpu.tasks import PAD, ForeignTask, Tape, Task, get_task, open_task
from toy import Swap


class Twice(Swap):
    name = "twice"

    def answer(self, text: str) -> str:
        return text + text


def test_an_answer_that_is_longer_than_the_tape_is_told_with_the_remedy() -> None:
    told = r"the answer of twice to '\w{4}' has 8 symbols and the tape 4 cells; .* such as Tape\(per_symbol=2\)"
    with pytest.raises(UserError, match=told):
        Twice().sample(np.random.default_rng(0), 1, 4)
    with pytest.raises(UserError, match=told):
        Twice().encode_answer("abca")
    assert Twice().on(Tape(per_symbol=2)).encode_answer("ab").tolist() == [[1, 2, 1, 2]]


def test_a_random_input_of_another_size_is_told() -> None:
    class Short(Swap):
        def random(self, rng: np.random.Generator, size: int) -> str:
            return "a"

    with pytest.raises(UserError, match=r"random\(3\) of swap is 'a', an input of size 1"):
        Short().sample(np.random.default_rng(0), 1, 3)


def test_stress_inputs_that_the_task_does_not_take_are_left_out() -> None:
    class Marked(Swap):
        def size(self, text: str) -> int:
            if not text.startswith("c"):
                raise UserError("no mark")
            return super().size(text)

    texts = Marked().stress(6, np.random.default_rng(0))
    assert texts["all c"] == "cccccc"
    assert all(text.startswith("c") for text in texts.values())


def test_an_unknown_answer_is_told_where_one_is_needed() -> None:
    class Open(Swap):
        def answer(self, text: str) -> None:  # type: ignore[override]
            return None

    with pytest.raises(UserError, match="the true answer of swap to 'ab' is not known"):
        Open().encode_answer("ab")


def test_a_task_is_opened_by_its_name_where_it_is_known() -> None:
    assert open_task("bmul", "01*") is get_task("bmul")
    assert open_task("mul7", "0123456*").name == "mul7"


def test_a_known_name_with_another_alphabet_is_refused() -> None:
    with pytest.raises(UserError, match="the alphabet of bmul is 'ab' there and '01\\*' here"):
        open_task("bmul", "ab")


@pytest.fixture
def foreign() -> Task:
    return open_task("shuffle", "abc")


def test_an_unknown_task_has_its_symbols_and_its_tape(foreign: Task) -> None:
    assert isinstance(foreign, ForeignTask)
    task = foreign.on(Tape(extra=2, fill="a"))
    assert task.encode("cab").tolist() == [[3, 1, 2, PAD, PAD]]
    assert task.read(np.array([3, 2, 1, 1, 1])) == "cb"
    with pytest.raises(UserError, match="symbol 'd' at position 2 is not in the alphabet of shuffle: a b c"):
        task.encode("abd")


def test_an_unknown_task_has_no_answers_and_no_inputs_to_draw(foreign: Task) -> None:
    assert foreign.answer("abc") is None
    assert foreign.stress(5, np.random.default_rng(0)) == {}
    assert foreign.size(foreign.example()) == 3
    with pytest.raises(UserError, match="the task shuffle is not known here, so it has no random inputs"):
        foreign.sample(np.random.default_rng(0), 1, 5)


@pytest.mark.parametrize("alphabet", ["", "aba", "a b"])
def test_an_alphabet_that_cannot_be_read_back_is_refused(alphabet: str) -> None:
    with pytest.raises(UserError, match=f"the alphabet of shuffle is '{alphabet}'; it must have symbols, each once"):
        open_task("shuffle", alphabet)
