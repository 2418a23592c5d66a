"""Scoring a network on random and on stress inputs: exact and per symbol, with counter-examples."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import index

import numpy as np

from neuralgpu.evaluation.report import CounterExample, Kind, Report, Score
from neuralgpu.evaluation.sizes import checked_sizes
from neuralgpu.network import Network
from neuralgpu.network import Progress as StepsProgress
from neuralgpu.ranges import Range, check_range
from neuralgpu.streams import Stream, check_seed, stream
from neuralgpu.tasks import Batch, Task

Progress = Callable[[int, float, int], None]
"""Told a size, how many of its inputs are done, and how many there are; of long inputs also parts."""

DRAWN = 10
"""Random inputs drawn at a time: a constant, so that the seed alone decides them."""
KEPT = 5
"""Counter-examples kept for each size."""


def evaluate(
    network: Network,
    sizes: int | Iterable[int],
    count: int = 100,
    seed: int = 0,
    *,
    stress: bool = True,
    progress: Progress | None = None,
) -> Report:
    """Score `count` random inputs of each size, and its stress inputs; the seed decides which inputs these are.

    Returns a report with a score for each size and kind of inputs. `progress` is called with a size, the inputs of it
    that are done, and how many there are. A UserError says which size, count or seed is impossible, or that the task
    has no inputs to draw.
    """
    task = network.task
    chosen = checked_sizes(task, sizes)
    check_range("count", index(count), Range(1))
    check_seed(seed)
    tell = progress or (lambda size, done, total: None)
    scores = [score for size in chosen for score in _scores(network, size, count, seed, stress, tell)]
    return Report(task.name, task.unit, seed, tuple(scores))


def evaluate_pairs(network: Network, pairs: Iterable[tuple[str, str]], *, progress: Progress | None = None) -> Report:
    """Score inputs with the answers that are given beside them; whether a task is known does not matter.

    Returns a report with a score for each size. A UserError names a text that is no input, or an answer too long for
    its tape.
    """
    tell = progress or (lambda size, done, total: None)
    sizes: dict[int, list[tuple[str, str]]] = {}
    for text, answer in pairs:
        sizes.setdefault(network.task.size(text), []).append((text, answer))
    scores = [_score_pairs(network, "file", size, sizes[size], tell) for size in sorted(sizes)]
    return Report(network.task.name, network.task.unit, None, tuple(scores))


def _scores(network: Network, size: int, count: int, seed: int, stress: bool, progress: Progress) -> Iterator[Score]:
    """The score of the random and, where there are any, that of the stress inputs of one size."""
    task = network.task
    kept = task.kept(size)
    if kept:
        chosen = stream(seed, Stream.EVALUATION, size).permutation(len(kept.pairs))[:count]
        yield _score_pairs(network, kept.kind, size, [kept.pairs[k] for k in sorted(chosen)], progress)
        return
    texts = _stress_texts(task, size, seed) if stress else []
    total = count + len(texts)
    draws = _draws(task, size, count, seed)
    yield _score(network, "random", size, draws, lambda done: progress(size, done, total))
    if texts:
        batches = (Batch(task.encode(text), task.encode_answer(text)) for text in texts)
        yield _score(network, "stress", size, batches, lambda done: progress(size, count + done, total))


def _score_pairs(
    network: Network, inputs: Kind, size: int, pairs: Sequence[tuple[str, str]], progress: Progress
) -> Score:
    """The score of inputs of one size that were given with their answers."""
    task = network.task
    batches = (Batch(task.encode(text), task.encode_answer(text, answer)) for text, answer in pairs)
    return _score(network, inputs, size, batches, lambda done: progress(size, done, len(pairs)))


def _stress_texts(task: Task, size: int, seed: int) -> list[str]:
    """The stress inputs of a size whose answers are known."""
    texts = task.stress(size, stream(seed, Stream.STRESS, size)).values()
    return [text for text in texts if task.answer(text) is not None]


def _draws(task: Task, size: int, count: int, seed: int) -> Iterator[Batch]:
    """Random inputs, `count` of them in all."""
    rng = stream(seed, Stream.EVALUATION, size)
    for start in range(0, count, DRAWN):
        yield task.sample(rng, min(DRAWN, count - start), size)


def _score(
    network: Network, inputs: Kind, size: int, batches: Iterable[Batch], progress: Callable[[float], None]
) -> Score:
    task = network.task
    cells = task.length(size)
    count = exact = right = wrong_settled = right_unsettled = 0
    can_settle = False
    wrong: list[CounterExample] = []
    for batch in _together(batches, network.chunk(cells)):
        outputs, settled = network.answers_settled(batch.inputs, _part(progress, count, len(batch.inputs)))
        correct = outputs == batch.targets  # (some, n)
        count += len(outputs)
        right += int(correct.sum())
        exact += int(correct.all(axis=1).sum())
        if settled is not None:
            can_settle = True
            wrong_settled += int((settled & ~correct.all(axis=1)).sum())
            right_unsettled += int((~settled & correct.all(axis=1)).sum())
        for row in np.flatnonzero(~correct.all(axis=1))[: KEPT - len(wrong)]:
            text, expected, got = (task.decode(tapes[row]) for tapes in (*batch, outputs))
            wrong.append(CounterExample(text, expected, got, words=not isinstance(task.alphabet, str)))
        progress(count)
    of_settled = (wrong_settled, right_unsettled) if can_settle else (None, None)
    return Score(inputs, size, cells, count, exact, count * cells, right, tuple(wrong), *of_settled)


def _part(progress: Callable[[float], None], before: int, inputs: int) -> StepsProgress:
    """Tells the progress of some inputs by the steps that they have made."""
    return lambda done, steps: progress(before + inputs * done / steps)


def _together(batches: Iterable[Batch], most: int) -> Iterator[Batch]:
    """The same inputs in the same order, as many together as a network computes at once."""
    waiting: list[Batch] = []
    for batch in batches:
        waiting.append(batch)
        while sum(len(inputs) for inputs, _ in waiting) >= most:
            inputs, targets = (np.concatenate(tapes) for tapes in zip(*waiting, strict=True))
            yield Batch(inputs[:most], targets[:most])
            waiting = [Batch(inputs[most:], targets[most:])]
    if sum(len(inputs) for inputs, _ in waiting):
        yield Batch(*(np.concatenate(tapes) for tapes in zip(*waiting, strict=True)))
