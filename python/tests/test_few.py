"""Calls on few items have the answers of all others."""

import fractions
import math

import monofold as mf
import numpy as np
import pytest
from arrays import same


# Few items have ways of their own: dots as sums of two doubles a product, the best by keys.
def test_few_pairs_are_exact():
    random = np.random.default_rng(3)
    for scale in (1.0, 2.0**-300, 2.0**-460, 2.0**-530, 2.0**440, 2.0**500):
        for count in (1, 2, 10, 64, 65):
            x, y = random.standard_normal((2, count)) * scale
            y[count // 2:] *= 2.0**-40
            x[:count // 3] = x[0]
            exact = sum((fractions.Fraction(a) * fractions.Fraction(b) for a, b in zip(x.tolist(), y.tolist())),
                        fractions.Fraction(0))
            assert mf.dot(x, y) == float(exact)
            assert mf.dot(np.append(x, x), np.append(y, -y)) == 0.0
    assert math.copysign(1, mf.dot(np.array([-0.0]), np.array([1.0]))) == -1
    assert math.isnan(mf.dot(np.array([np.inf, 1.0]), np.array([0.0, 1.0])))
    assert mf.dot(np.array([1e200, 1.0]), np.array([1e200, 1.0])) == math.inf
    with pytest.raises(mf.NanFound):
        mf.dot(np.array([np.nan, 1.0]), np.array([1.0, 1.0]), nan="raise")


@pytest.mark.parametrize("dtype", ("float64", "float32", "float16", "int8", "uint64", "bool"))
def test_the_best_of_few(dtype):
    random = np.random.default_rng(4)
    for count in (1, 3, 10, 500, 1000):
        x = (random.integers(-20, 20, count) if count < 500 else random.standard_normal(count) * 50).astype(dtype)
        for k in (1, 3, 10, 500):
            if k > count:
                continue
            for operation, sign in ((mf.top_k(k=k), -1), (mf.bottom_k(k=k), 1)):
                order = np.argsort(sign * x.astype(object), kind="stable")[:k]
                found = operation(x)
                assert found.indices.tolist() == order.tolist() and same(found.values, x[order])
    zeros = mf.top_k(np.array([-0.0, 0.0, -0.0]), 2)
    assert zeros.indices.tolist() == [1, 0] and np.signbit(zeros.values).tolist() == [False, True]
    last = mf.top_k(np.array([np.nan, 1.0, 2.0]), 3)
    assert last.indices.tolist() == [2, 1, 0]
