"""What the package needs: where it has nanobind linked in, not that of a package."""

import sys
import sysconfig


def has_own_abi():
    """Whether the module is of one version of Python alone: before 3.15 those without a lock have no stable ABI."""
    return bool(sysconfig.get_config_var("Py_GIL_DISABLED")) and sys.version_info < (3, 15)


def names():
    return ["numpy>=1.25", *([] if has_own_abi() else ["nanobind-backend>=1.0,<2"])]


def dynamic_metadata(settings, project):
    """As scikit-build-core asks."""
    return {"dependencies": names()}


def dynamic_wheel(settings):
    return {"dependencies": True}
