"""A library of tasks in the simple form, one file a family: `random` and `answer` on texts, with nothing vectorised.

What `random` makes decides what a network learns: answers come out alike, and the hard cases are not rare.
"""

from neuralgpu.tasks.library.automata import Rule110
from neuralgpu.tasks.library.counting import Majority, Ones, Parity
from neuralgpu.tasks.library.languages import Brackets, Palindrome
from neuralgpu.tasks.library.lookup import Lookup
from neuralgpu.tasks.library.one_number import Gray, Increment, Remainder, Ungray
from neuralgpu.tasks.library.rearranging import Collapse, Interleave, ReverseWords, Rotate, SortFour
from neuralgpu.tasks.library.two_numbers import Compare, Maximum, Subtract
from neuralgpu.tasks.task import Task

LIBRARY: dict[str, tuple[Task, ...]] = {
    "counting": (Parity(), Majority(), Ones()),
    "one number": (Increment(), Remainder(3), Remainder(7), Gray(), Ungray()),
    "two numbers": (Compare(), Subtract(), Maximum()),
    "languages": (Brackets(), Palindrome()),
    "rearranging": (Rotate(), Interleave(), ReverseWords(), Collapse(), SortFour()),
    "looking up": (Lookup(),),
    "automata": (Rule110(),),
}
"""The tasks by family."""
