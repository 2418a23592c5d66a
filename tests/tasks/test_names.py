import pytest

from neuralgpu.errors import UserError
from neuralgpu.tasks import TASKS, get_task


def test_the_paper_s_six_tasks_come_first() -> None:
    assert list(TASKS)[:6] == ["badd", "bmul", "copy", "reverse", "duplicate", "sort"]


def test_each_task_is_found_by_its_name() -> None:
    for name, task in TASKS.items():
        assert task.name == name
        assert get_task(name) is task


@pytest.mark.parametrize("base", range(2, 11))
@pytest.mark.parametrize("operation", ["add", "mul"])
def test_every_base_has_a_task_that_is_found_by_its_own_name(operation: str, base: int) -> None:
    task = get_task(f"{operation}{base}")
    assert len(task.alphabet) == base + 1
    assert get_task(task.name).alphabet == task.alphabet


@pytest.mark.parametrize("name", ["add1", "mul11"])
def test_other_bases_are_refused(name: str) -> None:
    with pytest.raises(UserError, match="choose one from 2 to 10"):
        get_task(name)


def test_a_misspelt_name_gets_the_nearest() -> None:
    with pytest.raises(UserError, match=r"unknown task 'revers'; did you mean reverse\?"):
        get_task("revers")
