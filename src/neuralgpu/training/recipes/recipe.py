"""What a recipe is: a model, what it adds to the tape, its steps, and the settings of its training."""

from dataclasses import dataclass, field

from neuralgpu.models.config import ModelConfig
from neuralgpu.models.steps import Steps
from neuralgpu.training.settings import Settings, TapeSettings


@dataclass(frozen=True)
class Recipe:
    """Everything that decides how a network is trained but the task, the seed and the machine."""

    model: ModelConfig
    settings: Settings
    tape: TapeSettings = field(default_factory=TapeSettings)
    steps: Steps = field(default_factory=Steps)
