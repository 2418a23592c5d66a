"""The engine on Ray: trials as plain tasks, on this machine or on a cluster. The only file that knows of Ray."""

import contextlib
import os
import secrets
import signal
import socket
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from neuralgpu.cores import available_cores
from neuralgpu.errors import UserError
from neuralgpu.sweeps.trial import Ending, Trial, run_trial

TICK_SECONDS = 1.0
CONNECT_SECONDS = 5.0
"""Ray itself waits for minutes before it says that nobody answers."""
AHEAD = 1
"""Tasks that wait at Ray for the next free core, so that none is idle while the driver looks away."""


class RayEngine:
    """Runs trials as tasks of Ray, each with as many cores as it has threads.

    Ray is told to try nothing again: what to do after a failure is decided from the directories.
    """

    def __init__(self, address: str | None, parallel: int, threads: int) -> None:
        """`parallel` is the most trials at a time, 0 for as many as there are cores."""
        self.parallel, self.threads = parallel, threads
        address = address or os.environ.get("RAY_ADDRESS") or None
        self.given = _environment(embedded=address in (None, "local"))
        os.environ.update(self.given)  # Ray reads it when it is loaded
        self.ray = _import_ray()
        quiet = {"log_to_driver": False, "logging_level": "CRITICAL"}
        at_termination = signal.getsignal(signal.SIGTERM)  # Ray puts its own in place of the caller's
        if address in (None, "local"):
            cores = max(available_cores(), threads)
            self.ray.init(address="local", num_cpus=cores, include_dashboard=False, **quiet)
        else:
            _check_reachable(address)
            try:
                self.ray.init(address=address, **quiet)
            except (ConnectionError, RuntimeError, ValueError) as error:
                raise UserError(_refused(address, str(error).split(". ")[0].lower()[:120])) from None
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, at_termination)
        self.task: Any = self.ray.remote(num_cpus=threads, max_retries=0)(run_trial)

    def limit(self) -> int:
        """How many tasks Ray is given at a time; it follows a cluster that grows or shrinks."""
        if self.parallel:
            return self.parallel
        return int(self.ray.cluster_resources().get("CPU", 1)) // self.threads + AHEAD

    def run(
        self, queue: deque[Trial], tick: Callable[[], None], stop: Callable[[], bool]
    ) -> Iterator[tuple[Trial, Ending | str]]:
        """Each trial of the queue with how it ended, or the words for a worker that died; more may be put into it."""
        running: dict[Any, Trial] = {}
        try:
            while (queue or running) and not stop():
                while queue and len(running) < self.limit():
                    trial = queue.popleft()
                    running[self.task.remote(trial)] = trial
                done, _ = self.ray.wait(list(running), timeout=TICK_SECONDS)
                tick()
                for reference in done:
                    yield running.pop(reference), self.ending(reference)
        finally:
            for reference in running:
                with contextlib.suppress(Exception):  # a cluster that is gone needs no cancelling
                    self.ray.cancel(reference, force=True)

    def ending(self, reference: Any) -> Ending | str:
        """How a task ended; an error that stops the sweep is raised as it is."""
        errors = self.ray.exceptions
        try:
            ending: Ending = self.ray.get(reference)
        except errors.RayTaskError as error:
            raise error.cause if isinstance(error.cause, UserError) else error from None
        except errors.NodeDiedError:
            return "lost"
        except errors.RayError as error:
            return f"the worker died: {str(error).strip().splitlines()[0][:200]}"
        return ending

    def close(self) -> None:
        """Leave the cluster; one of our own ends with it."""
        self.ray.shutdown()
        for name in self.given:
            os.environ.pop(name, None)


def _environment(embedded: bool) -> dict[str, str]:
    """What Ray is told besides, where the caller's environment says nothing.

    Our own cluster has a token that lives as long as it does; Ray would else leave one in the home directory, which
    turns authentication on for every cluster that is started later.
    """
    wanted = {"RAY_USAGE_STATS_ENABLED": "0"}
    if embedded and "RAY_AUTH_MODE" not in os.environ:
        wanted |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    return {name: value for name, value in wanted.items() if name not in os.environ}


def _import_ray() -> Any:
    try:
        import ray
        import ray.exceptions
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise UserError(
            "this engine needs Ray; get it with: pip install 'neuralgpu[sweep]', or use --engine serial"
        ) from None
    return ray


def _check_reachable(address: str) -> None:
    """Refuse an address at which nobody listens."""
    if address == "auto":
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise UserError(
            f"the address {address!r} is none of a Ray cluster; write HOST:PORT, such as 10.0.0.5:6379, or auto"
        )
    try:
        socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise UserError(_unreachable(address, str(error))) from None


def _refused(address: str, reason: str) -> str:
    if address == "auto":
        return _unreachable(address, reason)
    return (
        f"what answers at {address} is no Ray cluster that lets us in ({reason}); use its version of Ray, and "
        "where it asks for a token set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN as on its nodes"
    )


def _unreachable(address: str, reason: str) -> str:
    return (
        f"no Ray cluster answers at {address} ({reason}); start one with `ray start --head`, or leave the address out "
        "to use this machine alone"
    )
