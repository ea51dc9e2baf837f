#!/usr/bin/env python3
"""States of an earlier day give the answers of that day; made again they have the same bytes."""

import json
import os
import re
import sys
import unittest
from pathlib import Path

from tool import FLOATS, INTEGERS, TOOL, TREE, ToolTest, is_sanitized

sys.path.append(os.path.join(TREE, "tools"))
import compare_states  # noqa: E402  # scripts of tools/, which is no package
import golden_states  # noqa: E402

GOLDEN = Path(TREE) / "tests" / "golden_states"
TOOL_PATH = str(Path(TOOL).resolve()) if "/" in TOOL else TOOL


class GoldenStates(ToolTest):
    maxDiff = None

    def test_the_tool_still_answers_from_them(self):
        for folder, least in [(GOLDEN, 500), (GOLDEN / "v1", 60)]:
            answers = json.loads((folder / "answers.json").read_text())
            files = sorted(path.name for path in folder.glob("*.state"))
            self.assertEqual(sorted(f"{name}.state" for name in answers), files)
            self.assertGreater(len(answers), least)
            for name, wanted in list(answers.items())[::5 if is_sanitized() else 1]:  # 600 starts
                # As text: -0.0 is another answer than 0.
                found = golden_states.answers_of(TOOL_PATH, folder, name)
                self.assertEqual(json.dumps(found), json.dumps(wanted), name)

    @unittest.skipIf(is_sanitized(), "600 starts more")
    def test_made_again_they_have_the_same_bytes(self):
        for one in golden_states.cases():
            golden_states.make_state(TOOL_PATH, self.folder, one)
            name = f"{one['name']}.state"
            self.assertEqual(Path(self.path(name)).read_bytes(), (GOLDEN / name).read_bytes(), name)

    @unittest.skipIf(is_sanitized(), "2752 starts more")
    def test_the_states_of_every_operation_and_type_have_the_same_bytes(self):
        wanted = json.loads((GOLDEN / "digests.json").read_text())
        listed = (Path(TREE) / "runtime" / "operation.hpp").read_text()
        for op, domain in re.findall(r'operation::\w+, "(\w+)", domain::(\w+)', listed):
            found = {name.split(".")[0] for name, row in wanted.items() for words in row if words.split()[0] == op}
            missing = {"floats": {*INTEGERS, "bool"}, "integers": set(FLOATS)}.get(domain, set())
            self.assertEqual(found, {*INTEGERS, *FLOATS, "bool"} - missing, op)
        found = compare_states.digests([TOOL_PATH])
        self.assertEqual({name: list(row) for name, row in found.items()},
                         {name: list(row) for name, row in wanted.items()})
        self.assertEqual([f"{name} {words}" for name, row in found.items() for words, digest in row.items()
                          if digest != wanted[name][words]], [])


if __name__ == "__main__":
    unittest.main()
