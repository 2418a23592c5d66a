"""The arena lends memory and gets it back."""

from neuralgpu.engine.arena import Arena


def test_returned_memory_is_lent_again() -> None:
    arena = Arena()
    first = arena.lend(1000)
    address = first.data_ptr()
    del first
    assert arena.lend(900).data_ptr() == address


def test_memory_in_use_is_not_lent_twice() -> None:
    arena = Arena()
    first, second = arena.lend(1000), arena.lend(1000)
    assert first.data_ptr() != second.data_ptr()


def test_a_view_keeps_the_loan() -> None:
    arena = Arena()
    view = arena.lend(1000)[10:20]
    assert arena.lend(1000).data_ptr() != view.data_ptr() - 40


def test_a_small_request_does_not_take_a_large_buffer() -> None:
    arena = Arena()
    large = arena.lend(10_000)
    address = large.data_ptr()
    del large
    assert arena.lend(100).data_ptr() != address


def test_idle_memory_stays_below_the_limit() -> None:
    arena = Arena(limit=10_000)
    loans = [arena.lend(1000) for _ in range(5)]
    loans.clear()
    assert sum(free.nbytes for free in arena._free) <= 10_000
