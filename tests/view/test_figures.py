from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from neuralgpu.evaluation.report import Kind, Report, Score
from neuralgpu.view.figures import accuracy_figure, save_figure, sweep_figure, training_figure
from neuralgpu.view.records import Accuracy, Sweep, Training, Trial


def words(figure: Figure, tmp_path: Path) -> set[str]:
    """The text in a figure that was written as SVG."""
    path = tmp_path / "figure.svg"
    save_figure(figure, path)
    found = ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")
    return {"".join(text.itertext()).strip() for text in found}


def training(label: str, **more: list[float]) -> Training:
    columns = {"step": [10.0, 20.0, 30.0], "loss": [1.0, 0.5, 0.1], "exact": [0.0, 0.5, 1.0], **more}
    return Training(label, {name: np.array(column) for name, column in columns.items()})


def accuracy(label: str, task: str = "badd", unit: str = "bits", sizes: tuple[int, int] = (20, 200)) -> Accuracy:
    small, large = sizes
    counts: list[tuple[Kind, int, int, int]] = [
        ("random", small, 100, 100),
        ("stress", small, 29, 29),
        ("random", large, 100, 70),
        ("stress", large, 29, 12),
    ]
    scores = [Score(kind, size, 2 * size + 1, count, exact, 1, 1) for kind, size, count, exact in counts]
    return Accuracy(label, Report(task, unit, 0, tuple(scores)))


def trial(task: str, value: object, share: float) -> Trial:
    return Trial("run", task, value, share)


def test_training_curves_name_their_axes_and_every_run(tmp_path: Path) -> None:
    figure = training_figure([training("first"), training("second", size=[3.0, 4.0, 5.0])])
    expected = {"loss", "exact outputs in training", "size in the curriculum", "step", "first", "second"}
    assert expected <= words(figure, tmp_path)


def test_without_a_curriculum_there_is_no_curve_of_sizes() -> None:
    assert len(training_figure([training("one")]).axes) == 2
    assert len(training_figure([training("one", size=[3.0, 3.0, 3.0])]).axes) == 3


def test_accuracy_names_sizes_networks_and_what_is_shown(tmp_path: Path) -> None:
    shown = words(accuracy_figure([accuracy("one"), accuracy("two")]), tmp_path)
    expected = {"size in bits", "exact outputs", "20", "200", "one (badd)", "two (badd)"}
    assert expected | {"stress inputs", "down to the 95 % bound", "longest in training"} <= shown


def lines_of_training(figure: Figure) -> dict[float, str]:
    """Where the longest inputs in training stand, with what is written beside them."""
    places = [float(np.asarray(line.get_xdata())[0]) for line in figure.axes[0].lines if line.get_linestyle() == ":"]
    return dict(zip(places, [text.get_text().strip() for text in figure.axes[0].texts], strict=True))


def test_the_longest_in_training_stands_at_the_size_that_41_cells_hold() -> None:
    assert lines_of_training(accuracy_figure([accuracy("one"), accuracy("two", "bmul")])) == {20: "longest in training"}
    figure = accuracy_figure([accuracy("one"), accuracy("two", "sort", "symbols"), accuracy("three", "shuffle")])
    assert lines_of_training(figure) == {20: "longest in training (badd)", 41: "longest in training (sort)"}


@pytest.mark.parametrize("sizes", [(20, 200), (5, 20), (1, 2000), (20, 21)])
def test_labels_stay_inside_their_axes(sizes: tuple[int, int]) -> None:
    figure = accuracy_figure([accuracy("one", sizes=sizes), accuracy("two", "sort", "symbols", sizes)])
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    inside = figure.axes[0].get_window_extent()
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert inside.x0 - 1 <= box.x0
        assert box.x1 <= inside.x1 + 1


def test_sizes_of_different_units_are_both_named(tmp_path: Path) -> None:
    shown = words(accuracy_figure([accuracy("one"), accuracy("two", "sort", "symbols")]), tmp_path)
    assert "size in bits or symbols" in shown


def test_a_sweep_of_numbers_stands_at_their_values(tmp_path: Path) -> None:
    figure = sweep_figure(Sweep("dropout", ("200 bits",), [trial("badd", 0.0, 0.2), trial("badd", 0.09, 0.8)], []))
    assert {"dropout", "exact outputs at 200 bits", "0.0", "0.09", "badd, 2 runs"} <= words(figure, tmp_path)
    assert figure.axes[0].get_xticks().tolist() == [0.0, 0.09]


def test_a_sweep_of_words_stands_side_by_side() -> None:
    figure = sweep_figure(
        Sweep("unify", ("20 bits", "41 symbols"), [trial("badd", "once", 0.2), trial("copy", "repeatedly", 0.8)], [])
    )
    assert figure.axes[0].get_xticks().tolist() == [0.0, 1.0]


def test_the_mean_of_a_sweep_is_taken_over_the_runs_of_a_task() -> None:
    trials = [trial("badd", 1, 0.2), trial("badd", 1, 0.4), trial("copy", 1, 1.0)]
    lines = sweep_figure(Sweep("layers", ("20 bits",), trials, [])).axes[0].lines
    means = [np.asarray(line.get_ydata()).tolist() for line in lines if line.get_label() == "their mean"]
    assert means == [pytest.approx([0.3]), pytest.approx([1.0])]


def test_a_png_is_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    save_figure(accuracy_figure([accuracy("one")]), path)
    with Image.open(path) as file:
        assert file.format == "PNG"
        assert file.size == (1200, 672)


def test_the_same_figure_gives_the_same_file(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        save_figure(accuracy_figure([accuracy("one")]), tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_no_two_of_32_lines_look_alike() -> None:
    lines = training_figure([training(str(number)) for number in range(32)]).axes[0].lines
    looks = {(line.get_color(), line.get_linestyle()) for line in lines if line.get_alpha() is None}
    assert len(looks) == 32
