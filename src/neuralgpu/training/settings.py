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
    zero_fill: bool = False
    """what follows a number to the end of the tape: zeros, or PAD without it"""

    def __post_init__(self) -> None:
        check_ranges(self, "tape.")


@dataclass(frozen=True)
class PaperSettings:
    """The training of section 3.3 of the paper."""

    kind: ClassVar[str] = "paper"

    batch: Annotated[int, Range(1, 100_000)] = 32
    """examples in a minibatch, all of one size"""
    examples_per_size: Annotated[int, Range(0, 10_000_000)] = 10_000
    """training examples drawn once for each size, or length, of the curriculum; 0 draws new ones in every step"""
    max_steps: Count = 20_000
    """last step of the training"""
    finish_blocks: Number = 4
    """blocks without an error at the largest size, by one set, that end the training; 0 trains to the last step"""

    learning_rate: Positive = 1e-3
    """learning rate of Adam"""
    adam_epsilon: Positive = 1e-4
    """epsilon of Adam"""
    clip_norm: Amount = 1.0
    """norm that gradients are scaled down to; 0 leaves them as they are"""
    decay: Positive = 0.98
    """factor of the rate after a block whose loss is worse than those of the last three at its size, and, once sets are
    averaged, after a block with less than a third of the errors that still pass; 1 never changes the rate"""
    initial_scale: Positive = 1.0
    """scale of the initial kernels"""
    gate_bias: Annotated[float, Range(-100, 100)] = 1.0
    """initial bias of both gates"""

    curriculum: bool = True
    """start with small inputs and move on to larger ones; without it all sizes are drawn alike from the start"""
    curriculum_by: Literal["size", "length"] = "size"
    """what each advance adds one to: the size, or the length of the tape in cells"""
    curriculum_start: Count = 3
    """first size, or length, of the curriculum"""
    curriculum_smallest: Count = 1
    """smallest size, or length, that is drawn"""
    curriculum_threshold: Share = 0.9
    """share of fully correct outputs in a block that moves the curriculum on"""
    curriculum_block: Count = 100
    """steps in a block"""
    mixing: Share = 0.2
    """probability that a minibatch draws from all sizes"""
    mixing_rule: Literal["paper", "released"] = "paper"
    """other minibatches have the present size; released: one up to it, mostly the larger of two, and a draw from all
    sizes only makes it larger"""
    progress_on: Literal["present", "shorter"] = "present"
    """which minibatches a block counts: those of the present size, or the shorter ones too"""
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
    """factor of the pull after each block that passes, for each cell that an advance adds to the tape"""
    relaxation_pull_full: Amount = 1.0
    """pull at which it stops growing, and blocks that pass average the sets"""
    unify: Literal["once", "repeatedly"] = "once"
    """once: at the largest size one set takes the place of all; repeatedly: each set becomes the mean, and trains on"""

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True)
class Examples(Mixture):
    """Which examples a minibatch has, and the tapes that they stand on."""

    any_size: Share = 0.0
    """share of minibatches whose size is any between the length below and their own, each on the task's own tape; with
    0 all have the largest size of their length, on tapes of just that length"""
    shorter: Share = 0.05
    """share of examples that are shorter than their tape, where `any_size` is 0"""
    any_slack: Number = 0
    """largest number of empty cells at the end of a tape, drawn for each minibatch"""

    def __post_init__(self) -> None:
        check_ranges(self, "examples.")


@dataclass(frozen=True)
class Fit:
    """The first stage: find an algorithm. Every step trains a minibatch of each length."""

    steps: Count = 3_000
    """last step of fitting; where the share of `harden.when_exact` is not reached by then, the attempt ends"""
    lengths: tuple[Length, ...] = DIAGONAL_LENGTHS
    """cells of the tapes that every step trains"""
    grow_when_exact: Share = 0.0
    """share of exact outputs at the longest length so far that adds the next one; 0 trains all from the start"""
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
    """The second stage: make the algorithm hold. Noise drives gates and candidates to where they are cut.

    An average of the weights is its result; the rate falls to a twentieth in the last third of its steps.
    """

    when_exact: Share = 0.0
    """share of exact outputs, over 100 steps, at which hardening begins; 0 never hardens"""
    steps: Count = 1_000
    """steps of hardening"""
    lengths: tuple[Length, ...] = DIAGONAL_LENGTHS
    """cells of the tapes that every step trains"""
    ramp: Count = 300
    """steps in which dropout and noise grow to their amplitude; at once, they undo what was fitted"""
    muon: Amount = 0.0
    """Muon step size (RMS) of the kernels, as a multiple of the learning rate; 0 uses AdaMax"""
    dropout: Rate = 0.0
    """share of the candidates (Diagonal) or of the mental image (Neural GPU) set to zero in each step"""
    gate_noise: Amount = 0.0
    """amplitude of the uniform noise on pre-activations of gates and candidates"""
    shrink: Amount = 0.0
    """distance that kernels' weights move towards zero in each of the first 900 steps, times the rate; those below 0.01
    then stay zero, and states are rounded where the model has levels; 0 prunes nothing"""

    def __post_init__(self) -> None:
        check_ranges(self, "harden.")
        if not self.lengths:
            raise UserError("harden.lengths is empty; give at least one length")


@dataclass(frozen=True)
class Exam:
    """New inputs on which the average of the weights must be right, without noise. None of them is trained on.

    The task's stress inputs of the same sizes belong to it. A task of given pairs is examined on those that were kept
    from training, whatever the sizes here.
    """

    inputs: Number = 0
    """random inputs of the exam; 0 has no exam"""
    times: Annotated[float, Range(1, 10_000)] = 1.0
    """their size, as a multiple of the largest in training; above 1, inputs longer than training's choose a stage"""
    shorter_inputs: Number = 0
    """random inputs besides of each of three sizes: a tenth of that, training's largest, and twice that"""
    every: Number = 0
    """steps of hardening between exams on the way, once weights are averaged and pruned; 0 examines the end alone"""

    def __post_init__(self) -> None:
        check_ranges(self, "exam.")
        if (self.every or self.shorter_inputs) and not self.inputs:
            raise UserError("exam.inputs is 0, so there is no exam; set exam.every and exam.shorter_inputs to 0 too")


@dataclass(frozen=True)
class Retry:
    """When an attempt is given up, and what the next one does otherwise: it always begins with other weights."""

    retries: Annotated[int, Range(0, 1_000)] = 0
    """attempts after the first, each of which follows one that was given up or failed its exam"""
    give_up: tuple[tuple[int, float], ...] = ()
    """pairs: a step of hardening, and the share of exact outputs over 100 steps below which the attempt ends there"""
    widen: tuple[Annotated[int, Range(1, 40)], ...] = (1,)
    """maps of each attempt in turn, as a multiple of the model's; after the last the first again"""
    standing: tuple[bool, ...] = (True,)
    """whether each attempt in turn makes the steps of `steps`, or without it just one for each cell"""

    def __post_init__(self) -> None:
        check_ranges(self, "retry.")
        if not (self.widen and self.standing):
            raise UserError("retry.widen and retry.standing must have at least one item each, such as 1 and True")
        for step, share in self.give_up:
            if not (JUDGED_OVER <= step <= LARGEST and 0 <= share <= 1):
                raise UserError(
                    f"retry.give_up has {step} and {share}; a step is at least {JUDGED_OVER}, and a share from 0 to 1"
                )


@dataclass(frozen=True)
class StagedSettings:
    """Training in stages: all lengths in every step, no curriculum and no relaxation.

    Where a network makes more steps than its tape has cells, each minibatch makes a number of steps between the two.
    """

    kind: ClassVar[str] = "staged"

    examples: Examples = field(default_factory=Examples)
    fit: Fit = field(default_factory=Fit)
    harden: Harden = field(default_factory=Harden)
    exam: Exam = field(default_factory=Exam)
    retry: Retry = field(default_factory=Retry)

    def __post_init__(self) -> None:
        if self.exam.inputs and not self.harden.when_exact:
            raise UserError(f"exam.inputs is {self.exam.inputs}; exams follow hardening, so set harden.when_exact too")


Settings = PaperSettings | StagedSettings | LSTMAttentionSettings | StackRNNSettings
SETTINGS: dict[str, type[Settings]] = {
    kind.kind: kind for kind in (PaperSettings, StagedSettings, LSTMAttentionSettings, StackRNNSettings)
}
"""All by the tag that config.json has."""
