#!/usr/bin/env python3
"""Holds the times that lab expects of kernels that no rule knew against those that a GPU took for them. Needs no GPU.

usage: compare.py LAB [FOLDER] [--only NAME] [--database PATH] [--check HOW]

FOLDER (default: tests/fixtures/strangers) has the launches (*.txt: name|file|kernel|grid|block|dynamic shared|arguments, a ; between
two of them), the kernels, the times that were measured (times*.csv: columns case and own_event_ns_nvcc, or lab_median_ns where that
is empty), and gen.py, which makes the data files that arguments name.
"""
import argparse
import csv
import glob
import json
import math
import os
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))


def cases_of(folder):
    for listing in sorted(glob.glob(folder + "/*.txt")):
        for line in open(listing):
            if not line.startswith("#") and line.strip():
                yield line.rstrip("\n").split("|", 6)


def measured(folder):
    times = {}
    for table in glob.glob(folder + "/*times*.csv"):
        for row in csv.DictReader(open(table)):
            times[row["case"]] = float(row["own_event_ns_nvcc"] or row["lab_median_ns"])
    return times


def expected(options, data, case):
    name, file, kernel, grid, block, shared, arguments = case
    command = [options.lab, "probe", os.path.join(options.folder, file), "--kernel", kernel, "--grid", grid, "--block", block]
    command += ["--shared", shared, "--check", options.check, "--json"]
    command += ["--db", options.database] if options.database else ["--no-store"]
    for argument in arguments.split(";"):
        command += ["--arg", argument.replace("@", "@" + data + "/")]
    ran = subprocess.run(command, capture_output=True, text=True)
    try:
        return json.loads(ran.stdout)["runs"][0]["cases"][0]["expected_time"]
    except (ValueError, LookupError, TypeError):
        sys.exit(f"{name}: {' '.join(command)}\n{ran.stderr}")


def percent(part, whole):
    return f"{100 * part / whole:5.1f} %" if whole else "    - "


def summary(name, rows):
    """rows: (expected ns, measured ns, within or None)."""
    known = [row for row in rows if row[0]]
    errors = sorted(abs(math.log(e / m)) for e, m, _ in known)
    if not errors:
        print(f"{name:18} {len(rows):3} launches, no time expected")
        return
    shares = " ".join(percent(sum(e <= math.log(f) + 1e-12 for e in errors), len(rows)) for f in (1.15, 1.25, 1.5, 2))
    said = [row for row in known if row[2]]
    true = sum(abs(math.log(e / m)) <= math.log(1 + w) for e, m, w in said)
    pairs = [(a, b) for a in known for b in known if a[1] > 1.1 * b[1]]
    right = sum(a[0] > b[0] for a, b in pairs)
    ratio = math.exp(sum(math.log(e / m) for e, m, _ in known) / len(known))
    print(f"{name:18} {len(rows):3} median {100 * math.expm1(errors[len(errors) // 2]):5.1f} %, within 15/25/50 %/2x {shares}, "
          f"'within' true {true} of {len(said)}, order {percent(right, len(pairs))}, mean ratio {ratio:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lab")
    parser.add_argument("folder", nargs="?", default=here + "/../../fixtures/strangers")
    parser.add_argument("--only")
    parser.add_argument("--database")
    parser.add_argument("--check", default="off")
    options = parser.parse_args()
    took = measured(options.folder)
    rows, by_term = [], {}
    with tempfile.TemporaryDirectory() as data:
        if os.path.exists(options.folder + "/gen.py"):
            subprocess.run([sys.executable, options.folder + "/gen.py", data], check=True, stdout=subprocess.DEVNULL)
        for case in cases_of(options.folder):
            if case[0] not in took or options.only not in (None, case[0]):
                continue
            time = expected(options, data, case)
            row = (time["ns"], took[case[0]], time["within"])
            rows.append(row)
            by_term.setdefault(time["sets"] or "no time", []).append(row)
            said = f"{row[0] / row[1]:5.2f} of {row[1]:9.0f} ns" if row[0] else f"    - of {row[1]:9.0f} ns"
            print(f"{case[0]:18} {said}, {time['sets']}, within {row[2]}, {time['off'] or ''} {'' if row[0] else time['reason']}", flush=True)
    summary("all", rows)
    for term, own in sorted(by_term.items()):
        summary(term, own)


if __name__ == "__main__":
    main()
