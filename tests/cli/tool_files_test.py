#!/usr/bin/env python3
"""Files of every kind, standard input, several files with totals, and the forms of output."""

import csv
import io
import json
import unittest

import numpy as np

from tool import INTEGERS, ToolTest, number


class Files(ToolTest):

    def test_memory_orders_and_byte_orders(self):
        cube = np.arange(2 * 3 * 5).reshape(2, 3, 5) * 1.25 - 7
        names = []
        for index, array in enumerate([cube, np.asfortranarray(cube), cube.astype(">f8"),
                                       np.asfortranarray(cube.astype(">f8")), cube.astype("<f8")]):
            names.append(self.save(f"{index}.npy", array))
        for op in ("sum", "argmax", "prod", "minmax", "top", "var"):
            answers = {self.output(op, name) for name in names}
            self.assertEqual(len(answers), 1, op)
        self.assertEqual(self.output("argmax", names[1]), "29\n")
        for dtype in [*INTEGERS, "float16", "float32"]:
            values = np.arange(50).astype(dtype)
            name = self.save("swapped.npy", values.astype(values.dtype.newbyteorder(">")))
            self.assertEqual(self.output("sum", name), "1225\n")
            self.assertEqual(self.output("argmax", name), "49\n")

    def test_large_fortran_order_keeps_indices(self):
        grid = np.random.default_rng(1).normal(size=(700, 1100))
        c = self.save("c.npy", grid)
        f = self.save("f.npy", np.asfortranarray(grid))
        for words in (["argmin"], ["top"], ["sum"], ["prod", "--threads", 2], ["min,max,nonzero"]):
            self.assertEqual(self.output(*words, c), self.output(*words, f))
        self.assertEqual(int(self.output("argmin", f)), int(grid.argmin()))

    def test_versions_and_shapes(self):
        for version in ((1, 0), (2, 0), (3, 0)):
            with open(self.path("v.npy"), "wb") as file:
                np.lib.format.write_array(file, np.arange(10.0), version)
            self.assertEqual(self.output("sum", "v.npy"), "45\n")
        self.assertEqual(self.output("sum", self.save("one.npy", np.array(2.5))), "2.5\n")
        self.assertEqual(self.output("count", self.save("no.npy", np.zeros((0, 3)))), "0\n")

    def test_raw(self):
        values = np.array([1.5, -2, 1024], "f4")
        self.write("a.bin", values.tobytes())
        self.assertEqual(self.output("sum", "a.bin", "--dtype", "f32"), "1023.5\n")
        self.assertEqual(self.output("sum", "a.bin", "--dtype", "float32", "--format", "raw"),
                         "1023.5\n")
        self.assertEqual(self.output("sum", "-", "--dtype", "f32", stdin=values.tobytes()), "1023.5\n")
        self.assertEqual(self.output("count", "a.bin", "--dtype", "u8"), "12\n")

    def test_text_and_csv(self):
        self.write("a.txt", "1\n2.5\n-3e2\n")
        self.assertEqual(self.output("sum", "a.txt"), "-296.5\n")
        self.write("plain.csv", "1,10\n2,20\n3,30\n")
        self.write("named.csv", 'name,price,"sold, net"\nx,1.5,7\ny,2.5,8\n')
        self.assertEqual(self.output("sum", "plain.csv", "--column", 2), "60\n")
        self.assertEqual(self.output("sum", "named.csv", "--column", "price"), "4\n")
        self.assertEqual(self.output("sum", "named.csv", "--column", "sold, net"), "15\n")
        self.assertEqual(self.output("argmax", "named.csv", "--column", "price"), "1\n")
        self.write("semi.csv", "a;b\n1;2\n3;4\n")
        self.assertEqual(self.output("sum", "semi.csv", "--column", "b", "--delimiter", ";"), "6\n")
        self.assertEqual(self.output("sum", "a.txt", "--json")[:63],
                         '{"op":"sum","file":"a.txt","dtype":"float64","count":3,"value":')
        self.write("i.txt", "9223372036854775807\n-9223372036854775807\n1\n")
        self.assertEqual(self.output("sum", "i.txt", "--dtype", "i64"), "1\n")

    def test_missing(self):
        self.write("a.csv", "x,y\n1,NA\n2,5\n3,\n4,7\n")
        words = ["a.csv", "--column", "y", "--na", "NA", "--na", ""]
        row = self.json("mean", *words)[0]
        self.assertEqual((row["count"], row["missing"], row["value"]), (2, 2, 6))
        self.assertIn("missing  2\n", self.output("stats", *words))
        self.assertNotIn("missing", self.output("stats", "a.csv", "--column", "x"))
        self.assertNotIn("missing", self.json("sum", "a.csv", "--column", "x")[0])

    def test_standard_input(self):
        buffer = io.BytesIO()
        np.save(buffer, np.arange(5, dtype="i4"))
        for words in (["sum"], ["sum", "-"]):
            self.assertEqual(self.output(*words, stdin=buffer.getvalue()), "10\n")
            self.assertEqual(self.output(*words, stdin=b"1 2 3\n"), "6\n")
        row = self.json("max", stdin=buffer.getvalue())[0]
        self.assertEqual((row["file"], row["dtype"], row["value"]), ("-", "int32", 4))


class SeveralFiles(ToolTest):

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(2)
        self.parts = [random.normal(size=n) for n in (5000, 1, 70001, 4096, 0, 333)]
        self.names = [self.save(f"{i}.npy", part) for i, part in enumerate(self.parts)]
        self.whole = self.save("whole.npy", np.concatenate(self.parts))

    def same_but_for(self, left, right):
        for key in ("file", "seconds", "bytes"):
            left, right = {**left, key: 0}, {**right, key: 0}
        self.assertEqual(left, right)

    def test_rows_are_those_of_each_file_alone_and_the_total_that_of_all(self):
        for words in (["sum"], ["sum", "--plain"], ["prod"], ["count"], ["norm2"], ["any,all,nonzero"],
                      ["sum,prod,nonzero,norm1,norminf"]):
            rows = self.json(*words, *self.names)
            self.assertEqual([row["file"] for row in rows], [*self.names, "total"])
            for row, name in zip(rows, self.names):
                self.same_but_for(row, self.json(*words, name)[0])
            self.same_but_for(rows[-1], self.json(*words, self.whole)[0])
            self.assertEqual(rows[-1]["bytes"], sum(row["bytes"] for row in rows[:-1]))

    def test_indices(self):
        names = [name for i, name in enumerate(self.names) if len(self.parts[i]) > 9]
        parts = [part for part in self.parts if len(part) > 9]
        whole = self.save("w.npy", np.concatenate(parts))
        for words in (["argmin"], ["argmax"], ["top", "-k", 7], ["stats"], ["bottom,sum", "-k", 3]):
            rows = self.json(*words, *names)
            for row, name in zip(rows, names):
                self.same_but_for(row, self.json(*words, name)[0])
            self.same_but_for(rows[-1], self.json(*words, whole)[0])

    def test_nan_under_raise_has_the_index_in_its_file(self):
        self.save("nan.npy", np.array([1, 2, np.nan]))
        code, out, err = self.run_tool("max", "0.npy", "nan.npy", "--nan", "raise")
        self.assertEqual(code, 4)
        self.assertEqual(err, "monofold: nan.npy: max: no result: item 2 is NaN\n")
        self.assertEqual(len(out.splitlines()), 2)  # the header and one file, no total

    def test_files_that_fail_leave_the_others_alone(self):
        code, out, err = self.run_tool("sum", "nope.npy", "1.npy", self.folder, "0.npy", "--csv")
        self.assertEqual(code, 3)
        self.assertEqual(err.splitlines(), [
            "monofold: nope.npy: cannot open: No such file or directory",
            f"monofold: {self.folder}: cannot read: Is a directory"])
        rows = list(csv.DictReader(io.StringIO(out)))
        self.assertEqual([row["file"] for row in rows], ["1.npy", "0.npy"])
        self.write("e.txt", "x\n")
        code, out, err = self.run_tool("min", "4.npy", "e.txt")
        self.assertEqual((code, out), (4, ""))  # the first that failed decides
        self.assertEqual(len(err.splitlines()), 2)

    def test_no_total_of_different_types(self):
        self.save("i.npy", np.arange(3))
        code, out, err = self.run_tool("sum", "1.npy", "i.npy", "--json")
        self.assertEqual((code, len(out.splitlines())), (0, 2))
        self.assertEqual(err, "monofold: note: no total, the element types differ\n")
        self.assertEqual(self.run_tool("sum", "1.npy", "i.npy", "--json", "--quiet")[2], "")

    def test_a_total_that_does_not_exist(self):
        big = self.save("big.npy", np.array([2**62]))
        code, out, err = self.run_tool("sum", big, big, big)
        self.assertEqual(code, 4)
        self.assertEqual(err, "monofold: total: sum: no result: the exact value does not fit 64 bits\n")
        self.assertEqual(len(out.splitlines()), 4)


class Forms(ToolTest):

    def setUp(self):
        super().setUp()
        self.a = self.save("a.npy", np.array([0.1, -1 / 3, 1e300, 5e-324]))
        self.f = self.save("f.npy", np.array([0.1, 1 / 3, 16777216], "f4"))

    def test_text(self):
        self.assertEqual(self.output("minmax", self.a), "-0.3333333333333333 1e+300\n")
        self.assertEqual(self.output("max", self.f), "16777216\n")
        self.assertEqual(self.output("min", self.f), "0.1\n")
        self.assertEqual(self.output("top", "-k", 2, self.a), "1e+300 2\n0.1 0\n")
        self.assertEqual(self.output("sum,min", self.a), "sum  1e+300\nmin  -0.3333333333333333\n")
        self.assertEqual(self.output("min", self.a, self.f, "--quiet"),
                         "file                   min\n"
                         "a.npy  -0.3333333333333333\n"
                         "f.npy                  0.1\n")

    def test_hex_reads_back(self):
        values = np.array([0.1, -1 / 3, 1e300, 5e-324, 0, -0.0, np.inf, 1, 2.0**-1022, np.pi])
        name = self.save("h.npy", values)
        lines = self.output("bottom", "-k", len(values), "--hex", name).splitlines()
        for line in lines:
            text, index = line.split()
            self.assertSameFloat(float.fromhex(text), values[int(index)])
        row = self.json("minmax", "--hex", self.a)[0]
        self.assertEqual(float.fromhex(row["min"]), -1 / 3)
        self.assertEqual(self.output("min", "--hex", self.f), "0x1.99999ap-4\n")
        self.assertEqual(self.output("count", "--hex", self.a), "4\n")

    def test_json_has_what_it_says(self):
        row = self.json("sum", self.f)[0]
        self.assertEqual(list(row), ["op", "file", "dtype", "count", "value", "engine", "seconds",
                                     "bytes"])
        self.assertEqual((row["engine"], row["dtype"], row["count"]), ("cpu", "float32", 3))
        self.assertGreater(row["seconds"], 0)
        self.assertEqual(row["bytes"], 128 + 12)
        stats = self.json("stats", self.a)[0]
        self.assertEqual(list(stats), "op file dtype count nan sum mean var std min max argmin argmax "
                                      "engine seconds bytes".split())
        several = self.json("top,minmax,argmax", "-k", 1, self.a)[0]
        self.assertEqual(several["op"], "top,minmax,argmax")
        self.assertEqual(several["top"], {"values": [1e300], "indices": [2]})
        self.assertEqual(several["argmax"], 2)
        argmin = self.json("argmin", self.a)[0]
        self.assertEqual((argmin["value"], argmin["index"]), (-1 / 3, 1))
        dot = self.json("dot", self.f, self.f)[0]
        self.assertEqual((dot["file"], dot["other"], dot["count"]), ("f.npy", "f.npy", 3))

    def test_json_of_odd_file_names(self):
        for name in ('quote"backslash\\.npy', "line\nbreak.npy", "\u00fcn\u00efcode.npy"):
            self.save(name, np.arange(3))
            self.assertEqual(self.json("sum", name)[0]["file"], name)
        code, _, err = self.run_tool("sum", "no\nsuch.npy")
        self.assertEqual((code, err),
                         (3, "monofold: 'no\\nsuch.npy': cannot open: No such file or directory\n"))

    def test_tables_show_odd_file_names_harmlessly(self):
        odd = self.save("line\nbreak\x1b[31m.npy", np.arange(3))
        self.assertEqual(self.output("sum", odd, odd).splitlines()[1:],
                         ["'line\\nbreak\\x1b[31m.npy'    3"] * 2 + [f"total{' ' * 24}6"])
        self.assertEqual(self.output("top", "-k", 1, odd, odd).splitlines()[1:3],
                         ["'line\\nbreak\\x1b[31m.npy'    2      2"] * 2)
        self.assertEqual(self.output("sum", "-", "f.npy", "--quiet", stdin=b"1").splitlines()[1][:5],
                         "-    ")

    def test_csv(self):
        rows = list(csv.DictReader(io.StringIO(self.output("stats", self.a, self.a, "--csv"))))
        self.assertEqual([row["file"] for row in rows], ["a.npy", "a.npy", "total"])
        self.assertEqual(float(rows[0]["min"]), -1 / 3)
        self.assertEqual(rows[2]["argmin"], "1")
        rows = list(csv.DictReader(io.StringIO(self.output("top", "-k", 2, self.a, "--csv"))))
        self.assertEqual([(row["value"], row["index"]) for row in rows], [("1e+300", "2"), ("0.1", "0")])

    def test_threads_change_no_bit(self):
        values = np.random.default_rng(3).normal(size=1_000_003)
        name = self.save("big.npy", values)
        ops = "sum,prod,mean,var,norm1,norm2,min,argmax,top"
        for words in ([name], [name, "--plain"], [name, name]):
            rows = [json.loads(line) for line in self.output(ops, *words, "--json").splitlines()]
            for threads in (1, 2, 3, 17):
                again = self.run_tool(ops, *words, "--json", "--threads", threads, "--quiet")
                self.assertEqual((again[0], again[2]), (0, ""))
                for left, right in zip(rows, map(json.loads, again[1].splitlines())):
                    left["seconds"] = right["seconds"] = 0
                    self.assertEqual(left, right)
        with open(self.path(name), "rb") as file:
            piped = self.json(ops, stdin=file.read())[0]
        alone = self.json(ops, name)[0]
        for op in ops.split(","):
            self.assertEqual(piped[op], alone[op])
        self.assertAlmostEqual(number(alone["sum"]), float(values.sum()), places=6)

    def test_every_way_to_read_has_the_same_items(self):
        """The file is long enough that ways are tried by turns, and that pages leave the map behind the threads."""
        name = self.write("big.bin", np.random.default_rng(5).integers(0, 250, 80 << 20, dtype="u1").tobytes() + b"\xff")
        rows = {self.output("sum,argmax,nonzero", name, "--dtype", "u8", "--io", io, "--threads", threads, "--quiet")
                for io in ("auto", "map", "read") for threads in (1, 5)}
        self.assertEqual(len(rows), 1)
        self.assertIn(str(80 << 20), rows.pop())


if __name__ == "__main__":
    unittest.main()
