"""pytest collects `lab check` files: each [[case]] of a kernels.toml is a test.

    pytest -p lab.pytest_plugin                 # kernels.toml and *.kernels.toml below the folder
    pytest -p lab.pytest_plugin --lab-arch sm_80,sm_90

The wheel registers it, so that `-p` is not needed there."""
from __future__ import annotations

import pathlib
from typing import Any, Dict, Iterator, List, Optional

import pytest

from . import program

try:
    import tomllib
except ImportError:  # before Python 3.11 pytest itself brings its twin
    import tomli as tomllib  # type: ignore[no-redef]


def pytest_addoption(parser: Any) -> None:
    parser.getgroup("lab").addoption("--lab-arch", metavar="LIST", help="architectures in place of the file's: sm_80,sm_90")


def pytest_collect_file(file_path: pathlib.Path, parent: Any) -> Optional["CheckFile"]:
    if file_path.name == "kernels.toml" or file_path.name.endswith(".kernels.toml"):
        return CheckFile.from_parent(parent, path=file_path)  # type: ignore[no-any-return]
    return None


class CheckFile(pytest.File):
    """One file; it is run once, when the first of its cases is."""

    _checks: Optional[Dict[str, List[Dict[str, Any]]]] = None

    def collect(self) -> Iterator["CheckCase"]:
        cases = tomllib.loads(self.path.read_text(encoding="utf-8")).get("case", [])
        for number, case in enumerate(cases):
            yield CheckCase.from_parent(self, name=str(case.get("name", number)))

    def checks(self, name: str) -> List[Dict[str, Any]]:
        """What came of the case: once per architecture and parameter point."""
        if self._checks is None:
            arch = self.config.getoption("--lab-arch")
            found, _ = program.document(["check", self.path, *(("--arch", arch) if arch else ())])
            self._checks = {}
            for check in found["checks"]:
                # A lab's variant has a check per point: `name [rows=97]`.
                self._checks.setdefault(str(check["case"]).split(" [", maxsplit=1)[0], []).append(check)
        return self._checks.get(name, [])


class CheckCase(pytest.Item):
    """One [[case]]."""

    def runtest(self) -> None:
        assert isinstance(self.parent, CheckFile)
        checks = self.parent.checks(self.name)
        if not checks:
            raise CheckFailed(f"lab check said nothing of {self.name}")
        wrong = [text for check in checks for text in failures(check)]
        if wrong:
            raise CheckFailed("\n".join(wrong))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, (CheckFailed, program.LabError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> Any:
        return self.path, None, f"lab check: {self.name}"


class CheckFailed(Exception):
    """A criterion is not met, or a counter is not the baseline's."""


def failures(check: Dict[str, Any]) -> List[str]:
    if check["fine"]:
        return []
    head = f"{check['case']}, {check['arch']}: "
    wrong = [check["error"]] if check["error"] else []
    wrong += [one["reason"] or one["name"] for one in check["criteria"] if not one["met"]]
    return [head + text for text in [*wrong, *check["changes"]]]
