"""Tasks of one's own, from a file, a class or a module: what they may leave out, and how their mistakes are told."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from neuralgpu.errors import UserError
from neuralgpu.tasks import Tape, Task
from neuralgpu.tasks.learnable import learnable
from neuralgpu.tasks.own import open_own, own_task
from neuralgpu.tasks.template import TEMPLATE
from toy import Swap

HEAD = "alphabet = 'ab'\ndef random(rng, size):\n    return ''.join(rng.choice(list('ab'), size))\n"


def opened(tmp_path: Path, content: str, name: str = "mine.py") -> Task:
    path = tmp_path / name
    path.write_text(content)
    return open_own(path, frozenset({"badd"}))


def test_the_template_is_a_task_as_it_is(tmp_path: Path) -> None:
    task = opened(tmp_path, TEMPLATE)
    assert (task.name, task.alphabet, task.tape) == ("swap", "abc", Tape())
    inputs, targets = task.sample(np.random.default_rng(0), 5, 9)
    for tape, target in zip(inputs, targets, strict=True):
        assert task.decode(target) == Swap().answer(task.decode(tape))
    assert set(task.stress(4, np.random.default_rng(0)).values()) == {"aaaa", "bbbb", "abab"}


def test_a_name_is_that_of_the_file_unless_it_is_given_and_the_tape_follows_from_the_answers(tmp_path: Path) -> None:
    task = opened(tmp_path, HEAD + "def answer(text):\n    return text + text + 'a'\n")
    assert (task.name, task.tape) == ("mine", Tape(per_symbol=2, extra=1))
    assert task.stress(5, np.random.default_rng(0)) == {}


@pytest.mark.parametrize(("given", "tape"), [("3", Tape(per_symbol=3)), ("(1.5, 2)", Tape(per_symbol=1.5, extra=2))])
def test_a_tape_may_be_given(given: str, tape: Tape, tmp_path: Path) -> None:
    assert opened(tmp_path, HEAD + f"tape = {given}\ndef answer(text):\n    return text\n").tape == tape


def test_a_class_and_a_subclass_of_task_are_taken_too(tmp_path: Path) -> None:
    body = HEAD.replace("random(rng", "random(self, rng") + "def answer(self, text):\n    return text[::-1]\n"
    task = opened(tmp_path, "class Turn:\n" + "".join(f"    {line}\n" for line in body.splitlines()))
    assert (task.name, task.answer("ab")) == ("mine", "ba")
    head = "from neuralgpu.tasks import Task\n\nclass Twice(Task):\n    name = 'twice'\n"
    task = opened(tmp_path, head + "".join(f"    {line}\n" for line in body.splitlines()))
    assert (task.name, type(task).__name__, task.source is not None) == ("twice", "Twice", True)


def test_an_input_may_be_smaller_than_asked_where_there_is_none_of_the_size() -> None:
    class Pairs:
        alphabet = "ab"

        def random(self, rng: np.random.Generator, size: int) -> str:
            return "ab" * (size // 2)

        def answer(self, text: str) -> str:
            return text

    task = own_task(Pairs)
    assert [task.nearest_size(size) for size in (1, 4, 7, 41)] == [2, 4, 6, 40]
    assert task.largest_size(41) == 40
    assert task.sample(np.random.default_rng(0), 2, 9).inputs.shape == (2, 8)


def test_an_alphabet_of_words_makes_texts_with_spaces() -> None:
    maker = SimpleNamespace(
        alphabet=["the", "cat", "sat"],
        random=lambda rng, size: " ".join(rng.choice(["the", "cat", "sat"], size)),
        answer=lambda text: " ".join(reversed(text.split())),
    )
    task = own_task(maker, "words")
    assert task.answer("the cat sat") == "sat cat the"
    tape = task.encode_answer("the cat sat")[0]
    assert (tape.tolist(), task.read(tape)) == ([3, 2, 1], "sat cat the")
    with pytest.raises(UserError, match=r"symbol 'dog' at position 1 is not in the alphabet of words: the cat sat"):
        task.encode("the dog")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("x = (", "line 1: '(' was never closed"),
        ("import nothing_here", "line 1: ModuleNotFoundError: No module named 'nothing_here'"),
        ("x = 1", "has no functions random(rng, size) and answer(text), nor a class with them; `ngpu tasks --template"),
        ("alphabet = 'ab'\nclass A:\n    def answer(self, text): return text\n", "has no random(rng, size); `ngpu"),
        (HEAD.replace("'ab'\n", "7\n", 1) + "def answer(text): return text", "alphabet is 7; it must be a text such"),
        (HEAD.replace("'ab'\n", "'aba'\n", 1) + "def answer(text): return text", "alphabet is 'aba': it has 'a' twice"),
        (HEAD + "name = 'badd'\ndef answer(text): return text", "name is 'badd', which is a task of `ngpu tasks`"),
        (HEAD + "name = 3\ndef answer(text): return text", "name is 3; it must be a short text"),
        (HEAD + "tape = 'long'\ndef answer(text): return text", "tape is 'long'; it must be cells for each symbol"),
        (HEAD + "def answer(text):\n    return 1 / 0", "line 5: answer('bbb') fails: ZeroDivisionError: division by"),
        (HEAD + "def answer(text):\n    return 1", "answer('bbb') gives 1; it must be a text such as '1'"),
        (HEAD + "def answer(text):\n    return 'x'", "answer('bbb') gives 'x', and 'x' is not in the alphabet: a b"),
        (
            "alphabet = 'ab'\ndef random(rng, size): return ''\ndef answer(text): return text",
            "random(rng, 3) gives an empty text; an input has at least one symbol",
        ),
        (
            "class A:\n    def random(): 0\n    def answer(): 0\nclass B(A): pass",
            "has several tasks, A and B; put each",
        ),
    ],
)
def test_a_mistake_is_told_in_one_sentence_with_the_file(content: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UserError) as refused:
        opened(tmp_path, content)
    text = str(refused.value)
    assert text.startswith(str(tmp_path / "mine.py"))
    assert said in text
    assert "\n" not in text


def test_a_size_that_random_does_not_keep_to_is_told() -> None:
    maker = SimpleNamespace(alphabet="ab", random=lambda rng, size: "a" * (size + 1), answer=lambda text: text)
    with pytest.raises(UserError, match=r"it: random\(rng, 9\) gives 10 symbols, and random\(rng, 10\) another number"):
        own_task(maker, "it").sample(np.random.default_rng(0), 1, 9)


# What may be named to be learned


def test_a_name_a_path_and_an_object_are_learnable(tmp_path: Path) -> None:
    assert learnable("copy", 41).name == "copy"
    assert learnable(Swap, 41).name == "swap"
    path = tmp_path / "swp.py"
    path.write_text(TEMPLATE.replace('"swap"', '"swp"'))
    assert learnable(str(path), 41).name == learnable(path, 41).name == "swp"


@pytest.mark.parametrize(
    ("what", "words", "said"),
    [
        ("cpy", False, "unknown task 'cpy'; did you mean copy"),
        ("copy", True, "--words is for files of examples, not for the task copy"),
        ("no.tsv", False, "no.tsv does not exist; name a file of examples"),
        ("no.py", False, "no.py does not exist; name a file of examples"),
        ("my.py", True, "--words is for files of examples; give my.py an alphabet that is a list of words"),
        (SimpleNamespace(), False, "SimpleNamespace has no random(rng, size)"),
    ],
)
def test_what_cannot_be_learned_is_told(what: Any, words: bool, said: str) -> None:
    with pytest.raises(UserError) as refused:
        learnable(what, 41, words)
    assert str(refused.value).startswith(said)
