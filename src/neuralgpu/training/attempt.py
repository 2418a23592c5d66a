"""An attempt of a training in stages: its network, where it stands, and what follows from that for its next step."""

from dataclasses import dataclass, field, replace
from statistics import fmean

from neuralgpu.models.steps import Steps
from neuralgpu.runs.config import NetworkConfig
from neuralgpu.training.settings import JUDGED_OVER, StagedSettings

FIRST_LENGTHS = 5
"""Lengths that fitting begins with, where they grow."""
SHRINK_STEPS = 900
"""Steps of hardening in which weights shrink, where they do."""
ROUND_AFTER = 1_000
"""Steps of hardening before states are rounded and the average begins, where weights shrink."""
ANNEAL_SHARE = 1 / 3
"""Share of the steps of hardening, the last ones, in which the rate falls."""
ANNEAL_TO = 0.05
"""Share of the rate that is left at the end of hardening."""
SATURATION = 1e-3
"""Largest weight of the cost on saturated gates, which its authors give; there is none in hardening."""
BLOCK = 200
"""Steps after which fitting looks at the rate and the weight of the saturation cost again."""
RATE_FACTOR = 0.7
"""Factor of the rate when the last two blocks are worse than the one before them, as its authors have it."""
SLOWEST = 0.05
"""Share of the rate below which a small loss does not lower it."""
GROWTH_JUDGED_OVER = 50
"""Steps whose exact outputs at the longest length decide that another one is added."""
LOWEST_RATE = 1 / 60
"""Share of the first rate below which blocks that get worse do not lower it."""


@dataclass
class Attempt:
    """Where an attempt stands: all that a checkpoint keeps besides tensors. Steps count from the first attempt's."""

    rate: float
    """learning rate of the next step"""
    number: int = 0
    """attempts before this one"""
    began: int = 0
    """the step before its first"""
    saturation: float = SATURATION
    """weight of the cost on saturated gates"""
    slowed: bool = False
    """whether fitting has come far enough for kernels to move less"""
    hardening_since: int = 0
    """the step at which hardening began, 0 before it"""
    passed_at: int = 0
    """the step at which the exam was passed, 0 before it"""
    exams: int = 0
    """exams sat in this attempt"""
    exacts: list[float] = field(default_factory=list)
    """share of exact outputs in each of the last JUDGED_OVER steps of a stage"""
    losses: list[float] = field(default_factory=list)
    """losses of this block's steps"""
    block_losses: list[float] = field(default_factory=list)
    """mean losses of the last three blocks"""
    lengths: int = 0
    """lengths of fitting so far, where they grow"""
    longest: list[float] = field(default_factory=list)
    """share of exact outputs at the longest of them in each of the last GROWTH_JUDGED_OVER steps"""
    running_loss: float = 1.0
    """mean loss of about the last 25 steps"""

    def hardened(self, step: int) -> int:
        """The steps of hardening up to this step."""
        return step - self.hardening_since if self.hardening_since else 0

    def last_step(self, settings: StagedSettings) -> int:
        """The last step of its present stage."""
        if self.passed_at:
            return self.passed_at
        if self.hardening_since:
            return self.hardening_since + settings.harden.steps
        return self.began + settings.fit.steps

    def exact(self, share: float) -> bool:
        """Whether this share of the outputs of the last steps was exact."""
        return len(self.exacts) == JUDGED_OVER and fmean(self.exacts) >= share

    def goes_badly(self, settings: StagedSettings, step: int) -> bool:
        """Whether this is a step that decides about hardening, and too few outputs are exact."""
        below = dict(settings.retry.give_up)
        return self.hardened(step) in below and not self.exact(below[self.hardened(step)])


def network_at(network: NetworkConfig, settings: StagedSettings, number: int) -> NetworkConfig:
    """The network of an attempt, from that of the recipe; `number` counts the attempts before it."""
    widen, standing = settings.retry.widen, settings.retry.standing
    model = network.model.widened(widen[number % len(widen)])
    return replace(network, model=model, steps=network.steps if standing[number % len(standing)] else Steps())


@dataclass(frozen=True)
class Plan:
    """What one step does: a pure function of the settings and of how many steps of hardening it is."""

    lengths: tuple[int, ...]
    """cells of its tapes"""
    dropout: float
    noise: float
    """amplitude of the noise on pre-activations"""
    rounded: bool
    """whether states are rounded, where the model has levels"""
    shrinks: bool
    """whether kernels' weights move towards zero"""
    prunes: bool
    """whether small weights become zero after it"""
    pruned: bool
    """whether weights that are zero stay zero"""


def plan(settings: StagedSettings, hardened: int, lengths: int = 0) -> Plan:
    """The plan of a step; `hardened` counts the steps of hardening with it, 0 while fitting.

    Fitting trains its first `lengths`, or all of them where that is 0.
    """
    fit, harden = settings.fit, settings.harden
    if not hardened:
        return Plan(
            lengths=fit.lengths[: lengths or None],
            dropout=fit.dropout,
            noise=0.0,
            rounded=not harden.when_exact,
            shrinks=False,
            prunes=False,
            pruned=False,
        )
    ramp = min(1.0, hardened / harden.ramp)
    shrinks = bool(harden.shrink) and hardened <= SHRINK_STEPS
    return Plan(
        lengths=harden.lengths,
        dropout=harden.dropout * ramp,
        noise=harden.gate_noise * ramp,
        rounded=hardened >= ROUND_AFTER or not harden.shrink,
        shrinks=shrinks,
        prunes=shrinks and hardened == SHRINK_STEPS,
        pruned=bool(harden.shrink) and not shrinks,
    )


def rate_factor(settings: StagedSettings, attempt: Attempt) -> float:
    """What fitting multiplies the rate by: less than 1 where the running loss is small."""
    below = settings.fit.slow_below_loss
    return min(1.0, max(SLOWEST, attempt.running_loss / below)) if below else 1.0


def grow(attempt: Attempt, settings: StagedSettings, exact: float) -> None:
    """Count the share of exact outputs at the longest length of fitting, and add a length where it is high enough."""
    fit = settings.fit
    attempt.longest = [*attempt.longest, exact][-GROWTH_JUDGED_OVER:]
    judged = len(attempt.longest) == GROWTH_JUDGED_OVER and fmean(attempt.longest) >= fit.grow_when_exact
    if judged and attempt.lengths < len(fit.lengths):
        attempt.lengths, attempt.longest = attempt.lengths + 1, []


def annealed(settings: StagedSettings, rate: float, left: int) -> float:
    """The rate of hardening with this many steps left: it falls by the same factor in each of the last ones."""
    steps = ANNEAL_SHARE * settings.harden.steps
    return settings.fit.learning_rate * ANNEAL_TO ** (1 - left / steps) if left <= steps else rate


def end_block(attempt: Attempt, settings: StagedSettings) -> None:
    """Weigh the saturation cost by the loss of a block of fitting, and lower the rate where blocks get worse."""
    mean = fmean(attempt.losses)
    attempt.losses.clear()
    attempt.saturation = min(SATURATION, attempt.rate * mean)
    attempt.block_losses = [*attempt.block_losses, mean][-3:]
    if len(attempt.block_losses) == 3 and min(attempt.block_losses[1:]) > attempt.block_losses[0]:
        attempt.rate = max(attempt.rate * RATE_FACTOR, settings.fit.learning_rate * LOWEST_RATE)
