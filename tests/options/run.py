#!/usr/bin/env python3
"""Every option of every command of chi does what it says, and says what is wrong with it: `run.py CHI`.

The cases are in cases.py. An option that `chi COMMAND --help` lists and no case uses fails the test, and so does one that takes a value and
has no case in which the value is refused. Two rules hold without a case: a value that is missing, and one where none belongs, exit with 2.
"""
import os
import pathlib
import shutil
import re
import shlex
import subprocess
import sys
import tempfile

import cases
import models

HEAD = re.compile(r"^  (--?[a-z][\w-]*)((?: \S+)*?)(?:  +\S.*)?$", re.M)


class Call:
    """What a call gave, for the checks of a case."""

    def __init__(self, chi, folder, arguments):
        words = shlex.split(arguments)
        done = subprocess.run([chi, *words], cwd=folder, capture_output=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
        self.code, self.folder, self.again = done.returncode, folder, lambda other: Call(chi, folder, other)
        self.out, self.err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")

    def read(self, name):
        path = self.folder / name
        return path.read_bytes().decode("utf-8", "replace") if path.exists() else ""


def commands_of(chi):
    listed = subprocess.run([chi, "--help"], capture_output=True, check=True).stdout.decode()
    return re.findall(r"^  (\w+) \[?[A-Z]", listed.partition("Commands:")[2].partition("Options:")[0], flags=re.M)


def options_of(chi, command):
    """The options of a command, each with what stands for its value."""
    text = subprocess.run([chi, command, "--help"], capture_output=True, check=True).stdout.decode()
    return {option: value.strip() for option, value in HEAD.findall(text.partition("Usage:")[2])}


def fresh(folder):
    for path in folder.iterdir():
        path.unlink() if not path.is_dir() or path.is_symlink() else shutil.rmtree(path)
    for name, text in models.MODELS.items():
        (folder / name).write_text(text, "utf-8")


def problems_of(chi, folder, case):
    fresh(folder)
    if case.before:
        subprocess.run(case.before, shell=True, cwd=folder, check=True)
    call = Call(chi, folder, case.arguments)
    if call.code != case.code:
        return [f"exit code {call.code} instead of {case.code}\n{call.out}{call.err}"]
    problems = []
    if case.code == 2 and call.err.count("error[") == 0 and '"severity":"error"' not in call.out and "error:" not in call.err:
        problems.append(f"does not say what is wrong: {call.err}{call.out}")
    for check in case.checks:
        if callable(check):
            try:
                told = check(call)
            except (ValueError, KeyError, IndexError) as bad:
                told = f"{type(bad).__name__}: {bad}"
            if told:
                problems.append(str(told))
        elif check not in call.out + call.err:
            problems.append(f"`{check}` is not in\n{call.out}{call.err}")
    return problems


def rules(chi, folder, command, options):
    """What holds for every option."""
    fresh(folder)
    subject = cases.SUBJECTS[command]
    for option, value in options.items():
        if value and not value.startswith("["):
            call = Call(chi, folder, f"{command} {subject} {option}")
            if call.code != 2 or f"`{option}` needs a value" not in call.err:
                yield f"chi {command} {subject} {option}: exit code {call.code}\n{call.err}"
        if not value:
            call = Call(chi, folder, f"{command} {subject} {option}=yes")
            if call.code != 2 or f"`{option}` takes no value" not in call.err:
                yield f"chi {command} {subject} {option}=yes: exit code {call.code}\n{call.err}"
    for nonsense in ("--nonsense", "--nonsense=1", "-x"):
        call = Call(chi, folder, f"{command} {subject} {nonsense}")
        if call.code != 2 or "error[E0" not in call.err:
            yield f"chi {command} {subject} {nonsense}: exit code {call.code}\n{call.err}"


def main():
    chi = os.path.abspath(sys.argv[1])
    problems, count = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case in cases.CASES:
            count += 1
            problems += [f"chi {case.arguments}: {problem}" for problem in problems_of(chi, folder, case)]
        for command in commands_of(chi):
            options = options_of(chi, command)
            used = {word.partition("=")[0] for case in cases.CASES if case.command == command for word in shlex.split(case.arguments)}
            refused = {case.about for case in cases.CASES if case.command == command and case.code == 2}
            problems += [f"chi {command}: no case uses {option}" for option in options if option not in used]
            problems += [f"chi {command}: no case refuses a value of {option}" for option, value in options.items()
                         if value and option not in refused]
            problems += rules(chi, folder, command, options)
            count += len(options)
    problems += [*cases.signals(chi), *cases.terminal(chi)]
    print("\n".join(problems) or f"{count} cases and rules hold")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
