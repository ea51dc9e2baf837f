"""Compiles one file that must not compile, and checks what the compiler says.

usage: expect_failure.py FILE COMPILER [FLAG...]

Each line `// EXPECT: REGEX` among the first ten lines of FILE must match the compiler's output.
The regular expression must not match the file's own text by accident: compilers print the offending
line, so lines of output that quote the EXPECT comment are left out. All that it prints must be short: 40 lines, or
as many as a line `// LINES: NUMBER` there says.
"""

import re
import subprocess
import sys

MOST_LINES = 40


def main() -> int:
    source, command = sys.argv[1], sys.argv[2:]
    with open(source, encoding="utf-8") as file:
        head = [line.rstrip("\n") for line in file][:10]
    wanted = [line.split("// EXPECT:", 1)[1].strip() for line in head if "// EXPECT:" in line]
    if not wanted:
        print(f"{source}: no line `// EXPECT: regex` among the first ten")
        return 1
    run = subprocess.run([*command, source], capture_output=True, text=True, check=False)
    output = "\n".join(line for line in run.stderr.splitlines() if "EXPECT:" not in line)
    if run.returncode == 0:
        print(f"{source}: compiles, but must not")
        return 1
    most = next((int(line.split("// LINES:", 1)[1]) for line in head if "// LINES:" in line), MOST_LINES)
    if (lines := output.count("\n") + 1) > most:
        print(f"{source}: fails in {lines} lines, more than {most}\n{output}")
        return 1
    missing = [regex for regex in wanted if not re.search(regex, output)]
    for regex in missing:
        print(f"{source}: fails to compile, as it must, but not with: {regex}")
    if missing:
        print(output)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
