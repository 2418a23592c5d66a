"""Networks that learn an algorithm from short examples and run it exactly on long inputs.

The public names, each loaded when it is first used, so that importing the package does not load torch:

    network = neuralgpu.load("bmul")
    network("0110*0101")
    network, result = neuralgpu.train("copy")
    neuralgpu.evaluate(network, sizes=[41, 401])
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neuralgpu.errors import UserError as UserError
    from neuralgpu.evaluation.score import evaluate as evaluate
    from neuralgpu.models.diagonal import Diagonal as Diagonal
    from neuralgpu.models.neural_gpu import NeuralGPU as NeuralGPU
    from neuralgpu.network import Ensemble as Ensemble
    from neuralgpu.network import Network as Network
    from neuralgpu.network import load as load
    from neuralgpu.sweeps.sweep import sweep as sweep
    from neuralgpu.tasks import Task as Task
    from neuralgpu.tasks import get_task as get_task
    from neuralgpu.training.train import resume as resume
    from neuralgpu.training.train import train as train
    from neuralgpu.view.trace import trace as trace

    __version__: str

_HOMES = {
    "Diagonal": "neuralgpu.models.diagonal",
    "Ensemble": "neuralgpu.network",
    "Network": "neuralgpu.network",
    "NeuralGPU": "neuralgpu.models.neural_gpu",
    "Task": "neuralgpu.tasks",
    "UserError": "neuralgpu.errors",
    "evaluate": "neuralgpu.evaluation.score",
    "get_task": "neuralgpu.tasks",
    "load": "neuralgpu.network",
    "resume": "neuralgpu.training.train",
    "sweep": "neuralgpu.sweeps.sweep",
    "trace": "neuralgpu.view.trace",
    "train": "neuralgpu.training.train",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("neuralgpu")
    if name not in _HOMES:
        raise AttributeError(f"module 'neuralgpu' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES, "__version__"])
