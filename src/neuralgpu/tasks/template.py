"""A file with a task of one's own, to start from."""

TEMPLATE = '''\
"""Every a becomes a b, and every b an a; the c stays."""

name = "swap"
alphabet = "abc"  # or a list of words: then spaces separate the words of an input and of an answer


def random(rng, size):
    """An input of `size` symbols; rng is a numpy.random.Generator, and the only source of chance.

    Vary the inputs: a network learns what short ones show. Where there is no input of this size, make one of the next
    smaller size that there is.
    """
    return "".join(rng.choice(list(alphabet), size))


def answer(text):
    """The true answer to any input of any size. It may be shorter or longer than the input."""
    return text.translate(str.maketrans("ab", "ba"))


def stress(size, rng):
    """Optional: inputs of this size that `random` hardly ever makes. The report has a row for them."""
    return ["a" * size, "b" * size, ("ab" * size)[:size]]
'''
