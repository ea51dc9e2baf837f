#!/usr/bin/env python3
"""--axis: answers along axes against NumPy, in every layout and form, and what goes wrong."""

import itertools
import json
import math
import os
import unittest

import numpy as np

from tool import ToolTest, is_sanitized


def rows_of(array, axes):
    """The result's indices, and the items of each row in row-major order."""
    kept = [k for k in range(array.ndim) if k not in axes]
    for index in itertools.product(*(range(array.shape[k]) for k in kept)):
        where = [slice(None)] * array.ndim
        for k, i in zip(kept, index):
            where[k] = i
        yield index, array[tuple(where)].ravel()


class AxisTest(ToolTest):

    def setUp(self):
        super().setUp()
        self.array = np.random.default_rng(16).normal(size=(3, 4, 1, 5)).astype(np.float32)

    def load(self, *words):
        self.output(*words, "--output", "out.npy")
        return np.load(self.path("out.npy"))

    def test_sums_are_exact_along_every_set_of_axes_of_every_layout(self):
        layouts = {"c": self.array, "f": np.asfortranarray(self.array),
                   "swapped": self.array.astype(">f4")}
        for name, array in layouts.items():
            self.save(f"{name}.npy", array)
            for size in range(1, 5):
                for axes in itertools.combinations(range(4), size):
                    text = ",".join(map(str, reversed(axes)))
                    got = self.load("sum", f"{name}.npy", "--axis", text)
                    self.assertEqual(got.dtype, np.float64)
                    for index, items in rows_of(self.array, axes):
                        self.assertEqual(got[index], math.fsum(map(float, items)), (name, axes))

    def test_seven_and_eight_axes(self):
        for shape in [(2, 3, 2, 1, 2, 3, 2), (2, 2, 3, 1, 2, 2, 2, 2)]:
            rank = len(shape)
            array = np.random.default_rng(rank).normal(size=shape)
            self.save("c.npy", array)
            self.save("f.npy", np.asfortranarray(array))
            for number, chosen in enumerate(range(1, 1 << rank, 5)):  # every axis is in some of them
                axes = [k for k in range(rank) if chosen >> k & 1]
                got = self.load("sum", "cf"[number % 2] + ".npy", "--axis", ",".join(map(str, axes)))
                for index, items in rows_of(array, axes):
                    self.assertEqual(got[index], math.fsum(items), (shape, axes))

    def test_a_row_has_the_bits_that_it_has_alone(self):
        self.save("a.npy", self.array)
        for op in ["plain", "exact"]:
            plain = ["--plain"] if op == "plain" else []
            got = self.load("var", "a.npy", "--axis", "0,3", *plain)
            for index, items in rows_of(self.array, (0, 3)):
                self.save("row.npy", items)
                alone = json.loads(self.output("var", "row.npy", "--json", *plain))["value"]
                self.assertEqual(got[index], alone)

    def test_answers_have_the_types_that_numpy_gives(self):
        for kind in ["bool", "int8", "uint16", "int64", "float16", "float64"]:
            array = (self.array * 10).astype(kind)
            self.save("a.npy", array)
            for op, function in [("max", np.max), ("argmin", np.argmin), ("any", np.any)]:
                got = self.load(op, "a.npy", "--axis", "1")
                expected = function(array, axis=1)
                self.assertEqual(got.dtype, expected.dtype, (op, kind))
                np.testing.assert_array_equal(got, expected)

    def test_keepdims_and_negative_axes(self):
        self.save("a.npy", self.array)
        got = self.load("max", "a.npy", "--axis=-1,1", "--keepdims")
        np.testing.assert_array_equal(got, self.array.max(axis=(1, 3), keepdims=True))
        got = self.load("max", "a.npy", "--axis", "0,1,2,3")
        self.assertEqual(got.shape, ())
        self.assertEqual(got[()], self.array.max())

    def test_places_in_the_whole_array_of_every_layout(self):
        places = np.arange(self.array.size).reshape(self.array.shape)
        self.save("c.npy", self.array)
        self.save("f.npy", np.asfortranarray(self.array))
        for size in range(1, 5):
            for axes in itertools.combinations(range(4), size):
                words = ["--axis", ",".join(map(str, reversed(axes))), "--global-index"]
                for name in "cf":
                    most = self.load("argmax", f"{name}.npy", *words)
                    self.assertEqual(most.dtype, np.int64)
                    best = self.load("sum,bottom", f"{name}.npy", *words, "-k", "1", "--keepdims")["bottom_indices"]
                    self.assertEqual(best.shape, tuple(1 if k in axes else n for k, n in enumerate((3, 4, 1, 5))) + (1,))
                    rows = zip(rows_of(self.array, axes), rows_of(places, axes), best.ravel())
                    for (index, items), (_, there), least in rows:
                        self.assertEqual(most[index], there[items.argmax()], (name, axes))
                        self.assertEqual(least, there[items.argmin()], (name, axes))
        self.assertEqual(self.output("argmax", "c.npy", "--axis", "0,1,2,3", "--global-index", "--csv"),
                         self.output("argmax", "c.npy", "--axis", "0,1,2,3", "--csv"))

    def test_several_operations_are_fields_of_a_record(self):
        self.save("a.npy", self.array)
        got = self.load("mean,argmax,top", "a.npy", "--axis", "1", "-k", "2")
        self.assertEqual(got.dtype.names, ("mean", "argmax", "top_values", "top_indices"))
        self.assertEqual(got.shape, (3, 1, 5))
        np.testing.assert_array_equal(got["argmax"], self.array.argmax(axis=1))
        np.testing.assert_array_equal(got["top_values"],
                                      np.moveaxis(-np.sort(-self.array, axis=1)[:, :2], 1, -1))
        ends = self.load("minmax", "a.npy", "--axis", "0")
        self.assertEqual(ends.dtype.names, ("min", "max"))
        np.testing.assert_array_equal(ends["min"], self.array.min(axis=0))

    def test_a_table_csv_and_json(self):
        self.save("a.npy", np.array([[1.5, 2], [4, 8], [0, -1]]))
        self.assertEqual(self.output("sum,argmax", "a.npy", "--axis", "1"),
                         "axis 0  sum  argmax\n"
                         "     0  3.5       1\n"
                         "     1   12       1\n"
                         "     2   -1       0\n")
        self.assertEqual(self.output("minmax", "a.npy", "--axis", "0", "--csv"),
                         "axis_1,min,max\n0,0,4\n1,-1,8\n")
        rows = self.output("argmin", "a.npy", "--axis", "0", "--json").splitlines()
        self.assertEqual([json.loads(row) for row in rows],
                         [{"op": "argmin", "file": "a.npy", "dtype": "float64", "row": [k],
                           "count": 3, "value": value, "index": 2}
                          for k, value in enumerate([0.0, -1.0])])
        rows = self.output("count,top", "a.npy", "--axis", "0", "-k", "1", "--json").splitlines()
        self.assertEqual(json.loads(rows[1])["top_values"], [8])

    def test_pipes_text_and_raw_arrays_have_axes_too(self):
        self.save("a.npy", self.array)
        with open(self.path("a.npy"), "rb") as file:
            piped = self.output("sum", "-", "--axis", "0,1,2", "--csv", stdin=file.read())
        self.assertEqual(piped, self.output("sum", "a.npy", "--axis", "0,1,2", "--csv"))
        self.write("a.txt", "1\n2\n4\n")
        self.assertEqual(self.output("sum", "a.txt", "--axis", "0"), "sum\n  7\n")

    def test_ways_of_reading_and_threads_change_nothing(self):
        self.save("a.npy", np.asfortranarray(np.random.default_rng(2).normal(size=(700, 130))))
        expected = self.output("sum", "a.npy", "--axis", "0", "--json", "--plain")
        for more in [["--io", "read"], ["--io", "map"], ["--threads", "1"], ["--threads", "5", "--quiet"],
                     ["--memory", "256Mi"]]:
            if "--memory" in more and is_sanitized():
                continue
            self.assertEqual(self.output("sum", "a.npy", "--axis", "0", "--json", "--plain", *more),
                             expected)

    def test_nan_by_rule(self):
        self.save("a.npy", np.array([[1.0, np.nan], [2, 4]]))
        self.assertEqual(self.output("mean", "a.npy", "--axis", "0", "--csv", "--nan", "omit"),
                         "axis_1,value\n0,1.5\n1,4\n")
        self.check_error(4, "a.npy: row (1): mean: no result: item 0 is NaN",
                         "mean", "a.npy", "--axis", "0", "--nan", "raise")

    def test_bad_requests(self):
        self.save("a.npy", self.array)
        for code, message, words in [
                (2, "--axis: no axis 4 in an array of 4", ["--axis", "4"]),
                (2, "--axis: no axis -5 in an array of 4", ["--axis", "-5"]),
                (2, "--axis: axis 1 twice", ["--axis", "1,1"]),
                (2, "--axis: expected a whole number of at least -8, found 'x'", ["--axis", "0,x"]),
                (2, "--keepdims is for --axis", ["--keepdims"]),
                (2, "--output is for --axis", ["--output", "b.npy"]),
                (2, "--save-state: not with --axis", ["--axis", "0", "--save-state", "s"]),
                (2, "--output: not with --json or --csv",
                 ["--axis", "0", "--output", "b.npy", "--json"]),
                (2, "--axis is for one file, found 2", ["a.npy", "--axis", "0"])]:
            self.check_error(code, message, "sum", "a.npy", *words)
        self.check_error(4, "a.npy: row (0, 0, 0): var: no result: 4 items, --ddof is 4",
                         "var", "a.npy", "--axis", "1", "--ddof", "4")
        self.save("long.npy", np.zeros((1001, 2)))
        self.check_error(2, "a result of 1001 rows is no table: say --output FILE, --csv or --json",
                         "sum", "long.npy", "--axis", "1")
        self.save("many.npy", np.zeros((1,) * 9))
        self.check_error(3, "many.npy: an array of 9 axes; --axis takes up to 8",
                         "sum", "many.npy", "--axis", "0")

    def test_axes_of_no_items(self):
        self.save("a.npy", np.zeros((0, 3)))
        np.testing.assert_array_equal(self.load("sum", "a.npy", "--axis", "0"), np.zeros(3))
        self.assertEqual(self.load("max", "a.npy", "--axis", "1").shape, (0,))
        self.check_error(4, "a.npy: row (0): max: no result: no items",
                         "max", "a.npy", "--axis", "0")

    def test_an_output_that_cannot_be_written_leaves_nothing(self):
        self.save("a.npy", self.array)
        code, out, err = self.run_tool("sum", "a.npy", "--axis", "0", "--output", "no/b.npy")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("no/b.npy: cannot write", err)
        os.symlink("/dev/full", self.path("full"))
        code, _, err = self.run_tool("sum", "a.npy", "--axis", "0", "--output", "full")
        self.assertEqual(code, 1)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "full"])

    @unittest.skipIf(is_sanitized(), "shadow memory")
    def test_a_result_larger_than_memory(self):
        # Rows of nothing: as many answers as the header says.
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (100000000000000, 0), }"
        beginning = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
        self.write("a.npy", beginning)
        code, out, err = self.run_tool("sum", "a.npy", "--axis", "1", "--output", "b.npy",
                                       "--memory", "64Mi")
        self.assertEqual((code, out, err), (1, "", "monofold: out of memory\n"))
        self.assertEqual(os.listdir(self.folder), ["a.npy"])

    # numpy#29772: along axis 0 NumPy adds float32 one after the other.
    def test_means_of_long_columns_are_right_where_numpy_is_off(self):
        array = np.full((1 << 21, 2), 0.1, np.float32)
        self.save("a.npy", array)
        got = self.load("mean", "a.npy", "--axis", "0")
        np.testing.assert_array_equal(got, np.full(2, np.float64(np.float32(0.1))))
        self.assertGreater(abs(np.mean(array, axis=0)[0] / np.float32(0.1) - 1), 0.01)


if __name__ == "__main__":
    unittest.main()
