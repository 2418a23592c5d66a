import json
from pathlib import Path

import pytest

from command import error_of, ngpu
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU
from neuralgpu.network import Network
from neuralgpu.tasks import open_task


def test_evaluate_prints_both_scores_at_each_size(tiny_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ngpu(capsys, "evaluate", str(tiny_run), "--sizes", "4", "5", "--count", "20")
    assert code == 0
    for heading in ("bits", "inputs", "exact", "95 % bound", "symbols right"):
        assert heading in out
    assert "length" not in out
    rows = [line.split("│")[1:3] for line in out.splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["4", "random"],
        ["4", "stress"],
        ["5", "random"],
        ["5", "stress"],
    ]
    assert "shortest counter-example, wrong at position" in out


def test_evaluate_gives_json(tiny_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ngpu(
        capsys, "evaluate", str(tiny_run), "--sizes", "5", "4", "--count", "20", "--seed", "3", "--json"
    )
    assert code == 0
    report = json.loads(out)
    assert (report["task"], report["unit"], report["evaluation_seed"]) == ("badd", "bits", 3)
    random = [score for score in report["scores"] if score["inputs"] == "random"]
    assert [(score["size"], score["cells"], score["count"]) for score in random] == [(4, 9, 20), (5, 11, 20)]
    assert [score["size"] for score in report["scores"] if score["inputs"] == "stress"] == [4, 5]


def test_without_sizes_there_are_those_that_say_how_far_it_generalises(
    tiny_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = ngpu(capsys, "evaluate", str(tiny_run), "--count", "1", "--no-stress", "--json")
    scores = json.loads(out)["scores"]
    assert [(score["size"], score["inputs"]) for score in scores] == [
        (size, "random") for size in (20, 25, 40, 100, 200)
    ]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--sizes", "0"], "size 0 is too small; it must be at least 1\n"),
        (["--sizes", "20", "99999999"], "size 99999999 is too large; it must be at most 4,999,999 bits\n"),
        (["--count", "0"], "count is 0; it must be from 1 to 2147483647\n"),
        (["--count", "-3"], "count is -3; it must be from 1 to 2147483647\n"),
        (["--seed", "-1"], "seed is -1; it must be from 0 to 2^63 - 1\n"),
        (["--lengths", "41"], "Unrecognized options: --lengths, 41; see ngpu evaluate --help\n"),
    ],
)
def test_evaluate_refuses_what_is_impossible(
    tiny_run: Path, arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert error_of(capsys, "evaluate", str(tiny_run), *arguments) == complaint


def test_a_task_that_is_not_known_here_cannot_be_evaluated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task = open_task("shuffle", "abc")
    network = Network(task, NeuralGPU(NeuralGPUConfig(layers=1, width=1, maps=8), task.symbols))
    monkeypatch.setattr("neuralgpu.network.load", lambda *_, **__: network)
    assert error_of(capsys, "evaluate", "it").startswith(
        "the task shuffle is not known here, so it has no random inputs"
    )
