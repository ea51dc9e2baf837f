#!/usr/bin/env python3
"""--by: the answers of a group are those of a file with its rows alone."""

import csv
import io
import itertools
import math
import random
import unittest

from tool import ToolTest

PRICES = '''city,year,price,qty
Oslo,2024,10.5,1
Bergen,2024,3,2
Oslo,2025,0.1,3
"Bø, ""N""",2024,NA,4
Bergen,2025,7,5
Oslo,2024,0.2,6
'''


class Groups(ToolTest):

    def setUp(self):
        super().setUp()
        self.write("p.csv", PRICES)

    def by(self, op, *words):
        return self.output(op, "p.csv", *words, "--na", "NA")

    def test_a_table(self):
        self.assertEqual(self.by("mean", "--column", "price", "--by", "city"),
                         "city    mean\nBergen     5\nOslo     3.6\n")
        self.assertEqual(self.by("mean,max,count", "--column", "price", "--by", "city,year"),
                         "city    year  mean   max  count\n"
                         "Bergen  2024     3     3      1\n"
                         "Bergen  2025     7     7      1\n"
                         "Oslo    2024  5.35  10.5      2\n"
                         "Oslo    2025   0.1   0.1      1\n")
        self.assertEqual(self.by("minmax", "--column", "qty", "--by", "year"),
                         "year  min  max\n2024    1    6\n2025    3    5\n")

    def test_csv_in_order_of_first_appearance(self):
        self.assertEqual(
            self.by("sum,argmax", "--column", "qty", "--by", "city", "--order", "first", "--csv"),
            'city,sum,argmax\nOslo,10,2\nBergen,7,1\n"Bø, ""N""",4,0\n')
        self.assertEqual(self.by("top", "-k", 2, "--column", 4, "--by", 2, "--csv"),
                         "year,top,top_index\n2024,6 4,3 2\n2025,5 3,1 0\n")

    def test_places_among_all_rows(self):
        self.assertEqual(self.by("sum,argmax", "--column", "qty", "--by", "city", "--order", "first", "--csv", "--global-index"),
                         'city,sum,argmax\nOslo,10,5\nBergen,7,4\n"Bø, ""N""",4,3\n')
        self.assertEqual(self.by("top", "-k", 2, "--column", 4, "--by", 2, "--csv", "--global-index"),
                         "year,top,top_index\n2024,6 4,5 3\n2025,5 3,4 2\n")
        self.assertEqual(self.by("argmin", "--column", "price", "--by", "city", "--global-index"),  # without the row of NA
                         "city    argmin\nBergen       1\nOslo         2\n")
        self.assertEqual(self.by("argmax", "--column", "qty", "--by", "year", "--runs", "--csv", "--global-index"),
                         "year,argmax\n2024,1\n2025,2\n2024,3\n2025,4\n2024,5\n")
        # More groups than have their answers found at once.
        self.write("many.csv", "k,x\n" + "".join(f"{i % 5000},{i}\n" for i in range(10_000)))
        rows = self.output("argmax", "many.csv", "--column", "x", "--by", "k", "--csv", "--global-index").split()[1:]
        self.assertEqual(rows, [f"{k},{k + 5000}" for k in range(5000)])

    def test_json(self):
        self.assertEqual(self.json("mean", "p.csv", "--column", "price", "--by", "city,year",
                                   "--na", "NA")[0],
                         {"op": "mean", "file": "p.csv", "by": {"city": "Bergen", "year": "2024"},
                          "dtype": "float64", "count": 1, "value": 3})
        rows = self.json("minmax,count", "p.csv", "--column", "qty", "--by", "city")
        self.assertEqual([row["by"]["city"] for row in rows], ["Bergen", 'Bø, "N"', "Oslo"])
        self.assertEqual(rows[2]["minmax"], {"min": 1, "max": 6})
        self.assertEqual(rows[2]["count"], 3)

    def sums(self, rows, *words):
        """The rows of CSV behind the header, of the sums of column 2 by column 1."""
        lines = self.output("sum", "--column", 2, "--by", 1, "--csv", *words, stdin=rows.encode()).split()
        self.assertEqual(lines[0], "1,sum")
        return lines[1:]

    def test_numbers_go_by_value(self):
        rows = "10,1\n9,2\n-3,3\n1e1,4\nnan,5\n10,6\n-0,7\n+9,8\nNaN,9\n0.0,10\n009,11\n"
        self.assertEqual(self.sums(rows), ["-3,3", "-0,17", "9,21", "10,11", "nan,14"])
        self.assertEqual(self.sums(rows, "--order", "first"), ["10,11", "9,21", "-3,3", "nan,14", "-0,17"])
        # One key that is no number: all go by text, and are sorted by bytes.
        by_bytes = ["+9,8", "-0,7", "-3,3", "0.0,10", "009,11", "10,7", "1e1,4", "9,2", "NaN,9", "nan,5"]
        for word in ("x", "", "1e999", "0x1", "true", "nan(1)"):
            found = self.sums(rows + f"{word},12\n")
            self.assertEqual(found, sorted([*by_bytes, f"{word},12"], key=lambda row: row.split(",")[0]))
        self.assertEqual(self.sums(rows, "--keys", "text"), by_bytes)

    def test_integers_are_exact(self):
        self.assertEqual(self.sums("9007199254740993,1\n9007199254740992,2\n"),
                         ["9007199254740992,2", "9007199254740993,1"])
        self.assertEqual(self.sums("9223372036854775807,1\n-9223372036854775808,2\n+9223372036854775807,4\n"),
                         ["-9223372036854775808,2", "9223372036854775807,5"])
        self.assertEqual(self.sums("18446744073709551615,1\n18446744073709551614,2\n018446744073709551615,4\n"),
                         ["18446744073709551614,2", "18446744073709551615,5"])
        # Beside what is no integer of 64 bits, all are float64: here two of one value.
        for word, place in (("0.5", 0), ("18446744073709551616", 1)):
            found = self.sums(f"9007199254740993,1\n9007199254740992,2\n{word},4\n")
            self.assertEqual(found.pop(place), f"{word},4")
            self.assertEqual(found, ["9007199254740993,3"])

    def test_columns_of_numbers_and_of_text(self):
        rows = b"1,a,1\n1.0,a,2\n1,b,4\n2,a,8\n0.5e1,b,16\n5,b,32\n1.00,b,64\n"
        words = ("sum", "--column", 3, "--by", "2,1", "--csv")
        self.assertEqual(self.output(*words, stdin=rows), "2,1,sum\na,1,3\na,2,8\nb,1,68\nb,0.5e1,48\n")
        self.assertEqual(self.output(*words, "--order", "first", stdin=rows),
                         "2,1,sum\na,1,3\nb,1,68\na,2,8\nb,0.5e1,48\n")

    def test_blanks_in_quotes(self):
        rows = '"  a",1\na,2\n"a ",4\n  a ,8\n"  a",16\n" ",32\n"",64\n "\ta" ,128\n'
        self.assertEqual(self.output("sum", "--column", 2, "--by", 1, "--csv", "--delimiter", ",", "--header", "no",
                                     "--order", "first", stdin=rows.encode()),
                         '1,sum\n"  a",17\na,10\n"a ",4\n" ",32\n,64\n"\ta",128\n')
        read_back = self.output("sum", "--column", "sum", "--by", "1", "--csv", "--order", "first", "--header", "yes",
                                stdin=b'1,sum\n"  a",17\na,10\n')
        self.assertEqual(read_back, '1,sum\n"  a",17\na,10\n')
        # Numbers go by value, in quotes too; the column of numbers has no blanks.
        self.assertEqual(self.sums('" 1","2 "\n1,4\n"1.0 ", 8\n2,16\n'), ['"', '1",14', "2,16"])
        self.assertEqual(self.output("sum", "--column", 2, "--by", 1, "--csv", "--keys", "text",
                                     stdin=b'" 1",2\n1,4\n'), '1,sum\n" 1",2\n1,4\n')
        blanks = self.output("sum", "--column", 2, "--by", 1, "--csv", stdin=b'" a" 1\na 2\n')
        self.assertEqual(blanks, '1,sum\n" a",1\na,2\n')

    def test_bytes_that_are_no_text(self):
        rows = b"k,v\n\xff\xe9,1\n\xed\xa0\x80b,2\n\xe2\x82,4\n\xc3\xb8,8\n"
        found = self.json("sum", "--column", "v", "--by", "k", "--order", "first", stdin=rows)
        self.assertEqual([(row["by"]["k"], row["value"]) for row in found],
                         [("\ufffd\ufffd", 1), ("\ufffd\ufffd\ufffdb", 2), ("\ufffd", 4), ("\u00f8", 8)])

    def test_numbers_in_random_spellings(self):
        """The groups are those of Python's float(), however a key is written."""
        draw = random.Random(9)
        spellings = ("{}", "+{}", "0{}", "{}.", "{}.0", "{}e0", "{}0e-1", "{}00E-2", " {} ")
        rows = [(draw.choice(spellings).format(draw.randrange(40)), draw.randrange(1000)) for _ in range(3000)]
        rows += [(draw.choice(("0.1", ".1", "1e-1", "0.10", "0.1000000000000000055511151231257827", "0.125", "1.25e-1")),
                  draw.randrange(1000)) for _ in range(300)]
        draw.shuffle(rows)
        sums, firsts = {}, {}
        for key, item in rows:
            sums[float(key)] = sums.get(float(key), 0) + item
            firsts.setdefault(float(key), key.strip())
        text = "".join(f"{key},{item}\n" for key, item in rows)
        wanted = [f"{firsts[value]},{total}" for value, total in sums.items()]
        self.assertEqual(self.sums(text, "--order", "first"), wanted)
        self.assertEqual(self.sums(text), sorted(wanted, key=lambda row: float(row.split(",")[0])))

    def test_runs(self):
        rows = "a,1\na,2\nb,4\na,8\nb,16\nb,32\n"
        self.assertEqual(self.sums(rows, "--runs"), ["a,3", "b,4", "a,8", "b,48"])
        # Each run has the text of its first row.
        self.assertEqual(self.sums("1,1\n1.0,2\n2,4\n+1,8\n1,16\nnan,32\nNaN,64\n-0,128\n0,256\n", "--runs"),
                         ["1,3", "2,4", "+1,24", "nan,96", "-0,384"])
        self.assertEqual(self.sums("1,1\n1.0,2\n1.0,4\n", "--runs", "--keys", "text"), ["1,1", "1.0,6"])
        # A row that is left out parts no run.
        self.assertEqual(self.sums("a,1\nb,NA\na,2\n", "--runs", "--na", "NA"), ["a,3"])
        self.assertEqual(self.by("argmax,count", "--column", "qty", "--by", "city", "--runs", "--csv"),
                         'city,argmax,count\nOslo,0,1\nBergen,0,1\nOslo,0,1\n"Bø, ""N""",0,1\nBergen,0,1\nOslo,0,1\n')
        self.assertEqual(self.output("sum", "--column", "x", "--by", "k", "--runs", stdin=b"k,x\n"), "k  sum\n")
        self.check_error(4, "p.csv: city 'Oslo': var: no result: 1 item, --ddof is 1",
                         "var", "p.csv", "--column", "qty", "--by", "city", "--ddof", 1, "--runs")

    def test_many_runs(self):
        """More than are reduced together, each with the answer of its rows alone."""
        draw = random.Random(3)
        rows = [(key, draw.uniform(-1, 1) * 10.0 ** draw.randrange(-30, 30))
                for key in (draw.randrange(3) for _ in range(9000)) for _ in range(draw.randrange(1, 5))]
        found = self.sums("".join(f"{key},{x!r}\n" for key, x in rows), "--runs", "--threads", 3, "--quiet")
        wanted = [(key, math.fsum(x for _, x in run)) for key, run in itertools.groupby(rows, lambda row: row[0])]
        self.assertEqual([(int(key), float(x)) for key, x in (row.split(",") for row in found)], wanted)

    def test_other_layouts(self):
        self.assertEqual(self.output("sum", "--column", 2, "--by", 1, stdin=b"b 1\na 2\n b 3\n"),
                         "1  sum\na    2\nb    4\n")
        self.write("t.tsv", "k\tx\nq\t1\n\t2\nq\t3\n\n")
        self.assertEqual(self.output("sum", "t.tsv", "--column", "x", "--by", "k", "--csv"),
                         "k,sum\n,2\nq,4\n")
        self.assertEqual(self.output("sum", "--column", "x", "--by", "k", stdin=b"k,x\n"),
                         "k  sum\n")
        # A column may be key and number at once, and a key twice.
        self.assertEqual(self.output("count", "p.csv", "--column", 4, "--by", "qty,qty", "--csv")[:24],
                         "qty,qty,count\n1,1,1\n2,2,")

    def test_types_and_rules(self):
        words = ("--column", "x", "--by", "k", "--csv")
        rows = b"k,x\na,1\nb,nan\na,9223372036854775806\n"
        self.assertEqual(self.output("sum", *words, "--dtype", "i64", stdin=rows.replace(b"nan", b"2")),
                         "k,sum\na,9223372036854775807\nb,2\n")
        small = b"k,x\na,1\nb,nan\na,2\n"
        self.assertEqual(self.output("sum", *words, stdin=small), "k,sum\na,3\nb,nan\n")
        self.assertEqual(self.output("sum", *words, "--nan", "omit", stdin=small), "k,sum\na,3\nb,0\n")
        self.check_error(4, "standard input: k 'b': sum: no result: item 0 is NaN",
                         "sum", *words, "--nan", "raise", stdin=small)
        self.assertEqual(self.output("mean", *words, "--hex", stdin=b"k,x\na,1\na,2\n"),
                         "k,mean\na,0x1.8p+0\n")
        self.assertEqual(self.output("sum", *words, "--dtype", "f32", "--plain", stdin=small[:8]),
                         "k,sum\na,1\n")

    def test_a_group_without_a_result_leaves_none(self):
        self.check_error(4, "p.csv: city 'Bergen', year '2024': var: no result: 1 item, --ddof is 1",
                         "var", "p.csv", "--column", "qty", "--by", "city,year", "--ddof", 1)

    def test_bad_input(self):
        columns = "1 'city', 2 'year', 3 'price', 4 'qty'"
        self.check_error(3, f"p.csv: column 'town' not found; the columns are {columns}",
                         "mean", "p.csv", "--column", "qty", "--by", "town")
        self.check_error(3, f"p.csv: column '9' not found; the columns are {columns}",
                         "mean", "p.csv", "--column", "qty", "--by", "9")
        self.check_error(3, f"p.csv: found 4 columns, expected --column to name one; the columns are {columns}",
                         "mean", "p.csv", "--by", "city")
        self.check_error(3, "p.csv: line 5, column 3 ('price'): expected a number, found 'NA'",
                         "mean", "p.csv", "--column", "price", "--by", "city")
        self.check_error(3, "standard input: line 2: found 1 column, expected 2",
                         "sum", "--column", 2, "--by", 1, stdin=b"a,1\nb\n")
        self.check_error(3, "standard input: line 2: a quoted field has no closing quote",
                         "sum", "--column", 2, "--by", 1, stdin=b'a,1\n"b,2\n')
        self.output("generate", "x.npy", "--count", 10)
        self.check_error(3, "x.npy: not text, which --by needs", "sum", "x.npy", "--by", "city")

    def test_bad_words(self):
        self.check_error(2, "--by is for one file, found 2", "sum", "p.csv", "p.csv", "--by", "city")
        self.check_error(2, "--by: expected columns between commas, found 'a,,b'", "sum", "--by", "a,,b")
        for words in (("--order", "first"), ("--keys", "text"), ("--runs",)):
            self.check_error(2, f"{words[0]} is for --by", "sum", *words)
        self.check_error(2, "--order: not with --runs", "sum", "--by", "city", "--runs", "--order", "first")
        self.check_error(2, "--by: not for dot", "dot", "p.csv", "p.csv", "--by", "city")
        self.check_error(2, "--global-index is for operations that give indices, such as argmax and top",
                         "sum", "p.csv", "--column", "qty", "--by", "city", "--global-index")
        self.check_error(2, "--global-index is for --axis and --by", "argmax", "p.csv", "--column", "qty", "--global-index")
        for words in (("--axis", 0), ("--save-state", "s"), ("--first-index", 3), ("--memory", "1G")):
            self.check_error(2, f"{words[0]}: not with --by", "sum", "--by", "city", *words)
        self.check_error(2, "--device gpu: not with --by", "sum", "--by", "city", "--device", "gpu")


class Alone(ToolTest):
    """The story: what a group gets is what its rows get alone, and what all rows get is the sum of it all."""

    def test_random_groups(self):
        draw = random.Random(5)
        rows = [(draw.choice("abcde") * draw.randrange(1, 3), draw.randrange(300),
                 draw.uniform(-1, 1) * 10.0 ** draw.randrange(-30, 30)) for _ in range(20000)]
        self.write("all.csv", "k,n,x\n" + "".join(f"{k},{n},{x!r}\n" for k, n, x in rows))
        ops = "count,sum,mean,std,min,argmax"
        for by, key_of in (("k", lambda row: (row[0],)), ("n,k", lambda row: (str(row[1]), row[0]))):
            for threads in (1, 3):
                found = csv.DictReader(io.StringIO(self.output(
                    ops, "all.csv", "--column", "x", "--by", by, "--csv", "--threads", threads,
                    "--quiet")))
                groups = {}
                for row in rows:
                    groups.setdefault(key_of(row), []).append(row[2])
                seen = set()
                for row in found:
                    key = tuple(row[name] for name in by.split(","))
                    seen.add(key)
                    items = groups[key]
                    self.assertEqual(int(row["count"]), len(items))
                    self.assertEqual(float(row["sum"]), math.fsum(items))
                    self.assertEqual(float(row["min"]), min(items))
                    self.assertEqual(int(row["argmax"]), items.index(max(items)))
                self.assertEqual(seen, set(groups))
        key, items = max(groups.items(), key=lambda group: len(group[1]))
        self.write("one.csv", "x\n" + "".join(f"{x!r}\n" for x in items))
        alone = self.json(ops, "one.csv", "--column", "x")[0]
        grouped = [row for row in self.json(ops, "all.csv", "--column", "x", "--by", "n,k")
                   if tuple(row["by"].values()) == key][0]
        for op in ops.split(","):
            self.assertEqual(grouped[op], alone[op], op)

    def test_sums_of_groups_are_the_sum_of_all(self):
        draw = random.Random(8)
        rows = "".join(f"{draw.randrange(50)},{draw.randrange(-10**15, 10**15)}\n" for _ in range(9000))
        self.write("i.csv", "k,x\n" + rows)
        words = ("sum", "i.csv", "--column", "x", "--dtype", "i64")
        groups = self.json(*words, "--by", "k")
        self.assertEqual(sum(row["value"] for row in groups), int(self.output(*words)))


if __name__ == "__main__":
    unittest.main()
