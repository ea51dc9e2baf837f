"""How each library of Python is asked for a reduction: its own quickest call, of its own column of the same items."""

import importlib
import itertools
import math

import numpy as np

K = 10
STATISTICS = ("sum", "mean", "var", "std", "min", "argmin", "max", "argmax")


class Library:
    """A library that is here. `threads`: what sets how many it uses; None: always one, or not to be set.

    `pieces`: the sum of items that come in several pieces, as the library's own user would add them.
    """

    most_items = 10**9
    threads = None

    def __init__(self, name):
        self.name, self.module = name, importlib.import_module(name)

    @property
    def version(self):
        return getattr(self.module, "__version__", "")

    def column(self, values):
        return values

    def table(self, matrix):
        return self.column(matrix)

    def call(self, operation, x):
        """A function without arguments, whose answer is on the host; None where there is none."""
        return None

    def pieces(self, parts):
        total = 0.0
        for part in parts:
            total += float(self.call("sum", self.column(part))())
        return total


class Monofold(Library):

    def call(self, operation, x):
        mf = self.module
        if operation.startswith("sum, axis"):
            axis = int(operation[-1])
            return lambda: mf.sum(x, axis=axis)
        one = mf.top_k(k=K) if operation == "top_k" else getattr(mf, operation)
        return lambda: one(x)

    def threads(self, count):
        self.module.set_threads(count)

    def pieces(self, parts):
        state = self.module.State(self.module.sum, parts[0].dtype)
        for part in parts:
            state.push(part)
        return state.finish()


class Plain(Monofold):
    """The floating-point tree; of what has one."""

    def __init__(self, name):
        super().__init__("monofold")
        self.name = name

    def call(self, operation, x):
        if operation.startswith("sum, axis"):
            axis, add = int(operation[-1]), self.module.plain.sum
            return lambda: add(x, axis=axis)
        one = getattr(self.module.plain, operation, None)
        return one and (lambda: one(x))

    def pieces(self, parts):
        state = self.module.State(self.module.plain.sum, parts[0].dtype)
        for part in parts:
            state.push(part)
        return state.finish()


class NumPy(Library):

    def call(self, operation, x):
        if operation.startswith("sum, axis"):
            axis = int(operation[-1])
            return lambda: np.sum(x, axis=axis)
        if operation == "stats":
            calls = [getattr(np, name) for name in STATISTICS]
            return lambda: [one(x) for one in calls]
        if operation == "top_k":
            return (lambda: self.best(x)) if x.size >= K else None
        one = getattr(np, operation)
        return lambda: one(x)

    @staticmethod
    def best(x):
        places = np.argpartition(x, -K)[-K:]
        return x[places], places


class Torch(Library):

    def column(self, values):
        return self.module.from_numpy(values)

    def threads(self, count):
        self.module.set_num_threads(count)

    def call(self, operation, x):
        if operation.startswith("sum, axis"):
            axis = int(operation[-1])
            return lambda: x.sum(axis)
        if operation == "stats":
            calls = [self.call(name, x) for name in STATISTICS]
            return lambda: [one() for one in calls]
        if operation == "top_k":
            return (lambda: x.topk(K)) if len(x) >= K else None
        if operation in ("var", "std"):
            one = getattr(x, operation)
            return lambda: one(correction=0).item()
        one = getattr(x, operation)
        return lambda: one().item()


class Skipping(Library):
    """bottleneck and numbagg, which leave NaN out."""

    def call(self, operation, x):
        if operation.startswith("sum, axis"):
            axis, one = int(operation[-1]), self.module.nansum
            return lambda: one(x, axis=axis)
        one = getattr(self.module, "nan" + operation, None)
        if one is None:
            return None
        return (lambda: one(x, ddof=0)) if operation == "var" else (lambda: one(x))


class Numbagg(Skipping):

    def threads(self, count):
        numba = importlib.import_module("numba")
        numba.set_num_threads(min(count, numba.config.NUMBA_NUM_THREADS))


class NumExpr(Library):

    def threads(self, count):
        self.module.set_num_threads(count)

    def call(self, operation, x):
        texts = {"sum": "sum(x)", "sum, axis 0": "sum(x, axis=0)", "sum, axis 1": "sum(x, axis=1)"}
        if operation not in texts:
            return None
        text, evaluate, names = texts[operation], self.module.evaluate, {"x": x}
        return lambda: evaluate(text, local_dict=names)


class Polars(Library):

    def column(self, values):
        return self.module.Series(values) if values.ndim == 1 else None

    def call(self, operation, x):
        if operation == "stats":
            return self.statistics(x)
        if operation == "top_k":
            return lambda: x.top_k(K)
        if operation == "var":
            return lambda: x.var(ddof=0)
        one = getattr(x, {"argmax": "arg_max"}.get(operation, operation), None)
        return one and (lambda: one())

    def statistics(self, x):
        frame, a = x.alias("a").to_frame().lazy(), self.module.col("a")
        asked = frame.select(a.sum().alias("sum"), a.mean().alias("mean"), a.var(0).alias("var"), a.std(0).alias("std"),
                             a.min().alias("min"), a.arg_min().alias("argmin"), a.max().alias("max"),
                             a.arg_max().alias("argmax"))
        return lambda: asked.collect().row(0)

    def pieces(self, parts):
        return self.module.concat([self.module.Series(part) for part in parts], rechunk=False).sum()


class PyArrow(Library):

    def __init__(self, name):
        super().__init__(name)
        self.compute = importlib.import_module("pyarrow.compute")

    def column(self, values):
        return self.module.array(values) if values.ndim == 1 else None

    def threads(self, count):
        self.module.set_cpu_count(count)

    def call(self, operation, x):
        if operation == "top_k":
            return lambda: x.take(self.compute.select_k_unstable(x, K, [("x", "descending")]))
        one = getattr(self.compute, {"var": "variance"}.get(operation, operation), None)
        return one and (lambda: one(x).as_py())

    def pieces(self, parts):
        return self.compute.sum(self.module.chunked_array(parts)).as_py()


class Pandas(Library):

    def column(self, values):
        return (self.module.Series if values.ndim == 1 else self.module.DataFrame)(values, copy=False)

    def call(self, operation, x):
        if operation.startswith("sum, axis"):
            axis = int(operation[-1])
            return lambda: x.sum(axis=axis)
        if operation == "top_k":
            return lambda: x.nlargest(K)
        if operation == "stats":
            return lambda: x.agg(["sum", "mean", "var", "std", "min", "idxmin", "max", "idxmax"])
        if operation == "var":
            return lambda: x.var(ddof=0)
        one = getattr(x, operation)
        return lambda: one()


class DuckDB(Library):
    """By `sum`; `fsum` is a row of its own."""

    sum_name = "sum"

    def __init__(self, name):
        super().__init__("duckdb")
        self.name = name
        self.connection = self.module.connect()

    def column(self, values):
        return importlib.import_module("pyarrow").table({"a": values}) if values.ndim == 1 else None

    def threads(self, count):
        self.connection.execute(f"set threads = {count}")

    def call(self, operation, x):
        texts = {"sum": f"{self.sum_name}(a)", "mean": "avg(a)", "var": "var_pop(a)", "top_k": f"max(a, {K})",
                 "stats": "sum(a), avg(a), var_pop(a), stddev_pop(a), min(a), max(a)"}
        if operation not in texts:
            return None
        self.connection.register("x", x)
        text, run = f"select {texts[operation]} from x", self.connection.execute

        def ask():
            [row] = run(text).fetchall()
            return row[0] if len(row) == 1 else row

        return ask

    def pieces(self, parts):
        arrow = importlib.import_module("pyarrow")
        return self.call("sum", arrow.table({"a": arrow.chunked_array(parts)}))()


class DuckDBFsum(DuckDB):
    sum_name = "fsum"

    def call(self, operation, x):
        return super().call(operation, x) if operation == "sum" else None


class Fsum(Library):
    most_items = 10**7

    def column(self, values):
        return values.tolist() if values.ndim == 1 else None

    def call(self, operation, x):
        return (lambda: math.fsum(x)) if operation == "sum" else None

    def pieces(self, parts):
        return math.fsum(itertools.chain(*(part.tolist() for part in parts)))


class Xsum(Library):

    def call(self, operation, x):
        return (lambda: self.total([x])) if operation == "sum" else None

    def total(self, parts):
        accumulator = self.module.xsum_large_accumulator()
        for part in parts:
            self.module.xsum_add(accumulator, part)
        return self.module.xsum_round(accumulator)

    pieces = total


class Bitrep(Library):
    most_items = 10**6

    def column(self, values):
        return values.tolist() if values.ndim == 1 else None

    def call(self, operation, x):
        if operation == "sum":
            return lambda: self.total([x])
        return (lambda: self.moment(operation, x)) if operation in ("mean", "var") else None

    def total(self, parts):
        state = self.module.FastSumF64()
        for part in parts:
            state.extend(part)
        return state.finish().value()

    def moment(self, operation, x):
        state = self.module.MomentsF64()
        add = state.add
        for item in x:
            add(item)
        return state.mean() if operation == "mean" else state.variance()

    def pieces(self, parts):
        return self.total([part.tolist() for part in parts])


KINDS = {"monofold": Monofold, "monofold.plain": Plain, "numpy": NumPy, "torch": Torch, "bottleneck": Skipping,
         "numbagg": Numbagg, "numexpr": NumExpr, "polars": Polars, "pyarrow": PyArrow, "pandas": Pandas,
         "duckdb sum": DuckDB, "duckdb fsum": DuckDBFsum, "math.fsum": Fsum, "xsum": Xsum, "bitrep": Bitrep}


def here():
    """Those that are installed."""
    found = []
    for name, kind in KINDS.items():
        try:
            found.append(kind("math" if kind is Fsum else name))
            found[-1].name = name
        except ImportError:
            pass
    return found
