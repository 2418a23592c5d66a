"""`ngpu play`: the playground in the browser."""

import sys
import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from neuralgpu import zoo
from neuralgpu.cli.arguments import parse
from neuralgpu.errors import UserError

DESCRIPTION = """Watch networks compute in the browser: step by step, on your own input. The page is served to this
machine only, and the networks run in the browser itself.

examples:
  ngpu play
  ngpu play --zoo runs
  ngpu play --export public
"""


@dataclass(frozen=True)
class PlayArguments:
    """Which networks, and where to serve them."""

    zoo: Path | None = None
    """a folder of networks, such as `runs`; the networks that come with the package if not given"""
    port: int = 8765
    """0 takes a free one"""
    no_browser: bool = False
    """print the address and open nothing"""
    export: Path | None = None
    """write the page and the networks into this folder, for any static host, and serve nothing"""


def main(arguments: Sequence[str]) -> int:
    """Serve until Ctrl-C, or write the files of the site."""
    args = parse(PlayArguments, "play", DESCRIPTION, arguments)

    from neuralgpu.playground.site import export, networks

    if args.zoo is not None and not args.zoo.is_dir():
        raise UserError(f"{args.zoo} is not a folder; name one that holds run directories, such as `runs`")
    folder = args.zoo or zoo.HERE
    for network in networks(folder):
        if network.error is not None:
            print(f"{folder / network.name} cannot be shown: {network.error}", file=sys.stderr)
    if args.export is not None:
        print(f"wrote {export(folder, args.export)} files to {args.export}")
        return 0
    _serve(folder, args.port, open_browser=not args.no_browser)
    return 0


def _serve(folder: Path, port: int, open_browser: bool) -> None:
    from neuralgpu.playground.server import PlaygroundServer

    with PlaygroundServer(folder, port) as server:
        try:
            print(f"the playground is at {server.address}; Ctrl-C stops it", flush=True)
            if open_browser:  # aside, because a browser in the terminal does not return before it is left
                threading.Thread(target=webbrowser.open, args=(server.address,), daemon=True).start()
            server.serve_forever()
        except KeyboardInterrupt:
            print("stopped")
