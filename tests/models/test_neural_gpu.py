import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from neuralgpu.errors import UserError
from neuralgpu.models.config import NeuralGPUConfig
from neuralgpu.models.neural_gpu import NeuralGPU, cgru, convolve, drop, sigma

Array = NDArray[np.float64]


def paper_convolution(U: Array, s: Array) -> Array:
    """The sum over u, v and c of section 2, on a mental image s[x, y, c] as the paper writes it: [w, n, m]."""
    k_w, k_h, _, maps = U.shape
    w, n, _ = s.shape
    result = np.zeros((w, n, maps))
    for x, y, i in np.ndindex(w, n, maps):
        for u, v in itertools.product(range(-(k_w // 2), k_w // 2 + 1), range(-(k_h // 2), k_h // 2 + 1)):
            if 0 <= x + u < w and 0 <= y + v < n:
                for c in range(s.shape[2]):
                    result[x, y, i] += s[x + u, y + v, c] * U[u + k_w // 2, v + k_h // 2, c, i]
    return result


def paper_cgru(s: Array, U: Array, B: Array, cutoff: bool) -> Array:
    """CGRU(s) as the paper writes it; U and B hold the candidate, the update gate and the reset gate."""

    def gate(x: Array) -> Array:
        y = 1 / (1 + np.exp(-x))
        gated: Array = np.clip(1.2 * y - 0.1, 0, 1) if cutoff else y
        return gated

    u = gate(paper_convolution(U[1], s) + B[1])
    r = gate(paper_convolution(U[2], s) + B[2])
    next_image: Array = u * s + (1 - u) * np.tanh(paper_convolution(U[0], r * s) + B[0])
    return next_image


def small_model(**changes: int | bool) -> NeuralGPU:
    config = NeuralGPUConfig(**{"layers": 2, "width": 3, "maps": 4, **changes})  # type: ignore[arg-type]
    return NeuralGPU(config, symbols=4, sets=3)


@settings(max_examples=25, deadline=None)
@given(
    w=st.integers(1, 4),
    n=st.integers(1, 6),
    kernel=st.sampled_from([(3, 3), (1, 3), (5, 1), (3, 5)]),
    cutoff=st.booleans(),
    seed=st.integers(0, 2**30),
)
def test_cgru_is_the_paper_s_formula(w: int, n: int, kernel: tuple[int, int], cutoff: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    m = 3
    s, U, B = rng.normal(size=(w, n, m)), rng.normal(size=(3, *kernel, m, m)), rng.normal(size=(3, m))
    expected = paper_cgru(s, U, B, cutoff)
    image = torch.from_numpy(s.transpose(1, 0, 2)[None].copy())  # (1, n, w, m)
    computed = cgru(image, torch.from_numpy(U), torch.from_numpy(B), cutoff)[0].numpy()
    np.testing.assert_allclose(computed.transpose(1, 0, 2), expected, atol=1e-12)


def test_the_whole_network_is_l_gates_applied_n_times_with_set_t_mod_r() -> None:
    model = small_model().double()
    model.U.data.uniform_(-0.5, 0.5)
    model.B.data.uniform_(-0.5, 0.5)
    tape = torch.tensor([[1, 3, 2, 0, 1]])
    s = np.zeros((3, 5, 4))
    s[0] = model.E.detach().numpy()[tape[0]]
    for t in range(5):
        for layer in range(2):
            U, B = (p.detach().numpy()[t % 3, layer] for p in (model.U, model.B))
            s = paper_cgru(s, U, B, cutoff=True)
    np.testing.assert_allclose(model(tape, 5)[0].detach().numpy(), s[0] @ model.O.detach().numpy(), atol=1e-10)


def test_sizes_are_the_paper_s_by_default() -> None:
    model = NeuralGPU(NeuralGPUConfig(), symbols=4)
    assert model.U.shape == (1, 2, 3, 3, 3, 24, 24)
    assert model.U.numel() + model.B.numel() == 31_248
    assert 31_000 < sum(p.numel() for p in model.parameters()) < 33_000


def test_trace_gives_every_mental_image() -> None:
    model = small_model()
    tape = torch.tensor([[1, 2, 3, 1]])
    images = list(model.trace(tape, steps=7))
    assert len(images) == 8
    assert all(image.shape == (1, 4, 3, 4) for image in images)
    torch.testing.assert_close(model.read(images[-1]), model(tape, 7))


@pytest.mark.parametrize("steps", [0, 1, 3, 9])
def test_steps_one_after_the_other_are_a_run(steps: int) -> None:
    model = small_model()
    model.U.data.uniform_(-0.5, 0.5, generator=torch.Generator().manual_seed(0))  # so that the sets differ
    tape = torch.tensor([[1, 2, 3, 1]])
    s = model.embed(tape)
    for t in range(steps):
        s = model.step(s, t)
    assert torch.equal(model.read(s), model.run(tape, steps)[0])


def test_the_number_of_steps_decides_the_answer() -> None:
    model, tape = small_model(), torch.tensor([[1, 2, 3, 1]])
    assert not torch.equal(model(tape, 4), model(tape, 5))


def test_a_neural_gpu_takes_no_noise() -> None:
    with pytest.raises(ValueError, match=r"^noise is 0\.1; a Neural GPU takes dropout alone$"):
        small_model().run(torch.tensor([[1, 2]]), 2, noise=0.1)


def test_embedding_fills_the_first_column_only() -> None:
    model = small_model()
    s = model.embed(torch.tensor([[2, 0]]))
    torch.testing.assert_close(s[0, :, 0], model.E[[2, 0]])
    assert (s[:, :, 1:] == 0).all()


def test_released_embedding_holds_pad_at_zero() -> None:
    s = small_model(tanh_embedding=True).embed(torch.tensor([[2, 0]]))
    assert (s[0, 0, 0] != 0).all()
    assert (s[0, 1] == 0).all()


def test_unify_gives_the_mean_of_all_sets() -> None:
    model = small_model()
    model.U.data.normal_()
    mean = model.U.mean(dim=0)
    model.unify()
    assert model.sets == 1
    torch.testing.assert_close(model.U[0].data, mean)


def test_average_sets_keeps_them_apart_with_equal_values() -> None:
    model = small_model()
    model.U.data.normal_()
    mean = model.U.mean(dim=0)
    model.average_sets()
    assert model.sets == 3
    for one in model.U:
        torch.testing.assert_close(one.data, mean)


def test_all_sets_start_alike_so_that_relaxing_changes_nothing_at_first() -> None:
    tape = torch.tensor([[1, 2, 3]])
    models = [NeuralGPU(NeuralGPUConfig(maps=8), symbols=4, sets=sets, seed=1) for sets in (1, 6)]
    torch.testing.assert_close(models[0](tape, 3), models[1](tape, 3))


def test_cutoff_reaches_zero_and_one_and_the_sigmoid_does_not() -> None:
    x = torch.tensor([-4.0, 0.0, 4.0])
    torch.testing.assert_close(sigma(x, cutoff=True), torch.tensor([0.0, 0.5, 1.0]))
    plain = sigma(x, cutoff=False)
    assert 0 < plain[0] < 0.5 < plain[2] < 1


def test_dropout_zeroes_its_share_and_keeps_the_mean() -> None:
    s = torch.ones(8, 50, 4, 25)
    dropped = drop(s, 0.09, torch.Generator().manual_seed(0))
    assert (dropped == 0).float().mean().item() == pytest.approx(0.09, abs=0.005)
    assert dropped.mean().item() == pytest.approx(1, abs=0.005)
    assert sorted(set(dropped.flatten().tolist())) == pytest.approx([0, 1 / 0.91])


def test_without_dropout_nothing_is_drawn() -> None:
    generator = torch.Generator().manual_seed(0)
    before = generator.get_state()
    small_model().run(torch.tensor([[1, 2]]), 2, generator=generator)
    assert torch.equal(before, generator.get_state())


def test_tapes_of_a_batch_do_not_touch_each_other() -> None:
    model = small_model()
    tapes = torch.tensor([[1, 2, 3], [3, 0, 1]])
    torch.testing.assert_close(model(tapes, 3)[1:], model(tapes[1:], 3))


def test_convolution_takes_channels_last_images_without_a_copy() -> None:
    s = torch.rand(2, 5, 4, 8)
    assert s.permute(0, 3, 1, 2).is_contiguous(memory_format=torch.channels_last)
    assert convolve(torch.rand(3, 3, 8, 8), s, torch.rand(8)).is_contiguous()


@pytest.mark.parametrize(("name", "value"), [("kernel_width", 2), ("maps", 0), ("layers", -1)])
def test_impossible_sizes_are_refused_by_name(name: str, value: int) -> None:
    with pytest.raises(UserError, match=f"{name} is {value}; it must be"):
        NeuralGPUConfig(**{name: value})  # type: ignore[arg-type]
