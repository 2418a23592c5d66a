"""Runs the tests of web/tests, in Node and in a real browser, against a server and files that are prepared here."""

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch

from neuralgpu import zoo as shipped
from neuralgpu.errors import UserError
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.diagonal import Diagonal, diagonal
from neuralgpu.network import load
from neuralgpu.playground.server import PlaygroundServer
from neuralgpu.playground.site import PAGE
from neuralgpu.runs.files import save_tensors
from neuralgpu.tasks import FAMILIES, ForeignTask, Tape, Task, get_task, random_text
from toy import Swap

WEB = Path(__file__).parent.parent.parent / "web"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), "")
LENGTH = 41


def need(condition: bool, reason: str) -> None:
    """Skip the test without a tool that it needs, but never under CI."""
    if not condition and "CI" in os.environ:
        pytest.fail(reason)
    if not condition:
        pytest.skip(reason)


@pytest.fixture(scope="module")
def node() -> None:
    need(shutil.which("npm") is not None, "npm is not on PATH; install Node 20 or newer")
    need((WEB / "node_modules").is_dir(), "web/node_modules is missing; run `npm ci` in web/")


@pytest.fixture(scope="module")
def files(zoo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What web/tests/environment.ts gives to the tests."""
    folder = tmp_path_factory.mktemp("files")
    shutil.copytree(zoo, folder / "zoo")
    shutil.copytree(zoo / "right", folder / "own")
    write_format_1(zoo / "cgru", folder / "zoo" / "format-1")
    for name in shipped.names():
        shutil.copytree(shipped.HERE / name, folder / "zoo" / name, dirs_exist_ok=True)
    (folder / "golden").mkdir()
    networks = sorted(path.name for path in (folder / "zoo").iterdir())
    (folder / "golden.json").write_text(json.dumps([golden(folder, name) for name in networks]))
    write_broken(folder / "zoo" / "broken")
    facts = {"examples": list(examples()), "complaints": list(complaints()), "stress": list(stress())}
    (folder / "tasks.json").write_text(json.dumps(facts))
    return folder


def write_format_1(network: Path, folder: Path) -> None:
    """The network of the paper's size in a directory of the format before."""
    shutil.copytree(network, folder)
    model = asdict(NeuralGPUConfig())
    config = {"task": "copy", "recipe": "paper", "seed": 0, "settings": {"model": model}, "format": 1}
    (folder / "config.json").write_text(json.dumps(config))
    weights = safetensors.torch.load_file(network / "model.safetensors")
    (folder / "model.safetensors").write_bytes(safetensors.torch.save(weights, metadata={"state": "{}"}))


def write_broken(folder: Path) -> None:
    """A network that a damaged configuration keeps from being opened."""
    folder.mkdir()
    (folder / "config.json").write_text("{")
    (folder / "model.safetensors").touch()


def golden(folder: Path, name: str) -> dict[str, str]:
    """Write torch's states for a run over an input that takes 41 cells of its task's own tape."""
    network = load(folder / "zoo" / name, engine="torch")
    task, model, rng = network.task, network.tape_model(), np.random.default_rng(0)
    while True:
        text = random_input(task, rng)
        tape = torch.from_numpy(task.encode(text))
        with torch.inference_mode():
            states = torch.cat(list(model.trace(tape, network.steps(tape.shape[1]))))
        if is_far_from_ties(model, states):
            break
    width = states.shape[2] if states.dim() == 4 else 1
    states = states.reshape(len(states), tape.shape[1], width, -1).contiguous()
    save_tensors(folder / "golden" / f"{name}.safetensors", {"states": states}, {}, config="")
    return {"network": name, "input": text}


def random_input(task: Task, rng: np.random.Generator) -> str:
    if isinstance(task, ForeignTask):
        return random_text(rng, task.alphabet, LENGTH)
    return task.decode(task.sample(rng, 1, task.largest_size(LENGTH)).inputs[0])


@torch.inference_mode()
def is_far_from_ties(model: object, states: torch.Tensor) -> bool:
    """Whether no number of a run lies where its last bits decide to which of two levels it is rounded."""
    if not isinstance(model, Diagonal) or not model.config.levels:
        return True
    unrounded, _ = diagonal(states[:-1], model.U, model.B)
    part = (unrounded * model.config.levels).frac().abs()
    return bool(((part - 0.5).abs() > 1e-5).all())


def examples() -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    known = (*FAMILIES["the paper's"], *FAMILIES["other bases"])  # the library is foreign to the page
    for plain in (*known, get_task("mul7"), get_task("add3")):
        for tape in (plain.tape, Tape(per_symbol=2.3, extra=4, fill="0")):
            for size in (1, 4, 30):
                yield example(plain.on(tape), size, rng)


def example(task: Task, size: int, rng: np.random.Generator) -> dict[str, Any]:
    text = task.decode(task.sample(rng, 1, size).inputs[0])
    return {
        "task": task.name,
        "alphabet": task.alphabet,
        "tape_config": asdict(task.tape),
        "text": text,
        "tape": task.encode(text)[0].tolist(),
        "target": task.encode_answer(text)[0].tolist(),
        "answer": task.answer(text),
        "read": task.read(task.encode_answer(text)[0]),
        "explanation": task.explain(text, task.answer(text)),
    }


def complaints() -> Iterator[dict[str, str]]:
    texts = ["", "2", "01x", "1+", "+", "1+1+1", "11", "10+1", "*", "1*11"]
    for task, text in [(get_task(name), text) for name in ("badd", "mul3", "copy") for text in texts]:
        try:
            task.size(text)
        except UserError as error:
            yield {"task": task.name, "alphabet": str(task.alphabet), "text": text, "complaint": str(error)}


def stress() -> Iterator[dict[str, Any]]:
    """Stress inputs by name, with a question mark wherever the random generator decides."""
    rng = np.random.default_rng(0)
    tasks = [get_task("badd"), get_task("mul7"), get_task("sort"), Swap()]
    for task, size in [(task, size) for task in tasks for size in (1, 2, 11)]:
        draws = [task.stress(size, rng) for _ in range(400)]
        inputs = {kind: "".join(map(common, zip(*(draw[kind] for draw in draws), strict=True))) for kind in draws[0]}
        yield {"task": task.name, "alphabet": task.alphabet, "size": size, "inputs": inputs}


def common(symbols: tuple[str, ...]) -> str:
    """The symbol that all of these are, or a question mark."""
    return symbols[0] if len(set(symbols)) == 1 else "?"


def test_the_committed_page_is_the_build_of_its_source(node: None, tmp_path: Path) -> None:
    build = ["npx", "--no-install", "vite", "build", "--logLevel", "warn", "--outDir", str(tmp_path / "page")]
    subprocess.run(build, cwd=WEB, check=True)
    built = {path.relative_to(tmp_path / "page"): path.read_bytes() for path in (tmp_path / "page").rglob("*.*")}
    committed = {path.relative_to(PAGE): path.read_bytes() for path in PAGE.rglob("*.*")}
    assert built == committed, "run `npm run build` in web/ and commit src/neuralgpu/playground/page"


def test_the_source_of_the_page_is_clean(node: None) -> None:
    done = subprocess.run(["npm", "run", "lint"], cwd=WEB, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_works_in_a_browser(node: None, files: Path) -> None:
    need(bool(CHROMIUM), "Chromium is not on PATH; on Debian, `apt-get install chromium`")
    with PlaygroundServer(files / "zoo", port=0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        environment = {
            "PLAYGROUND_ADDRESS": server.address,
            "PLAYGROUND_FILES": str(files),
            "PLAYGROUND_CHROMIUM": CHROMIUM,
            "NO_COLOR": "1",
        }
        try:
            command = ["npm", "test"]
            done = subprocess.run(
                command, cwd=WEB, capture_output=True, text=True, env={**os.environ, **environment}, timeout=300
            )
        finally:
            server.shutdown()
            thread.join()
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
