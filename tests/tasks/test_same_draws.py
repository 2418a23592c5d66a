"""What is drawn for a seed: networks were trained and scored on these inputs, so they stay as they are, bit for bit."""

import hashlib
import itertools

import numpy as np
import pytest

from neuralgpu.streams import Stream, stream
from neuralgpu.tasks import Mixture, get_task

SIZES = (1, 2, 3, 9, 20)
MIXTURES = (
    Mixture(),
    Mixture(patterned=0.5),
    Mixture(any_density=0.5),
    Mixture(any_lengths=0.5),
    Mixture(runs=0.5),
    Mixture(any_lengths=0.6, patterned=0.3, any_density=0.15, runs=0.3),
)
SAMPLES = {
    "badd": "aecc3bbe1f5d714a",
    "bmul": "7addaef70197adb4",
    "copy": "3cf09555ba8fa446",
    "reverse": "f9a2f2e8420fd34e",
    "duplicate": "ab4a076304903091",
    "sort": "82faba51e4c9445e",
    "qadd": "331868d3abec2d15",
    "qmul": "9555b0bd4488c1fb",
    "add": "ed7a3fdc89d520f3",
    "mul": "5ad105383cb0ec22",
    "mul7": "b22469ee9ee785a7",
    "add3": "6f26058292815b4a",
}
STRESS = {
    "badd": "d96b51a8ee0cf28f",
    "bmul": "f9d35723b626fc89",
    "copy": "1140ce6dab3e3115",
    "reverse": "1140ce6dab3e3115",
    "duplicate": "1140ce6dab3e3115",
    "sort": "1140ce6dab3e3115",
    "qadd": "e9f793ac37784c73",
    "qmul": "02c98d77c26080d5",
    "add": "6a865e1d974d0d3c",
    "mul": "02a6c36d83593d5d",
    "mul7": "9915705ad3be0cff",
    "add3": "a12c8e62e01225e0",
}


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_are_the_same_for_the_same_generator(name: str) -> None:
    assert samples(name) == SAMPLES[name]


@pytest.mark.parametrize("name", STRESS)
def test_stress_inputs_are_the_same_for_the_same_seed(name: str) -> None:
    assert stress(name) == STRESS[name]


def samples(name: str) -> str:
    digest = hashlib.sha256()
    plain = get_task(name)
    for task in (plain, plain.on(plain.tape_with(slack=4, stretch=0.0, zero_fill=True))):
        for size, (seed, mixture) in itertools.product(SIZES, enumerate(MIXTURES)):
            rng = np.random.default_rng([seed, size])
            batch = task.sample(rng, 30, size, mixture)
            for tapes in batch:
                digest.update(repr(tapes.shape).encode() + tapes.astype("<i8").tobytes())
            digest.update(repr(rng.random()).encode())  # as many numbers were drawn
    return digest.hexdigest()[:16]


def stress(name: str) -> str:
    digest = hashlib.sha256()
    for size, seed in itertools.product((1, 2, 3, 10, 41), (0, 1)):
        digest.update(repr(get_task(name).stress(size, stream(seed, Stream.STRESS, size))).encode())
    return digest.hexdigest()[:16]
