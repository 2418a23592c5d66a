"""The Diagonal cell against its equations."""

import pytest
import torch
import torch.nn.functional as F

from neuralgpu.errors import UserError
from neuralgpu.models.config import DiagonalConfig
from neuralgpu.models.diagonal import Diagonal, convolve, diagonal, hsig, htanh, rollout, shift


def test_initial_weights_are_uniform_in_their_ranges() -> None:
    m = 96
    model = Diagonal(DiagonalConfig(maps=m), symbols=20)
    for parameter, a in ((model.E, 3 / m**0.5), (model.U, 1 / m**0.5), (model.O, 1 / m**0.5)):
        weight = parameter.detach()
        assert 0.99 * a < weight.max() <= a
        assert -a <= weight.min() < -0.99 * a
        assert weight.std() == pytest.approx(a / 3**0.5, rel=0.05)
    assert not model.B.any()


def test_convolve_is_the_convolution_of_torch() -> None:
    g = torch.Generator().manual_seed(0)
    U, s, B = (torch.randn(shape, generator=g) for shape in ((3, 6, 6), (2, 5, 6), (6,)))
    expected = F.conv1d(s.transpose(1, 2), U.permute(2, 1, 0), B, padding=1).transpose(1, 2)
    torch.testing.assert_close(convolve(U, s, B), expected)


def test_shift_moves_each_third_of_the_maps_its_own_way() -> None:
    s = torch.arange(1.0, 5.0).view(1, 4, 1).expand(1, 4, 3)
    stay, up, down = shift(s)[0].T.tolist()
    assert stay == [1, 2, 3, 4]
    assert up == [0, 1, 2, 3]
    assert down == [2, 3, 4, 0]


def test_the_hard_nonlinearities_are_cut_lines() -> None:
    x = torch.tensor([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0])
    assert hsig(x).tolist() == [0, 0, 0.25, 0.5, 0.75, 1, 1]
    assert htanh(x).tolist() == [-1, -1, -0.5, 0, 0.5, 1, 1]


def test_with_zero_weights_the_gate_keeps_85_percent() -> None:
    s = torch.ones(1, 3, 3)
    after, saturated = diagonal(s, torch.zeros(3, 3, 3, 3), torch.zeros(3, 3))
    torch.testing.assert_close(after, shift(s) * 0.85)  # g = hsig(0.7), c = 0
    assert (saturated == 0).all()


def test_the_cost_is_what_pre_activations_exceed_by() -> None:
    # c = 1.9, g = 0.7 and r = 0.5 in each of 3 maps x 4 cells and 2 steps: 24 excesses of 1 over 4 x 2
    B = torch.tensor([[1.9], [0.0], [0.0]]).expand(3, 3)
    _, cost = rollout(torch.zeros(5, 4, 3), torch.zeros(3, 3, 3, 3), B, steps=2)
    torch.testing.assert_close(cost, torch.tensor(24 / 8))


def test_trace_gives_every_state_and_the_last_one_is_read() -> None:
    model = Diagonal(DiagonalConfig(maps=6, levels=8), symbols=4)
    tape = torch.tensor([[1, 2, 3, 1]])
    states = list(model.trace(tape, steps=7))
    assert [tuple(s.shape) for s in states] == [(1, 4, 6)] * 8
    torch.testing.assert_close(states[-1] @ model.O + model.o, model(tape, 7))


@pytest.mark.parametrize("levels", [0, 4])
@pytest.mark.parametrize("steps", [0, 1, 9])
def test_steps_one_after_the_other_are_a_run(levels: int, steps: int) -> None:
    model = Diagonal(DiagonalConfig(maps=6, levels=levels), symbols=4)
    tape = torch.tensor([[1, 2, 3, 1], [0, 0, 2, 3]])
    s = model.embed(tape)
    for t in range(steps):
        s = model.step(s, t)
    assert torch.equal(model.read(s), model.run(tape, steps)[0])


def test_the_number_of_steps_decides_the_answer() -> None:
    model = Diagonal(DiagonalConfig(maps=6), symbols=4)
    tape = torch.tensor([[1, 2, 3, 1]])
    assert not torch.equal(model(tape, 4), model(tape, 5))


def test_states_are_left_as_they_are_where_rounding_is_put_off() -> None:
    rounded, plain = (Diagonal(DiagonalConfig(maps=6, levels=levels), symbols=4) for levels in (2, 0))
    tape = torch.tensor([[1, 2, 3, 1]])
    assert torch.equal(rounded.run(tape, 4, rounded=False)[0], plain(tape, 4))
    assert not torch.equal(rounded(tape, 4), plain(tape, 4))


def test_rounded_states_are_multiples_and_gradients_pass() -> None:
    model = Diagonal(DiagonalConfig(maps=6, levels=4), symbols=4)
    *_, last = model.trace(torch.tensor([[1, 2, 3]]), steps=3)
    assert torch.equal(last * 4, (last * 4).round())
    last.sum().backward()  # type: ignore[no-untyped-call]
    assert model.U.grad is not None
    assert model.U.grad.abs().sum() > 0


def test_noise_has_its_amplitude_and_no_mean() -> None:
    model = Diagonal(DiagonalConfig(maps=6), symbols=4)
    for parameter in (model.U, model.B, model.E, model.O):
        parameter.data.zero_()
    model.O.data.fill_(1.0)
    tapes = torch.ones(2000, 1, dtype=torch.long)
    logits, _ = model.run(tapes, 1, noise=0.3, generator=torch.Generator().manual_seed(0))
    # Six sums of (1 - g) c with uniform numbers u, v in [-0.3, 0.3]: c = u, and the gate has 1 - g = (0.3 - v) / 2.
    variance = 6 * (0.3**2 / 3) * (0.3**2 + 0.3**2 / 3) / 4
    sums = logits[:, 0, 0]
    assert abs(sums.mean().item()) < 0.01
    assert sums.std().item() == pytest.approx(variance**0.5, rel=0.1)


@pytest.mark.parametrize(
    ("name", "value"), [("kernel", 1), ("kernel", 4), ("kernel", -3), ("maps", 0), ("maps", 8), ("levels", -1)]
)
def test_impossible_sizes_are_refused_by_name(name: str, value: int) -> None:
    with pytest.raises(UserError, match=f"{name} is {value}; it must be"):
        DiagonalConfig(**{name: value})
