"""Finds the program `lab` and runs it: everything that is counted, it counts."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
from typing import Any, Optional, Sequence, Tuple

HERE = pathlib.Path(__file__).resolve().parent


class LabError(Exception):
    """What the program says on its standard error, with the exit status in `status`."""

    status = 4

    def __init__(self, message: str, status: Optional[int] = None):
        super().__init__(message)
        if status is not None:
            self.status = status


class InputError(LabError):
    """Bad usage or bad input: an unknown name, a kernel that does not compile (status 2)."""

    status = 2


class MachineError(LabError):
    """This machine can't: no GPU, no NVRTC, a full disk, no program (status 3)."""

    status = 3


_ERRORS = {2: InputError, 3: MachineError}


def find_program() -> pathlib.Path:
    """$LAB_PROGRAM, else the program of the wheel, of a checkout's build, of an archive, or on PATH."""
    named = os.environ.get("LAB_PROGRAM")
    if named:
        return pathlib.Path(named)
    for place in (HERE / "programs/lab",                                # a wheel
                  HERE.parents[2] / "build/release/bin/lab",            # a checkout
                  HERE.parents[2] / "lab"):                             # share/python of an archive
        if os.access(place, os.X_OK) and place.is_file():
            return place
    found = shutil.which("lab")
    if found:
        return pathlib.Path(found)
    raise MachineError("the program 'lab' is not here: build it (tools/lab run 3), or set LAB_PROGRAM to it")


def call(words: Sequence[Any], *, stdin: Optional[str] = None) -> subprocess.CompletedProcess[str]:
    """Runs the program. What it printed comes back, or LabError is raised with its own words: status
    0 is fine and 1 that something is wrong with the kernel, which the result says."""
    command = [str(find_program()), *map(str, words)]
    try:
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    except OSError as error:
        raise MachineError(f"{command[0]}: {error.strerror}") from error
    # A whole program's own status is that of `lab exec`: a result is a result.
    if done.returncode in (0, 1) or done.stdout:
        return done
    message = done.stderr.strip() or f"{command[0]} ended with status {done.returncode}"
    raise _ERRORS.get(done.returncode, LabError)(message.removeprefix("error: "), done.returncode)


def document(words: Sequence[Any], **how: Any) -> Tuple[Any, subprocess.CompletedProcess[str]]:
    """What a command prints with --json, read; and the process that printed it."""
    done = call([*words, "--json"], **how)
    try:
        return json.loads(done.stdout), done
    except ValueError as error:
        raise LabError(done.stderr.strip() or f"lab {words[0]} printed no JSON", done.returncode) from error
