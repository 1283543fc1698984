#!/usr/bin/env python3
"""Holds every #include against the layers: who may include whom is the table below.

Also holds the READMEs against it: every module and every folder of tests has one, a module's says
what it may include, and the table of folders in tools/readers/contributor.md names every module."""
import pathlib
import re
import sys

# Module -> the modules it may include, beside itself. Longest matching folder wins.
CORE = {"harness/core"}
LEAVES = CORE | {"metrics", "harness/kernel/ptx", "harness/kernel/cubin", "harness/ncu", "harness/kernel/compile",
                 "harness/kernel/toolkit", "harness/box/worker"}
RUNNING = CORE | {"harness/kernel/ptx", "harness/model/cost", "harness/model/code",
                  "harness/model/memory"}
MEASURING = CORE | {"metrics", "harness/kernel/cubin", "harness/gpu/driver", "harness/gpu/cupti",
                    "harness/gpu/machine"}
ALLOWED = {
    "harness/core": set(),
    "metrics": CORE | {"harness/page"},
    "harness/page": CORE,
    "harness/kernel/ptx": CORE,
    "harness/kernel/cubin": CORE | {"harness/kernel/ptx"},
    "harness/ncu": CORE | {"metrics", "harness/page"},
    "harness/record": CORE | {"harness/page"},
    # Stands alone in a stranger's process.
    "harness/record/inject": {"harness/record"},
    "harness/kernel/toolkit": CORE,
    # A text's declarations are known without a compiler.
    "harness/kernel/compile/source": CORE,
    "harness/kernel/compile": CORE | {"harness/kernel/compile/source", "harness/kernel/ptx", "harness/kernel/toolkit"},
    "harness/box/worker": CORE | {"harness/kernel/toolkit"},
    "harness/box": CORE | {"harness/kernel/compile", "harness/box/worker"},
    "db": CORE | {"metrics", "harness/reading"},
    "harness/labs/toml": CORE,
    "harness/formula": CORE,
    "harness/reading/generations": CORE | {"harness/page"},
    "harness/labs": CORE | {"harness/reading/generations", "harness/formula", "harness/page", "harness/reading", "harness/labs/toml", "metrics"},
    # The model's rooms, lowest first. What an access costs is known without the interpreter.
    "harness/model/cost": CORE,
    "harness/model/semantics": {"harness/kernel/ptx"},
    "harness/model/code": {"harness/kernel/ptx", "harness/model/cost"},
    "harness/model/memory": CORE | {"harness/kernel/ptx"},
    "harness/model/execute": RUNNING,
    "harness/model/instructions": RUNNING | {"harness/model/execute", "harness/model/semantics"},
    "harness/model/decode": RUNNING | {"harness/kernel/cubin", "harness/model/instructions"},
    "harness/model/check": RUNNING | {"harness/model/execute", "harness/model/semantics"},
    "harness/model/facts": RUNNING | {"harness/kernel/cubin", "harness/model/execute"},
    "harness/model/case": RUNNING | {"metrics", "harness/kernel/cubin", "harness/model/execute",
                                     "harness/model/decode", "harness/model/check",
                                     "harness/model/facts"},
    # Whole programs, from what both sides know to what each does.
    "harness/programs/wire": CORE | {"harness/programs/guest/include"},
    # What a program's own compiler reads, and what is linked into it: nothing else of ours.
    "harness/programs/guest/include": set(),
    "harness/programs/guest/runtime": {"harness/programs/wire", "harness/programs/guest/include"},
    "harness/programs/serve": RUNNING | {"metrics", "harness/kernel/cubin", "harness/model/case",
                                        "harness/model/check", "harness/programs/wire"},
    "harness/programs/build": CORE | {"harness/kernel/compile/source", "harness/programs/wire", "harness/kernel/ptx"},
    "harness/reading": CORE | {"metrics", "harness/reading/generations", "harness/page"},
    "harness/classes/study": CORE | {"metrics", "db", "harness/labs", "harness/formula", "harness/run"},
    "harness/model/layout": CORE | {"harness/model/cost"},
    # The GPU backend's rooms, lowest first.
    "harness/gpu/driver": CORE,
    "harness/gpu/cupti": CORE | {"harness/kernel/cubin", "metrics", "harness/gpu/driver"},
    "harness/gpu/machine": CORE | {"harness/gpu/driver", "harness/gpu/cupti"},
    "harness/gpu/measure": MEASURING | {"harness/kernel/ptx"},
    "harness/gpu/batch": MEASURING | {"harness/gpu/measure"},
    "harness/gpu/launches": MEASURING | {"harness/gpu/measure", "harness/programs/wire"},
    "harness/run": CORE | {"harness/kernel/compile/source", "harness/kernel/cubin", "harness/model/layout", "metrics", "harness/ncu", "harness/page", "harness/kernel/ptx",
                           "harness/reading", "harness/box/worker", "db", "harness/labs"},
    "harness/programs/exec": CORE | {"harness/programs/build", "harness/run", "harness/box/worker", "metrics"},
    "harness/classes/grade": CORE | {"harness/kernel/compile/source", "harness/kernel/cubin", "harness/programs/exec", "harness/page", "harness/kernel/ptx", "harness/reading", "harness/run", "harness/box/worker", "metrics", "db",
                             "harness/labs", "harness/formula", "harness/labs/toml"},
    "harness/classes/labtest": CORE | {"db", "harness/classes/grade", "harness/labs", "harness/ncu", "harness/reading", "harness/run", "harness/classes/study", "metrics"},
    "tools/cli": CORE | {"harness/programs/exec", "harness/classes/grade", "harness/classes/labtest", "harness/kernel/compile/source", "harness/model/layout", "metrics", "harness/kernel/ptx", "harness/kernel/cubin", "harness/ncu",
                         "harness/record", "harness/kernel/toolkit", "harness/box/worker", "db", "harness/reading/generations", "harness/labs", "harness/formula", "harness/reading", "harness/page", "harness/run", "harness/classes/study", "tools/report"},
    "tools/report": CORE | {"harness/page"},
    "tools/worker": LEAVES | MEASURING | {"harness/box", "harness/model/case", "harness/gpu/measure",
                                          "harness/gpu/batch", "harness/gpu/launches",
                                          "harness/programs/build", "harness/programs/serve",
                                          "harness/programs/wire"},
}
# Folders of tools/cli -> those that they may include: no rings.
CLI_FOLDERS = {
    "terminal": set(),
    "arguments": {"terminal"},
    "text": {"arguments", "terminal"},
    "json": {"text"},
    "commands": {"arguments", "json", "terminal", "text"},
}
# Printers lay pages out: they know tables, tones and widths, no record and no metric.
PAGE_PRINTERS = ("tools/cli/text", "tools/report")
NOT_PRINTED = ("harness/reading/", "harness/record/", "metrics/", "harness/core/record.h")
# These headers hold values against each other. Programs print what harness/reading made of that:
# a rule of judgement in a printer is a second opinion.
JUDGING = {f"metrics/{name}.h" for name in ("causes", "ceilings", "change", "compare", "evidence", "expected", "time_gap", "values")}
# A worker is sent all that it needs: what runs cases knows no lab.
LAB_HEADERS = {"harness/core/lab.h", "harness/core/resolve.h"}
BACKENDS = ("harness/model", "harness/gpu", "harness/box/worker", "tools/worker")
# Only this may see CUDA's headers; everything else builds on a machine with no toolkit.
CUDA_FOLDERS = ("harness/gpu", "harness/record/inject")
CUDA_HEADER = re.compile(r"^(cuda|cupti|nvrtc|nvtx|nvperf|cublas)")
# Programs read command lines and print; what they are made of takes and gives records. The worker's
# server is its program's main loop.
PRINTING_FOLDERS = {"tools/cli", "tools/worker", "harness/box/worker"}
COMMAND_LINE_HEADER = re.compile(r"^CLI/")
PRINTS = re.compile(r"fmt::print\(|std::(cout|cerr)\b|\b(puts|fputs|printf|fprintf|fwrite)\(")
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')
RAW_STRING = re.compile(r'R"([a-z]*)\(.*?\)\1"', re.DOTALL)
# A paragraph of a module's README: its text up to the first full stop.
MAY_INCLUDE = re.compile(r"^May include: ([^.]*)\.", re.MULTILINE)
# The keys of metrics stand in one header. These words are names of other things, too.
KEYS = "harness/core/metric_keys.h"
KEY = re.compile(r'= "([a-z][a-z0-9_]*)";')
NO_KEYS = {"instructions", "occupancy"}
# What READMEs name of the project's own: kernels and data may be a reader's.
NAMED_FILE = re.compile(r"`([A-Za-z0-9_./-]+\.(?:h|cpp|py|cmake))`")
LITERAL = re.compile(r'"([a-z][a-z0-9_]*)"')
WITH_KEYS = ("harness/", "metrics/", "db/", "tools/")
FOLDER_ROW = re.compile(r"^\| `([a-z/]+)` \|", re.MULTILINE)


def module_of(path):
    matches = [m for m in ALLOWED if path == m or path.startswith(m + "/")]
    return max(matches, key=len, default=None)


def cli_folder_of(path):
    parts = path.split("/")
    return parts[2] if path.startswith("tools/cli/") and len(parts) > 3 else None


def check_printer(own, path, header):
    """What programs may not include, though it is of a module that they may."""
    if path.startswith(PAGE_PRINTERS) and header.startswith(NOT_PRINTED):
        yield f"{path.rpartition('/')[0]} prints pages: what {header} has is for who makes them"
    elif own == "tools/cli" and header in JUDGING:
        yield f"{own} prints and does not judge: {header} is for harness/reading"
    folder, other = cli_folder_of(path), cli_folder_of(header)
    if folder and other and other != folder and other not in CLI_FOLDERS.get(folder, set()):
        allowed = ", ".join(sorted(CLI_FOLDERS.get(folder, set()))) or "no other folder"
        yield f"tools/cli/{folder} may not include tools/cli/{other} (it may include {allowed})"


def check_file(root, path):
    own = module_of(path)
    text = (root / path).read_text(encoding="utf-8")
    # What a raw string says is data: its lines stay, so that numbers hold.
    text = RAW_STRING.sub(lambda match: "\n" * match.group().count("\n"), text)
    for number, line in enumerate(text.splitlines(), 1):
        if own not in PRINTING_FOLDERS and PRINTS.search(line.split("//")[0]):
            yield f"{path}:{number}: {own} may not print"
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(2)
        for wrong in check_printer(own, path, header):
            yield f"{path}:{number}: {wrong}"
        if header in LAB_HEADERS and own.startswith(BACKENDS):
            yield f"{path}:{number}: {own} knows no labs: {header} is for what makes its requests"
        if CUDA_HEADER.match(header) and not own.startswith(CUDA_FOLDERS):
            yield f"{path}:{number}: {own} may not include CUDA's {header}"
        if COMMAND_LINE_HEADER.match(header) and own != "tools/cli":
            yield f"{path}:{number}: {own} may not include CLI11's {header}"
        other = module_of(header) if match.group(1) == '"' else None
        if other and other != own and other not in ALLOWED[own]:
            allowed = ", ".join(sorted(ALLOWED[own])) or "nothing"
            yield f"{path}:{number}: {own} may not include {other} (it may include {allowed})"


def check_keys(root, paths):
    keys = set(KEY.findall((root / KEYS).read_text(encoding="utf-8"))) - NO_KEYS
    for path in paths:
        if path == KEYS or not path.startswith(WITH_KEYS):
            continue
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
            for key in keys & set(LITERAL.findall(line.split("//")[0])):
                yield f'{path}:{number}: "{key}" is a metric: {KEYS} has its name'


def check_readmes(root):
    for module, allowed in sorted(ALLOWED.items()):
        readme = root / module / "README.md"
        said = MAY_INCLUDE.search(readme.read_text(encoding="utf-8")) if readme.exists() else None
        if not readme.exists():
            yield f"{module}: has no README.md"
        elif not said or set(re.findall(r"`([^`]+)`", said.group(1))) != allowed:
            names = ", ".join(f"`{name}`" for name in sorted(allowed)) or "nothing of the project"
            yield f"{module}/README.md: should say: May include: {names}."
    others = [path for parent in ("harness", "tests") for path in (root / parent).iterdir()]
    for folder in sorted(path for path in others if path.is_dir()):
        name = folder.relative_to(root).as_posix()
        if name not in ALLOWED and not (folder / "README.md").exists():
            yield f"{name}: has no README.md"


def check_named_files(root):
    """A file of ours that a README names is in its folder, in a folder below, or at that path from the root."""
    for folder in ("harness", "metrics", "db", "tests", "tools"):
        for readme in sorted((root / folder).rglob("README.md")):
            for number, line in enumerate(readme.read_text(encoding="utf-8").splitlines(), 1):
                for name in NAMED_FILE.findall(line):
                    places = (root / name, readme.parent / name)
                    if "NAME" not in name and not any(path.exists() for path in places) and not any(readme.parent.rglob(name)):
                        yield f"{readme.relative_to(root).as_posix()}:{number}: there is no {name}"


def check_table_of_folders(root):
    page = "tools/readers/contributor.md"
    rows = set(FOLDER_ROW.findall((root / page).read_text(encoding="utf-8")))
    for row in sorted(rows):
        if not (root / row).is_dir():
            yield f"{page}: there is no folder {row}"
    for module in sorted(ALLOWED):
        parts = module.split("/")
        if not rows & {"/".join(parts[:n]) for n in range(1, len(parts) + 1)}:
            yield f"{page}: the table of folders lacks {module}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    wrong, files = [], []
    for folder in ("harness", "metrics", "db", "tools"):
        for path in sorted((root / folder).rglob("*")):
            relative = path.relative_to(root).as_posix()
            if path.suffix not in (".cpp", ".h") or relative.startswith("tools/cmake/"):
                continue
            # Headers of CUDA's names, for the compilers of programs.
            if relative.startswith("harness/programs/guest/include/"):
                continue
            files.append(relative)
            if module_of(relative):
                wrong += check_file(root, relative)
            else:
                wrong.append(f"{relative}: is in no module that the table has")
    wrong += check_keys(root, files)
    wrong += check_readmes(root)
    wrong += check_named_files(root)
    wrong += check_table_of_folders(root)
    print("\n".join(wrong) if wrong else f"{len(files)} files keep to the layers")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
