"""What computes a model: an engine, its threads and a device, chosen once and given to the model that uses it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from neuralgpu.cores import available_cores
from neuralgpu.engine import Engine, EngineChoice, choose
from neuralgpu.errors import UserError

MOST_THREADS = 1024


@dataclass(frozen=True)
class Compute:
    """Where and how the steps of a model are computed."""

    engine: Engine = "torch"
    threads: int = 1
    """CPU threads of the engine"""
    device: str = "cpu"
    """of the torch engine"""

    @contextmanager
    def torch_threads(self) -> Iterator[None]:
        """Let torch compute with its share: beside the native engine its own work is too small for two threads."""
        import torch

        before = torch.get_num_threads()
        torch.set_num_threads(1 if self.engine == "native" else self.threads)
        try:
            yield
        finally:
            torch.set_num_threads(before)


def choose_compute(
    obstacle: str | None, engine: EngineChoice = "auto", threads: int = 0, device: str = "cpu"
) -> Compute:
    """The computation of a model with this `native_obstacle()`; 0 threads takes one for each core.

    A UserError says what is wrong with an engine that cannot run the model, or a device that is not there.
    """
    if not 0 <= threads <= MOST_THREADS:
        raise UserError(f"threads is {threads}; it must be from 0 to {MOST_THREADS}, where 0 takes all cores")
    if device != "cpu":
        check_device(device)
        obstacle = f"it computes on the CPU, and the device is {device}"
    return Compute(choose(engine, obstacle), threads or available_cores(), device)


def check_device(device: str) -> None:
    """Refuse a device that torch does not know, or that this machine does not have."""
    import torch

    try:
        torch.zeros(1, device=device).item()  # the device `meta` makes tensors, but knows no numbers
    except (RuntimeError, AssertionError, NotImplementedError, ImportError) as error:
        first = str(error).strip().splitlines()[0][:120]
        raise UserError(f"device {device!r} cannot be used here ({first}); use --device cpu") from None
