"""Settings of the trainings of the paper's two baselines. docs/recipes/ tells where each value comes from."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from neuralgpu.errors import UserError
from neuralgpu.ranges import Amount, Count, Number, Positive, Range, Rate, Share, check_ranges


@dataclass(frozen=True)
class LSTMAttentionSettings:
    """The training of the LSTM with attention: the paper's techniques, as far as they apply to it."""

    kind: ClassVar[str] = "lstm-attention"

    batch: Count = 64
    """examples in a minibatch, all of one size"""
    examples_per_size: Number = 10_000
    """training examples drawn once for each size; 0 draws new ones in every step"""
    max_steps: Count = 40_000
    """last step of the training"""
    finish_blocks: Number = 10
    """blocks without an error at the maximal size that end the training; 0 trains to the last step"""

    learning_rate: Positive = 2e-3
    """learning rate of Adam"""
    adam_epsilon: Positive = 1e-4
    """epsilon of Adam"""
    clip_norm: Amount = 1.0
    """norm that gradients are scaled down to; 0 leaves them as they are"""
    decay: Positive = 1.0
    """factor of the rate after a block at the maximal size whose loss is worse than each of the last three"""

    curriculum: bool = True
    """start with small inputs and move on to larger ones; without it all sizes are drawn alike from the start"""
    curriculum_start: Count = 1
    """first size of the curriculum"""
    curriculum_threshold: Share = 0.9
    """share of fully correct outputs in a block that moves the curriculum on by one size"""
    curriculum_block: Count = 20
    """minibatches in a block"""
    mixing: Share = 0.2
    """probability of a minibatch whose size is drawn from all sizes"""
    curriculum_by: ClassVar[str] = "size"
    curriculum_smallest: ClassVar[int] = 1
    mixing_rule: ClassVar[str] = "paper"
    progress_on: ClassVar[str] = "present"

    dropout: Rate = 0.0
    """share of the numbers between two layers, and of what predicts a symbol, set to zero; 0 switches it off"""
    noise_scale: Amount = 0.001
    """scale of the gradient noise; 0 switches it off"""

    def __post_init__(self) -> None:
        check_ranges(self)


@dataclass(frozen=True)
class StackRNNSettings:
    """The training of the stack-RNN, as its authors' program for addition does it."""

    kind: ClassVar[str] = "stack-rnn"

    nmax: Annotated[int, Range(3, 1000)] = 41
    """digits of both operands together stay below this"""
    epochs: Count = 100
    """passes over new sequences; epoch e, counted from 0, has fewer than e + 3 digits"""
    sequences: Annotated[int, Range(100, 10_000_000)] = 10_000
    """sequences in an epoch, in steps of 100"""
    validation_sequences: Count = 1_000
    """sequences with at least 20 digits, or nmax / 2, on which the loss is measured after each epoch"""

    learning_rate: Positive = 0.1
    """first learning rate of plain gradient descent; it is halved where the validation loss does not fall"""
    lowest_rate: Positive = 1e-5
    """learning rate below which training ends"""
    symbols_per_update: Number = 0
    """predicted symbols between two updates of the weights; 0 updates once a sequence"""
    bptt: Number = 0
    """steps that an error goes back; 0 goes back to the beginning of the sequence"""
    clip: Positive = 15.0
    """largest absolute value of an error on its way back"""
    initial_scale: Positive = 0.1
    """initial weights are sums of three uniform numbers up to this"""

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.sequences % 100:
            raise UserError(f"sequences is {self.sequences}; it must be a multiple of 100, the sequences of a step")
