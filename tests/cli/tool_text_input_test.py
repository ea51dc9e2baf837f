#!/usr/bin/env python3
"""Text: headers of CSV, whole numbers that float64 rounds, and bytes that look like text."""

import unittest

import numpy as np

from tool import ToolTest

BIG = 2**53 + 1


class Headers(ToolTest):

    def test_found_by_the_row_below(self):
        self.assertEqual(self.output("sum", "--column", 2, stdin=b"id,2\n5,7\n"), "7\n")
        self.assertEqual(self.output("sum", "--column", 2, stdin=b"x,2\ny,7\n"), "9\n")
        self.assertEqual(self.output("sum", "--column", 2, stdin=b"1,2\n5,7\n"), "9\n")

    def test_said(self):
        years = b"year,2020,2021\nx,1,2\ny,3,4\n"
        self.assertEqual(self.output("sum", "--column", 2, "--header", "yes", stdin=years), "4\n")
        self.assertEqual(self.output("sum", "--column", 2, "--header", "no", stdin=years), "2024\n")
        self.assertEqual(self.output("sum", "--column", 2021, stdin=years), "6\n")
        self.assertEqual(self.output("sum", "--header", "yes", stdin=b"7\n1\n2\n"), "3\n")
        self.check_error(3, "standard input: column 'x' not found; without a header columns are 1 to 3",
                         "sum", "--column", "x", "--header", "no", stdin=years)
        self.check_error(2, "--header: expected auto, yes, no, found 'maybe'", "sum", "--header", "maybe")


class Notes(ToolTest):

    def noted(self, note, out, *words, stdin=b""):
        self.assertEqual(self.run_tool(*words, stdin=stdin), (0, out, f"monofold: {note}\n"), words)
        self.assertEqual(self.run_tool(*words, "--quiet", stdin=stdin), (0, out, ""), words)

    def test_whole_numbers_that_are_rounded(self):
        note = "note: whole numbers beyond 2^53 were rounded to float64; --dtype i64 keeps them"
        self.write("a.txt", f"{BIG}\n1\n")
        self.write("b.csv", f"x,y\n1,{BIG + 2}\n")
        self.noted(f"a.txt: {note}", f"{BIG - 1}\n", "max", "a.txt")
        self.noted(f"standard input: {note}", f"{BIG - 1}\n", "max", stdin=f"{BIG}".encode())
        code, _, err = self.run_tool("max", "a.txt", "b.csv", "a.txt", "--column", 1)
        self.assertEqual((code, err), (0, f"monofold: a.txt: {note}\n"))  # once
        code, _, err = self.run_tool("dot", "a.txt", "a.txt")
        self.assertEqual((code, err), (0, f"monofold: a.txt: {note}\n"))
        self.assertEqual(self.output("max", "a.txt", "--dtype", "i64"), f"{BIG}\n")
        self.assertEqual(self.output("max", "a.txt", "--dtype", "f64"), f"{BIG - 1}\n")
        self.assertEqual(self.output("max", "b.csv", "--column", "x"), "1\n")

    def test_bytes_that_look_like_text(self):
        note = "note: read as text, as it looks; --format raw reads its bytes"
        self.write("data", "123")
        self.noted(f"data: {note}", "123\n", "sum", "data", "--dtype", "u8")
        self.noted(f"standard input: {note}", "6\n", "sum", "--dtype", "i64", stdin=b"1 2 3\n")
        self.assertEqual(self.output("sum", "data", "--dtype", "u8", "--format", "raw"), "150\n")
        self.write("a.txt", "123")
        for words in (["data"], ["data", "--dtype", "u8", "--format", "text"],
                      ["data", "--dtype", "u8", "--column", 1], ["data", "--dtype", "u8", "--na", "x"],
                      ["data", "--dtype", "u8", "--header", "no"], ["a.txt", "--dtype", "u8"]):
            self.assertEqual(self.output("sum", *words), "123\n")
        self.write("data", np.frombuffer(b"bytes that are no text", "u1").tobytes())
        self.check_error(3, "data: line 1, character 1: expected an integer, found 'bytes'; if it is not "
                            "text, say --format raw", "sum", "data", "--dtype", "u8")


if __name__ == "__main__":
    unittest.main()
