"""Recipes: everything that decides how a network is trained, as data."""

from dataclasses import dataclass, field, replace
from typing import Literal

from neuralgpu.errors import UserError, nearest
from neuralgpu.models.config import NeuralGPUConfig

TRAINING_LENGTH = 41
"""No training example is longer, in cells of the tape; for the paper's arithmetic this is 20 bits."""

EVALUATION_LENGTHS = (41, 51, 81, 201, 401)
"""Where a network is evaluated unless asked otherwise: 20, 25, 40, 100 and 200 bits for the paper's arithmetic."""


@dataclass(frozen=True)
class PaperRecipe:
    """The training of section 3.3 of the paper; docs/recipes/paper.md tells where each value comes from."""

    model: NeuralGPUConfig = field(default_factory=NeuralGPUConfig)

    batch: int = 32
    """examples in a minibatch, all of one size"""
    examples_per_size: int = 10_000
    """training examples drawn once for each size; 0 draws new ones in every step"""
    max_steps: int = 20_000
    """training stops here at the latest"""
    finish_blocks: int = 20
    """training stops after this many blocks without an error at the maximal size; 0: only at the last step"""

    learning_rate: float = 1e-3
    """Adam's"""
    adam_epsilon: float = 1e-4
    """Adam's; the paper stresses that it is large"""
    clip_norm: float = 1.0
    """gradients are scaled down to this norm; 0 leaves them as they are"""
    decay: float = 1.0
    """the rate is multiplied by this when a block's loss is worse than each of the last three; 1 never changes it"""
    initial_scale: float = 1.0
    """scale of the initial kernels"""
    gate_bias: float = 1.0
    """initial bias of both gates"""

    curriculum: bool = True
    """start with small inputs and move on to larger ones; without it all sizes are drawn alike from the start"""
    curriculum_start: int = 3
    """the first size"""
    curriculum_threshold: float = 0.9
    """share of fully correct outputs in a block that moves the curriculum on by one size"""
    curriculum_block: int = 20
    """minibatches in a block"""
    mixing: float = 0.2
    """probability of a minibatch whose size is drawn from all sizes"""
    mixing_rule: Literal["paper", "released"] = "paper"
    """released: sizes up to the current one, mostly the larger of two draws, a quarter of them beyond it"""
    progress_on: Literal["current", "all"] = "current"
    """which minibatches a block counts: those of the current size, or all"""
    count_pad: bool = True
    """a fully correct output has PAD in its place too; without it the symbols of the answer alone count"""

    dropout: float = 0.09
    """share of the mental image set to zero in each step; 0 switches it off"""
    dropout_length: int = 0
    """where positive, longer tapes have less dropout: the rate is multiplied by this over the length"""
    noise_scale: float = 0.001
    """gradient noise; 0 switches it off"""

    relaxation_sets: int = 6
    """r, the sets of recurrent parameters; 1 switches relaxation off"""
    relaxation_pull: float = 5e-4
    """the initial weight of the distance between the sets"""
    relaxation_pull_factor: float = 1.2
    """the pull is multiplied by this whenever the curriculum moves"""
    unify: Literal["once", "repeatedly"] = "once"
    """once: one set from the maximal size on; repeatedly: average after each good block with a pull of 0.1 or more"""

    def __post_init__(self) -> None:
        for name in ("batch", "max_steps", "curriculum_start", "curriculum_block", "relaxation_sets"):
            _require(name, getattr(self, name), getattr(self, name) >= 1, "at least 1")
        for name in ("dropout",):
            _require(name, getattr(self, name), 0 <= getattr(self, name) < 1, "at least 0 and below 1")
        for name in ("curriculum_threshold", "mixing"):
            _require(name, getattr(self, name), 0 <= getattr(self, name) <= 1, "from 0 to 1")
        for name in ("learning_rate", "adam_epsilon", "initial_scale", "relaxation_pull_factor", "decay"):
            _require(name, getattr(self, name), getattr(self, name) > 0, "positive")
        for name in (
            "noise_scale",
            "relaxation_pull",
            "clip_norm",
            "examples_per_size",
            "finish_blocks",
            "dropout_length",
        ):
            _require(name, getattr(self, name), getattr(self, name) >= 0, "at least 0")


def _require(name: str, value: float, holds: bool, rule: str) -> None:
    if not holds:
        raise UserError(f"{name} is {value}; it must be {rule}")


PAPER = PaperRecipe()

RELEASED = replace(
    PAPER,
    model=replace(PAPER.model, tanh_embedding=True),
    examples_per_size=5_000,
    decay=0.98,
    curriculum_block=200,
    mixing_rule="released",
    progress_on="all",
    count_pad=False,
    dropout=0.15,
    dropout_length=8,
    noise_scale=0.0,
    unify="repeatedly",
)

RECIPES: dict[str, PaperRecipe] = {"paper": PAPER, "released": RELEASED}
"""Every recipe by name: `paper` as the paper describes it, `released` as its authors' code of early 2016 did it."""


def get_recipe(name: str) -> PaperRecipe:
    """The recipe of this name."""
    if name not in RECIPES:
        raise UserError(f"unknown recipe {name!r}; {nearest(name, RECIPES)}")
    return RECIPES[name]
