#!/usr/bin/env python3
"""Holds every #include against the layers: who may include whom is the table below."""
import pathlib
import re
import sys

# Module -> the modules it may include, beside itself. Longest matching folder wins.
CORE = {"harness/core"}
LEAVES = CORE | {"metrics", "harness/ptx", "harness/cubin", "harness/ncu", "harness/compile",
                 "harness/worker"}
RUNNING = CORE | {"harness/ptx", "harness/model/cost", "harness/model/program",
                  "harness/model/memory"}
ALLOWED = {
    "harness/core": set(),
    "metrics": CORE,
    "harness/ptx": CORE,
    "harness/cubin": CORE | {"harness/ptx"},
    "harness/ncu": CORE | {"metrics"},
    "harness/compile": CORE,
    "harness/worker": CORE,
    "db": CORE | {"metrics"},
    "labs": CORE,
    # The model's rooms, lowest first. What an access costs is known without the interpreter.
    "harness/model/cost": set(),
    "harness/model/semantics": {"harness/ptx"},
    "harness/model/program": {"harness/ptx", "harness/model/cost"},
    "harness/model/memory": CORE | {"harness/ptx"},
    "harness/model/execute": RUNNING,
    "harness/model/instructions": RUNNING | {"harness/model/execute", "harness/model/semantics"},
    "harness/model/decode": RUNNING | {"harness/cubin", "harness/model/instructions"},
    "harness/model/check": RUNNING | {"harness/model/execute"},
    "harness/model/case": RUNNING | {"harness/cubin", "harness/model/execute",
                                     "harness/model/decode", "harness/model/check"},
    "harness/gpu": CORE | {"metrics", "harness/cubin"},
    "harness/run": LEAVES | {"db", "labs"},
    "tools/cli": LEAVES | {"db", "labs", "harness/run", "tools/report"},
    "tools/report": CORE | {"metrics", "db"},
    "tools/worker": LEAVES | {"labs", "harness/model/case", "harness/gpu"},
}
# Only these may see CUDA's headers; everything else builds on a machine with no toolkit.
CUDA_FOLDERS = {"harness/compile", "harness/gpu", "tools/worker"}
CUDA_HEADER = re.compile(r"^(cuda|cupti|nvrtc|nvtx|nvperf|cublas)")
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def module_of(path):
    matches = [m for m in ALLOWED if path == m or path.startswith(m + "/")]
    return max(matches, key=len, default=None)


def check_file(root, path):
    own = module_of(path)
    for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        header = match.group(2)
        if CUDA_HEADER.match(header) and own not in CUDA_FOLDERS:
            yield f"{path}:{number}: {own} may not include CUDA's {header}"
        other = module_of(header) if match.group(1) == '"' else None
        if other and other != own and other not in ALLOWED[own]:
            allowed = ", ".join(sorted(ALLOWED[own])) or "nothing"
            yield f"{path}:{number}: {own} may not include {other} (it may include {allowed})"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    wrong, files = [], 0
    for folder in ("harness", "metrics", "db", "labs", "tools"):
        for path in sorted((root / folder).rglob("*")):
            relative = path.relative_to(root).as_posix()
            if path.suffix in (".cpp", ".h") and module_of(relative):
                files += 1
                wrong += check_file(root, relative)
    print("\n".join(wrong) if wrong else f"{files} files keep to the layers")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main())
