"""Networks side by side in one: what it computes, and what cannot be joined."""

import json
from pathlib import Path

import pytest
import torch

from command import ngpu
from neuralgpu.cli import main
from neuralgpu.joining import join
from neuralgpu.models.config import DiagonalConfig
from neuralgpu.models.diagonal import Diagonal, side_by_side
from neuralgpu.network import load


def test_the_maps_of_joined_networks_do_not_touch_and_their_logits_are_averaged() -> None:
    models = [Diagonal(DiagonalConfig(maps=maps, levels=2), 5, seed) for seed, maps in enumerate((24, 48, 24))]
    joined = side_by_side(models)
    tapes = torch.randint(5, (3, 17), generator=torch.Generator().manual_seed(0))
    assert joined.config.maps == 96
    mean = torch.stack([model(tapes) for model in models]).mean(dim=0)
    torch.testing.assert_close(joined(tapes), mean)
    last = [list(model.trace(tapes))[-1] for model in (*models, joined)]
    assert torch.equal(torch.cat(last[:3], dim=-1).sort(dim=-1).values, last[3].sort(dim=-1).values)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two networks that differ by seed, and one on tapes without slack."""
    home = tmp_path_factory.mktemp("runs")
    changes: list[list[str]] = [["--seed", "1"], ["--seed", "2"], ["--seed", "3", "--slack", "0"]]
    for number, change in enumerate(changes):
        words = ["train", "copy", "--recipe", "small", "--max-steps", "2", "--harden-steps", "1", "--threads", "1"]
        with pytest.raises(SystemExit, match="0"):
            main([*words, "--evaluate-count", "0", "--out", str(home / str(number)), *change])
    return [home / str(number) for number in range(3)]


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    code, _, error = ngpu(capsys, *words)
    assert code == 2
    return error


def test_a_joined_network_is_used_like_any_other(runs: list[Path], tmp_path: Path) -> None:
    join(runs[:2], tmp_path / "both")
    config = json.loads((tmp_path / "both" / "config.json").read_text())
    assert config["settings"]["model"]["maps"] == 48
    train = "ngpu train copy --recipe small --seed {} --max-steps 2 --harden-steps 1"
    assert config["joined"] == [train.format(1), train.format(2)]
    assert len(load(tmp_path / "both")("0110")) <= 8


def test_what_cannot_be_joined_is_refused(runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, other = map(str, runs)
    out = str(tmp_path / "out")
    assert "name at least two" in refusal(capsys, "join", first, "--out", out)
    assert "differ in task, tape" in refusal(capsys, "join", first, other, "--out", out)
    assert "only Diagonal Neural GPUs" in refusal(capsys, "join", "copy-paper", "copy-paper", "--out", out)
    assert "the same network" in refusal(capsys, "join", first, first, "--out", out)
    assert not Path(out).exists()
    assert ngpu(capsys, "join", first, second, "--out", out)[0] == 0
    assert "already holds a run" in refusal(capsys, "join", first, second, "--out", out)
    assert "no training to go on with" in refusal(capsys, "train", "--resume", out)
