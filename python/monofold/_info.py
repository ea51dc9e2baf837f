"""What this installation has."""

import os
import sys

import numpy as np

from . import _core


def info():
    """What is here, and why something is not.

    Returns
    -------
    dict
        ``version``, ``instruction_set``, ``cores``, ``python``, ``numpy``, and ``gpu``: a sentence.
    """
    return {
        "version": _core.version(),
        "instruction_set": _core.instruction_set(),
        "cores": len(os.sched_getaffinity(0)),
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "gpu": _core.gpu(),
    }
