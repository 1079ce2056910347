#!/usr/bin/env python3
"""Tolerances of the run stand in the tolerances.h of their room, with what they are relative to and a reason.

Fails if a file of src/sim compares with a small number of its own: 1e-9, 0x1p-36, an epsilon(). Tests and texts may.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SMALL = re.compile(r"\b\d+(?:\.\d+)?e-\d+\b|\b0x[\d.]+p-\d+\b|\bepsilon\(\)")
TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
# Still to be moved. A line that is not needed fails, too, so that the list gets shorter.
EXCEPTIONS = {"src/sim/consistency", "src/sim/modes/part.h", "src/sim/part/surface.h", "src/sim/events/location_rule.h"}
# Default values of options, and where functions are looked at: no tolerances.
OTHERS = {"src/sim/interface/run_options.h", "src/sim/integration/motion.h"}
PLACES = re.compile(r"\bkLooks\b")


def small_numbers(path):
    found = []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        code = TEXT.sub('""', line).split("//")[0]
        if SMALL.search(code) and not PLACES.search(code):
            found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    return found


def main():
    problems, needed = [], set()
    for path in sorted((ROOT / "src/sim").rglob("*")):
        name = str(path.relative_to(ROOT))
        if path.suffix not in (".h", ".cc") or path.name == "tolerances.h" or name in OTHERS or "test" in path.stem:
            continue
        found = small_numbers(path)
        excepted = {name, str(path.parent.relative_to(ROOT))} & EXCEPTIONS if found else set()
        needed |= excepted
        if not excepted:
            problems += found
    problems += [f"{name} has no small numbers: take it off the list" for name in sorted(EXCEPTIONS - needed)]
    rooms = sorted((ROOT / "src/sim").glob("*/tolerances.h"))
    for path in rooms:
        lines = path.read_text("utf-8").splitlines()
        for number, line in enumerate(lines):
            if line.startswith("inline constexpr") and not lines[number - 1].startswith(("///", "inline constexpr")):
                problems.append(f"{path.relative_to(ROOT)}:{number + 1}: no reason above it")
    print("\n".join(problems) or f"{len(rooms)} rooms have their tolerances in one place")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
