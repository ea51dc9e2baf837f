"""Tensors of PyTorch on the host: in as they lie, answers as tensors, gradients refused. Skipped without PyTorch."""

import monofold as mf
import monofold.array_api as xp
import numpy as np
import pytest
from arrays import numbers, same

torch = pytest.importorskip("torch")


def both(dtype, shape):
    """The same numbers as an array and as a tensor."""
    x = numbers("float32" if dtype == "bfloat16" else dtype, shape)
    tensor = torch.from_numpy(x)
    if dtype == "bfloat16":
        tensor = tensor.to(torch.bfloat16)
        x = tensor.float().numpy()
    return x, tensor


@pytest.mark.parametrize("dtype", ("bool", "uint8", "int16", "int64", "float16", "bfloat16", "float32", "float64"))
def test_bits_of_arrays(dtype):
    x, tensor = both(dtype, (60, 70))
    for part in (np.s_[:], np.s_[::2, 1:], np.s_[3], np.s_[:, 5], np.s_[:0]):
        assert mf.sum(tensor[part]) == mf.sum(x[part])
        assert same(mf.count_nonzero(tensor[part], axis=-1).numpy(), mf.count_nonzero(x[part], axis=-1))
    assert mf.mean(tensor.T) == mf.mean(x) and mf.argmax(tensor.T) == mf.argmax(x.T)
    assert mf.reduce(tensor, mf.all(mf.minmax, mf.argmin)) == mf.reduce(x, mf.all(mf.minmax, mf.argmin))
    assert mf.State(mf.sum, tensor.dtype).push(tensor).finish() == mf.sum(x)
    assert mf.sum(tensor, where=tensor > 0) == mf.sum(x, where=x > 0)


def test_answers_are_tensors():
    x, tensor = both("bfloat16", (6, 7))
    best = mf.max(tensor, axis=1)
    assert best.dtype == torch.bfloat16 and torch.equal(best, tensor.max(dim=1).values)
    values, indices = mf.top_k(tensor, 2, axis=1)
    assert torch.equal(values, tensor.topk(2, dim=1).values) and indices.dtype == torch.int64
    assert mf.sum(tensor, axis=0, dtype=torch.float32).dtype == torch.float32
    assert mf.sum(tensor, axis=(0, 1), keepdims=True).shape == (1, 1)
    assert xp.mean(tensor).dtype == torch.bfloat16 and xp.mean(tensor).shape == ()
    keys, sums = mf.group_by(torch.tensor([2, 1, 2]), tensor[0, :3], mf.max)
    assert keys.tolist() == [1, 2] and sums.dtype == torch.bfloat16
    assert torch.equal(mf.segmented_reduce(tensor.ravel(), mf.max, offsets=torch.tensor([0, 7, 42])),
                       torch.stack([tensor[0].max(), tensor[1:].max()]))


@pytest.mark.parametrize("dtype", ("float32", "bfloat16", "float64"))
def test_out(dtype):
    x, tensor = both("float32", (5, 6))
    out = torch.full((6, 2), 7.0, dtype=getattr(torch, dtype))
    assert mf.sum(tensor, axis=0, out=out[:, 1])[0] == out[0, 1]
    assert torch.equal(out[:, 1], mf.sum(tensor, axis=0, dtype=dtype)) and (out[:, 0] == 7).all()
    whole = torch.empty((), dtype=out.dtype)
    assert mf.sum(x, out=whole) is whole and whole == mf.sum(tensor, keepdims=True, dtype=dtype)[0, 0]


def test_bad_out_stays():
    x = torch.ones(5, 6)
    for out, error in ((torch.zeros(5), ValueError), (torch.zeros(6, dtype=torch.complex64), TypeError),
                       (torch.zeros(6, requires_grad=True), RuntimeError), (torch.zeros(1).expand(6), ValueError),
                       (torch.zeros(6, device="meta"), mf.DeviceUnavailable)):
        with pytest.raises(error):
            mf.sum(x, axis=0, out=out)
        assert out.device.type == "meta" or not out.detach().any()
    with pytest.raises(TypeError):
        mf.argmax(x, axis=0, out=torch.zeros(6))


def test_what_is_not_there():
    x = torch.ones(3, 4)
    weight = torch.nn.Parameter(x)
    for bad in (weight, weight * 2, weight[0]):
        for call in (mf.sum, mf.stats, lambda x: mf.sum(x, axis=0), lambda x: mf.State(mf.sum, "float32").push(x)):
            with pytest.raises(BufferError, match="detach"):
                call(bad)
    assert mf.sum(weight.detach()) == 12.0
    with torch.no_grad():
        assert mf.sum(weight * 2) == 24.0
    for bad, error in ((x.to_sparse(), BufferError), (x.to("meta"), ValueError), (x.to(torch.complex64), TypeError),
                       (x.to(torch.float8_e4m3fn), TypeError)):
        with pytest.raises(error):
            mf.sum(bad)


def test_negation_that_is_still_to_be_done():
    parts = torch.tensor([1 + 2j, 3 + 4j]).conj().imag  # NumPy's reading of the capsule gives 2 and 4
    for call in (mf.sum, lambda x: mf.sum(x, axis=0)):
        with pytest.raises(BufferError, match="resolve_neg"):
            call(parts)
    assert mf.sum(parts.resolve_neg()) == -6.0
