from . import Operation, _Dot

sum: Operation[float]
mean: Operation[float]
mean_square: Operation[float]
var: Operation[float]
std: Operation[float]
prod: Operation[float]
norm: Operation[float]
dot: _Dot
