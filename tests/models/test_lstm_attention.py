"""LSTM+A against its equations, and its greedy answers against what teacher forcing says of them."""

import torch
import torch.nn.functional as F
from torch import Tensor

from neuralgpu.models.baseline_config import LSTMAttentionConfig
from neuralgpu.models.lstm_attention import LSTMAttention

LENGTH = 7


def model(layers: int = 2, cells: int = 8, seed: int = 0) -> LSTMAttention:
    return LSTMAttention(LSTMAttentionConfig(layers=layers, cells=cells), symbols=4, seed=seed)


def tapes(count: int = 5, n: int = LENGTH) -> Tensor:
    return torch.randint(1, 4, (count, n), generator=torch.Generator().manual_seed(3))


def test_the_paper_s_size_is_about_200_thousand_parameters() -> None:
    count = sum(weight.numel() for weight in LSTMAttention(LSTMAttentionConfig(), symbols=4).parameters())
    assert count == 241_792


def test_attention_is_as_its_equations_say() -> None:
    net = model()
    with torch.no_grad():
        H, states = net.encode(tapes(1))
        out, context, after = net.decode(torch.tensor([2]), torch.ones(1, 8), states, H, H @ net.W1)
        d = after[-1][0][0]
        u = torch.stack([net.v @ torch.tanh(h @ net.W1 + d @ net.W2) for h in H[0]])
        expected = sum((a * h for a, h in zip(u.softmax(dim=0), H[0], strict=True)), torch.zeros(8))
        torch.testing.assert_close(context[0], expected)
        torch.testing.assert_close(out[0], torch.cat([d, expected]))


def test_the_decoder_begins_with_the_states_of_the_encoder_s_layers() -> None:
    net = model(layers=3)
    _, states = net.encode(tapes(2))
    x, expected = net.E[tapes(2)], []
    for lstm in net.encoder:
        x, (h, c) = lstm(x)
        expected.append((h[0], c[0]))
    assert len(states) == 3
    assert all(
        torch.equal(a, b)
        for pair, other in zip(states, expected, strict=True)
        for a, b in zip(pair, other, strict=True)
    )


def test_what_it_writes_on_its_own_is_what_teacher_forcing_with_it_says() -> None:
    net = model()
    with torch.no_grad():
        scores = net(tapes(), steps=LENGTH)
        answers = scores.argmax(dim=-1)
        taught = net.taught(tapes(), answers)
    before_the_end = torch.cumsum(answers == 0, dim=1) - (answers == 0).long() == 0
    assert before_the_end.any()
    torch.testing.assert_close(scores[before_the_end], taught[before_the_end])


def test_a_right_answer_is_never_looked_at() -> None:
    """Two networks that differ in what they would write differ in what they are fed."""
    net = model()
    with torch.no_grad():
        first = net(tapes(), steps=LENGTH)
        net.O[:, 1:] = net.O[:, [2, 3, 1]]
        other = net(tapes(), steps=LENGTH)
    assert not torch.allclose(first[:, 1:].sort(dim=-1).values, other[:, 1:].sort(dim=-1).values)


def test_nothing_follows_the_first_pad() -> None:
    net = model()
    with torch.no_grad():
        net.O.zero_()
        net.O[8:, 0] = 10 * torch.sign(net.encode(tapes(1))[0].sum())
        answers = net(tapes(), steps=LENGTH).argmax(dim=-1)
    for row in answers:
        ended = (row == 0).nonzero()
        assert (row[int(ended[0]) :] == 0).all() if len(ended) else True
    assert (answers == 0).any()


def test_answers_do_not_depend_on_the_batch() -> None:
    net = model()
    with torch.no_grad():
        together = net(tapes(), steps=LENGTH).argmax(dim=-1)
        alone = torch.cat([net(tape[None], steps=LENGTH) for tape in tapes()]).argmax(dim=-1)
    assert torch.equal(together, alone)


def test_dropout_follows_from_its_generator_and_keeps_the_mean() -> None:
    net, targets = model(), torch.ones(5, 3, dtype=torch.int64)
    first, again, other = (net.taught(tapes(), targets, 0.3, torch.Generator().manual_seed(seed)) for seed in (0, 0, 1))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert not torch.equal(first, net.taught(tapes(), targets))


def test_every_weight_has_a_gradient() -> None:
    net, targets = model(), torch.randint(0, 4, (5, 4), generator=torch.Generator().manual_seed(1))
    F.cross_entropy(net.taught(tapes(), targets).flatten(0, 1), targets.flatten()).backward()  # type: ignore[no-untyped-call]
    assert all(weight.grad is not None and weight.grad.abs().max() > 0 for weight in net.parameters())


def test_one_seed_gives_one_network() -> None:
    same = [torch.cat([w.flatten() for w in model(seed=seed).parameters()]) for seed in (0, 0, 1)]
    assert torch.equal(same[0], same[1])
    assert not torch.equal(same[0], same[2])
