"""``python -m monofold``: the tool."""

import os
import shutil
import sys
from pathlib import Path


def tool():
    """Where the tool is: in this package, or on the PATH; None: nowhere."""
    own = Path(__file__).parent / "bin" / "monofold"
    return str(own) if own.exists() else shutil.which("monofold")


def main():
    path = tool()
    if path is None:
        sys.exit("python -m monofold: the tool is not in this package, which was built without libfmt-dev. Install that "
                 "and the package once more, or build the tool in a clone of the repository (./dev build) and put "
                 "build/bin on the PATH.")
    os.execv(path, ["monofold", *sys.argv[1:]])


if __name__ == "__main__":
    main()
