#!/usr/bin/env python3
"""Runs golden tests: `run.py CHI FOLDER...`, with CHI_UPDATE_GOLDEN=1 rewrites what is expected.

A model carries its expectations (see CONTRIBUTING.md):

    // RUN: chi check
    n' = 1.0
    //~^ error[E2014] `n` is not real and has no derivative
    //~  label 3:15 declared here
    //~  help only real variables change while time passes

`^` is the line above, `^^` two lines above; without one the diagnostic has no place in the text. Every diagnostic
must be expected, with all its labels, notes and help. A file named fail_ has errors, warn_ only warnings, others none.
Files in a folder parts/ are there to be imported.
Beside a file x.chi in a folder fmt/ stands x.chi.golden, what `chi fmt` makes of it. In a folder dump/ a file has a
line `// RUN: chi run ... --dump=STAGE:FILTER` for each x.chi.STAGE_FILTER.golden, which is what that call prints.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

EXPECT = re.compile(r"^\s*//~(\^*)\s+(.*)$")
HEAD = re.compile(r"^(error|warning|note)\[(\w+)\] ?(.*)$")


def found(chi, path, command):
    """The exit code and the diagnostics of `command` on the file."""
    arguments = [chi, command[1], path.name, "--json", *command[2:]]
    done = subprocess.run(arguments, cwd=path.parent, capture_output=True, timeout=300, check=False)
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    reports = [json.loads(line) for line in lines if line.startswith('{"code"')]
    return done.returncode, reports, done.stderr.decode("utf-8", "replace")


def described(report, place):
    """A diagnostic as the lines behind `//~`; `place` maps a line number to the one in the file."""
    rows = [f"{report['severity']}[{report['code']}] {report['message']}"]
    if "/" in report["file"]:
        rows.append(f" file {report['file']}")
    for label in report["labels"]:
        start = label["start"]
        if "file" in label:
            rows.append(f" label {label['file']}:{start['line']}:{start['column']} {label['text']}")
            continue
        if start != report["start"] or label["end"] != report["end"]:
            rows.append(f" label {place(start['line'])}:{start['column']} {label['text']}")
        elif label["text"]:
            rows.append(f" here {label['text']}")
    rows += [" note " + note.replace("\n", "\n      ") for note in report["notes"]]
    if report["help"]:
        rows.append(" help " + report["help"].replace("\n", "\n      "))
    return "\n".join(rows).split("\n")


def expected(lines):
    """Pairs of line number (0: none) and the lines of one expected diagnostic."""
    pairs = []
    anchor = 0  # number of the last line that is no expectation
    for number, line in enumerate(lines, 1):
        match = EXPECT.match(line)
        if not match:
            anchor = number
            continue
        text = match[2]
        if HEAD.match(text):
            pairs.append((anchor - len(match[1]) + 1 if match[1] else 0, [text]))
        elif pairs:
            indent = len(line) - len(line.lstrip()) + len("//~ ")
            pairs[-1][1].append(line[indent:].rstrip())
    return pairs


def command_of(lines):
    match = re.match(r"^// RUN: (chi .*)$", lines[0]) if lines else None
    return shlex.split(match[1]) if match else ["chi", "check"]


def check_diagnostics(chi, path):
    lines = path.read_text("utf-8", "surrogateescape").split("\n")
    command = command_of(lines)
    code, reports, errors = found(chi, path, command)
    actual = sorted((r["start"]["line"] if r["start"] else 0, described(r, lambda n: n)) for r in reports)
    wanted = sorted(expected(lines))
    problems = []
    if actual != wanted:
        for line, rows in wanted:
            if (line, rows) not in actual:
                problems.append(f"expected, line {line}: " + "\n    ".join(rows))
        for line, rows in actual:
            if (line, rows) not in wanted:
                problems.append(f"found, line {line}: " + "\n    ".join(rows))
    failing = path.name.startswith("fail_")
    if failing != (code != 0):
        problems.append(f"exit code {code}, though the name {'begins' if failing else 'does not begin'} with fail_")
    if "internal error" in errors or code < 0:
        problems.append(f"exit code {code}: {errors}")
    return problems


def update_diagnostics(chi, path):
    lines = path.read_text("utf-8", "surrogateescape").split("\n")
    bare = [line for line in lines if not EXPECT.match(line)]
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / path.name
        copy.write_text("\n".join(bare), "utf-8", "surrogateescape")
        if (path.parent / "parts").is_dir():
            shutil.copytree(path.parent / "parts", pathlib.Path(folder) / "parts")
        _, reports, _ = found(chi, copy, command_of(bare))
    counts = [0] * (len(bare) + 2)  # expectation lines behind each bare line
    for report in reports:
        counts[report["start"]["line"] if report["start"] else 1] += len(described(report, lambda n: n))
    shift = lambda n: n + sum(counts[:n])
    out = []
    for number, line in enumerate(bare, 1):
        out.append(line)
        here = [r for r in reports if (r["start"]["line"] if r["start"] else 1) == number]
        for report in here:
            rows = described(report, shift)
            out.append(("//~^ " if report["start"] else "//~ ") + rows[0])
            out += ["//~ " + row for row in rows[1:]]
    path.write_text("\n".join(out), "utf-8", "surrogateescape")


def check_format(chi, path, update):
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / path.name
        shutil.copy(path, copy)
        subprocess.run([chi, "fmt", str(copy)], capture_output=True, timeout=300, check=False)
        formatted = copy.read_bytes()
        subprocess.run([chi, "fmt", str(copy)], capture_output=True, timeout=300, check=False)
        again = copy.read_bytes()
    golden = path.with_name(path.name + ".golden")
    if update:
        golden.write_bytes(formatted)
    if formatted != again:
        return ["formatting twice differs from formatting once"]
    if not golden.exists() or golden.read_bytes() != formatted:
        return [f"differs from {golden.name}"]
    return []


def check_dumps(chi, path, update):
    problems = []
    for line in path.read_text("utf-8").split("\n"):
        match = re.match(r"^// RUN: (chi run .*--dump=(\S+).*)$", line)
        if not match:
            continue
        words = shlex.split(match[1])
        done = subprocess.run([chi, "run", path.name, *words[2:]], cwd=path.parent, capture_output=True, timeout=300,
                              check=False)
        golden = path.with_name(f"{path.name}.{re.sub('[^a-z0-9]+', '_', match[2].lower())}.golden")
        if update:
            golden.write_bytes(done.stdout)
        if done.returncode != 0 or done.stderr:
            problems.append(f"{match[1]}: exit code {done.returncode}: {done.stderr.decode('utf-8', 'replace')}")
        elif not done.stdout:
            problems.append(f"{match[1]}: prints nothing")
        elif not golden.exists() or golden.read_bytes() != done.stdout:
            problems.append(f"{match[1]}: differs from {golden.name}")
    return problems or ([] if any(path.parent.glob(path.name + ".*.golden")) else ["no `// RUN:` line with `--dump`"])


def main():
    chi = os.path.abspath(sys.argv[1])
    update = os.environ.get("CHI_UPDATE_GOLDEN") == "1"
    files = sorted(f for folder in sys.argv[2:] for f in pathlib.Path(folder).rglob("*.chi")
                   if f.parent.name != "parts")

    def run(path):
        if path.parent.name == "fmt":
            return check_format(chi, path, update)
        if path.parent.name == "dump":
            return check_dumps(chi, path, update)
        if update:
            update_diagnostics(chi, path)
        return check_diagnostics(chi, path)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, problems in zip(files, pool.map(run, files)):
            if problems:
                failed += 1
                print(f"{path}:\n  " + "\n  ".join(problems))
    print(f"{len(files) - failed} passed, {failed} failed")
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
