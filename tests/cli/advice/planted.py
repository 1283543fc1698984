"""Kernels of this folder's files: with one planted fault each, cured of it, and good ones."""
import dataclasses
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Kernel:
    file: str
    name: str
    called: str   # with a template's arguments
    launch: list  # words of lab probe
    large: list   # those that keep a GPU busy
    line: int = 0   # of the fault; 0: of the kernel as a whole
    rule: str = ""
    same: bool = False  # a cure whose output is the fault's

    def words(self, large=False):
        return [str(FOLDER / self.file), "--kernel", self.called, *(self.large if large else self.launch)]


def kernels(file):
    """The kernels of a file, each with the launch above it, and `as:` its name with a template's arguments."""
    found, called, launch, large, same = [], None, None, None, False
    for number, line in enumerate((FOLDER / file).read_text().splitlines(), 1):
        if line.startswith("// launch: "):
            launch = line.removeprefix("// launch: ").split()
        elif line.startswith("// as: "):
            called = line.removeprefix("// as: ")
        elif line.startswith("// large: "):
            large = line.removeprefix("// large: ").split()
        elif line.startswith("// same: "):
            same = True
        elif kernel := re.search(r"__global__ void (\w+)\(", line):
            found.append(Kernel(file, kernel[1], called or kernel[1], launch, large, same=same))
            called, launch, large, same = None, None, None, False
        if fault := re.search(r"// fault: (\w+)", line):
            # On the kernel's own line: of the launch, not of a line.
            found[-1].line = 0 if "__global__" in line else number
            found[-1].rule = fault[1]
    return found


def good_kernels():
    return [one for file in ("good.cu", "good_2.cu", "good_3.cu") for one in kernels(file)]


def pairs():
    """(fault, its cure): a cure has the fault's launch where none stands above it."""
    cures = {cure.name: cure for file in ("cures.cu", "cures_2.cu", "cures_3.cu", "cures_4.cu") for cure in kernels(file)}
    made = []
    for fault in [one for file in ("faults.cu", "faults_2.cu", "faults_3.cu", "faults_4.cu") for one in kernels(file)]:
        cure = cures.pop(fault.name)
        cure.launch, cure.large = cure.launch or fault.launch, cure.large or fault.large
        made.append((fault, cure))
    assert not cures, f"cures of no fault: {', '.join(cures)}"
    return made
