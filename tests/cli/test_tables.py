from neuralgpu.cli.tables import counter_example_lines
from neuralgpu.evaluation.score import CounterExample, Score


def score(example: CounterExample) -> Score:
    length = len(example.input)
    return Score("random", length, length, count=1, exact=0, symbols=length, right=0, counter_examples=(example,))


def test_a_short_counter_example_is_shown_whole_with_its_first_wrong_symbol_marked() -> None:
    assert counter_example_lines([score(CounterExample("0110", "0110", "0010"))]) == [
        "shortest counter-example, wrong at position 1:",
        "  input     0110",
        "  expected  0110",
        "  got       0010",
        "             ^",
    ]


def test_a_long_counter_example_is_shown_around_its_first_wrong_symbol() -> None:
    text = "01" * 200
    title, _, expected, got, mark = counter_example_lines([score(CounterExample(text, text, text[:300]))])
    assert title == "shortest counter-example from position 264, wrong at position 300:"
    assert len(expected) == 12 + 72
    assert len(got) == mark.index("^") == 12 + 36


def test_the_window_follows_an_answer_that_is_longer_than_the_input() -> None:
    text = "01" * 100
    answer = text + text
    got = answer[:390] + "1" + answer[391:]
    _, _, expected, _, mark = counter_example_lines([score(CounterExample(text, answer, got))])
    assert expected[mark.index("^")] == answer[390]


def test_without_errors_nothing_is_shown() -> None:
    assert counter_example_lines([]) == []
