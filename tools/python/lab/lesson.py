"""A notebook of a lab, made from its folder: handout, guesses, runs, starter, report.

    python3 -m lab.lesson 3 lab3.ipynb

Whatever it shows, lab.toml, study.toml and README.md of the lab say: nothing is kept twice."""
from __future__ import annotations

import json
import pathlib
import sys
from typing import Any, Dict, Iterator, List

from . import program

try:
    import tomllib
except ImportError:
    import tomli as tomllib  # type: ignore[no-redef]

Cell = Dict[str, Any]


def _text(source: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": source.strip()}


def _code(source: str) -> Cell:
    return {"cell_type": "code", "metadata": {}, "source": source.strip(), "outputs": [], "execution_count": None}


def _call(name: str, *words: Any, **named: Any) -> str:
    shown = [repr(word) for word in words] + [f"{key}={value!r}" for key, value in named.items() if value]
    return f"lab.{name}({', '.join(shown)})"


def _guesses(number: int, study: Dict[str, Any]) -> Iterator[Cell]:
    """Each asks, takes a number, and says which wrong rule gives it."""
    yield _text("## Guess first\n\nPut your number in place of the 0 and run the cell.")
    for one in study.get("guess", []):
        yield _text(one["ask"])
        yield _code("answer = 0\n" + _call("guess", number, 0, one["variant"], params=one.get("params"),
                                             metric=one.get("metric")).replace(", 0,", ", answer,", 1))


def _first_runs(number: int, lab: Dict[str, Any]) -> Iterator[Cell]:
    """The rows of the lab's first page, as tables and as one picture."""
    rows = [str(row).split() for row in lab.get("screen", {}).get("rows", [])]
    variants = list(dict.fromkeys(row[0] for row in rows))
    yield _text("## Run it\n\nOne row per case. `value` of a metric is what was measured, without a GPU what the model counted; "
                "`run.compare()` has theory, model and measurement side by side.")
    yield _code(f"run = {_call('run', number, variants[0] if len(variants) == 1 else variants)}\nrun")
    columns = ["variant", "key", "theory", "model", "measured", "verdict"]
    yield _code(f"import pandas\ntable = pandas.DataFrame(run.compare())\n"
                f"table[table['key'].isin({lab['headline']!r})][{columns!r}]")
    variant, *params = rows[-1]
    yield _text("Which lane touches which sector or bank:")
    named = (one.split("=", 1) for one in params)
    yield _code(_call("map", number, variant, params={name: values.split(",")[0] for name, values in named}))


def _own_kernel(number: int, study: Dict[str, Any]) -> Iterator[Cell]:
    start = study["start"]
    yield _text(f"## Your part\n\n{start['task']}")
    yield _code(f"print(lab.start({number}, 'lab{number}.cu'))\nprint(open('lab{number}.cu').read())")
    yield _text(f"Edit `lab{number}.cu`, and run it; the lab's theory is your target.")
    yield _code(f"mine = {_call('run', number, start['variant'], kernel=f'lab{number}.cu')}\nmine")
    yield _code("mine.report()")


def notebook(folder: pathlib.Path, number: int) -> Dict[str, Any]:
    """The notebook of a lab's folder, as nbformat 4 has it."""
    lab = tomllib.loads((folder / "lab.toml").read_text(encoding="utf-8"))
    study = tomllib.loads((folder / "study.toml").read_text(encoding="utf-8"))
    handout = (folder / "README.md").read_text(encoding="utf-8").split("\n## Do", maxsplit=1)[0]
    cells: List[Cell] = [_text(handout), _code("import lab\n%load_ext lab"), *_guesses(number, study),
                         *_first_runs(number, lab), *_own_kernel(number, study)]
    for at, cell in enumerate(cells):
        cell["id"] = f"cell-{at}"
    return {"cells": cells, "nbformat": 4, "nbformat_minor": 5,
            "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}}


def main(words: List[str]) -> int:
    if len(words) != 2:
        print("usage: python3 -m lab.lesson LAB FILE.ipynb", file=sys.stderr)
        return 2
    found, _ = program.document(["show", words[0]])
    lab = found["lab"]
    made = notebook(pathlib.Path(lab["handout"]).parent, lab["number"])
    pathlib.Path(words[1]).write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
