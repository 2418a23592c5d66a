"""The whole system learns: small networks of both kinds copy sequences far longer than those they were trained on."""

from pathlib import Path
from typing import Any

import pytest

from neuralgpu import evaluate, train

CGRU: dict[str, Any] = {
    "layers": 1,
    "width": 1,
    "batch": 16,
    "relaxation_sets": 2,
    "curriculum_start": 20,
    "curriculum_block": 2,
    "finish_blocks": 3,
    "max_steps": 2_000,
}
DIAGONAL: dict[str, Any] = {
    "fit.lengths": (8, 16, 25),
    "harden.lengths": (12, 25),
    "harden.steps": 150,
    "harden.shrink": 0.0,
    "exam.inputs": 0,
    "exam.shorter_inputs": 0,
    "exam.every": 0,
}


@pytest.mark.parametrize(("recipe", "settings"), [("paper", CGRU), ("exact", DIAGONAL)])
def test_a_small_network_learns_to_copy_and_generalises(recipe: str, settings: dict[str, Any], tmp_path: Path) -> None:
    network, result = train("copy", recipe, out=tmp_path / "run", threads=1, evaluate_count=0, **settings)
    assert result.finished
    (score,) = evaluate(network, sizes=201, count=50, stress=False).scores
    assert score.exact == 50


def test_the_paper_s_curriculum_reaches_the_largest_size_with_one_set_of_parameters(tmp_path: Path) -> None:
    seen: list[dict[str, float]] = []
    train(
        "copy",
        "paper",
        out=tmp_path / "run",
        threads=1,
        evaluate_count=0,
        progress=lambda now: seen.append(now.metrics.gauges),
        **{
            **CGRU,
            "maps": 8,
            "curriculum_start": 38,
            "curriculum_threshold": 0.0,
            "relaxation_pull": 0.7,
            "max_steps": 30,
        },
    )
    assert (seen[0]["size"], seen[0]["sets"]) == (41, 1)
