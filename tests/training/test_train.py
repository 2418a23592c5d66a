"""`neuralgpu.train` and `neuralgpu.resume`, with trainings of a few steps."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import neuralgpu
from files import write_pairs
from neuralgpu import engine
from neuralgpu.errors import UserError
from neuralgpu.evaluation.report import Report
from neuralgpu.network import Network
from neuralgpu.tasks import Task
from neuralgpu.training.train import Progress, Trained
from toy import Swap, Three
from trainers import PAPER, STAGED

PASSING: dict[str, Any] = {
    "fit.steps": 400,
    "fit.lengths": (3,),
    "fit.dropout": 0.0,
    "harden.lengths": (3,),
    "harden.steps": 40,
    "harden.shrink": 0.0,
    "exam.shorter_inputs": 0,
    "exam.every": 10,
}
"""In a second a network learns to copy three symbols, and passes an exam of three."""

FAILING: dict[str, Any] = {**STAGED, "harden.when_exact": 1.0, "fit.steps": 3, "exam.inputs": 5}
"""Attempts of three steps fit nothing."""


def train(task: str | Task, recipe: str, out: Path, **options: Any) -> Trained:
    return neuralgpu.train(task, recipe, out=out, **{"threads": 1, "evaluate_count": 0, **options})


def paper(out: Path, **options: Any) -> Trained:
    return train("badd", "paper", out, **{**PAPER, "max_steps": 25, **options})


def metrics(run: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


def weights(run: Path) -> bytes:
    return (run / "model.safetensors").read_bytes()


# What comes back


def test_training_returns_the_network_and_how_it_ended(tmp_path: Path) -> None:
    network, result = paper(tmp_path / "run", evaluate_sizes=[4, 2], evaluate_count=10)
    assert isinstance(network, Network)
    assert len(network("1010+0111")) <= 9
    assert (result.finished, result.directory) == (True, tmp_path / "run")
    random = [(score.size, score.count) for score in result.report.scores if score.inputs == "random"]
    assert random == [(2, 10), (4, 10)]


def test_the_network_is_the_one_that_was_saved(tmp_path: Path) -> None:
    network, result = paper(tmp_path / "run")
    again = neuralgpu.load(result.directory)
    tapes = network.task.sample(np.random.default_rng(0), 20, 6).inputs
    assert np.array_equal(network.answers(tapes), again.answers(tapes))


def test_evaluation_json_holds_the_report_that_is_returned(tmp_path: Path) -> None:
    _, result = paper(tmp_path / "run", evaluate_sizes=[3], evaluate_count=10)
    written = json.loads((tmp_path / "run" / "evaluation.json").read_text())
    assert written == json.loads(json.dumps(result.report.to_dict()))
    assert Report.from_dict(written) == result.report


def test_the_report_says_how_the_network_came_about(tmp_path: Path) -> None:
    _, result = paper(tmp_path / "run", engine="torch")
    training = result.report.training
    assert training is not None
    assert (training["steps"], training["engine"], training["threads"], training["device"]) == (25, "torch", 1, "cpu")
    assert training["command"].startswith("ngpu train badd --recipe paper --seed 0 --layers 1 --width 1 --maps 8")
    assert training["parameters"] == sum(
        weight.numel() for weight in neuralgpu.load(result.directory).model.parameters()
    )


def test_without_inputs_nothing_is_scored_and_the_training_told_all_the_same(tmp_path: Path) -> None:
    _, result = paper(tmp_path / "run", evaluate_count=0)
    assert result.report.scores == ()
    assert json.loads((tmp_path / "run" / "evaluation.json").read_text())["training"]["steps"] == 25


def test_the_default_directory_is_named_after_task_recipe_and_seed_and_never_one_that_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("badd-paper-7", "badd-paper-7-2"):
        _, result = neuralgpu.train("badd", "paper", seed=7, threads=1, evaluate_count=0, **PAPER, max_steps=1)
        assert result.directory == Path("runs") / name


def test_a_task_of_one_s_own_is_trained_evaluated_and_resumed(tmp_path: Path) -> None:
    network, result = neuralgpu.train(
        Swap(), "paper", out=tmp_path / "run", threads=1, evaluate_sizes=[3], evaluate_count=5, **PAPER, max_steps=2
    )
    assert network.task.name == "swap"
    assert set(network("abca")) <= set("abc ")
    assert result.report.scores[0].count == 5
    with pytest.raises(UserError, match=r"the task 'swap' is not known here; give it to neuralgpu.resume as task="):
        neuralgpu.resume(tmp_path / "run")
    assert neuralgpu.resume(tmp_path / "run", task=Swap(), evaluate_count=0).result.finished


# Progress, and stopping


def test_progress_is_told_every_ten_steps_and_at_the_end(tmp_path: Path) -> None:
    told: list[Progress] = []
    paper(tmp_path / "run", progress=told.append)
    assert [now.metrics.step for now in told] == [10, 20, 25]
    assert [line["step"] for line in metrics(tmp_path / "run")] == [10, 20, 25]
    assert told[0].trainer.milestone().total == 20  # bits


def after(steps: int) -> Iterator[bool]:
    """Asks to stop once a number of steps is done."""
    yield from [False] * steps
    while True:
        yield True


def test_a_training_that_is_stopped_saves_and_goes_on_later_to_the_same_bits(tmp_path: Path) -> None:
    asked = after(13)
    _, result = paper(tmp_path / "run", stop=lambda: next(asked))
    assert not result.finished
    assert (result.report.training or {})["steps"] == 13
    assert not (tmp_path / "run" / "evaluation.json").exists()
    assert neuralgpu.resume(tmp_path / "run", evaluate_count=0).result.finished
    paper(tmp_path / "whole")
    assert weights(tmp_path / "run") == weights(tmp_path / "whole")


def test_a_training_from_pools_and_one_from_a_file_go_on_to_the_same_bits(tmp_path: Path) -> None:
    settings: dict[str, Any] = {**STAGED, "fit.steps": 9}
    for task in (Swap(), write_pairs(tmp_path / "swapped.tsv")):
        name = type(task).__name__
        asked = after(4)
        options: dict[str, Any] = {"threads": 1, "evaluate_count": 0, **settings}
        neuralgpu.train(task, "diagonal", out=tmp_path / f"{name}-cut", stop=lambda: next(asked), **options)  # noqa: B023
        neuralgpu.resume(tmp_path / f"{name}-cut", task=task, evaluate_count=0)
        neuralgpu.train(task, "diagonal", out=tmp_path / f"{name}-whole", **options)
        assert weights(tmp_path / f"{name}-cut") == weights(tmp_path / f"{name}-whole")


def test_a_run_does_not_go_on_with_another_task(tmp_path: Path) -> None:
    neuralgpu.train(Swap(), "paper", out=tmp_path / "run", threads=1, evaluate_count=0, **PAPER, max_steps=1)
    with pytest.raises(UserError, match=r"the run learns swap over 'abc', not copy over '01'"):
        neuralgpu.resume(tmp_path / "run", task="copy")


def test_a_training_stopped_before_its_first_step_can_go_on(tmp_path: Path) -> None:
    _, result = paper(tmp_path / "run", stop=lambda: True)
    assert (result.report.training or {})["steps"] == 0
    assert neuralgpu.resume(tmp_path / "run", evaluate_count=0).result.finished


def test_a_finished_run_is_only_evaluated_again(tmp_path: Path) -> None:
    paper(tmp_path / "run")
    before = weights(tmp_path / "run")
    _, result = neuralgpu.resume(tmp_path / "run", evaluate_sizes=[4], evaluate_count=10)
    assert weights(tmp_path / "run") == before
    assert result.report.scores[0].count == 10


def test_torch_has_as_many_threads_after_training_as_before(tmp_path: Path) -> None:
    before = torch.get_num_threads()
    paper(tmp_path / "run", threads=2, max_steps=1)
    assert torch.get_num_threads() == before


# The exam


def said(run: Path) -> tuple[str, int, int]:
    """Words, number of attempts and of exams in evaluation.json, after checking that metrics.jsonl has the same."""
    training = json.loads((run / "evaluation.json").read_text())["training"]
    last = metrics(run)[-1]
    assert (last["attempt"], last["exams"]) == (training["attempts"], training["exams"])
    assert last["exam_passed"] == (training["exam"] == "passed")
    return training["words"], training["attempts"], training["exams"]


def test_a_run_that_passes_its_exam_says_so_everywhere(tmp_path: Path) -> None:
    train(Three(), "exact", tmp_path / "run", **PASSING)
    assert said(tmp_path / "run") == ("the exam was passed in attempt 1, at sitting 1", 1, 1)


def test_a_run_that_fails_every_exam_says_so_everywhere(tmp_path: Path) -> None:
    train("badd", "diagonal", tmp_path / "run", **FAILING, **{"retry.retries": 2})
    kept = "this is the network of attempt 1, which came furthest"
    assert said(tmp_path / "run") == (f"no exam was passed; attempts: 3; {kept}", 3, 0)


def test_a_run_without_an_exam_says_that_there_was_none(tmp_path: Path) -> None:
    train("badd", "diagonal", tmp_path / "run", **STAGED, **{"fit.steps": 1})
    assert said(tmp_path / "run") == ("the recipe has no exam", 1, 0)


# Attempts with networks of their own

LADDER: dict[str, Any] = {**FAILING, "steps.extra": 3, "retry.retries": 1, "retry.standing": (True, False)}


def part(run: Path, name: str) -> tuple[int, int]:
    """Maps and further steps of the network in a part of config.json."""
    config = json.loads((run / "config.json").read_text())
    network = config["network"] if name == "network" else config["training"]["network"]
    return network["model"]["maps"], network["steps"]["extra"]


def test_a_run_stopped_in_an_attempt_with_another_network_loads_and_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    options = {**LADDER, "retry.widen": (1, 2)}
    asked = after(5)
    network, result = train("badd", "diagonal", tmp_path / "run", stop=lambda: next(asked), **options)
    assert (result.finished, network.parameters) == (False, neuralgpu.load(tmp_path / "run").parameters)
    assert (part(tmp_path / "run", "network"), part(tmp_path / "run", "training")) == ((48, 0), (24, 3))
    assert neuralgpu.resume(tmp_path / "run", evaluate_count=0).result.finished
    train("badd", "diagonal", tmp_path / "whole", **options)
    assert weights(tmp_path / "run") == weights(tmp_path / "whole")
    assert part(tmp_path / "run", "network") == part(tmp_path / "whole", "network") == (24, 3)


def test_a_run_whose_weights_are_of_another_network_than_the_recipe_s_is_evaluated_and_resumed(tmp_path: Path) -> None:
    options = {**LADDER, "retry.widen": (2,), "retry.standing": (False,)}
    network, result = train("badd", "diagonal", tmp_path / "run", evaluate_sizes=[3], evaluate_count=5, **options)
    assert (part(tmp_path / "run", "network"), part(tmp_path / "run", "training")) == ((48, 0), (24, 3))
    assert result.report.scores[0].count == 5
    assert (result.report.training or {})["parameters"] == network.parameters
    command = (result.report.training or {})["command"]
    assert all(flag in command for flag in ("--maps 24 ", "--steps.extra 3 ", "--retry.widen 2 "))
    before = weights(tmp_path / "run")
    assert neuralgpu.resume(tmp_path / "run", evaluate_count=0).result.finished
    assert weights(tmp_path / "run") == before


# What is refused, before anything is written


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "cpy"}, "unknown task 'cpy'; did you mean copy?"),
        ({"recipe": "exat"}, "unknown recipe 'exat'; did you mean exact?"),
        ({"mpas": 3}, "unknown setting 'mpas'; did you mean maps?"),
        ({"fit.lerning_rate": 3}, "unknown setting 'fit.lerning_rate'; did you mean fit.learning_rate?"),
        ({"maps": 25}, "maps is 25; it must be a multiple of 3, because a third of them moves each way"),
        ({"seed": -1}, "seed is -1; it must be from 0 to 2^63 - 1"),
        ({"threads": -1}, "threads is -1; it must be from 0 to 1024, where 0 takes all cores"),
        ({"evaluate_sizes": [0]}, "size 0 is too small; it must be at least 1"),
        ({"evaluate_sizes": []}, "no sizes are given; name at least one, such as 20"),
        ({"evaluate_count": -1}, "evaluate_count is -1; it must be from 0 to 2147483647, where 0 does not evaluate"),
        ({"engine": "warp"}, "engine is 'warp'; it must be auto, torch or native"),
        (
            {"maps": 27, "engine": "native"},
            "the native engine cannot run this model: maps is 27 and must be a multiple of 24; choose another or use "
            "engine torch",
        ),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything_is_written(
    options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    if options.get("engine") == "native" and not engine.available():
        pytest.skip("there is no native engine to refuse it")
    with pytest.raises(UserError) as refused:
        neuralgpu.train(**{"task": "copy", "recipe": "exact", "out": tmp_path / "run", **options})
    assert str(refused.value) == message
    assert not (tmp_path / "run").exists()


def test_a_directory_that_holds_a_run_is_refused(tmp_path: Path) -> None:
    paper(tmp_path / "run", max_steps=1)
    with pytest.raises(UserError, match=r"already holds a run; go on with --resume .*run, or choose another --out$"):
        paper(tmp_path / "run", max_steps=1)


def test_a_run_that_is_not_there_cannot_go_on(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"run/config\.json does not exist; name a run directory made by `ngpu train`$"):
        neuralgpu.resume(tmp_path / "run")


def test_a_checkpoint_of_another_configuration_is_refused(tmp_path: Path) -> None:
    paper(tmp_path / "run", max_steps=1)
    file = tmp_path / "run" / "config.json"
    file.write_text(file.read_text().replace('"maps": 8', '"maps": 16'))
    with pytest.raises(UserError, match=r"\.safetensors does not belong to the config\.json there"):
        neuralgpu.resume(tmp_path / "run")


def test_a_setting_that_the_model_cannot_take_is_refused_before_anything_is_trained(tmp_path: Path) -> None:
    noisy: dict[str, Any] = {"harden.gate_noise": 0.2}
    with pytest.raises(UserError) as refused:
        neuralgpu.train("copy", "paper-muon", out=tmp_path / "run", **noisy)
    remedy = "a model of kind neural-gpu takes dropout alone, so set it to 0"
    assert str(refused.value) == f"harden.gate_noise is 0.2; {remedy}"
    assert not (tmp_path / "run").exists()


def test_a_network_of_another_task_than_the_one_given_is_refused() -> None:
    with pytest.raises(UserError, match=r"learned copy over .01., not sort over .01."):
        neuralgpu.load("copy", task=neuralgpu.get_task("sort"))


@pytest.mark.parametrize("out", ["", ".", "..", "/"])
def test_a_directory_that_holds_everything_else_is_not_filled(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"^out is '.*'; name a directory of its own, such as runs/badd$"):
        paper(out)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_seconds_between_checkpoints_are_bounded(seconds: float, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^checkpoint_seconds is (-1|nan|inf); it must be from 0 to 1000000$"):
        paper(tmp_path / "run", checkpoint_seconds=seconds)
    assert not (tmp_path / "run").exists()
