"""Results as objects: what `--json` prints (tools/cli/json/README.md), with names and tables."""
from __future__ import annotations

import dataclasses
import html
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from . import program

Row = Dict[str, Any]

# The headline metrics of a table, and how its columns are headed.
HEADINGS = {
    "global_load_sectors_per_request": "sectors per request, read",
    "global_store_sectors_per_request": "sectors per request, write",
    "shared_load_ways": "n-way bank conflict, load",
    "shared_store_ways": "n-way bank conflict, store",
    "local_load_requests": "local loads",
}


@dataclasses.dataclass(frozen=True)
class Metric:
    """One metric of one case. `value` is what tables show of a kernel, by `value_by`: what was measured, else the
    model's."""

    key: str
    unit: Optional[str]
    theory: Optional[float]
    model: Optional[float]
    measured: Optional[float]
    verdict: Optional[str]
    reason: Optional[str]
    target: Optional[float]
    excess: Optional[float]
    formula: Optional[str]
    value: Optional[float]
    value_by: Optional[str]


class Told:
    """What is said of a place in a kernel, in the words of every page of lab."""

    file: Optional[str]
    line: Optional[int]
    source: Optional[str]
    text: str
    colour: str

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else ""

    @property
    def sentences(self) -> List[str]:
        return [self.text]

    def __str__(self) -> str:
        place = [f"{self.place}   {self.source or ''}".rstrip()] if self.place else []
        return "\n    ".join([*place, *self.sentences])

    def html(self) -> str:
        code = f'<code style="white-space:pre">{html.escape(self.source)}</code><br>' if self.source else ""
        return (f'<div style="border-left:4px solid {self.colour};padding:2px 8px;margin:6px 0">'
                f"<b>{html.escape(self.place)}</b> {code}{html.escape(' '.join(self.sentences))}</div>")


@dataclasses.dataclass(frozen=True)
class Finding(Told):
    """What a checker found, with its line: an index out of bounds, a race; or what is no mistake and worth a
    sentence."""

    kind: str
    message: str
    file: Optional[str]
    line: Optional[int]
    source: Optional[str]
    count: int
    block: Tuple[int, ...] = ()
    thread: Tuple[int, ...] = ()
    text: str = ""
    seen: Optional[str] = None
    cure: Optional[str] = None
    mistake: bool = True

    @property
    def colour(self) -> str:
        return "#b3261e" if self.mistake else "#8a6d00"

    @property
    def sentences(self) -> List[str]:
        return [one for one in (self.text, self.seen, self.cure) if one]


@dataclasses.dataclass(frozen=True)
class Advice(Told):
    """What to change: the line, what its lanes do, the cure and what that saves. `text` is all of it."""

    rule: str
    file: Optional[str]
    line: Optional[int]
    finding: str
    cure: str
    saved: Optional[float]
    total: Optional[float]
    unit: Optional[str]
    text: str
    source: Optional[str] = None
    colour = "#8a6d00"


@dataclasses.dataclass(frozen=True)
class Guess:
    """A number said before it was seen."""

    ask: Optional[str]
    guess: float
    value: Optional[float]
    right: bool
    formula: Optional[str]
    rule: Optional[str]
    told: str = ""

    def __str__(self) -> str:
        return self.told

    __repr__ = __str__


def _of(kind: Any, values: Mapping[str, Any], **more: Any) -> Any:
    """The fields that `kind` has, of a JSON object that may have others."""
    names = {field.name for field in dataclasses.fields(kind)}
    known = {name: value for name, value in values.items() if name in names}
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in known.items()}, **more)


class Case(Mapping[str, Optional[float]]):
    """One launch. `case["global_load_sectors"]` is a number, `case.metrics[...]` all that is known of it."""

    def __init__(self, values: Row):
        self.json = values
        self.variant: str = values["variant"]
        self.params: Row = values["params"]
        self.kernel: Optional[str] = values["kernel"]
        self.grid: Tuple[int, ...] = tuple(values["grid"] or ())
        self.block: Tuple[int, ...] = tuple(values["block"] or ())
        self.status: str = values["status"]
        self.correct: Optional[bool] = values["correct"]
        self.outcome: Optional[str] = values.get("outcome")
        self.standing: Optional[str] = values.get("standing")
        self.reason: Optional[str] = values["reason"]
        self.metrics: Dict[str, Metric] = {key: _of(Metric, one, key=key) for key, one in values["metrics"].items()}
        self.findings: List[Finding] = [_of(Finding, one) for one in values["findings"]]
        self.remarks: List[Finding] = [_of(Finding, one, mistake=False) for one in values.get("remarks") or []]
        self.advice: List[Advice] = [_of(Advice, one) for one in values.get("advice") or []]

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def expected_us(self) -> Optional[float]:
        """The expected time of a launch, in us; without a GPU that of an H200."""
        ns = (self.json.get("expected_time") or {}).get("ns")
        return None if ns is None else ns / 1000

    @property
    def measured_us(self) -> Optional[float]:
        ns = (self.json.get("time") or {}).get("median_ns")
        return None if ns is None else ns / 1000

    def __getitem__(self, key: str) -> Optional[float]:
        return self.metrics[key].value

    def __iter__(self) -> Iterator[str]:
        return iter(self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def row(self) -> Row:
        """One row of a table: parameters, status, each metric's value."""
        return {"variant": self.variant, **self.params, "kernel": self.kernel, "status": self.status,
                "correct": self.correct, "expected_us": self.expected_us, "measured_us": self.measured_us, **dict(self)}

    def __repr__(self) -> str:
        name = self.variant or self.kernel or "a library's kernel"
        return f"<Case {name} {self.params or ''} {self.status}>"


class Svg:
    """A picture that a notebook shows."""

    def __init__(self, text: str):
        self.text = text

    def _repr_svg_(self) -> str:
        return self.text

    def save(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)


class Report:
    """`lab report`'s page, shown inline in a notebook."""

    def __init__(self, text: str, height: int = 600):
        self.text, self.height = text, height

    def _repr_html_(self) -> str:
        return (f'<iframe style="width:100%;height:{self.height}px;border:1px solid #ccc" '
                f'srcdoc="{html.escape(self.text, quote=True)}"></iframe>')

    def save(self, path: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)


class Run:
    """A run: its cases, and where it is stored."""

    def __init__(self, values: Row, db: Optional[str] = None):
        self.json = values
        self._db = db
        self.id: Optional[int] = values["run"]["id"]
        self.uuid: str = values["run"]["uuid"]
        self.backend: str = values["run"]["backend"]
        self.gpu: Optional[str] = values["run"]["gpu"]
        self.arch: Optional[str] = values["run"]["arch"]
        self.status: str = values["run"]["status"]
        self.verdicts: Dict[str, int] = values["run"]["verdicts"]
        self.cases: List[Case] = [Case(one) for one in values["cases"]]

    @property
    def ok(self) -> bool:
        """Every output is right, nothing was found, nothing disagrees."""
        return self.status == "ok"

    @property
    def findings(self) -> List[Finding]:
        return [one for case in self.cases for one in case.findings]

    @property
    def remarks(self) -> List[Finding]:
        """What is no mistake, and worth a sentence."""
        return [one for case in self.cases for one in case.remarks]

    @property
    def told(self) -> List[Told]:
        """All that is said of places, each once: findings, remarks, what to change."""
        told = [*self.findings, *self.remarks, *(one for case in self.cases for one in case.advice)]
        return list({str(one): one for one in told}.values())

    def __iter__(self) -> Iterator[Case]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)

    def __getitem__(self, number: int) -> Case:
        return self.cases[number]

    def rows(self) -> List[Row]:
        return [case.row() for case in self.cases]

    def frame(self) -> Any:
        """A pandas DataFrame, a row per case."""
        import pandas
        return pandas.DataFrame(self.rows()).dropna(axis="columns", how="all")

    def compare(self) -> List[Row]:
        """A row per case and metric: theory, model, measurement and verdict."""
        return [{"variant": case.variant, **case.params, **dataclasses.asdict(metric)}
                for case in self.cases for metric in case.metrics.values() if metric.value is not None]

    def report(self, height: int = 600) -> Report:
        """The run as one HTML page; it must have been stored."""
        if self.id is None:
            raise program.InputError("the run was not stored: run it with store=True")
        words = ["report", self.uuid, "--output", "-", *(("--db", self._db) if self._db else ())]
        return Report(program.call(words).stdout, height)

    def __repr__(self) -> str:
        return f"<Run {self.id if self.id is not None else 'not stored'}: {len(self.cases)} cases, {self.status}>"

    def _repr_html_(self) -> str:
        return cases_html(self.cases) + "".join(one.html() for one in self.told)


def number_text(value: Optional[float]) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3g}"


def _ways(case: Case, key: str) -> Optional[float]:
    """A kernel with no shared access has no n-way conflict."""
    requests = case.get(key.replace("_ways", "_requests").replace("sectors_per_request", "requests"))
    return case.get(key) if requests else None


def table_columns(cases: List[Case]) -> List[Tuple[str, List[str]]]:
    """Heading and cells of the columns that say something."""
    columns = [("kernel", [case.variant or case.kernel or "" for case in cases])]
    names = {name: None for case in cases for name in case.params}
    columns += [(name, [str(case.params.get(name, "")) for case in cases]) for name in names
                if len({str(case.params.get(name)) for case in cases}) > 1]
    for key, heading in HEADINGS.items():
        values = [_ways(case, key) for case in cases]
        if any(values):
            columns.append((heading, [number_text(value) for value in values]))
    gpu = next((case.json["expected_time"].get("gpu") for case in cases if case.json.get("expected_time")), None)
    for heading, times in ((f"expected on an {str(gpu).replace('NVIDIA ', '')}, us", [c.expected_us for c in cases]),
                           ("measured, us", [c.measured_us for c in cases])):
        if any(one is not None for one in times):
            columns.append((heading, [number_text(one) for one in times]))
    columns.append(("", ["" if case.ok else case.outcome or case.status for case in cases]))
    return columns


def cases_html(cases: List[Case]) -> str:
    columns = [column for column in table_columns(cases) if any(column[1])]
    head = "".join(f'<th style="text-align:right">{html.escape(heading)}</th>' for heading, _ in columns)
    rows = "".join("<tr>" + "".join(f'<td style="text-align:right">{html.escape(cells[i])}</td>'
                                    for _, cells in columns) + "</tr>" for i in range(len(cases)))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
