"""The regime of the stack-RNN's authors: longer sums in every epoch, halving with a return to the best."""

from typing import Any

import pytest
import torch

from neuralgpu import engine
from neuralgpu.errors import UserError
from neuralgpu.evaluation.score import evaluate
from neuralgpu.network import Network
from neuralgpu.tasks import get_task
from neuralgpu.training.config import configure, with_settings
from neuralgpu.training.recipes import get_recipe
from neuralgpu.training.stack_rnn import StackRNNTrainer
from neuralgpu.training.train import make_trainer
from trainers import train_to, train_to_the_end, weights

needs_native = pytest.mark.skipif(not engine.available(), reason=engine.why())
SMALL: dict[str, Any] = {
    "hidden": 12,
    "stacks": 2,
    "sequences": 200,
    "validation_sequences": 50,
    "nmax": 6,
    "epochs": 8,
}


def trainer(task: str = "badd", seed: int = 0, engine: Any = "auto", **changes: Any) -> StackRNNTrainer:
    recipe = with_settings(get_recipe("stack-rnn"), {**SMALL, **changes})
    made = make_trainer(configure(get_task(task), "stack-rnn", recipe, seed, engine, threads=1), get_task(task))
    assert isinstance(made, StackRNNTrainer)
    return made


@needs_native
def test_each_epoch_has_longer_sums_up_to_nmax() -> None:
    made, seen = trainer(), []
    while not made.finished:
        made.train_step()
        seen.append((made.epoch, made.below))
    assert seen == [(e, min(e + 3, 6)) for e in range(8) for _ in range(2)]


@needs_native
def test_the_authors_numbers() -> None:
    recipe = trainer(nmax=41, epochs=100, sequences=10_000).settings
    assert (recipe.learning_rate, recipe.lowest_rate, recipe.clip) == (0.1, 1e-5, 15)


@needs_native
def test_a_worse_epoch_halves_the_rate_and_goes_back_to_the_best() -> None:
    made = trainer()
    train_to(made, 8)  # four epochs, after which the rate is halved
    made.best_loss = 0.0
    best = torch.cat([weight.flatten() for weight in made.best])
    train_to(made, 9)
    assert not torch.equal(weights(made), best)
    train_to(made, 10)
    assert made.learning_rate == 0.05
    assert torch.equal(weights(made), best)


@needs_native
def test_a_better_epoch_is_kept_and_keeps_the_rate() -> None:
    made = trainer()
    train_to(made, 8)
    made.best_loss = 1e6
    train_to(made, 10)
    assert made.learning_rate == 0.1
    assert made.best_loss == made.losses[-1]
    assert all(torch.equal(a, b) for a, b in zip(made.best, made.model.weights, strict=True))


@needs_native
def test_early_epochs_halve_nothing() -> None:
    made = trainer()
    made.best_loss = 0.3  # not learned yet
    train_to(made, 2)
    assert made.losses[-1] > 0.3
    assert made.learning_rate == 0.1
    assert any(not torch.equal(a, b) for a, b in zip(made.best, made.model.weights, strict=True))


@needs_native
def test_a_training_ends_where_the_rate_has_fallen_and_with_the_best_weights() -> None:
    made = trainer(lowest_rate=0.06, epochs=1000)
    train_to(made, 8)
    made.best_loss = 0.0
    train_to_the_end(made)
    assert made.step == 10
    assert all(torch.equal(a, b) for a, b in zip(made.best, made.model.weights, strict=True))


@needs_native
def test_validation_reads_the_same_sums_again_and_learns_nothing() -> None:
    made = trainer()
    before = weights(made)
    assert made.validation_loss() == made.validation_loss()
    assert torch.equal(weights(made), before)


@needs_native
def test_a_checkpoint_keeps_the_best_besides() -> None:
    made = trainer()
    train_to(made, 7)
    tensors, state = made.state()
    other = trainer()
    other.restore({name: tensor.clone() for name, tensor in tensors.items()}, state)
    for one in (made, other):
        train_to_the_end(one)
    assert torch.equal(weights(made), weights(other))
    assert made.losses == other.losses


@needs_native
def test_it_learns_short_additions() -> None:
    made = trainer(hidden=40, stacks=4, sequences=1_000, nmax=6, epochs=20)
    before, *_ = evaluate(Network(made.task, made.model), 2, count=50, stress=False).scores
    train_to_the_end(made)
    after, *_ = evaluate(Network(made.task, made.model), 2, count=50, stress=False).scores
    assert before.exact < 15
    assert after.exact >= 30


@needs_native
def test_it_refuses_what_it_cannot_learn() -> None:
    zero_filled: dict[str, Any] = {"tape.zero_fill": True}
    with pytest.raises(UserError, match=r"^a stack-RNN learns addition alone, not bmul; take badd, qadd or add$"):
        trainer("bmul")
    with pytest.raises(UserError, match=r"^a stack-RNN writes a full stop after its sum; leave out tape\.zero_fill$"):
        trainer(**zero_filled)
    with pytest.raises(UserError, match=r"^sequences is 250; it must be a multiple of 100, the sequences of a step$"):
        trainer(sequences=250)


def test_it_is_trained_by_the_native_engine_alone() -> None:
    with pytest.raises(
        UserError, match=r"^a stack-RNN is trained by the native engine on the CPU, which is not used: "
    ):
        trainer(engine="torch")
