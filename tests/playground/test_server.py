import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from command import ngpu
from neuralgpu.errors import UserError
from neuralgpu.playground.server import POLICY, PlaygroundServer


@pytest.fixture(scope="module")
def server(zoo: Path) -> Iterator[PlaygroundServer]:
    (zoo.parent / "secret.json").write_text("secret")
    with PlaygroundServer(zoo, port=0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(server: PlaygroundServer, path: str, host: str | None = None, method: str = "GET") -> tuple[int, str, bytes]:
    """Status, headers and body; the request is sent as it is written, which no client library would do."""
    host = f"127.0.0.1:{server.server_port}" if host is None else host
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        connection.sendall(f"{method} {path} HTTP/1.0\r\nHost: {host}\r\n\r\n".encode("latin-1"))
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), head.decode("latin-1"), body


def test_the_page_comes_with_a_strict_policy(server: PlaygroundServer) -> None:
    status, head, body = ask(server, "/")
    assert status == 200
    assert f"Content-Security-Policy: {POLICY}" in head
    assert "X-Content-Type-Options: nosniff" in head
    assert "Content-Type: text/html" in head
    assert body.startswith(b"<!doctype html>")


def test_networks_are_served_as_they_are(server: PlaygroundServer, zoo: Path) -> None:
    status, _, body = ask(server, "/zoo/right/model.safetensors?x=1")
    assert (status, body) == (200, (zoo / "right/model.safetensors").read_bytes())


def test_head_sends_no_body(server: PlaygroundServer) -> None:
    status, head, body = ask(server, "/", method="HEAD")
    assert (status, body) == (200, b"")
    assert "Content-Length: 0" not in head


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_nothing_but_reading_is_possible(server: PlaygroundServer, method: str) -> None:
    assert ask(server, "/", method=method)[0] == 501


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/nothing", 404), ("<b>", "/", 501), ("GET", "/ or what", 400)]
)
def test_a_refusal_has_the_policy_of_the_page(server: PlaygroundServer, method: str, path: str, status: int) -> None:
    answered, head, body = ask(server, path, method=method)
    assert answered == status
    assert f"Content-Security-Policy: {POLICY}" in head
    assert "X-Content-Type-Options: nosniff" in head
    assert "Content-Type: text/plain" in head
    assert body.startswith(f"{status} ".encode())


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.json",
        "/zoo/../../secret.json",
        "/zoo/../index.html",
        "/%2e%2e/secret.json",
        "/zoo/%2e%2e%2fsecret.json",
        "/..%5csecret.json",
        "/%252e%252e/secret.json",
        "//etc/passwd",
        "/etc/passwd",
        "/%2fetc/passwd",
        "file:///etc/passwd",
        "/zoo/right/../right/config.json",
        "/zoo/./right/config.json",
        "/zoo/right/config.json/",
        "/zoo/right/config.json%00.js",
        "/zoo",
        "/assets/",
        "/server.py",
        "/../server.py",
        "/zoo/right/README.md",
        "/%ff",
        "http://[",
    ],
)
def test_nothing_outside_the_site_is_served(server: PlaygroundServer, path: str) -> None:
    status, _, body = ask(server, path)
    assert status in (400, 404)
    assert b"secret" not in body.replace(path.encode(), b"")
    assert b"root:" not in body


def test_a_link_out_of_the_zoo_is_not_followed(server: PlaygroundServer, zoo: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes((zoo / "right/config.json").read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"outside")
    link = zoo / "linked"
    link.symlink_to(tmp_path)
    try:
        assert ask(server, "/zoo/linked/model.safetensors")[0] == 404
    finally:
        link.unlink()


def test_a_file_that_is_gone_gets_an_answer(server: PlaygroundServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(path: Path) -> bytes:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(Path, "read_bytes", gone)
    status, _, body = ask(server, "/zoo/right/model.safetensors")
    assert (status, body) == (404, b"404 Not Found: the file cannot be read: No such file or directory\n")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", ""])
def test_another_host_name_is_refused(server: PlaygroundServer, host: str) -> None:
    status, _, body = ask(server, "/", host=host)
    assert status == 403
    assert server.address.encode() in body


def test_localhost_is_a_name_of_this_machine(server: PlaygroundServer) -> None:
    assert ask(server, "/", host=f"localhost:{server.server_port}")[0] == 200


def test_it_listens_on_loopback_alone(server: PlaygroundServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


@pytest.mark.parametrize("port", [None, 70000])
def test_a_port_that_cannot_be_had_is_told(server: PlaygroundServer, zoo: Path, port: int | None) -> None:
    with pytest.raises(UserError, match="choose another --port, 0 takes a free one"):
        PlaygroundServer(zoo, port or server.server_port)


def test_play_prints_its_address_and_ctrl_c_stops_it(zoo: Path) -> None:
    command = [sys.executable, "-m", "neuralgpu", "play", "--zoo", str(zoo), "--port", "0", "--no-browser"]
    heard = signal.signal(signal.SIGINT, signal.SIG_DFL)  # who runs tests in the background makes them deaf to Ctrl-C
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ})
    signal.signal(signal.SIGINT, heard)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("the playground is at http://127.0.0.1:")
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=20)
    assert (process.returncode, out, errors) == (0, "stopped\n", "")


def test_play_opens_the_browser(zoo: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(PlaygroundServer, "serve_forever", lambda self: None)
    assert ngpu(capsys, "play", "--zoo", str(zoo), "--port", "0")[0] == 0
    assert len(opened) == 1
    assert opened[0].startswith("http://127.0.0.1:")


def test_play_exports(zoo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, errors = ngpu(capsys, "play", "--zoo", str(zoo), "--export", str(tmp_path / "public"))
    assert (code, errors) == (0, "")
    assert out.startswith("wrote ")
    assert (tmp_path / "public" / "zoo" / "index.json").exists()


def test_play_names_what_it_cannot_show(zoo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(zoo / "right", tmp_path / "runs" / "broken")
    (tmp_path / "runs" / "broken" / "config.json").write_text("{")
    code, _, errors = ngpu(capsys, "play", "--zoo", str(tmp_path / "runs"), "--export", str(tmp_path / "public"))
    assert code == 0
    assert errors.startswith(f"{tmp_path / 'runs' / 'broken'} cannot be shown: config.json is not valid JSON")


def test_a_zoo_that_is_no_folder_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, errors = ngpu(capsys, "play", "--zoo", "/nowhere")
    assert code == 2
    assert "/nowhere is not a folder; name one that holds run directories" in errors


def test_serving_does_not_load_torch(zoo: Path) -> None:
    program = (
        "import sys, pathlib, neuralgpu.cli.play, neuralgpu.playground.server as server; "
        f"files = server.files(pathlib.Path({str(zoo)!r})); "
        "files['zoo/index.json'](), files['zoo/cgru/config.json'](); "
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
