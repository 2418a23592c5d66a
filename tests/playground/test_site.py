import json
import shutil
from pathlib import Path

import pytest

from neuralgpu.errors import UserError
from neuralgpu.playground.server import POLICY, TYPES
from neuralgpu.playground.site import INDEX, PAGE, export, files, index, networks


def listed(zoo: Path) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = json.loads(index(networks(zoo)))["networks"]
    return rows


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


def write_configuration(zoo: Path, config: str, name: str = "broken") -> None:
    (zoo / name).mkdir(parents=True)
    (zoo / name / "model.safetensors").touch()
    (zoo / name / "config.json").write_text(config)


@pytest.mark.parametrize(
    ("config", "error"),
    [
        ("{", "config.json is not valid JSON: Expecting property name"),
        ("[]", "config.json has no format; "),
        ('{"format": 99}', "config.json has format 99, newer than "),
        ('{"format": 2, "network": {}, "training": {}}', "config.json: 'task' is missing"),
        ('{"format": 1}', "config.json: this configuration of format 1 is not as it was written: 'task'"),
        ("[" * 100_000, "config.json is nested too deeply; take the file as `ngpu train` wrote it"),
        ('{"format": ' + "1" * 5000 + "}", "config.json is not valid JSON: Exceeds the limit"),
    ],
)
def test_a_damaged_configuration_is_listed_with_its_error_beside_the_others(
    tmp_path: Path, zoo: Path, config: str, error: str
) -> None:
    write_configuration(tmp_path, config)
    shutil.copytree(zoo / "cgru", tmp_path / "cgru")
    broken, good = listed(tmp_path)
    assert broken["error"].startswith(error)
    assert list(broken) == ["name", "error"]
    assert (broken["name"], good["name"]) == ("broken", "cgru")


@pytest.mark.parametrize("error", [OverflowError, ValueError])
def test_a_value_that_no_check_foresaw_is_an_error_of_its_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def fail(path: Path) -> None:
        raise error("9" * 5000)

    monkeypatch.setattr("neuralgpu.playground.site.load_config", fail)
    write_configuration(tmp_path, "{}")
    told = listed(tmp_path)[0]["error"]
    assert told.startswith("config.json holds a value that cannot be used: 999")
    assert len(told) < 310


def test_an_alphabet_that_is_not_the_tasks_own_is_told(tmp_path: Path, zoo: Path) -> None:
    config = (zoo / "cgru" / "config.json").read_text()
    write_configuration(tmp_path, config.replace('"alphabet": "01"', '"alphabet": "10"'))
    assert listed(tmp_path)[0]["error"].startswith("the alphabet of copy is '10' there and '01' here")


def test_a_network_without_a_known_task_or_recipe_is_listed(tmp_path: Path, zoo: Path) -> None:
    shutil.copytree(zoo / "foreign", tmp_path / "foreign")
    config = json.loads((tmp_path / "foreign" / "config.json").read_text())
    (tmp_path / "foreign" / "config.json").write_text(json.dumps(config | {"training": {"recipe": 5}}))
    assert listed(tmp_path) == [{"name": "foreign", "task": "swap"}]


def test_a_directory_of_format_1_is_served_in_format_2(tmp_path: Path) -> None:
    model = {"maps": 24, "kernel": 3, "levels": 2}
    settings = {"model": model, "slack": 32, "stretch": 0.5, "zero_fill": True, "spare": 28}
    config = {"task": "bmul", "recipe": "exact", "seed": 0, "settings": settings, "format": 1}
    write_configuration(tmp_path, json.dumps(config), "old")
    assert listed(tmp_path) == [{"name": "old", "task": "bmul", "recipe": "exact"}]
    assert json.loads(files(tmp_path)["zoo/old/config.json"]()) == {
        "format": 2,
        "network": {
            "task": "bmul",
            "alphabet": "01*",
            "tape": {"per_symbol": 1.5, "extra": 31, "fill": "0"},
            "steps": {"per_cell": 1.0, "extra": 0},
            "model": {"kind": "diagonal", **model},
        },
        "training": {"recipe": "exact"},
    }


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
    assert written == files(zoo).keys()
    assert count == len(written)
    assert (target / "zoo/cgru/config.json").read_bytes() == files(zoo)["zoo/cgru/config.json"]()


def test_export_leaves_out_a_network_that_cannot_be_read(tmp_path: Path) -> None:
    write_configuration(tmp_path / "zoo", "{")
    export(tmp_path / "zoo", tmp_path / "public")
    assert json.loads((tmp_path / "public" / INDEX).read_text()) == {"networks": []}
    assert not (tmp_path / "public/zoo/broken").exists()


def test_export_does_not_touch_a_folder_that_holds_something(tmp_path: Path, zoo: Path) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(UserError, match="is not an empty folder"):
        export(zoo, tmp_path)
    with pytest.raises(UserError, match="is not an empty folder"):
        export(zoo, tmp_path / "mine")
