#!/usr/bin/env python3
"""Copies the labs without what a grader needs and a student should not find:

    tools/for_students.py labs OUT

Left out are answers.md, the sizes of rubric.toml that students are not told, and the kernels of
kernels.cu that students write: what is left of them is the starter, as starter.cu.
"""
import hashlib
import json
import pathlib
import re
import shutil
import sys
import tomllib

FUNCTION = re.compile(r'^(?:template <[^\n]*>\n)?(?:extern "C" )?__(?:global|device)__ [^;{]*?(\w+)\([^;{]*\) \{', re.M)


def blocks_of(text):
    """(whether it is a starter's, its lines with their marks), in order."""
    blocks, depth = [(False, [])], 0
    for line in text.splitlines(keepends=True):
        mark = line.strip()
        if depth == 0 and mark == "//@ starter":
            blocks.append((True, [line]))
            depth = 1
            continue
        blocks[-1][1].append(line)
        if mark == "//@ yours":
            depth += 1
        if mark == "//@ end" and depth > 0:
            depth -= 1
            if depth == 0:
                blocks.append((False, []))
    return [(starter, "".join(lines)) for starter, lines in blocks if lines]


def begun(block):
    """A starter's block with what stands in the solution's place, and with no solution."""
    out, yours = [], False
    for line in block.splitlines(keepends=True):
        mark = line.strip()
        if mark == "//@ yours":
            yours = True
        elif mark.startswith("//@ instead"):
            out.append(line.replace("//@ instead ", "", 1))
        elif mark == "//@ end" and yours:
            yours = False
        elif not yours:
            out.append(line)
    return "".join(out)


def functions_of(text):
    """(name, begin, end) of each, with the comment above it."""
    for found in FUNCTION.finditer(text):
        depth, end = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        begin = found.start()
        while (line := re.search(r"^//[^\n]*\n\Z", text[:begin], re.M)) is not None:
            begin = line.start()
        yield found[1], begin, end


def without(text, names):
    """The functions of these names taken out, and those that use one of them."""
    while True:
        used = re.compile(r"\b(?:" + "|".join(sorted(names)) + r")\s*(?:<[^;{}()]*>)?\(")
        for name, begin, end in functions_of(text):
            if name in names or used.search(text, begin, end):
                names = names | {name}
                text = text[:begin] + text[end:].lstrip("\n")
                break
        else:
            return text


def kernels_and_starter(text):
    blocks = blocks_of(text)
    starter = "\n".join(begun(block) for is_starter, block in blocks if is_starter)
    left = {name for is_starter, block in blocks if is_starter and "//@ yours" in block
            for name, _, _ in functions_of(begun(block))}
    plain = "".join(begun(block) if is_starter else block for is_starter, block in blocks)
    kernels = "".join(line for line in plain.splitlines(keepends=True) if not line.strip().startswith("//@"))
    return without(kernels, left), starter


def shown(lab, kernels):
    """lab.toml with the rows of its first page whose kernels are there."""
    known = tomllib.loads(lab)
    rows = known["screen"]["rows"]
    names = {name for name, _, _ in functions_of(kernels)}

    def is_there(row):
        variant = row.split()[0]
        spec = known["variant"][variant]
        return "library" in spec or spec.get("kernel", variant).split("<")[0] in names

    if not any(map(is_there, rows)):
        return re.sub(r"^\[screen\]\n.*?(?=^\[)", "", lab, count=1, flags=re.M | re.S)
    kept = [number for number, row in enumerate(rows, 1) if is_there(row)]
    lab = re.sub(r"^(rows +=) \[.*\]$", lambda found: found[1] + " " + json.dumps([rows[n - 1] for n in kept]),
                 lab, count=1, flags=re.M)

    def renumbered(found):
        number = int(found[1])
        return f"  {{ row = {kept.index(number) + 1}," + found[2] + "\n" if number in kept else ""

    return re.sub(r"^  \{ row = (\d+),(.*)\n", renumbered, lab, flags=re.M)


def told(rubric):
    """The rubric with the sizes that students are told."""
    head, *tables = re.split(r"^(?=\[\[)", rubric, flags=re.M)
    open_ones = [one for one in tables if not (one.startswith("[[points]]") and
                                               re.search(r"^(?:hidden = true|draw = )", one, re.M))]
    return re.sub(r"^seed = .*\n", "", head, flags=re.M) + "".join(open_ones)


def main(words):
    labs, out = map(pathlib.Path, words)
    shutil.copytree(labs, out, ignore=shutil.ignore_patterns("check.toml"))
    sums = []
    for folder in sorted(out.glob("[0-9][0-9]_*")):
        (folder / "answers.md").unlink(missing_ok=True)
        rubric = folder / "rubric.toml"
        if rubric.exists():
            rubric.write_text(told(rubric.read_text(encoding="utf-8")), encoding="utf-8")
        path = folder / "kernels.cu"
        kernels, starter = kernels_and_starter(path.read_text(encoding="utf-8"))
        path.write_text(kernels, encoding="utf-8")
        lab = folder / "lab.toml"
        lab.write_text(shown(lab.read_text(encoding="utf-8"), kernels), encoding="utf-8")
        (folder / "starter.cu").write_text(starter, encoding="utf-8")
        sums.append(f"{hashlib.sha256(kernels.encode()).hexdigest()}  {folder.name}/kernels.cu\n")
    (out / "shipped.sums").write_text("".join(sums), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
