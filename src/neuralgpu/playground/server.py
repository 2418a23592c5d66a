"""A web server for the playground, on this machine alone."""

import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from neuralgpu.errors import UserError
from neuralgpu.playground.site import files

LOOPBACK = "127.0.0.1"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page loads its own files and nothing else; index.html has the same policy for other hosts."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".safetensors": "application/octet-stream",
}


class PlaygroundServer(ThreadingHTTPServer):
    """Serves the playground with the networks of a folder until it is shut down."""

    daemon_threads = True

    def __init__(self, zoo: Path, port: int) -> None:
        self.zoo = zoo
        try:
            super().__init__((LOOPBACK, port), Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UserError(
                f"cannot listen on port {port}: {reason}; choose another --port, 0 takes a free one"
            ) from None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that left in the middle of an answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{self.server_port}/"

    @property
    def hosts(self) -> set[str]:
        """The names that a request may call this server by; another one comes from a page that rebinds its own name."""
        return {f"{name}:{self.server_port}" for name in (LOOPBACK, "localhost")}


class Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD with a file of the site, found by its exact address."""

    server: PlaygroundServer
    server_version = "neuralgpu"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        """Send a file."""
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        """Send a file's headers."""
        self._answer(with_body=False)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the person who started the server."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse an unknown method or a malformed request, with the headers of every other answer."""
        self.close_connection = True
        self._send(*_refusal(HTTPStatus(code), message or "the request was not understood"), with_body=True)

    def _answer(self, with_body: bool) -> None:
        self._send(*self._find(), with_body=with_body)

    def _send(self, status: HTTPStatus, kind: str, body: bytes, with_body: bool) -> None:
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def _find(self) -> tuple[HTTPStatus, str, bytes]:
        if self.headers.get("Host") not in self.server.hosts:
            return _refusal(HTTPStatus.FORBIDDEN, f"open {self.server.address} instead")
        try:
            address = unquote(urlsplit(self.path).path, errors="strict").removeprefix("/") or "index.html"
            content = files(self.server.zoo).get(address)
            if content is None:
                return _refusal(HTTPStatus.NOT_FOUND, "the playground has no such file")
            return HTTPStatus.OK, TYPES[Path(address).suffix], content()
        except ValueError as error:  # an address that is none, or a UserError about a network
            return _refusal(HTTPStatus.BAD_REQUEST, str(error))
        except OSError as error:
            return _refusal(HTTPStatus.NOT_FOUND, f"the file cannot be read: {error.strerror}")


def _refusal(status: HTTPStatus, reason: str) -> tuple[HTTPStatus, str, bytes]:
    return status, "text/plain; charset=utf-8", f"{status.value} {status.phrase}: {reason}\n".encode()
