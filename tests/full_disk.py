"""The `ngpu` command with files that cannot grow, as on a full disk."""

import subprocess
import sys


def with_files_of_at_most(size: int, *arguments: str) -> tuple[int, str]:
    """Exit code and standard error of a command none of whose files may be larger than this."""
    program = f"""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
from neuralgpu.cli import main
main({arguments!r})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr
