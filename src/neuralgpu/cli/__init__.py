"""The `ngpu` command: finds the verb and turns errors into one line. Each verb is a file of its own."""

import importlib
import shutil
import sys
from collections.abc import Sequence

from neuralgpu.errors import UserError, is_out_of_memory, nearest, one_line

VERBS = {
    "train": "teach a network a task",
    "sweep": "train over a grid of settings, on one machine or on a cluster",
    "run": "let a trained network answer",
    "evaluate": "count how often a network is right, at any size",
    "animate": "show a network at work, as GIF, WebP, MP4 or picture",
    "runs": "list what was trained, and how it ended",
    "plot": "draw training curves, accuracy against size, or groups of runs",
    "models": "list the trained networks that come with it",
    "play": "watch networks compute in the browser",
    "tasks": "list what can be learned",
    "recipes": "list how it can be taught",
    "info": "show versions, engine and machine",
}

HELP = f"""usage: ngpu VERB ...

Networks that learn an algorithm from short examples and run it exactly on long inputs.

verbs:
{chr(10).join(f"  {verb:<10} {what}" for verb, what in VERBS.items())}

examples:
  ngpu run bmul '6 * 10'                 multiply with a network that comes with it
  ngpu train reverse                     teach one yourself, in minutes
  ngpu evaluate reverse --sizes 41 401

`ngpu VERB --help` says more about each.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and exit with its code."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if not arguments or arguments[0] in ("-h", "--help"):
        print(HELP, end="")
        sys.exit(0 if arguments else 2)
    try:
        sys.exit(run_verb(arguments[0], arguments[1:]))
    except UserError as error:
        print(f"ngpu: error: {error}", file=sys.stderr)
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output, such as `head`, has left
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:  # a full disk, a directory that is not ours
        place = f"{error.filename}: " if error.filename else ""
        reason = error.strerror or str(error) or type(error).__name__
        print(f"ngpu: error: {one_line(place + reason)}", file=sys.stderr)
        sys.exit(2)
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        print(
            "ngpu: error: there is not enough memory for this; take smaller sizes or a smaller network", file=sys.stderr
        )
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def command() -> str:
    """How to call this command again: by its name where that is found, else by the path that was used."""
    return "ngpu" if shutil.which("ngpu") else sys.argv[0]


def run_verb(verb: str, arguments: Sequence[str]) -> int:
    """Run one verb and return its exit code."""
    if verb == "--version":
        from importlib.metadata import version

        print(f"neuralgpu {version('neuralgpu')}")
        return 0
    if verb not in VERBS:
        raise UserError(f"unknown verb {verb!r}; {nearest(verb, VERBS)}")
    code: int = importlib.import_module(f"neuralgpu.cli.{verb}").main(arguments)
    return code
