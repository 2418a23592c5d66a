import numpy as np
import pytest

from neuralgpu.tasks import get_task
from neuralgpu.tasks.stress import sequences


def stress(name: str, size: int, seed: int = 0) -> dict[str, str]:
    return get_task(name).stress(size, np.random.default_rng(seed))


def test_the_longest_carry_runs_through_all_digits() -> None:
    inputs = stress("badd", 8)
    assert inputs["longest carry"] == "11111111+10000000"
    assert get_task("badd").answer(inputs["longest carry"]) == "000000001"


def test_sparse_and_dense_operands_have_their_density() -> None:
    inputs = stress("bmul", 2000)
    assert inputs["sparse"].count("1") == pytest.approx(0.05 * 4000, rel=0.3)
    assert inputs["dense"].count("1") == pytest.approx(0.95 * 4000, rel=0.02)


def test_the_generator_decides_what_is_random_in_them() -> None:
    first, again, other = (stress("badd", 30, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert first["zeros"] == other["zeros"]


@pytest.mark.parametrize(("name", "count"), [("badd", 29), ("mul", 29), ("copy", 15), ("duplicate", 15)])
def test_their_number_is_that_of_the_tables(name: str, count: int) -> None:
    assert len(stress(name, 20)) == count


def test_sequences_are_made_of_the_task_s_own_alphabet() -> None:
    texts = dict(sequences("abc", 7, np.random.default_rng(0)))
    assert texts["all c"] == "ccccccc"
    assert texts["alternating from c"] == "cacacac"
    assert texts["single b, middle"] == "cccbccc"
    assert texts["sorted"] == "aabbccc"
    assert texts["sorted backwards"] == "ccbbaaa"
    assert texts["palindrome"] == texts["palindrome"][::-1]
    assert set(dict(sequences("abc", 500, np.random.default_rng(0)))["dense"]) == set("abc")


def test_an_alphabet_of_one_symbol_has_stress_inputs_too() -> None:
    assert set(dict(sequences("a", 5, np.random.default_rng(0))).values()) == {"aaaaa"}
