"""The cell magic %%cuda: a program or a kernel in a cell, and below it what it did."""
from __future__ import annotations

import argparse
import html
import re
import shlex
from typing import Any, Dict, List, Optional

from . import api
from .launch import is_array
from .program import LabError
from .results import Report, Svg

HELP = """%%cuda [options]

A cell with main() is a whole program, as for `lab exec`; words behind -- go to it. Any other cell has a
kernel, which is launched with --grid and --block. --arg takes the name of a NumPy array or number of the
notebook, or a text as `lab probe --arg` does; what the kernel leaves in a named array is in it afterwards."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise LabError(f"%%cuda: {message}\n{self.format_usage()}", 2)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="%%cuda", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter,
                     add_help=False)
    parser.add_argument("--kernel", help="where the cell has several")
    parser.add_argument("--grid", help="blocks: 64 or 8,8")
    parser.add_argument("--block", help="threads per block")
    parser.add_argument("--shared", type=int, default=0, help="dynamic shared memory, bytes")
    parser.add_argument("--arg", action="append", default=[], help="an argument, in the kernel's order")
    parser.add_argument("--std", help="c++14, c++17 or c++20")
    parser.add_argument("--arch", help="such as sm_80")
    parser.add_argument("-I", dest="include", action="append", default=[], help="a folder of headers")
    parser.add_argument("-D", dest="define", action="append", default=[], help="a macro")
    parser.add_argument("--map", action="store_true", help="draw the first warp's accesses")
    parser.add_argument("--report", action="store_true", help="show the HTML report inline")
    parser.add_argument("--name", help="the result's name in the notebook")
    return parser


def _sizes(text: Optional[str], option: str) -> List[int]:
    if text is None:
        raise LabError(f"%%cuda: a cell without main() needs --{option}, such as --{option} 32", 2)
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise LabError(f"%%cuda: --{option} {text}: write --{option} 4 or --{option} 4,2", 2) from None


def _defines(texts: List[str]) -> Dict[str, Any]:
    return {name: value if equals else None for name, equals, value in (text.partition("=") for text in texts)}


def _put(given: Any, left: Any) -> None:
    """Into the notebook's arrays, those within tuples, too."""
    if not isinstance(given, tuple):
        given[...] = left
        return
    for old, new in zip(given, left):
        if new is not old:
            _put(old, new)


class Magic:
    """What %%cuda does, for a shell with `user_ns` and `display`."""

    def __init__(self, shell: Any):
        self._shell = shell

    def __call__(self, line: str, cell: str) -> None:
        words = shlex.split(line)
        split = words.index("--") if "--" in words else len(words)
        options = _parser().parse_args(words[:split])
        try:
            program = re.search(r"\bmain\s*\(", cell) is not None
            done = self._exec(cell, options, words[split + 1:]) if program else self._probe(cell, options)
        except LabError as error:
            # The compiler's words, not our own stack.
            self._show(f'<pre style="color:#b3261e">{html.escape(str(error))}</pre>', str(error))
            return
        self._shell.user_ns[options.name or "_cuda"] = done

    def _show(self, page: str, text: str) -> None:
        from IPython.display import display
        display({"text/html": page, "text/plain": text}, raw=True)

    def _exec(self, cell: str, options: argparse.Namespace, arguments: List[str]) -> api.Exec:
        done = api.exec(cell + "\n", *arguments, include=options.include, defines=_defines(options.define),
                        std=options.std, arch=options.arch, store=options.report)
        self._show(done._repr_html_(), done.output)
        if options.report and done.run is not None:
            self._extra(done.run.report())
        return done

    def _probe(self, cell: str, options: argparse.Namespace) -> api.Probe:
        named = [self._value(text) for text in options.arg]
        done = api.probe(cell + "\n", options.kernel, grid=_sizes(options.grid, "grid"),
                         block=_sizes(options.block, "block"), args=named, shared=options.shared,
                         include=options.include, defines=_defines(options.define), std=options.std,
                         arch=options.arch, store=options.report)
        for number, output in done.outputs.items():
            _put(named[number], output)
        self._show(done._repr_html_(), repr(done))
        if options.map:
            self._extra(done.map())
        if options.report:
            self._extra(done.report())
        return done

    def _value(self, text: str) -> Any:
        value = self._shell.user_ns.get(text)
        known = is_array(value) or isinstance(value, (bool, int, float, tuple)) or hasattr(value, "dtype")
        return value if known else text

    def _extra(self, what: Any) -> None:
        from IPython.display import display
        assert isinstance(what, (Report, Svg))
        display(what)


def load(shell: Any) -> None:
    shell.register_magic_function(Magic(shell), magic_kind="cell", magic_name="cuda")
