#!/usr/bin/env python3
"""Runs clang-tidy over the files of a list, several at a time."""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build folder with compile_commands.json")
    parser.add_argument("--files", required=True, help="file with one source path a line")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()

    commands = json.loads(pathlib.Path(args.build, "compile_commands.json").read_text())
    known = {str(pathlib.Path(c["directory"], c["file"]).resolve()) for c in commands}
    listed = pathlib.Path(args.files).read_text().split()
    files = [f for f in listed if str(pathlib.Path(f).resolve()) in known]

    def tidy(path):
        return path, subprocess.run(
            ["clang-tidy-14", "-p", args.build, "--quiet", path], capture_output=True, text=True)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for path, result in pool.map(tidy, files):
            if result.returncode != 0:
                failed += 1
                print(result.stdout or result.stderr)
    print(f"clang-tidy: {len(files)} files, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
