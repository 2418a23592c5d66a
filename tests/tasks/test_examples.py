"""Files of examples: what is read, and what is refused, in one sentence."""

from pathlib import Path

import pytest

from neuralgpu.errors import UserError
from neuralgpu.tasks.examples import Example, read_examples


def written(tmp_path: Path, content: str | bytes, name: str = "pairs.tsv") -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(path: Path, words: bool = False) -> list[tuple[str, str]]:
    return [(example.input, example.answer) for example in read_examples(path, words).examples]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "ab\tba\nc\t\n"),
        ("a.tsv", "input\tanswer\r\nab\tba\r\n\r\nc\t\r\n"),
        ("a.txt", "\ufeffab\tba\nc\t"),
        ("a.csv", "ab,ba\nc,\n"),
        ("a.csv", 'number,Answer,Input\n1,ba,ab\n2,"",c\n'),
        ("a.jsonl", '{"input": "ab", "answer": "ba"}\n\n{"answer": "", "input": "c", "id": 7}\n'),
        ("a.json", '{"input": "ab", "answer": "ba"}\n{"input": "c", "answer": ""}'),
    ],
)
def test_each_format_gives_the_same_pairs(name: str, content: str, tmp_path: Path) -> None:
    assert read(written(tmp_path, content, name)) == [("ab", "ba"), ("c", "")]


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    tsv = read_examples(written(tmp_path, "input\tanswer\n\nab\tba\n"))
    table = read_examples(written(tmp_path, 'note,input,answer\n"two\nlines",ab,ba\n,b,a\n', "a.csv"))
    assert tsv.examples == [Example(3, "ab", "ba")]
    assert table.examples == [Example(2, "ab", "ba"), Example(4, "b", "a")]


def test_the_alphabet_is_that_of_inputs_and_answers_in_order(tmp_path: Path) -> None:
    assert read_examples(written(tmp_path, "ca\t1é\n")).alphabet == "1acé"
    assert read_examples(written(tmp_path, "the  cat\tcat the\n"), words=True).alphabet == ("cat", "the")


def test_words_are_separated_by_any_space(tmp_path: Path) -> None:
    assert read(written(tmp_path, " the   cat \tcat the\n"), words=True) == [("the cat", "cat the")]


def test_repeated_lines_are_counted_and_kept_once(tmp_path: Path) -> None:
    found = read_examples(written(tmp_path, "a\tb\nb\ta\na\tb\n"))
    assert (len(found.examples), found.repetitions) == (2, 1)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.tsv", "", " has no examples; give an input, a tab and an answer on each line"),
        ("a.tsv", "a\tb\nab\n", ": line 2 has no tab; give an input, one tab and an answer"),
        ("a.tsv", "a\tb\tc\n", ": line 1 has 2 tabs; give an input, one tab and an answer"),
        ("a.tsv", "a\tb\n\tb\n", ": line 2: the input is empty; give at least one symbol"),
        ("a.tsv", "a\tb\nb\ta\na\tc\n", ": lines 1 and 3 give two answers to 'a': 'b' and 'c'; an input has one"),
        ("a.tsv", "a\taa\naa\ta\n", ": line 1: 'a' is the only symbol of the file; there is nothing to learn"),
        ("a.tsv", "a\tb\na b\tc\n", ": line 2: 'a b' has a space at position 1, which is no symbol; write another"),
        ("a.tsv", b"a\tb\nab\xff\tc\n", ": line 2: byte 3 is 0xff, which is not UTF-8; save it as UTF-8"),
        (
            "a.csv",
            "a,b\nb\n",
            ": line 2 has 1 columns, not 2; give an input and an answer, or a header that",
        ),
        ("a.csv", 'a,"b\n', ": line 1 is not valid CSV: unexpected end of data"),
        ("a.jsonl", '{"input": "a", "answer": "b"}\n{"input"\n', ": line 2 is not valid JSON: Expecting ':' delimiter"),
        ("a.jsonl", "[1]\n", ': line 1 is no object; give {"input": "...", "answer": "..."}'),
        ("a.jsonl", '{"input": "a"}\n', ": line 1: 'answer' is missing; it must be a text"),
        ("a.jsonl", '{"input": 3, "answer": "b"}\n', ": line 1: 'input' is 3; it must be a text"),
    ],
)
def test_a_bad_file_is_told_in_one_sentence_with_the_line(
    name: str, content: str | bytes, said: str, tmp_path: Path
) -> None:
    path = written(tmp_path, content, name)
    with pytest.raises(UserError) as refused:
        read_examples(path)
    assert str(refused.value).startswith(f"{path}{said}")
    assert "\n" not in str(refused.value)


def test_too_many_symbols_are_refused_at_the_line_of_the_first_that_is_one_too_many(tmp_path: Path) -> None:
    lines = "".join(f"{chr(0x4E00 + number)}\ta\n" for number in range(300))
    with pytest.raises(UserError, match=r"line 255: '\w' is symbol 256 of the file; at most 255 different"):
        read_examples(written(tmp_path, lines))


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no\.tsv does not exist; name a file of examples"):
        read_examples(tmp_path / "no.tsv")
