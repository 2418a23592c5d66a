import json
from pathlib import Path

import pytest

from neuralgpu.errors import UserError
from neuralgpu.evaluation.report import CounterExample, Kind, Report, Score, floor_percent, percent

HERE = Path(__file__).parent.parent.parent
COMMITTED = sorted(
    path
    for path in (*HERE.glob("experiments/*/*.json"), *HERE.glob("src/neuralgpu/zoo/*/evaluation.json"))
    if path.parent.name not in ("sweep", "claims", "armour")  # counts of kills, and findings, are no reports
)


def score(size: int = 20, exact: int = 13, count: int = 15, inputs: Kind = "stress") -> Score:
    return Score(inputs, size, 2 * size, count, exact, symbols=200, right=199)


def report(*scores: Score) -> Report:
    return Report("badd", "bits", 1, scores)


def lines_about(*examples: CounterExample) -> list[str]:
    scores = (Score("random", 4, 4, 1, 0, 4, 0, (example,)) for example in examples)
    return report(*scores).counter_example_lines()


def test_a_report_is_the_same_after_a_way_through_json() -> None:
    example = CounterExample("0110", "0110", "0010")
    scores = (Score("random", 4, 4, 9, 8, 36, 35, (example,)), score())
    for training in (None, {"command": "ngpu train copy", "minutes": 1.5}):
        whole = Report("copy", "symbols", 3, scores, training)
        assert Report.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole


def test_plain_data_has_shares_the_bound_and_cells() -> None:
    data = report(score(inputs="random")).to_dict()
    assert data.keys() == {"task", "unit", "evaluation_seed", "scores", "training"}
    (first,) = data["scores"]
    assert first["exact_share"] == 13 / 15
    assert first["exact_bound_95"] == pytest.approx(0.6366, abs=1e-4)
    assert (first["size"], first["cells"], first["symbol_share"]) == (20, 40, 199 / 200)


def test_rows_have_the_size_and_rounded_shares_and_no_cells() -> None:
    whole = report(score(inputs="random"), score())
    assert whole.headings == ("bits", "inputs", "exact", "95 % bound", "symbols right")
    assert whole.rows() == [
        ("20", "random", "13/15 = 86.67 %", "> 63.65 %", "99.50 %"),
        ("20", "stress", "13/15 = 86.67 %", "", "99.50 %"),
    ]


def test_settled_answers_have_columns_where_a_network_can_tell() -> None:
    told = Score("random", 20, 40, 10, 8, 400, 390, wrong_settled=1, right_unsettled=0)
    whole = report(told, score(), Score("random", 20, 40, 9, 9, 360, 360, wrong_settled=0, right_unsettled=2))
    assert whole.headings[-2:] == ("wrong, settled", "right, unsettled")
    assert [row[-2:] for row in whole.rows()] == [("1/2", "0/8"), ("", ""), ("", "2/9")]
    assert Report.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole
    assert "wrong_settled" not in score().to_dict()


@pytest.mark.parametrize("counts", [(3, 0), (0, 9), (-1, 0)])
def test_more_settled_answers_than_there_are_answers_are_refused(counts: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="cannot have settled or not"):
        Score("random", 20, 40, 10, 8, 400, 390, (), *counts)


def test_markdown_has_the_same_rows() -> None:
    assert report(score()).markdown().splitlines() == [
        "| bits | inputs | exact | 95 % bound | symbols right |",
        "| --- | --- | --- | --- | --- |",
        "| 20 | stress | 13/15 = 86.67 % |  | 99.50 % |",
    ]


@pytest.mark.parametrize(
    ("part", "whole", "text"),
    [
        (13, 15, "86.67 %"),
        (15, 15, "100 %"),
        (0, 15, "0 %"),
        (999_999, 1_000_000, "99.99 %"),
        (1, 1_000_000, "0.01 %"),
        (99_994, 100_000, "99.99 %"),
        (1, 3, "33.33 %"),
        (2, 3, "66.67 %"),
    ],
)
def test_a_share_is_rounded_but_never_to_all_or_nothing(part: int, whole: int, text: str) -> None:
    assert percent(part / whole) == text


def test_a_bound_is_rounded_down() -> None:
    assert floor_percent(0.97049) == "97.04 %"
    assert floor_percent(0.999999) == "99.99 %"


def test_a_network_is_exact_up_to_the_last_size_before_an_error() -> None:
    right, wrong = score(20, 15), score(25, 14)
    assert report(wrong, score(40, 15), right, score(20, 9, 9, "random")).exact_scores() == (
        right,
        score(20, 9, 9, "random"),
    )
    assert report(wrong).exact_scores() == ()


def test_a_short_counter_example_is_shown_whole_with_its_first_wrong_symbol_marked() -> None:
    assert lines_about(CounterExample("0110", "0110", "0010")) == [
        "shortest counter-example, wrong at position 1:",
        "  input     0110",
        "  expected  0110",
        "  got       0010",
        "             ^",
    ]


def test_the_shortest_counter_example_is_shown() -> None:
    lines = lines_about(CounterExample("0110", "0110", "0010"), CounterExample("01", "01", "11"))
    assert lines[1] == "  input     01"


def test_a_long_counter_example_is_shown_around_its_first_wrong_symbol() -> None:
    text = "01" * 200
    title, _, expected, got, mark = lines_about(CounterExample(text, text, text[:300]))
    assert title == "shortest counter-example from position 264, wrong at position 300:"
    assert len(expected) == 12 + 72
    assert len(got) == mark.index("^") == 12 + 36


def test_the_window_follows_an_answer_that_is_longer_than_the_input() -> None:
    text = "01" * 100
    answer = text + text
    got = answer[:390] + "1" + answer[391:]
    _, _, expected, _, mark = lines_about(CounterExample(text, answer, got))
    assert expected[mark.index("^")] == answer[390]


def test_without_errors_no_counter_example_is_shown() -> None:
    assert report(score()).counter_example_lines() == []


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_committed_report_can_be_read(path: Path) -> None:
    old = json.loads(path.read_text())
    found = Report.from_dict(old)
    assert found.task == path.stem.split("-")[0] or found.task == path.parent.name.split("-")[0]
    assert found.unit == ("bits" if found.task in ("badd", "bmul") else "symbols")
    scores = old.get("scores", [old])
    assert len(found.scores) == len(scores) > 0
    for before, after in zip(scores, found.scores, strict=True):
        assert (before["size"], before["exact"], before["count"]) == (after.size, after.exact, after.count)
        assert before.get("cells", before.get("length")) == after.cells
        assert before["exact_bound_95"] == pytest.approx(after.exact_bound)


def test_what_an_earlier_report_said_about_the_training_is_kept() -> None:
    old = {"task": "badd", "unit": "bits", "command": "ngpu train badd", "minutes": 5.7, "scores": []}
    assert Report.from_dict(old) == Report("badd", "bits", None, (), {"command": "ngpu train badd", "minutes": 5.7})


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ([], "Input should be a dictionary or an instance of Report"),
        ({"task": "badd"}, "unit: Field required"),
        ({"task": "badd", "scores": 3}, "scores: Input should be a valid tuple"),
        ({"task": "badd", "scores": [3]}, r"scores\.0: Input should be a dictionary or an instance of Score"),
        ({"task": "badd", "scores": [{"size": 3}]}, r"scores\.0\.inputs: Field required"),
        ({"scores": []}, "task: Input should be a valid string"),
        (report(score()).to_dict() | {"task": 3}, "task: Input should be a valid string"),
    ],
)
def test_data_that_is_no_report_is_told_what_is_missing(data: object, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        Report.from_dict(data)


@pytest.mark.parametrize(("exact", "count"), [(3, 2), (-1, 2), (0, 0)])
def test_impossible_counts_are_no_score(exact: int, count: int) -> None:
    with pytest.raises(ValueError, match=f"{exact} of {count} cannot be right"):
        score(exact=exact, count=count)
