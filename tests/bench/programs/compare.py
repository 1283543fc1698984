#!/usr/bin/env python3
"""Holds the times that lab exec expects of programs against those that this machine's GPU takes.

    compare.py [--lab build/release/bin/lab] [--gpu H100] [--least 3] [-I FOLDER] app.cu ...

Needs a GPU, nvcc and clang. Each program runs twice, without arguments: under lab exec, and on the GPU
with each kernel's first launch of a shape repeated (repeat.cu). Shorter launches than --least us are
left out: they are mostly the launch itself. Prints a row for each, the farthest off first, and how
many are within 15, 25 and 50 %."""
import argparse
import contextlib
import math
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = """SELECT kernel, grid_x || 'x' || grid_y || 'x' || grid_z, block_x || 'x' || block_y || 'x' || block_z,
  dynamic_shared_bytes, ns, sets FROM cases JOIN expected_times ON case_id = cases.id WHERE ns IS NOT NULL"""


def run(words, **how):
    return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **how)


def key(kernel, grid, block, shared):
    """A kernel's name as source and symbols both have it: no return type, parameters, namespaces."""
    name = re.sub(r"^void |\(anonymous namespace\)::|\s", "", kernel)
    name = re.sub(r"\(.*", "", name)
    base, _, parameters = name.partition("<")
    return base.split("::")[-1], re.sub(r"(\d)u\b", r"\1", parameters), grid, block, int(shared)


def expected(arguments, program, folder):
    database = os.path.join(folder, "expected.db")
    gpu = ["--gpu", arguments.gpu] if arguments.gpu else []
    run([arguments.lab, "exec", program, "--compiler", "clang", "--db", database, *gpu, *arguments.include])
    if not os.path.exists(database):
        return {}
    times = {}
    with contextlib.closing(sqlite3.connect(database)) as stored:
        for *launch, ns, sets in stored.execute(EXPECTED):
            times.setdefault(key(*launch), (ns, sets))
    return times


def measured(arguments, program, folder, shim):
    app, out = os.path.join(folder, "app"), os.path.join(folder, "times")
    built = run(["nvcc", "-O3", "-arch=native", "-cudart", "shared", "-w", *arguments.include, "-o", app, program])
    if built.returncode != 0:
        return {}
    run([app], cwd=folder, timeout=120, env=dict(os.environ, LD_PRELOAD=shim, REPEAT_OUT=out))
    if not os.path.exists(out):
        return {}
    with open(out, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("|") for line in file]
    names = run(["c++filt"] + [line[0] for line in lines]).stdout.splitlines()
    times = {}
    for name, line in zip(names, lines):
        times.setdefault(key(name, *line[1:4]), float(line[4]))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lab", default="build/release/bin/lab")
    parser.add_argument("--gpu", help="whose times are expected (default: an H200's)")
    parser.add_argument("--least", type=float, default=3, help="us")
    parser.add_argument("-I", dest="include", action="append", default=[])
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    arguments.lab = os.path.abspath(arguments.lab)
    arguments.include = [word for folder in arguments.include for word in ("-I", os.path.abspath(folder))]
    rows = []
    with tempfile.TemporaryDirectory() as top:
        shim = os.path.join(top, "repeat.so")
        made = run(["nvcc", "-O2", "-std=c++17", "-arch=native", "-cudart", "shared", "-shared",
                    "-Xcompiler", "-fPIC", "-o", shim, os.path.join(HERE, "repeat.cu"), "-ldl"])
        if made.returncode != 0:
            sys.exit(made.stdout)
        for number, name in enumerate(arguments.programs):
            folder = os.path.join(top, str(number))
            os.mkdir(folder)
            program = os.path.abspath(name)
            told = expected(arguments, program, folder)
            took = measured(arguments, program, folder, shim)
            if not told or not took:
                print(f"{name}: {'does not run on the GPU' if told else 'nothing is expected'}")
            for launch in told.keys() & took.keys():
                ns, sets = told[launch]
                if took[launch] > 0 and max(ns, took[launch]) >= 1000 * arguments.least:
                    rows.append((abs(math.log(ns / took[launch])), ns, took[launch], sets, launch, name))
    for _, ns, took, sets, launch, name in sorted(rows, key=lambda row: -row[0]):
        print(f"{ns / 1000:10.1f} us expected {took / 1000:10.1f} measured {ns / took:6.2f}  {sets:20} {launch[0]} {launch[2]} x {launch[3]}  {name}")
    for percent in (15, 25, 50):
        near = sum(1 for row in rows if row[0] <= math.log1p(percent / 100))
        print(f"within {percent} %: {near} of {len(rows)}")


if __name__ == "__main__":
    main()
