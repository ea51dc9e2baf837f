"""How each library of Python is asked for a reduction of an array on a GPU: by its own quickest call.

A call ends when its answer is on the host; of the best items and along an axis, when the arrays of answers are there.
"""

import importlib
import importlib.metadata
import inspect
import math
import os

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
    """CCCL's reduction, made once for the type, with room of the caller's."""

    def __init__(self):
        super().__init__()
        self.module = importlib.import_module("cuda.compute")
        self.kinds = self.module.OpKind  # which it lacks where it does not find CUDA
        self.cupy = importlib.import_module("cupy")
        self.made = {}

    @property
    def version(self):
        return importlib.metadata.version("cuda-cccl")

    def array(self, tensor):
        return self.cupy.from_dlpack(tensor)

    def call(self, operation, x):
        kinds = {"sum": ("PLUS", 0), "max": ("MAXIMUM", -math.inf)}
        if operation not in kinds or x.ndim != 1:
            return None
        name, first = kinds[operation]
        out, start = self.cupy.empty(1, x.dtype), np.array([first], x.dtype)
        op = getattr(self.kinds, name)
        key = operation, x.dtype
        if key not in self.made:
            self.made[key] = self.module.make_reduce_into(d_in=x, d_out=out, op=op, h_init=start)
        reduce = self.made[key]
        asked = {"d_in": x, "d_out": out, "num_items": x.size, "op": op, "h_init": start}
        known = inspect.signature(reduce).parameters  # versions before 1.0 do not ask for all of these again
        asked = {name: value for name, value in asked.items() if name in known}
        room = self.cupy.empty(max(reduce(temp_storage=None, **asked), 1), "uint8")

        def call():
            reduce(temp_storage=room, **asked)
            return out.item()

        return call


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
