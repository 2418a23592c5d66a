"""The line that a training shows on its way."""

from typing import Any

import pytest

from neuralgpu.cli.display import TrainingDisplay
from neuralgpu.training.loop import Metrics
from neuralgpu.training.train import Progress
from trainers import staged

RETRIES: dict[str, Any] = {"harden.when_exact": 1.0, "harden.steps": 50, "fit.steps": 100, "exam.inputs": 1}


@pytest.fixture(autouse=True)
def every_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show each line, not one in ten seconds."""
    monkeypatch.setattr("neuralgpu.cli.display.PLAIN_SECONDS", 0.0)


def line(capsys: pytest.CaptureFixture[str], retries: int, step: int, attempt: int = 0) -> str:
    """What is shown at a step that comes ten steps and five seconds after the first one shown."""
    trainer = staged({**RETRIES, "retry.retries": retries})
    trainer.attempt.number, trainer.attempt.began = attempt, attempt * 100
    with TrainingDisplay("badd") as display:
        for now, seconds in ((step - 10, 20.0), (step, 25.0)):
            trainer.step = now
            metrics = Metrics(now, seconds, loss=0.25, exact=0.5, symbol=0.75, learning_rate=0.1, gauges={})
            display.show(Progress(trainer, metrics))
    return capsys.readouterr().err.replace("\n", " ").strip()


def test_a_line_has_step_loss_exact_outputs_and_time_left(capsys: pytest.CaptureFixture[str]) -> None:
    shown = line(capsys, retries=0, step=40)
    assert shown.endswith("badd: rate 0.00500  step 40  loss 0.2500  exact 50.0%  2.0 steps/s  at most 0:00:30 left")


def test_the_first_line_does_not_guess_how_much_time_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    assert "step 30  loss 0.2500  exact 50.0%  0.0 steps/s  estimating time" in line(capsys, retries=0, step=40)


def test_time_left_is_that_of_the_attempt_and_those_that_may_follow_are_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = line(capsys, retries=3, step=140, attempt=1)
    assert shown.endswith("at most 0:00:30 left in this attempt, with at most 2 to follow")


def test_the_last_attempt_is_followed_by_none(capsys: pytest.CaptureFixture[str]) -> None:
    shown = line(capsys, retries=1, step=140, attempt=1)
    assert shown.endswith("attempt 2  step 140  loss 0.2500  exact 50.0%  2.0 steps/s  at most 0:00:30 left")
