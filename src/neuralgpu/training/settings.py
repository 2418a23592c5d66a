"""Settings of the two trainings: the paper's, and ours in stages. docs/recipes/ tells where each value comes from."""

from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

from neuralgpu.errors import UserError
from neuralgpu.evaluation.sizes import TRAINING_CELLS
from neuralgpu.ranges import LARGEST, Amount, Count, Number, Positive, Range, Rate, Share, check_ranges
from neuralgpu.tasks import Mixture
from neuralgpu.training.baseline_settings import LSTMAttentionSettings, StackRNNSettings

DIAGONAL_LENGTHS = (8, 12, 16, 20, 25, 28, 31, 36, 41)
"""The tapes on which the authors of the Diagonal Neural GPU train theirs."""

JUDGED_OVER = 100
"""Steps whose exact outputs decide that fitting ends, that the rate falls, or that training starts again."""

Length = Annotated[int, Range(3, TRAINING_CELLS)]


@dataclass(frozen=True)
class TapeSettings:
    """What a recipe adds to the tape that a task needs; the paper adds nothing."""

    slack: Annotated[int, Range(0, 10_000)] = 0
    """empty cells at the end of the tape of a network in use"""
    stretch: Annotated[float, Range(0, 100)] = 0.0
    """further empty cells of a network in use, for each cell that input and answer take"""
    zero_fill: bool = False
    """what follows a number to the end of the tape: zeros, or PAD without it"""

    def __post_init__(self) -> None:
        check_ranges(self, "tape.")


@dataclass(frozen=True)
class PaperSettings:
    """The training of section 3.3 of the paper."""

    kind: ClassVar[str] = "paper"

    batch: Count = 32
    """examples in a minibatch, all of one size"""
    examples_per_size: Number = 10_000
    """training examples drawn once for each size; 0 draws new ones in every step"""
    max_steps: Count = 20_000
    """last step of the training"""
    finish_blocks: Number = 20
    """blocks without an error at the maximal size that end the training; 0 trains to the last step"""

    learning_rate: Positive = 1e-3
    """learning rate of Adam"""
    adam_epsilon: Positive = 1e-4
    """epsilon of Adam"""
    clip_norm: Amount = 1.0
    """norm that gradients are scaled down to; 0 leaves them as they are"""
    decay: Positive = 1.0
    """factor of the rate after a block whose loss is worse than each of the last three; 1 never changes it"""
    initial_scale: Positive = 1.0
    """scale of the initial kernels"""
    gate_bias: Annotated[float, Range(-100, 100)] = 1.0
    """initial bias of both gates"""

    curriculum: bool = True
    """start with small inputs and move on to larger ones; without it all sizes are drawn alike from the start"""
    curriculum_start: Count = 3
    """first size of the curriculum"""
    curriculum_threshold: Share = 0.9
    """share of fully correct outputs in a block that moves the curriculum on by one size"""
    curriculum_block: Count = 20
    """minibatches in a block"""
    mixing: Share = 0.2
    """probability of a minibatch whose size is drawn from all sizes"""
    mixing_rule: Literal["paper", "released"] = "paper"
    """released: sizes up to the current one, mostly the larger of two draws; a quarter at least one of all sizes"""
    progress_on: Literal["current", "all"] = "current"
    """which minibatches a block counts: those of the current size, or all"""
    count_pad: bool = True
    """a fully correct output has PAD in its place too; without it the symbols of the answer alone count"""

    dropout: Rate = 0.09
    """share of the mental image set to zero in each step; 0 switches it off"""
    dropout_length: Number = 0
    """length above which dropout falls: the rate is multiplied by this over the length; 0 keeps it the same"""
    noise_scale: Amount = 0.001
    """scale of the gradient noise; 0 switches it off"""

    relaxation_sets: Annotated[int, Range(1, 1000)] = 6
    """r, the sets of recurrent parameters; 1 switches relaxation off"""
    relaxation_pull: Amount = 5e-4
    """initial weight of the distance between the sets"""
    relaxation_pull_factor: Positive = 1.2
    """factor of the pull for each cell by which the tape grows when the curriculum moves"""
    unify: Literal["once", "repeatedly"] = "once"
    """once: one set from the maximal size on; repeatedly: average after each good block with a pull of 0.1 or more"""

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True)
class Examples(Mixture):
    """Which examples a minibatch has."""

    shorter: Share = 0.05
    """share of examples that are shorter than their tape"""

    def __post_init__(self) -> None:
        check_ranges(self, "examples.")


@dataclass(frozen=True)
class Fit:
    """The first stage: find an algorithm. Every step trains a minibatch of each length."""

    lengths: tuple[Length, ...] = DIAGONAL_LENGTHS
    """cells of the tapes that every step trains, without slack"""
    slack: Number = 0
    """empty cells after these"""
    any_slack: Number = 0
    """largest number of further empty cells, drawn for each minibatch"""
    grow_when_exact: Share = 0.0
    """share of exact outputs at the longest length so far that adds the next one; 0 trains all from the start"""
    first_lengths: Count = 5
    """number of lengths before the first is added"""
    batch: Count = 32
    """examples of each length in a step, in both stages"""
    learning_rate: Positive = 0.005
    """first learning rate, in both stages; the authors of the Diagonal Neural GPU take 0.01 * 48 / maps"""
    muon: Amount = 0.0
    """Muon step size (RMS) of the kernels, as a multiple of the learning rate; 0 uses AdaMax"""
    slow_when_exact: Share = 0.0
    """share of exact outputs, over 100 steps, from which Muon's steps are 0.4 of their size; 0 never slows"""
    slow_below_loss: Amount = 0.0
    """running loss below which the rate falls in proportion, to a twentieth at most; 0 looks at blocks of steps"""
    dropout: Rate = 0.1
    """share of the candidates set to zero in each step; 0 switches it off"""

    def __post_init__(self) -> None:
        check_ranges(self, "fit.")
        if not self.lengths:
            raise UserError("fit.lengths is empty; give at least one length")
        if self.slow_when_exact and not self.muon:
            raise UserError(
                f"fit.slow_when_exact is {self.slow_when_exact} without Muon; set fit.muon too, such as 0.5"
            )


@dataclass(frozen=True)
class Harden:
    """The second stage: make the algorithm hold. Noise drives gates and candidates to where they are cut."""

    when_exact: Share = 0.0
    """share of exact outputs, over 100 steps, at which hardening begins; 0 never hardens"""
    steps: Count = 1_000
    """steps of hardening; it begins in time for `attempt_steps` even where the share is not reached"""
    lengths: tuple[Length, ...] = DIAGONAL_LENGTHS
    """cells of the tapes that every step trains, without slack"""
    slack: Number = 0
    """empty cells after these"""
    any_slack: Number = 0
    """largest number of further empty cells, drawn for each minibatch"""
    muon: Amount = 0.0
    """Muon step size (RMS) of the kernels, as a multiple of the learning rate; 0 uses AdaMax"""
    dropout: Rate = 0.1
    """share of the candidates (Diagonal) or of the mental image (Neural GPU) set to zero in each step"""
    dropout_ramp: Number = 0
    """steps in which dropout grows to this share"""
    gate_noise: Amount = 0.4
    """amplitude of the uniform noise on pre-activations of gates and candidates, reached after 300 steps"""
    shrink: Amount = 0.0
    """distance that kernels' weights move towards zero in each of the first steps, times the rate; 0 prunes nothing"""
    shrink_steps: Number = 600
    """number of these steps; then weights below 0.01 become zero and stay zero"""
    round_after: Number = 800
    """steps before states are rounded, where the model has levels, and before the average of the weights begins"""
    settle_when_exact: Share = 0.0
    """share of exact outputs, over 100 steps with rounded states, at which the rate begins to fall early; 0: never"""
    anneal_steps: Count = 600
    """last steps, in which the rate falls to a twentieth"""
    average: Rate = 0.0
    """part of the average of the weights that stays in each step, the average being the result; 0: the last weights"""

    def __post_init__(self) -> None:
        check_ranges(self, "harden.")
        if not self.lengths:
            raise UserError("harden.lengths is empty; give at least one length")


@dataclass(frozen=True)
class Exam:
    """New inputs on which the average of the weights must be right, without noise. None of them is trained on."""

    inputs: Number = 0
    """inputs of the exam; 0 has none"""
    length: Annotated[int, Range(3, 1_000_000)] = TRAINING_CELLS
    """their length in cells of the task's own tape; above 41, inputs longer than training's choose a stage"""
    shorter_inputs: Number = 0
    """inputs besides of a tenth of that length"""
    every: Number = 0
    """steps of hardening between exams on the way, once weights are averaged and pruned; 0 examines the end alone"""

    def __post_init__(self) -> None:
        check_ranges(self, "exam.")
        if self.shorter_inputs and self.length < 30:
            raise UserError(
                f"exam.length is {self.length}; a tenth of it is too short, so exam.shorter_inputs must be 0"
            )
        if (self.every or self.shorter_inputs) and not self.inputs:
            raise UserError("exam.inputs is 0, so there is no exam; set exam.every and exam.shorter_inputs to 0 too")


@dataclass(frozen=True)
class Retry:
    """When an attempt is given up and training starts again from other weights."""

    retries: Annotated[int, Range(0, 10_000)] = 0
    """attempts after the first, each of which follows one that was given up or failed its exam"""
    give_up: tuple[tuple[int, float], ...] = ((600, 0.6),)
    """pairs: a step of hardening, and the share of exact outputs over 100 steps below which the attempt ends there"""

    def __post_init__(self) -> None:
        check_ranges(self, "retry.")
        for step, share in self.give_up:
            if not (JUDGED_OVER <= step <= LARGEST and 0 <= share <= 1):
                raise UserError(
                    f"retry.give_up has {step} and {share}; a step is at least {JUDGED_OVER}, and a share from 0 to 1"
                )


@dataclass(frozen=True)
class StagedSettings:
    """Training in stages: all lengths in every step, no curriculum and no relaxation."""

    kind: ClassVar[str] = "staged"

    attempt_steps: Count = 3_000
    """last step of an attempt, counted from its beginning"""
    examples: Examples = field(default_factory=Examples)
    fit: Fit = field(default_factory=Fit)
    harden: Harden = field(default_factory=Harden)
    exam: Exam = field(default_factory=Exam)
    retry: Retry = field(default_factory=Retry)

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.exam.inputs and not self.harden.when_exact:
            raise UserError(f"exam.inputs is {self.exam.inputs}; exams follow hardening, so set harden.when_exact too")
        if self.exam.every and not self.harden.average:
            raise UserError(f"exam.every is {self.exam.every}; an average sits it, so set harden.average too")


Settings = PaperSettings | StagedSettings | LSTMAttentionSettings | StackRNNSettings
SETTINGS: dict[str, type[Settings]] = {
    kind.kind: kind for kind in (PaperSettings, StagedSettings, LSTMAttentionSettings, StackRNNSettings)
}
"""All by the tag that config.json has."""
