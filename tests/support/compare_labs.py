#!/usr/bin/env python3
"""Compares two files of lab_dump: how many values of each kind are equal, lab by lab, and the first that differ.

compare_labs.py OLD NEW [--lab ID] [--kind KIND] [--most N]; exit status 1 where anything differs."""
import argparse
import collections
import json
import sys

MISSING = "(missing)"


def is_idle(field, row):
    """An upper end, or what is asked as written, that is the formula itself says nothing."""
    return field in ("high", "as_written") and row[field] == row["is"]


def rows_of(variant):
    for row in variant["rows"]:
        place = row["metric"]
        for field in ("why", "level"):
            yield f"row {field}", place, row[field]
        for field in ("is", "high", "as_written"):
            if field in row and not is_idle(field, row):
                yield "formula text", f"{place} {field}", row[field]
    yield "order of rows", "", [row["metric"] for row in variant["rows"]]


def values_of(theory):
    if set(theory) == {"error"}:
        yield "", theory["error"]
        return
    for metric, values in theory.items():
        for field, value in values.items():
            if is_idle(field, values):
                continue
            others = value if isinstance(value, dict) else {"": value}
            for name, one in others.items():
                yield f"{metric} {field} {name}".strip(), one


def args_of(args):
    if isinstance(args, dict):
        yield "arguments", "", args
        return
    yield "arguments", "count", len(args)
    for at, arg in enumerate(args):
        for field, value in arg.items():
            kind = {"fill": "fill kind", "seed": "fill kind", "sha256": "contents"}.get(field, "arguments")
            yield kind, f"{at} {field}", value


def facts_of(line):
    """(kind, place, value) of all that a line says."""
    if line["kind"] == "lab":
        for spec in line.pop("params"):
            for field, value in spec.items():
                yield "parameters", f"{spec['name']} {field}", value
            yield "parameters", spec["name"], True
    if line["kind"] == "variant":
        yield from rows_of(line)
        del line["rows"]
        yield "reads", "", sorted(line["reads"])
        yield "order of reads", "", line.pop("reads")
    if line["kind"] == "point":
        place = json.dumps(line["params"])
        for kind in ("kernel", "launch", "terms", "unchecked"):
            yield kind, place, line[kind]
        for kind, where, value in args_of(line["args"]):
            yield kind, f"{place} {where}", value
        for where, value in values_of(line["theory"]):
            yield "theory", f"{place} {where}", value
        return
    for field in line.keys() - {"lab", "variant", "kind"}:
        yield f"{line['kind']} {field}", "", line[field]


def read(path):
    facts = {}
    with open(path, encoding="utf-8") as lines:
        for text in lines:
            line = json.loads(text)
            for kind, place, value in facts_of(line):
                facts[line["lab"], kind, line["variant"], place] = value
    return facts


def compare(old, new, args):
    counts = collections.defaultdict(lambda: [0, 0])
    shown = collections.Counter()
    wrong = 0
    for key in list(old) + [key for key in new if key not in old]:
        lab, kind, variant, place = key
        if args.lab not in (None, lab) or args.kind not in (None, kind) or args.variant not in (None, variant):
            continue
        before, after = old.get(key, MISSING), new.get(key, MISSING)
        counts[lab, kind][1] += 1
        if before == after:
            counts[lab, kind][0] += 1
            continue
        wrong += 1
        shown[lab, kind] += 1
        if shown[lab, kind] <= args.most:
            print(f"{lab} {variant}: {kind} {place}\n  old {json.dumps(before)}\n  new {json.dumps(after)}")
    return counts, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--lab", help="its id, such as bank_conflicts")
    parser.add_argument("--variant")
    parser.add_argument("--kind", help="such as theory")
    parser.add_argument("--most", type=int, default=5, help="differences to show of each kind and lab")
    args = parser.parse_args()
    counts, wrong = compare(read(args.old), read(args.new), args)
    for lab in sorted({lab for lab, _ in counts}):
        parts = [f"{kind} {same}/{all_}" for (of, kind), (same, all_) in sorted(counts.items()) if of == lab]
        print(f"{lab}: " + ", ".join(parts))
    print("all equal" if wrong == 0 else f"{wrong} differ")
    return 0 if wrong == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
