"""`lab` from Python: CUDA kernels, programs and labs, counted without a GPU.

    import lab, numpy as np
    x = np.arange(1024, dtype=np.float32)
    done = lab.probe("saxpy.cu", grid=4, block=256, args=[1024, 2.0, x, np.ones_like(x)])
    done["global_load_sectors_per_request"]     # 4
    done.outputs[3]                             # y, as the kernel left it

    lab.run(3, variant="stride").frame()        # a lab, as a pandas DataFrame
    lab.exec("app.cu", "1024").output           # a whole program, main and all
    %load_ext lab                               # in a notebook: the cell magic %%cuda

tools/python/README.md is its manual. All counting is the program lab's: see program.find_program().
"""
from .api import Exec, Probe, exec, guess, labs, map, probe, query, run, start
from .launch import Spec
from .program import InputError, LabError, MachineError
from .results import Advice, Case, Finding, Guess, Metric, Report, Run, Svg

__all__ = ["Advice", "Case", "Exec", "Finding", "Guess", "InputError", "LabError", "MachineError", "Metric",
           "Probe", "Report", "Run", "Spec", "Svg", "exec", "guess", "labs", "map", "probe", "query", "run", "start"]


def load_ipython_extension(shell: object) -> None:
    """%load_ext lab"""
    from .notebook import load
    load(shell)
