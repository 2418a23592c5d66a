"""Recipes: everything that decides how a network is trained, as data."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from neuralgpu.errors import UserError, nearest
from neuralgpu.models.config import DiagonalConfig, NeuralGPUConfig
from neuralgpu.tasks import Tape, Task

TRAINING_LENGTH = 41
"""No training example is longer, in cells of the tape; for the paper's arithmetic this is 20 bits."""

EVALUATION_LENGTHS = (41, 51, 81, 201, 401)
"""Where a network is evaluated unless asked otherwise: 20, 25, 40, 100 and 200 bits for the paper's arithmetic."""


DIAGONAL_LENGTHS = (8, 12, 16, 20, 25, 28, 31, 36, 41)
"""The tapes on which the authors of the Diagonal Neural GPU train theirs."""

JUDGED_OVER = 100
"""Steps whose exact outputs decide that fitting ends, that the rate falls, or that training starts again."""


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
    """Adam's"""
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
    """released: sizes up to the current one, mostly the larger of two draws; a quarter at least one of all sizes"""
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
    """the pull is multiplied by this for each cell by which the tape grows when the curriculum moves"""
    unify: Literal["once", "repeatedly"] = "once"
    """once: one set from the maximal size on; repeatedly: average after each good block with a pull of 0.1 or more"""

    def tape(self, task: Task) -> Tape:
        """The task's own, as in the paper."""
        return task.tape

    def __post_init__(self) -> None:
        counts = ("batch", "max_steps", "curriculum_start", "curriculum_block", "relaxation_sets")
        _require_each(self, "at least 1", lambda value: value >= 1, *counts)
        _require_each(self, "at least 0 and below 1", lambda value: 0 <= value < 1, "dropout")
        _require_each(self, "from 0 to 1", lambda value: 0 <= value <= 1, "curriculum_threshold", "mixing")
        positive = ("learning_rate", "adam_epsilon", "initial_scale", "relaxation_pull_factor", "decay")
        _require_each(self, "positive", lambda value: value > 0, *positive)
        limits = ("noise_scale", "relaxation_pull", "clip_norm", "examples_per_size", "finish_blocks", "dropout_length")
        _require_each(self, "at least 0", lambda value: value >= 0, *limits)


@dataclass(frozen=True)
class DiagonalRecipe:
    """The training of the Diagonal Neural GPU: all lengths in every step, no curriculum and no relaxation."""

    model: DiagonalConfig = field(default_factory=DiagonalConfig)

    slack: int = 0
    """empty cells added at the end of the tape, each of which gives the network one more step"""
    stretch: float = 0.0
    """more such cells for a network that is used: so many for each cell of the input and its answer"""
    spare: int = 0
    """fitting leaves out so many of these cells, because they make it slower"""
    zero_fill: bool = True
    """results of arithmetic are followed by zeros to the end of the tape, not by PAD"""

    lengths: tuple[int, ...] = DIAGONAL_LENGTHS
    """the lengths that every step trains, slack aside"""
    batch: int = 32
    """examples of each length in a step"""
    shorter: float = 0.05
    """share of examples that are shorter than their tape"""
    structured: float = 0.0
    """share of numbers with zeros at an end, runs of one digit or a density of their own"""
    uneven: float = 0.0
    """share of numbers that have a density of their own, often near 0 or 1, whatever else they would have been"""
    unequal: float = 0.0
    """arithmetic: share of examples whose operands have any numbers of digits, as many together as fill the tape"""
    chained: float = 0.0
    """arithmetic: share of examples both of whose operands are made of runs of all lengths"""
    max_steps: int = 3_000
    """the training of a network stops here; it counts from where that network began"""

    learning_rate: float = 0.005
    """of AdaMax; the authors take 0.01 * 48 / maps"""
    rate_factor: float = 0.7
    """the rate is multiplied by this when the last two blocks of 200 steps are worse than the one before them"""
    noise_scale: float = 1e-4
    """gradient noise has this deviation times the rate"""
    muon: float = 0.0
    """fitting: kernels follow Muon by steps whose root mean square is this times the rate; 0: AdaMax, as all else"""
    slow_at: float = 0.0
    """fitting: share of exact outputs, over 100 steps, from which kernels move less by Muon; 0: they do not"""
    slow_to: float = 0.4
    """fitting: the share of these steps that is left then"""

    dropout: float = 0.1
    """share of the candidates set to zero in each step; 0 switches it off"""
    saturation: float = 1e-3
    """the largest weight of the saturation cost, which there is only before hardening; 0 switches it off"""
    harden_at: float = 0.0
    """share of exact outputs, over 100 steps, at which fitting ends and hardening begins; 0: there is no hardening"""
    harden_steps: int = 1_000
    """steps of hardening; it begins in time for max_steps even where the share is not reached"""
    harden_dropout: float = 0.1
    """hardening: dropout takes this value"""
    gate_noise: float = 0.4
    """hardening: amplitude of the uniform noise on pre-activations of gates and candidates"""
    gate_noise_ramp: int = 300
    """hardening: the steps in which the noise grows to its amplitude"""
    shrink: float = 0.0
    """hardening: in its first steps kernels' weights move towards zero, by this times the rate in each; 0: not so"""
    shrink_steps: int = 600
    """hardening: the number of these steps"""
    prune_below: float = 0.01
    """hardening: after these steps, weights that are smaller become zero and stay zero"""
    round_after: int = 800
    """hardening: the step of it from which states are rounded, where the model has levels"""
    retries: int = 0
    """how often training starts again from other weights, where hardening goes badly or the exam is failed"""
    retry_steps: tuple[int, ...] = (600,)
    """hardening: the steps of it that decide about this"""
    retry_below: tuple[float, ...] = (0.6,)
    """hardening: for each of these, the share of exact outputs, over 100 steps, below which it goes badly"""
    exam: int = 0
    """after hardening: so many inputs decide whether training starts again"""
    exam_length: int = 0
    """the length of these inputs, slack aside; 0: the largest that is trained"""
    exam_shorter: int = 0
    """besides these, so many inputs of a tenth of their length"""
    exam_chained: float = 0.0
    """takes the place of `chained` among these inputs"""
    exam_every: int = 0
    """hardening: once weights are pruned, the average sits the exam every so many steps, and training ends where it
    passes; 0: the result alone does"""
    exam_errors: int = 0
    """after hardening: wrong outputs among these that do not matter yet"""
    members: int = 1
    """so many networks are trained one after the other; they share the maps, and their outputs are averaged"""
    member_steps: int = 0
    """each of them goes on from the one before with so many steps, at the first rate, which falls in the second half;
    0: each begins with other weights and has all that the first one had"""
    settle_at: float = 0.0
    """hardening: share of exact outputs, over 100 steps with rounded states, at which the rate begins to fall before it
    is time for its last steps; 0: it does not"""
    anneal_steps: int = 600
    """hardening: its last steps, in which the rate falls"""
    anneal_to: float = 0.05
    """hardening: the share of the rate that is left at the end"""
    harden_lengths: tuple[int, ...] = DIAGONAL_LENGTHS
    """hardening: takes the place of `lengths`"""
    harden_spare: tuple[int, ...] = (0,)
    """hardening: takes the place of `spare`; each minibatch leaves out one of these numbers of cells"""
    average: float = 0.0
    """hardening: the result is an average of the weights, this much of which stays in a step; 0: the last weights"""

    def tape(self, task: Task) -> Tape:
        """The tape of a network that is used; where it is stretched, one cell of slack is what rounding up adds."""
        return task.tape_with(max(0, self.slack - (self.stretch > 0)), self.stretch, self.zero_fill)

    def __post_init__(self) -> None:
        counts = ("batch", "max_steps", "harden_steps", "gate_noise_ramp", "anneal_steps")
        _require_each(self, "at least 1", lambda value: value >= 1, *counts, "members")
        _require_each(self, "0 or at least 2", lambda value: value == 0 or value >= 2, "member_steps")
        shares = ("dropout", "harden_dropout", "average")
        _require_each(self, "at least 0 and below 1", lambda value: 0 <= value < 1, *shares)
        examples = ("shorter", "structured", "uneven", "unequal", "chained", "exam_chained")
        _require_each(
            self, "from 0 to 1", lambda value: 0 <= value <= 1, *examples, "harden_at", "settle_at", "slow_at"
        )
        rates = ("learning_rate", "rate_factor", "anneal_to", "slow_to")
        _require_each(self, "positive", lambda value: value > 0, *rates)
        limits = ("slack", "stretch", "shrink", "shrink_steps", "prune_below", "round_after", "muon")
        others = ("noise_scale", "saturation", "gate_noise", "retries")
        exams = ("exam", "exam_errors", "exam_every", "exam_shorter")
        _require_each(self, "at least 0", lambda value: value >= 0, *limits, *others, *exams)
        if len(self.retry_steps) != len(self.retry_below):
            raise UserError(
                f"retry_steps are {self.retry_steps} and retry_below {self.retry_below}; give as many of the one as of "
                "the other"
            )
        if self.retry_steps and min(self.retry_steps) < JUDGED_OVER:
            raise UserError(f"retry_steps are {self.retry_steps}; they must be at least {JUDGED_OVER}")
        if self.retry_below and not 0 <= min(self.retry_below) <= max(self.retry_below) <= 1:
            raise UserError(f"retry_below are {self.retry_below}; they must be from 0 to 1")
        if self.exam_length and self.exam_length < 3:
            raise UserError(f"exam_length is {self.exam_length}; it must be 0 or at least 3")
        if self.exam_shorter and 0 < self.exam_length < 30:
            raise UserError(f"exam_length is {self.exam_length}; a tenth of it is too short, so exam_shorter must be 0")
        if self.exam_every and not (self.exam and self.average and self.shrink):
            raise UserError(f"exam_every is {self.exam_every}; it needs an exam, an average and shrink, all positive")
        if self.slow_at and not self.muon:
            raise UserError(f"slow_at is {self.slow_at} without Muon; set muon too, such as 0.5")
        if self.members > 1 and not self.harden_at:
            raise UserError(f"members is {self.members} without hardening; set harden_at too, such as 0.9")
        if self.members > 1 and self.model.maps % (3 * self.members):
            raise UserError(f"maps is {self.model.maps}; {self.members} networks need a multiple of {3 * self.members}")
        for name, spares in (("spare", (self.spare,)), ("harden_spare", self.harden_spare)):
            if not spares or min(spares) < 0 or max(spares) > self.slack:
                raise UserError(f"{name} is {getattr(self, name)}; it must be from 0 to slack, {self.slack}")
        for name, lengths in (("lengths", self.lengths), ("harden_lengths", self.harden_lengths)):
            if not lengths or max(lengths) > TRAINING_LENGTH or min(lengths) < 3:
                raise UserError(f"{name} are {lengths}; they must lie between 3 and {TRAINING_LENGTH}")


Recipe = PaperRecipe | DiagonalRecipe


def _require_each(recipe: object, rule: str, holds: Callable[[float], bool], *names: str) -> None:
    for name in names:
        if not holds(getattr(recipe, name)):
            raise UserError(f"{name} is {getattr(recipe, name)}; it must be {rule}")


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

DIAGONAL = DiagonalRecipe()

HARDENED = replace(DIAGONAL, batch=8, structured=0.3, harden_at=0.9)
"""What our own recipes have in common."""

PRUNED = replace(
    HARDENED,
    model=replace(DIAGONAL.model, levels=2),
    uneven=0.15,
    learning_rate=0.008,
    max_steps=12_000,
    harden_dropout=0.0,
    gate_noise=0.5,
    shrink_steps=900,
    round_after=1_000,
    exam_errors=1,
    settle_at=0.998,
    anneal_steps=1_200,
    harden_lengths=(12, 20, 28, 36, 41, 41, 41),
    average=0.99,
)
"""What those have in common that harden by pruning and rounding."""

WIDE = replace(
    PRUNED,
    model=replace(PRUNED.model, maps=48),
    slack=32,
    spare=28,
    harden_spare=(24,),
    unequal=0.6,
    harden_steps=5_000,
    shrink=0.11,
    retries=8,
    retry_steps=(1_600,),
    retry_below=(0.975,),
    exam=40_000,
)

EXACT = replace(
    WIDE,
    model=replace(PRUNED.model, maps=24),
    stretch=0.5,
    max_steps=6_200,
    learning_rate=0.0056,
    muon=1.15,
    slow_at=0.75,
    harden_steps=3_500,
    gate_noise=0.4,
    shrink=0.06,
    retries=20,
    retry_steps=(300, 1_600),
    retry_below=(0.97, 0.975),
    exam=60,
    exam_length=2_001,
    exam_shorter=1_000,
    exam_chained=0.3,
    exam_every=250,
    exam_errors=0,
    settle_at=0.0,
)

ADDITION = replace(
    PRUNED,
    model=replace(PRUNED.model, maps=24),
    slack=16,
    spare=12,
    harden_spare=(13,),
    unequal=0.5,
    harden_steps=6_000,
    shrink=0.08,
    retries=3,
)

TIGHT = replace(
    ADDITION,
    slack=0,
    spare=0,
    harden_spare=(0,),
    shorter=0.0,
    unequal=0.0,
    harden_steps=3_000,
    retries=0,
    lengths=(8, 12, 16, 20, 24, 28, 32, 36, 40),
    harden_lengths=(12, 20, 28, 36, 40, 40, 40),
)

SMALL = replace(
    HARDENED,
    model=replace(DIAGONAL.model, maps=24),
    slack=4,
    learning_rate=0.01,
)

RECIPES: dict[str, Recipe] = {
    "paper": PAPER,
    "released": RELEASED,
    "diagonal": DIAGONAL,
    "exact": EXACT,
    "wide": WIDE,
    "addition": ADDITION,
    "tight": TIGHT,
    "small": SMALL,
}
"""Every recipe by name: `paper` as the paper describes it, `released` as its authors' code of early 2016 did it,
`diagonal` as the authors of the Diagonal Neural GPU train theirs, `exact` our own on top of it for multiplication,
`wide` what was ours before, with more maps, `addition` the same for addition, `tight` on tapes that the
answer fills to the end, for duplicate, and `small` for the other simple tasks."""


def get_recipe(name: str) -> Recipe:
    """The recipe of this name."""
    if name not in RECIPES:
        raise UserError(f"unknown recipe {name!r}; {nearest(name, RECIPES)}")
    return RECIPES[name]
