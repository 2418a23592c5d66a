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


def test_the_smallest_buffer_that_fits_is_lent() -> None:
    arena = Arena()
    loans = {floats: arena.lend(floats) for floats in (1000, 3000, 2000)}
    address = loans[2000].data_ptr()
    loans.clear()
    assert arena.lend(1500).data_ptr() == address


def test_growing_requests_do_not_pile_up_memory() -> None:
    arena = Arena()
    for floats in range(1000, 2000, 100):
        arena.lend(floats)
    arena._collect()
    assert [free.size for free in arena._free] == [1900]


def test_idle_memory_stays_below_the_limit() -> None:
    arena = Arena(limit=10_000)
    loans = [arena.lend(1000) for _ in range(5)]
    loans.clear()
    arena._collect()
    assert [free.nbytes for free in arena._free] == [4000, 4000]


def test_a_loan_that_ends_while_another_begins_does_not_change_what_is_lent() -> None:
    arena = Arena(limit=4 * 2500)
    loans = [arena.lend(1000)]

    class EndsALoan(int):
        def __le__(self, size: int) -> bool:
            if size == 2000:
                loans.clear()
            return int(self) <= size

    returned = [arena.lend(500), arena.lend(2000)]
    returned.clear()
    assert arena.lend(EndsALoan(1500)).numel() == 2000
