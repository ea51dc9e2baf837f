#!/usr/bin/env python3
"""Runs the tests of a GPU binary under compute-sanitizer's tools, a process each, many at once.

Devices take turns; tests of several devices see all of them. One line says what a tool found in a test, unless
that is nothing; the last lines count. A test that is not at its end when the time is over is named as such.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time

TOOLS = ["memcheck", "racecheck", "initcheck", "synccheck"]
FOUND = 9  # the exit code that compute-sanitizer is asked for
NEEDS_ALL_DEVICES = re.compile(r"^(several_gpus|gpu_devices)\.")


def tests_of(binary, chosen):
    """The full names of the tests that a GoogleTest filter leaves."""
    listed = subprocess.run([binary, "--gtest_list_tests", f"--gtest_filter={chosen}"], check=True,
                            capture_output=True, text=True).stdout
    tests, suite = [], ""
    for line in listed.splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith("  "):
            tests.append(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return tests


def number_of_devices():
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return 1
    return max(1, len(re.findall(r"^GPU \d+:", listed, re.M)))


def command(tool, binary, test):
    more = ["--racecheck-report", "all"] if tool == "racecheck" else []
    return ["compute-sanitizer", "--tool", tool, *more, "--error-exitcode", str(FOUND), binary,
            "--gtest_brief=1", f"--gtest_filter={test}"]


def run_one(tool, binary, test, device, end, log):
    """What became of a test: clean, found, failed, skipped, or not at its end; and its seconds."""
    began = time.monotonic()
    left = end - began
    if left <= 0:
        return "not begun", 0.0
    environment = dict(os.environ, MONOFOLD_SLOW_DEVICE="1")  # so that tests take fewer sizes
    if not NEEDS_ALL_DEVICES.search(test):
        environment["CUDA_VISIBLE_DEVICES"] = str(device)
    with open(log, "wb") as file:
        # A group of its own: the sanitizer's child ends with it.
        process = subprocess.Popen(command(tool, binary, test), stdout=file, stderr=subprocess.STDOUT,
                                   env=environment, start_new_session=True)
        try:
            code = process.wait(timeout=left)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            return "not at its end", time.monotonic() - began
    with open(log, "rb") as file:
        text = file.read().decode(errors="replace")
    seconds = time.monotonic() - began
    if "terminated before first instrumented API call" in text and "[  PASSED  ]" in text:
        return "without a device", seconds
    if code == FOUND:
        return "found", seconds
    if code != 0 or "[  PASSED  ]" not in text and "[  SKIPPED ]" not in text:
        return f"failed ({code})", seconds
    return ("skipped" if "[  SKIPPED ]" in text else "clean"), seconds


def first_words(log):
    """What the tool said first, for one line."""
    with open(log, "rb") as file:
        for line in file.read().decode(errors="replace").splitlines():
            if re.match(r"^=+ (Error|Warning|Invalid|Race|Potential|Barrier|Uninit|Program hit)", line):
                return line.lstrip("= ")[:150]
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--tools", default=",".join(TOOLS), help="some of them, with commas between")
    parser.add_argument("--filter", default="*", help="of GoogleTest")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2),
                        help="processes at once")
    parser.add_argument("--seconds", type=float, default=480, help="for each tool")
    parser.add_argument("--logs", default="build-gpu/sanitize", help="a folder for what each process said")
    given = parser.parse_args()
    devices = number_of_devices()
    tests = tests_of(given.binary, given.filter)
    if not tests:
        sys.exit(f"no test of {given.filter}")
    bad = 0
    for tool in given.tools.split(","):
        folder = os.path.join(given.logs, tool)
        os.makedirs(folder, exist_ok=True)
        began = time.monotonic()
        end = began + given.seconds
        counts = {}
        slowest = []
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            running = {}
            for i, test in enumerate(tests):
                log = os.path.join(folder, test.replace("/", "_") + ".txt")
                running[pool.submit(run_one, tool, given.binary, test, i % devices, end, log)] = (test, log)
            for done in concurrent.futures.as_completed(running):
                test, log = running[done]
                outcome, seconds = done.result()
                counts[outcome] = counts.get(outcome, 0) + 1
                slowest.append((seconds, test))
                if outcome in ("clean", "skipped", "without a device"):
                    continue
                bad += 1
                words = first_words(log) if os.path.exists(log) else ""
                print(f"{tool}: {test}: {outcome} after {seconds:.0f} s{': ' if words else ''}{words}", flush=True)
        told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
        longest = ", ".join(f"{name} {seconds:.0f} s" for seconds, name in sorted(slowest, reverse=True)[:3])
        print(f"{tool}: {len(tests)} tests on {devices} devices, {given.jobs} at once, "
              f"{time.monotonic() - began:.0f} s: {told}; the longest: {longest}", flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
