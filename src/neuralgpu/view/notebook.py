"""What traces and networks show of themselves in a notebook."""

import base64
import html
import io
import tempfile
from pathlib import Path

from PIL import Image

from neuralgpu.errors import UserError
from neuralgpu.evaluation.report import Report
from neuralgpu.network import Ensemble, Network
from neuralgpu.runs.config import read_json
from neuralgpu.view.animation import animate
from neuralgpu.view.options import PictureOptions
from neuralgpu.view.palette import palette
from neuralgpu.view.spacetime import spacetime
from neuralgpu.view.trace import Trace

MOST_FRAMES = 60
"""Of a film in a notebook, which is made whenever the trace is shown."""
MOST_CELLS = 500
"""A longer tape is shown as a still alone."""


def still(trace: Trace) -> bytes | None:
    """The space-time picture of a trace as PNG; None for a trace that does not know its task."""
    if trace.task is None:
        return None
    options = PictureOptions()
    picture = Image.fromarray(palette(options.colours)[spacetime(trace.task, trace, options)])
    file = io.BytesIO()
    picture.save(file, format="PNG", optimize=True)
    return file.getvalue()


def film(trace: Trace) -> str | None:
    """The film of a trace with a line above it, as HTML that needs no other file; None where there is none to show."""
    if trace.task is None or trace.states.shape[1] > MOST_CELLS:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "film.gif"
        animate(trace.task, trace, path, PictureOptions(every=-(-trace.steps // MOST_FRAMES)))
        data = base64.b64encode(path.read_bytes()).decode()
    task, answer = trace.task, trace.task.read(trace.answers[-1])
    verdict = "" if trace.target is None else ", wrong" if trace.wrong[-1].any() else ", correct"
    words = f"{task.name}: {trace.text} gives {answer}{verdict}; {trace.steps} steps on {trace.states.shape[1]} cells"
    return f'<figure><figcaption>{html.escape(words)}</figcaption><img src="data:image/gif;base64,{data}"></figure>'


def card(network: Network) -> str:
    """The task, the size and the scores of a network as HTML; scores are those of the directory it was loaded from."""
    model = network.model
    rows = [
        ("task", f"{network.task.name}, like {network.task.example()}"),
        ("model", f"{model.config.kind}, {network.parameters:,} parameters, engine {model.compute.engine}"),
    ]
    if isinstance(network, Ensemble):
        rows.append(("ensemble of", str(len(network.networks))))
    report = _report(network)
    for score in report.scores if report else ():
        bound = "" if score.exact_bound is None else f", with 95 % confidence above {score.exact_bound:.1%}"
        name = f"exact at {score.size} {report.unit if report else ''}, {score.inputs} inputs"
        rows.append((name, f"{score.exact}/{score.count}{bound}"))
    if not report:
        rows.append(("exact", "not known; neuralgpu.evaluate(network) finds out"))
    body = "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(text)}</td></tr>" for name, text in rows)
    return f"<table>{body}</table>"


def _report(network: Network) -> Report | None:
    """The scores beside the network's weights; None where there are none that can be read."""
    if network.home is None or not (network.home / "evaluation.json").exists():
        return None
    try:
        return Report.from_dict(read_json(network.home / "evaluation.json"))
    except UserError:
        return None
