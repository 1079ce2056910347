#!/usr/bin/env python3
"""Nothing lost, nothing leaked, always stoppable: `run.py CHI [MODULE...]` runs the tests of these modules, all unless named. Each
promise of docs/reference/robustness.md names the function here that holds it."""
import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness  # noqa: E402

MODULES = ["stopping", "files", "shown", "memory"]


def main():
    harness.CHI = os.path.abspath(sys.argv[1])
    count = 0
    for name in sys.argv[2:] or MODULES:
        module = importlib.import_module(name)
        for test in module.TESTS:
            before = len(harness.PROBLEMS)
            test()
            count += 1
            print(f"{'FAIL' if len(harness.PROBLEMS) > before else 'ok  '} {name}.{test.__name__}", flush=True)
            for problem in harness.PROBLEMS[before:]:
                print("    " + problem.replace("\n", "\n    "))
    print(f"{count} tests, {len(harness.PROBLEMS)} problems")
    return 1 if harness.PROBLEMS else 0


if __name__ == "__main__":
    sys.exit(main())
