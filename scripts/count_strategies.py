#!/usr/bin/env python3
"""Prints which strategy of the mode search found how many modes in how many models, as a table for docs/quality.md.

    scripts/count_strategies.py CHI [FOLDER...]

The folders default to tests/models and examples; the runs are those of compare_traces.py.
"""
import collections
import json
import pathlib
import subprocess
import sys

import compare_traces


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    found, models = collections.Counter(), collections.Counter()
    searches = tried = runs = 0
    for folder in sys.argv[2:] or ["tests/models", "examples"]:
        for path in sorted((compare_traces.ROOT / folder).rglob("*.chi")):
            for options in compare_traces.runs_of(path):
                command = [str(binary), "run", str(path), *options, "--no-progress", "--json"]
                try:
                    done = subprocess.run(command, capture_output=True, timeout=60, cwd=path.parent, text=True)
                except subprocess.TimeoutExpired:
                    continue
                lines = [line for line in done.stdout.splitlines() if line.startswith('{"summary"')]
                if not lines:
                    continue
                summary = json.loads(lines[-1])["summary"]
                runs += 1
                searches += summary.get("mode_searches", 0)
                tried += summary.get("modes_tried", 0)
                found.update(summary.get("found_by", {}))
                models.update(summary.get("found_by", {}).keys())
    print("| strategy | modes found | runs |\n|---|---|---|")
    for name, count in found.most_common():
        print(f"| {name} | {count} | {models[name]} |")
    print(f"\n{runs} runs, {searches} searches, {tried} modes tried, "
          f"{searches - sum(found.values())} searches without a result")


if __name__ == "__main__":
    main()
