"""How each library of Python is asked for a reduction of an array on a GPU: by its own quickest call.

A call ends when its answer is on the host; of the best items and along an axis, when the arrays of answers are there.
"""

import importlib
import importlib.metadata
import inspect
import math
import os
import timeit

import numpy as np

K = 10
AXES = {"sum, axis 0": 0, "sum, axis 1": 1}
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # the other libraries need memory too


class Library:
    """A library that is here, on arrays that are made of a tensor of PyTorch without a copy."""

    def __init__(self):
        self.torch = importlib.import_module("torch")

    @property
    def version(self):
        return getattr(self.module, "__version__", "")

    def array(self, tensor):
        return tensor

    def wait(self):
        self.torch.cuda.synchronize()

    def along(self, ask):
        """A call that ends when the arrays of answers are there."""
        wait = self.wait

        def call():
            answer = ask()
            wait()
            return answer

        return call

    def on_host(self, operation, values):
        """Its answer about a NumPy array on the host, by its own functions there or by NumPy's; None: it has none."""
        return None

    def call(self, operation, x):
        """A function without arguments; None where there is none.

        It gives a number, for `stats` a tuple (sum, mean, var, std, min, argmin, max, argmax), for `top_k` arrays
        (values, places), along an axis an array.
        """


class Monofold(Library):
    """Calls on arrays of one library or another, which are asked for their memory at each call."""

    def __init__(self, maker=None):
        super().__init__()
        self.module = importlib.import_module("monofold")
        self.maker = maker
        self.functions = self.module

    def array(self, tensor):
        return self.maker.array(tensor) if self.maker else tensor

    def call(self, operation, x):
        is_of_jax = type(x).__module__.partition(".")[0] == "jaxlib"
        if operation in AXES:
            axis, add = AXES[operation], self.functions.sum
            if is_of_jax:
                return lambda: add(x, axis=axis).block_until_ready()
            return self.along(lambda: add(x, axis=axis))
        if operation == "top_k":
            one = self.module.top_k(k=K)
            if is_of_jax:
                return lambda: [part.block_until_ready() for part in one(x)]
            return self.along(lambda: one(x))
        one = getattr(self.functions, operation, None)
        if operation == "stats" and one is not None:
            return lambda: statistics_of(one(x))
        return one and (lambda: one(x))

    def on_host(self, operation, values):
        return getattr(self.functions, operation)(values)


def statistics_of(found):
    return (found.sum, found.mean, found.var, found.std, found.min, found.argmin, found.max, found.argmax)


class Plain(Monofold):
    """The floating-point tree; of what has one."""

    def __init__(self):
        super().__init__()
        self.functions = self.module.plain

    def call(self, operation, x):
        return None if operation == "top_k" else super().call(operation, x)


class Torch(Library):

    def __init__(self):
        super().__init__()
        self.module = self.torch

    def call(self, operation, x):
        torch = self.torch
        if operation in AXES:
            axis = AXES[operation]
            return self.along(lambda: x.sum(axis))
        if operation == "stats":
            return lambda: self.statistics(x)
        if operation == "top_k":
            return self.along(lambda: x.topk(K)) if x.numel() >= K else None
        if operation == "var":
            return lambda: torch.var(x, correction=0).item()
        one = getattr(x, operation)
        return lambda: one().item()

    def on_host(self, operation, values):
        return self.call(operation, self.torch.from_numpy(values))()

    def statistics(self, x):
        """Two copies to the host instead of eight."""
        torch = self.torch
        var, mean = torch.var_mean(x, correction=0)
        low, high = torch.aminmax(x)
        places = torch.stack((x.argmin(), x.argmax()))
        total, mean, var, low, high = torch.stack((x.sum(), mean, var, low, high)).tolist()
        first, last = places.tolist()
        return total, mean, var, math.sqrt(var), low, first, high, last


class CuPy(Library):

    def __init__(self):
        super().__init__()
        self.module = importlib.import_module("cupy")
        self.default = self.module.cuda.Stream.null

    def array(self, tensor):
        return self.module.from_dlpack(tensor)

    def wait(self):
        self.default.synchronize()

    def call(self, operation, x):
        if operation in AXES:
            axis = AXES[operation]
            return self.along(lambda: x.sum(axis))
        if operation == "stats":
            names = ("sum", "mean", "var", "std", "min", "argmin", "max", "argmax")
            calls = [getattr(x, name) for name in names]

            def statistics():
                found = [one() for one in calls]  # all are on their way before one is waited for
                return tuple(one.item() for one in found)

            return statistics
        if operation == "top_k":
            return self.along(lambda: self.best(x)) if K <= x.size <= 10**8 else None  # it sorts all of a copy
        one = getattr(x, operation)
        return lambda: one().item()

    def on_host(self, operation, values):
        return getattr(values, operation)().item()

    def best(self, x):
        places = self.module.argpartition(x, -K)[-K:]
        return x[places], places


class Jax(Library):
    """Functions that were compiled for each shape before."""

    def __init__(self):
        super().__init__()
        self.module = importlib.import_module("jax")
        self.module.config.update("jax_enable_x64", True)
        jnp = self.module.numpy
        self.compiled = {name: self.module.jit(getattr(jnp, name)) for name in ("sum", "mean", "var", "max", "argmax")}
        self.compiled["stats"] = self.module.jit(lambda x: (
            jnp.sum(x), jnp.mean(x), jnp.var(x), jnp.std(x), jnp.min(x), jnp.argmin(x), jnp.max(x), jnp.argmax(x)))
        self.compiled["top_k"] = self.module.jit(lambda x: self.module.lax.top_k(x, K))
        for name, axis in AXES.items():
            self.compiled[name] = self.module.jit(lambda x, axis=axis: jnp.sum(x, axis=axis))

    def array(self, tensor):
        return self.module.numpy.from_dlpack(tensor)

    def call(self, operation, x):
        one, get = self.compiled[operation], self.module.device_get
        if operation in AXES:
            return lambda: one(x).block_until_ready()
        if operation == "stats":
            return lambda: tuple(map(float, get(one(x))))
        if operation == "top_k":
            return (lambda: [part.block_until_ready() for part in one(x)]) if K <= x.size <= 10**8 else None
        return lambda: one(x).item()

    def on_host(self, operation, values):
        return self.call(operation, self.module.device_put(values, self.module.devices("cpu")[0]))()


class CudaCompute(Library):
    """CCCL's reductions, made once for a type, with room of the caller's; sums in the quicker of two forms: with the
    same bits in each run, or not."""

    KINDS = {"sum": ("PLUS", 0), "max": ("MAXIMUM", -math.inf), "sum, axis 1": ("PLUS", 0)}

    def __init__(self):
        super().__init__()
        self.module = importlib.import_module("cuda.compute")
        self.kinds = self.module.OpKind  # which it lacks where it does not find CUDA
        self.cupy = importlib.import_module("cupy")

    @property
    def version(self):
        return importlib.metadata.version("cuda-cccl")

    def array(self, tensor):
        return self.cupy.from_dlpack(tensor)

    def wait(self):
        self.cupy.cuda.Stream.null.synchronize()

    def call(self, operation, x):
        if operation not in self.KINDS:
            return None
        name, first = self.KINDS[operation]
        asked = {"op": getattr(self.kinds, name), "h_init": np.array([first], x.dtype)}
        if operation in AXES:
            rows, columns = x.shape
            ends = self.cupy.arange(rows + 1) * columns
            asked |= {"d_in": x.ravel(), "d_out": self.cupy.empty(rows, x.dtype), "num_segments": rows,
                      "start_offsets_in": ends[:-1], "end_offsets_in": ends[1:], "max_segment_size": columns}
            return self.along(self.ready("make_segmented_reduce", asked))
        asked |= {"d_in": x, "d_out": self.cupy.empty(1, x.dtype), "num_items": x.size}
        orders = [{}]
        if operation == "sum" and hasattr(self.module, "Determinism"):
            orders.append({"determinism": self.module.Determinism.NOT_GUARANTEED})
        ready = [self.ready("make_reduce_into", asked, **order) for order in orders]
        return min((lambda one=one: one().item() for one in ready), key=seconds_of_some)

    def ready(self, maker, asked, **order):
        """A call that starts a reduction, and gives its array of answers."""
        # Versions differ in what they want to know, and when. What is made they keep for the next array of its type.
        make = getattr(self.module, maker)
        reduce = make(**known_to(make, asked), **order)
        asked = known_to(reduce, asked)
        room = self.cupy.empty(max(reduce(temp_storage=None, **asked), 1), "uint8")

        def call():
            reduce(temp_storage=room, **asked)
            return asked["d_out"]

        return call


def known_to(function, arguments):
    known = inspect.signature(function).parameters
    return {name: value for name, value in arguments.items() if name in known}


def seconds_of_some(call):
    """How long a call takes, by the quickest of a few, the first of which is not counted."""
    return min(timeit.repeat(call, number=1, repeat=6)[1:])


def here(say):
    """(name, library) of those that are installed and find a GPU; `say` is told of the others."""
    found = {}
    kinds = {"monofold": Monofold, "monofold.plain": Plain, "torch": Torch, "cupy": CuPy, "jax": Jax,
             "cuda.compute": CudaCompute}
    for name, kind in kinds.items():
        try:
            found[name] = kind()
        except Exception as error:  # whatever keeps a library from its GPU
            say(f"{name}: no rows, {type(error).__name__}: {error}")
    for name in ("cupy", "jax"):
        if name in found and "monofold" in found:
            found[f"monofold, of {name}"] = Monofold(found[name])
    return found
