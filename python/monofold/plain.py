"""The same operations in floating point, by the plan's fixed tree: the same bits everywhere, but not exact."""

from . import _operations

sum = _operations.make("sum", plain=True)
mean = _operations.make("mean", plain=True)
mean_square = _operations.make("mean_square", plain=True)
var = _operations.make("var", plain=True)
std = _operations.make("std", plain=True)
prod = _operations.make("prod", plain=True)
norm = _operations.make("norm", plain=True)
dot = _operations.make("dot", plain=True)

__all__ = ["dot", "mean", "mean_square", "norm", "prod", "std", "sum", "var"]
