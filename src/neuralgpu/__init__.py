"""Networks that learn an algorithm from short examples and run it exactly on long inputs.

The public names, each loaded when it is first used, so that importing the package does not load torch:

    network = neuralgpu.load("runs/badd-paper-0")
    network("1010+0111")
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neuralgpu.errors import UserError as UserError
    from neuralgpu.evaluation.score import evaluate as evaluate
    from neuralgpu.models.neural_gpu import NeuralGPU as NeuralGPU
    from neuralgpu.network import Network as Network
    from neuralgpu.network import load as load
    from neuralgpu.tasks import get_task as get_task
    from neuralgpu.view.trace import trace as trace

_HOMES = {
    "NeuralGPU": "neuralgpu.models.neural_gpu",
    "Network": "neuralgpu.network",
    "UserError": "neuralgpu.errors",
    "evaluate": "neuralgpu.evaluation.score",
    "get_task": "neuralgpu.tasks",
    "load": "neuralgpu.network",
    "trace": "neuralgpu.view.trace",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'neuralgpu' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
