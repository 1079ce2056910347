"""Calls chi for a case and compares what it delivers with what the case expects."""
import csv
import json
import math
import pathlib
import re
import subprocess
import tempfile

from formula import BadFormula, Formula

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|inf|nan)(?![\w.])")
_RELATIVE, _ABSOLUTE = 1e-5, 1e-7  # without a stated tolerance, at the default ones of chi


class Result:
    """What one run left behind."""

    def __init__(self, columns, rows, events, output):
        self.columns, self.rows, self.events, self.output = columns, rows, events, output
        self.place = {name: number for number, name in enumerate(columns)}

    def column(self, name):
        if name not in self.place:
            known = ", ".join(self.columns[:30]) or "none"
            raise BadFormula(f"the result has no `{name}`; it has {known}")
        return self.place[name]

    def at(self, name, time, side):
        """The value at a time; at an event the one before (`-`) or after it (`+`, the default)."""
        column = self.column(name)
        near = 1e-12 * max(1.0, abs(time))
        rows = [row for row in self.rows if abs(row[0] - time) <= near]
        if not rows or (side and len(rows) < 2):
            doubled = [b for a, b in zip(self.rows, self.rows[1:]) if a[0] == b[0]]
            close = [row for row in doubled if abs(row[0] - time) <= 1e-5 * max(1.0, abs(time))]
            if close:
                best = min(close, key=lambda row: abs(row[0] - time))[0]
                rows = [row for row in self.rows if row[0] == best]
        if not rows:
            raise BadFormula(f"no row at time {time!r}")
        return rows[0 if side == "-" else -1][column]


def _call(chi, arguments, timeout):
    try:
        done = subprocess.run([chi, *arguments], capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return None, "", f"no answer in {timeout:g} s"
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def _read_result(folder, output):
    columns, rows = [], []
    path = pathlib.Path(folder) / "result.csv"
    if path.exists():
        with path.open(newline="", encoding="utf-8") as file:
            table = csv.reader(file)
            columns = [name.split(" [")[0] for name in next(table, [])]  # without units
            rows = [[float(x) for x in row] for row in table if row]
    events = []
    path = pathlib.Path(folder) / "events.jsonl"
    if path.exists():
        events = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    return Result(columns, rows, events, output)


def _margin(expectation, wanted):
    if expectation.tolerance is None:
        return _RELATIVE * abs(wanted) + _ABSOLUTE
    return expectation.tolerance * (abs(wanted) if expectation.relative else 1.0)


def _compare(expectation, found, lookup):
    """None when the demand holds; else what is wrong."""
    wanted = float(expectation.value(lookup))
    if math.isnan(found) and not math.isnan(wanted):
        return "found nan"
    difference = abs(found - wanted) if not (math.isinf(found) and found == wanted) else 0.0
    holds = {
        "=": lambda: difference <= _margin(expectation, wanted),
        "/=": lambda: difference > _margin(expectation, wanted),
        "!=": lambda: difference > _margin(expectation, wanted),
        "<": lambda: found < wanted,
        ">": lambda: found > wanted,
        "<=": lambda: found <= wanted + (expectation.tolerance or 0.0),
        ">=": lambda: found >= wanted - (expectation.tolerance or 0.0),
    }[expectation.relation]()
    if holds:
        return None
    text = f"found {found!r}"
    if expectation.relation == "=":
        text += f", expected {wanted!r}, off by {difference:.3g} (allowed {_margin(expectation, wanted):.3g})"
    return text


def _nothing(name):
    raise BadFormula(f"`{name}` has no value here")


def _always(expectation, result):
    worst, worst_row, wrong = 0.0, None, 0
    places = {}

    def lookup_in(row):
        def lookup(name):
            if name not in places:
                places[name] = result.column(name)
            return row[places[name]]
        return lookup

    for row in result.rows:
        lookup = lookup_in(row)
        if expectation.relation == "":
            if not expectation.value(lookup):
                wrong += 1
                worst_row = worst_row or row
            continue
        found, wanted = float(expectation.name(lookup)), float(expectation.value(lookup))
        excess = abs(found - wanted) / _margin(expectation, wanted) if _margin(expectation, wanted) else math.inf
        if not excess <= 1.0:
            wrong += 1
            if worst_row is None or not excess <= worst:
                worst, worst_row = excess, row
    if not result.rows:
        return "the result has no rows"
    if not wrong:
        return None
    names = expectation.value.names + (expectation.name.names if isinstance(expectation.name, Formula) else [])
    values = ", ".join(f"{name} = {worst_row[result.column(name)]!r}" for name in dict.fromkeys(names) if name != "time")
    return f"false on {wrong} of {len(result.rows)} rows, as at time {worst_row[0]!r}: {values}"


def _times_of(result, kind):
    return [event["time"] for event in result.events if not kind or event["kind"] == kind]


def _held(expectation, result):
    """None when the expectation holds; else what is wrong."""
    subject = expectation.subject
    if subject == "always":
        return _always(expectation, result)
    if subject == "value":
        problems = []
        for text, side in expectation.times:
            time = float(Formula(text)(_nothing))
            found = result.at(expectation.name, time, side)
            problem = _compare(expectation, found, lambda name: time if name == "t" else _nothing(name))
            if problem:
                problems.append(f"at {text}{side}: {problem}")
        return "; ".join(problems) or None
    if subject == "output":
        if expectation.name in result.output:
            return None
        return f"the output is {result.output[-400:]!r}"
    if subject in ("event at", "no event"):
        times = _times_of(result, expectation.name)
        wanted = float(expectation.value(_nothing))
        hit = any(abs(time - wanted) <= _margin(expectation, wanted) for time in times)
        if hit == (subject == "event at"):
            return None
        near = sorted(times, key=lambda time: abs(time - wanted))[:3]
        return f"{len(times)} events, nearest at {near}"
    if subject == "count":
        found = float(len(_times_of(result, expectation.name)))
    elif subject == "event":
        times = _times_of(result, expectation.name)
        if len(times) < expectation.index:
            return f"only {len(times)} events of this kind"
        found = times[expectation.index - 1]
    elif subject == "printed":
        numbers = _NUMBER.findall(result.output)
        if len(numbers) < expectation.index:
            return f"only {len(numbers)} numbers were printed: {result.output[-400:]!r}"
        found = float(numbers[expectation.index - 1])
    else:
        if not result.rows:
            return "the result has no rows"
        column = 0 if subject == "end" else result.column(expectation.name)
        values = [row[column] for row in result.rows]
        found = {"final": values[-1], "end": values[-1], "first": values[0], "max": max(values), "min": min(values)}[subject]
    return _compare(expectation, found, _nothing)


def _exit_problem(case, code, output, errors):
    if code is None:
        return errors
    said = errors + output
    if code not in case.exit_codes:
        return f"exit code {code}, expected {' or '.join(map(str, case.exit_codes))}: {said.strip()[:600]}"
    if case.code and f"[{case.code}]" not in said and f'"{case.code}"' not in said:
        return f"no {case.code}: {said.strip()[:600]}"
    for text in case.texts:
        if text.lower() not in said.lower():
            return f"the diagnosis does not say {text!r}: {said.strip()[:800]}"
    return None


def _run_once(chi, case, arguments, timeout):
    with tempfile.TemporaryDirectory() as folder:
        files = ["--out", f"{folder}/result.csv", "--events", f"{folder}/events.jsonl"]
        if any("'" in name for name in _named(case)):
            files.append("--derivatives")
        code, output, errors = _call(chi, ["run", str(case.path), *case.arguments, *arguments, *files], timeout)
        problem = _exit_problem(case, code, output, errors)
        if problem:
            return [problem]
        result = _read_result(folder, output)
    problems = []
    if any(e.subject in ("printed", "output") for e in case.expectations):
        # What a model prints does not depend on whether somebody records its variables.
        _, alone, _ = _call(chi, ["run", str(case.path), *case.arguments, *arguments], timeout)
        if alone != output:
            problems.append(f"without --out it prints {alone[-300:]!r} instead of {output[-300:]!r}")
    for expectation in case.expectations:
        try:
            problem = _held(expectation, result)
        except BadFormula as bad:
            problem = str(bad)
        if problem:
            problems.append(f"{expectation.text}  [line {expectation.line}]: {problem}")
    return problems


def _named(case):
    for expectation in case.expectations:
        if isinstance(expectation.name, str):
            yield expectation.name
        else:
            yield from expectation.name.names
        if expectation.subject == "always":
            yield from expectation.value.names


def _initial(chi, case, timeout):
    code, output, errors = _call(chi, ["init", str(case.path), "--json", *case.arguments], timeout)
    if code != 0:
        return [_exit_problem(case, code, output, errors) or f"exit code {code}: {errors.strip()[:600]}"]
    try:
        values = json.loads(output.strip().splitlines()[-1])["values"]
    except (ValueError, KeyError, IndexError):
        return [f"`chi init --json` did not print values: {output[:300]!r}"]
    problems = []
    for expectation in case.initial:
        if expectation.name not in values:
            problems.append(f"INIT {expectation.text}  [line {expectation.line}]: no such value; there are {', '.join(values)}")
            continue
        problem = _compare(expectation, float(values[expectation.name]), _nothing)
        if problem:
            problems.append(f"INIT {expectation.text}  [line {expectation.line}]: {problem}")
    return problems


def _analysis(chi, case, timeout):
    code, output, errors = _call(chi, ["analyze", str(case.path), "--json", *case.arguments], timeout)
    try:
        report = json.loads(output.strip().splitlines()[-1])
    except (ValueError, IndexError):
        return [f"`chi analyze --json`, exit code {code}: {(errors + output).strip()[:600]}"]
    problems = []
    for line, text, counted, key, relation, wanted in case.analysis:
        if key not in report:
            problems.append(f"ANALYZE {text}  [line {line}]: no such key; there are {', '.join(report)}")
            continue
        found = report[key]
        if counted:
            found, equal = len(found), len(found) == int(wanted)
        elif isinstance(found, list):
            equal = sorted(map(str, found)) == sorted(item.strip() for item in wanted.split(",") if item.strip())
        elif found is None or wanted == "null":
            equal = (found is None) == (wanted == "null")
        else:
            equal = str(found) == wanted
        if equal != (relation == "="):
            problems.append(f"ANALYZE {text}  [line {line}]: found {found!r}")
    return problems


def run(chi, case, timeout):
    """All that is wrong with the case; empty when it passes."""
    problems = []
    for number, arguments in enumerate(case.runs):
        found = _run_once(chi, case, arguments, timeout)
        label = f"run {' '.join(arguments)}: " if len(case.runs) > 1 else ""
        problems += [label + problem for problem in found]
    if case.initial:
        problems += _initial(chi, case, timeout)
    if case.analysis:
        problems += _analysis(chi, case, timeout)
    if case.checks_only:
        problems += check(chi, case, timeout)
    return problems


def check(chi, case, timeout):
    """Whether the text of the case is right, or wrong as the case says."""
    code, output, errors = _call(chi, ["check", str(case.path)], timeout)
    if case.checks_only:
        allowed = (1,) if case.exit_codes == (1,) else (0,)
    else:  # what a run refuses as wrong, the check may have refused before
        needs_option = any(option in str(case.runs) for option in ("--initial", "--start"))
        allowed = (0, 1) if 1 in case.exit_codes or needs_option else (0,)
    if code in allowed:
        return []
    return [f"chi check: exit code {code}: {(errors + output).strip()[:800]}"]
