import json
from pathlib import Path

import pytest

from neuralgpu.errors import UserError
from neuralgpu.playground.server import POLICY, TYPES
from neuralgpu.playground.site import INDEX, PAGE, export, files, index


def listed(zoo: Path) -> list[dict[str, str]]:
    networks: list[dict[str, str]] = json.loads(index(zoo))["networks"]
    return networks


def test_the_index_lists_every_network_with_task_and_recipe(zoo: Path) -> None:
    assert listed(zoo)[0] == {"name": "cgru", "task": "copy", "recipe": "paper"}
    assert [network["name"] for network in listed(zoo)] == sorted(path.name for path in zoo.iterdir())


def test_a_folder_without_weights_is_no_network(tmp_path: Path, zoo: Path) -> None:
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun" / "config.json").write_bytes((zoo / "cgru" / "config.json").read_bytes())
    (tmp_path / "file").touch()
    assert listed(tmp_path) == []


def test_a_network_that_links_out_of_the_folder_is_left_out(tmp_path: Path, zoo: Path) -> None:
    (tmp_path / "linked").symlink_to(zoo / "cgru")
    (tmp_path / "half").mkdir()
    for name in ("config.json", "model.safetensors"):
        (tmp_path / "half" / name).symlink_to(zoo / "cgru" / name)
    assert listed(tmp_path) == []


def test_a_damaged_configuration_is_named(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "model.safetensors").touch()
    (tmp_path / "x" / "config.json").write_text("{")
    with pytest.raises(UserError, match=r"config\.json is not valid JSON"):
        index(tmp_path)


def test_a_missing_zoo_is_an_empty_one(tmp_path: Path) -> None:
    assert listed(tmp_path / "nowhere") == []


def test_the_page_is_built_and_every_file_has_a_known_type(zoo: Path) -> None:
    assert "index.html" in files(zoo)
    assert {Path(address).suffix for address in files(zoo)} <= TYPES.keys()


def test_the_page_has_the_policy_of_the_server(zoo: Path) -> None:
    html = (PAGE / "index.html").read_text()
    policy = POLICY.removesuffix("; frame-ancestors 'none'")  # which a page cannot say of itself
    assert f'content="{policy}"' in html
    assert "http://" not in html
    assert "https://" not in html


def test_export_writes_the_files_that_the_server_serves(tmp_path: Path, zoo: Path) -> None:
    target = tmp_path / "public"
    count = export(zoo, target)
    written = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert written == files(zoo).keys() | {INDEX}
    assert count == len(written)
    assert (target / "zoo/cgru/config.json").read_bytes() == (zoo / "cgru/config.json").read_bytes()


def test_export_does_not_touch_a_folder_that_holds_something(tmp_path: Path, zoo: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(UserError, match="is not an empty folder"):
        export(zoo, tmp_path)
    with pytest.raises(UserError, match="is not an empty folder"):
        export(zoo, tmp_path / "mine")
