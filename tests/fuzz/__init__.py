"""Attacks: each module has an `attempt` that draws one from a generator and says how it ended."""

from neuralgpu.errors import LONGEST, UserError


def check_line(error: UserError) -> str:
    """What an error says, which must be one short line."""
    said = str(error)
    assert len(said) <= LONGEST, said
    assert said.isprintable(), said
    return said
