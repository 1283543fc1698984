"""What `import lab` offers: one function per command that a notebook needs."""
from __future__ import annotations

import json
import pathlib
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import program
from .launch import Arguments, Size, compile_words, size_text
from .results import Case, Guess, Metric, Run, Svg, cases_html

Source = Union[str, pathlib.Path]


def _placed(source: Source, folder: pathlib.Path, name: str) -> pathlib.Path:
    """A file's path; a text becomes a file of `folder`."""
    text = str(source)
    if isinstance(source, pathlib.Path) or ("\n" not in text and "{" not in text):
        return pathlib.Path(text)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def _stored(db: Optional[str], store: bool) -> List[str]:
    return (["--db", str(db)] if db else []) if store else ["--no-store"]


class Probe(Run):
    """What one launch of a kernel did. `probe["global_load_sectors"]` is a number."""

    def __init__(self, values: Dict[str, Any], db: Optional[str], outputs: Dict[int, Any],
                 launch: "_Launch"):
        super().__init__(values, db)
        self.outputs = outputs
        self._launch = launch

    @property
    def case(self) -> Case:
        return self.cases[0]

    @property
    def metrics(self) -> Dict[str, Metric]:
        return self.case.metrics

    def __getitem__(self, key: Any) -> Any:
        return self.case[key] if isinstance(key, str) else self.cases[key]

    def map(self, line: Optional[int] = None, warp: str = "0,0", matrix: bool = False) -> Svg:
        """Which lane of a warp touches which sector or bank, as a picture."""
        words = ["--warp", warp, *(("--line", line) if line else ()), *(("--matrix",) if matrix else ())]
        return self._launch.picture(words)

    def __repr__(self) -> str:
        return f"<Probe of {self.case.kernel}: {self.case.status}>"


class _Launch:
    """A launch as words, which can be made again: for a picture of it."""

    def __init__(self, source: Source, ptx: bool, options: Sequence[str], args: Sequence[Any]):
        self._source, self._name = source, "kernel.ptx" if ptx else "kernel.cu"
        self._options, self._args = list(options), list(args)

    def perform(self, more: Sequence[str], db: Optional[str], backend: Sequence[str]) -> Probe:
        with tempfile.TemporaryDirectory(prefix="lab-") as name:
            folder = pathlib.Path(name)
            arguments = Arguments(folder, self._args)
            words = ["probe", _placed(self._source, folder, self._name), *self._options, *arguments.words, *more]
            found, _ = program.document([*words, *backend])
            return Probe(found["runs"][0], db, arguments.outputs(), self)

    def picture(self, more: Sequence[Any]) -> Svg:
        with tempfile.TemporaryDirectory(prefix="lab-") as name:
            folder = pathlib.Path(name)
            arguments = Arguments(folder, self._args)
            launch = [word for pair in zip(arguments.words[::2], arguments.words[1::2]) if pair[0] == "--arg"
                      for word in pair]
            program.call(["map", _placed(self._source, folder, self._name), *self._options, *launch, *more,
                          "--svg", folder / "map.svg"])
            return Svg((folder / "map.svg").read_text(encoding="utf-8"))


def probe(source: Optional[Source] = None, kernel: Optional[str] = None, *, grid: Size, block: Size,
          args: Sequence[Any] = (), ptx: Optional[Source] = None, shared: int = 0,
          symbols: Optional[Mapping[str, str]] = None, include: Sequence[str] = (),
          defines: Optional[Dict[str, Any]] = None, std: Optional[str] = None, arch: Optional[str] = None,
          backend: Optional[str] = None, check: Optional[str] = None, store: bool = False,
          db: Optional[str] = None) -> Probe:
    """Runs one kernel of a file or of a text (CUDA C++, or PTX of any compiler as `ptx`).

    args: NumPy arrays (buffers; `outputs` has what the kernel left in them), Python numbers (of the
    type that the kernel declares), NumPy numbers (of their own type: needed for PTX, which declares
    none, and within a struct), tuples of these (a struct by value, an array in it is a pointer), or
    texts as `lab probe --arg` takes them. It is stored where `store` or `db` says so.
    Raises InputError where the kernel does not compile or the arguments do not fit."""
    if (source is None) == (ptx is None):
        raise program.InputError("a probe takes a source or ptx=, one of them")
    options = ["--grid", size_text("grid", grid), "--block", size_text("block", block)]
    options += ["--kernel", kernel] if kernel else []
    options += ["--shared", str(shared)] if shared else []
    for name, value in (symbols or {}).items():
        options += ["--symbol", f"{name}={value}"]
    options += compile_words(include, defines, std) + (["--arch", arch] if arch else [])
    more = _stored(db, store or db is not None) + (["--check", check] if check else [])
    text: Source = source if source is not None else ptx  # type: ignore[assignment]
    launch = _Launch(text, ptx is not None, options, args)
    return launch.perform(more, db, ["--backend", backend] if backend else [])


def run(lab: Union[int, str], variant: Union[None, str, Sequence[str]] = None, *, params: Optional[Mapping[str, Any]] = None,
        kernel: Optional[Source] = None, all: bool = False, backend: Optional[str] = None,
        arch: Optional[str] = None, student: Optional[str] = None, store: bool = True,
        db: Optional[str] = None) -> Run:
    """Runs a lab, as `lab run` does: `lab.run(3)`, `lab.run(3, "stride", params={"stride": "1..8"})`.

    variant: one or several. params: a value, a list of values, or a range as a text. kernel: a file, or the text of one, whose
    kernels replace the lab's. The run is stored as the command stores it ($LAB_DB, else lab.db)."""
    words: List[Any] = ["run", lab]
    for one in [variant] if isinstance(variant, str) else variant or []:
        words += ["--variant", one]
    for name, value in (params or {}).items():
        values = ",".join(str(each) for each in value) if isinstance(value, (list, tuple, range)) else str(value)
        words += ["--param", f"{name}={values}"]
    for option, chosen in (("--backend", backend), ("--arch", arch), ("--student", student)):
        words += [option, chosen] if chosen else []
    words += (["--all"] if all else []) + _stored(db, store)
    with tempfile.TemporaryDirectory(prefix="lab-") as folder:
        if kernel is not None:
            words += ["--kernel", _placed(kernel, pathlib.Path(folder), "mine.cu")]
        found, _ = program.document(words)
    return Run(found["runs"][0], db)


class Exec:
    """What a whole program did: `output` is its own, `run` (None: it launched nothing) its kernels'."""

    def __init__(self, found: Dict[str, Any], output: str, status: int, db: Optional[str]):
        self.json = found
        self.output = output
        self.status = status
        runs = found.get("runs") or []
        self.run: Optional[Run] = Run(runs[0], db) if runs else None

    @property
    def cases(self) -> List[Any]:
        return self.run.cases if self.run else []

    @property
    def findings(self) -> List[Any]:
        return self.run.findings if self.run else []

    def __repr__(self) -> str:
        return f"<Exec: status {self.status}, {len(self.cases)} kernels, {len(self.findings)} findings>"

    def __str__(self) -> str:
        return self.output

    def _repr_html_(self) -> str:
        import html
        told = self.run.told if self.run else []
        return "".join([f"<pre>{html.escape(self.output)}</pre>", cases_html(self.cases) if self.cases else "",
                        *(one.html() for one in told)])


def exec(source: Union[Source, Sequence[Source]], *arguments: Any, stdin: str = "", include: Sequence[str] = (),
         defines: Optional[Dict[str, Any]] = None, std: Optional[str] = None, keep: Optional[str] = None,
         arch: Optional[str] = None, store: bool = False, db: Optional[str] = None) -> Exec:
    """Runs a whole program (files, or a text), `main` and all, without a GPU. `arguments` are the
    program's own. `status` is its exit status, or 1 where something was found."""
    sources = list(source) if isinstance(source, (list, tuple)) else [source]
    with tempfile.TemporaryDirectory(prefix="lab-") as name:
        folder = pathlib.Path(name)
        files = [_placed(one, folder, f"program{i or ''}.cu") for i, one in enumerate(sources)]
        words: List[Any] = ["exec", *files, *compile_words(include, defines, std)]
        words += (["--keep", keep] if keep else []) + (["--arch", arch] if arch else [])
        words += _stored(db, store or db is not None) + ["--json"]
        done = program.call([*words, *(("--", *arguments) if arguments else ())], stdin=stdin)
    try:
        found = json.loads(done.stdout)
    except ValueError as error:
        raise program.InputError(done.stderr.strip(), done.returncode) from error
    return Exec(found, done.stderr, done.returncode, db)


def labs() -> List[Dict[str, Any]]:
    """The labs that there are: number, title, summary, folder."""
    found, _ = program.document(["list"])
    return list(found["labs"])


def map(lab: Union[int, str], variant: Optional[str] = None, *, params: Optional[Mapping[str, Any]] = None,
        kernel: Optional[Source] = None, line: Optional[int] = None, matrix: bool = False) -> Svg:
    """Which lane of a warp touches which sector or bank in a lab's variant, as a picture."""
    words: List[Any] = ["map", lab, *(("--variant", variant) if variant else ())]
    for name, value in (params or {}).items():
        words += ["--param", f"{name}={value}"]
    words += (["--line", line] if line else []) + (["--matrix"] if matrix else [])
    with tempfile.TemporaryDirectory(prefix="lab-") as name:
        folder = pathlib.Path(name)
        if kernel is not None:
            words += ["--kernel", _placed(kernel, folder, "mine.cu")]
        program.call([*words, "--svg", folder / "map.svg"])
        return Svg((folder / "map.svg").read_text(encoding="utf-8"))


def start(lab: Union[int, str], file: str) -> str:
    """Copies a lab's starter to `file`; what to do first comes back."""
    found, _ = program.document(["start", lab, "--output", file])
    return str(found["step"])


def guess(lab: Union[int, str], answer: Any, variant: Optional[str] = None, *,
          params: Optional[Mapping[str, Any]] = None, metric: Optional[str] = None, store: bool = False,
          db: Optional[str] = None) -> Guess:
    """Holds a number said beforehand against the kernel's own; names the wrong rule that gives it."""
    words: List[Any] = ["guess", lab, "--answer", answer, *(("--variant", variant) if variant else ())]
    for name, value in (params or {}).items():
        words += ["--param", f"{name}={value}"]
    words += (["--metric", metric] if metric else []) + _stored(db, store or db is not None)
    found, _ = program.document(words)
    return Guess(found["ask"], found["guess"], found["value"], found["right"], found["formula"], found["rule"],
                 found["told"])


def query(sql: str, db: Optional[str] = None) -> List[Dict[str, Any]]:
    """Rows of read-only SQL over the stored runs (db/README.md has tables and views)."""
    words = ["query", sql, "--format", "json", *(("--db", str(db)) if db else ())]
    return list(json.loads(program.call(words).stdout))
