"""What a case file asks for: its directives, parsed. README.md is their description."""
import dataclasses
import fractions
import re
import shlex

from formula import BadFormula, Formula, number

_DIRECTIVE = re.compile(r"^//\s*(RUN|ARGS|SOLVERS|EXPECT|ALWAYS|INIT|ANALYZE|CHECK)\b:?\s*(.*)$")
_NAME = r"[A-Za-z_]\w*(?:\[\d+\])*(?:\.(?:[A-Za-z_]\w*|\d+)(?:\[\d+\])*)*'*"
_COMPARISON = re.compile(r"^(.*?)\s*(<=|>=|/=|!=|=|<|>)\s*(.*)$")
KINDS = ("state", "time", "mode", "jump", "conserved", "slide", "zeno", "round", "select", "communication", "print", "several", "requirement")
_GRID_POINTS = 20000


class BadDirective(Exception):
    """A directive that the runner does not understand; the text begins with the line number."""


@dataclasses.dataclass
class Expectation:
    """One demand on a result. `subject` says which kind; `text` is the line as written, for messages."""
    line: int
    text: str
    subject: str
    name: str = ""
    times: list = dataclasses.field(default_factory=list)  # pairs: written text, side ('', '-', '+')
    index: int = 0
    relation: str = "="
    value: Formula = None
    tolerance: float = None
    relative: bool = False


@dataclasses.dataclass
class Case:
    path: object
    runs: list = dataclasses.field(default_factory=list)
    arguments: list = dataclasses.field(default_factory=list)
    expectations: list = dataclasses.field(default_factory=list)
    initial: list = dataclasses.field(default_factory=list)
    analysis: list = dataclasses.field(default_factory=list)
    exit_codes: tuple = (0,)
    code: str = ""
    texts: list = dataclasses.field(default_factory=list)
    checks_only: bool = False


def _comparison(expectation, text):
    """Fills relation, value and tolerance from `= 0.5 +- 1e-6`."""
    match = re.match(r"^(<=|>=|/=|!=|=|<|>)\s*(.*)$", text)
    if not match:
        raise BadFormula(f"expected a comparison, found {text!r}")
    expectation.relation = match[1]
    value = match[2]
    if "+-" in value:
        value, _, bound = value.partition("+-")
        bound = bound.strip()
        if bound.endswith("rel"):
            expectation.relative = True
            bound = bound[:-3]
        expectation.tolerance = number(bound)
    expectation.value = Formula(value)


def _times(text):
    """`0.5, 1, 2+` as pairs of text and side."""
    pairs = []
    for item in text.split(","):
        match = re.match(r"^\s*(.+?)\s*([-+]?)\s*$", item)
        if not match:
            raise BadFormula(f"no time: {item!r}")
        number(match[1])
        pairs.append((match[1], match[2]))
    return pairs


def _expectation(line, text):
    found = Expectation(line=line, text=text, subject="")
    if match := re.match(rf"^(final|first|max|min)\s+({_NAME})\s*(.*)$", text):
        found.subject, found.name = match[1], match[2]
        _comparison(found, match[3])
    elif match := re.match(r"^count\s+(\w+)\s*(.*)$", text):
        found.subject, found.name = "count", match[1]
        _comparison(found, match[2])
    elif match := re.match(r"^event\s+(\w+)\s+(\d+)\s*(=.*)$", text):
        found.subject, found.name, found.index = "event", match[1], int(match[2])
        _comparison(found, match[3])
    elif match := re.match(r"^(no\s+)?event\s+(?:(\w+)\s+)?at\s+(.*)$", text):
        found.subject, found.name = ("no event" if match[1] else "event at"), match[2] or ""
        _comparison(found, "= " + match[3])
    elif match := re.match(r"^printed\s+(\d+)\s*(.*)$", text):
        found.subject, found.index = "printed", int(match[1])
        _comparison(found, match[2])
    elif match := re.match(r'^output\s+"(.*)"$', text):
        found.subject, found.name = "output", match[1].encode().decode("unicode_escape")
    elif match := re.match(r"^end\s*(.*)$", text):
        found.subject = "end"
        _comparison(found, match[1])
    elif match := re.match(rf"^({_NAME})\(t\)\s*(.*?)\s+at\s+(.*)$", text):
        found.subject, found.name, found.times = "value", match[1], _times(match[3])
        _comparison(found, match[2])
    elif match := re.match(rf"^({_NAME})\((.*?)\)\s*((?:<=|>=|/=|!=|=|<|>).*)$", text):
        found.subject, found.name, found.times = "value", match[1], _times(match[2])
        _comparison(found, match[3])
    else:
        raise BadFormula(f"unknown expectation {text!r}")
    if found.subject in ("count", "event", "event at", "no event") and found.name and found.name not in KINDS:
        raise BadFormula(f"unknown kind of event `{found.name}`; there are {', '.join(KINDS)}")
    return found


def _always(line, text):
    found = Expectation(line=line, text=text, subject="always")
    if "+-" in text:
        match = _COMPARISON.match(text)
        if not match or match[2] != "=":
            raise BadFormula("a tolerance belongs to `=`")
        found.name = Formula(match[1])
        _comparison(found, "= " + match[3])
    else:
        found.relation = ""
        found.value = Formula(text)
    return found


def _exit(case, text):
    match = re.match(r'^exit\s+([\d|]+)\s*(?:code\s+(\w+))?\s*((?:text\s+"[^"]*"\s*)*)$', text)
    if not match:
        raise BadFormula('expected `exit N [code E0000] [text "..."]`')
    case.exit_codes = tuple(int(code) for code in match[1].split("|"))
    case.code = match[2] or ""
    case.texts += re.findall(r'"([^"]*)"', match[3])


def read(path):
    """Parses the case file."""
    case = Case(path=path)
    solvers = []
    for line, content in enumerate(path.read_text("utf-8").splitlines(), 1):
        match = _DIRECTIVE.match(content)
        if not match:
            continue
        keyword, text = match[1], match[2].strip()
        try:
            if keyword == "RUN":
                case.runs.append(shlex.split(text))
            elif keyword == "ARGS":
                case.arguments += shlex.split(text)
            elif keyword == "SOLVERS":
                solvers += text.replace(",", " ").split()
            elif keyword == "ALWAYS":
                case.expectations.append(_always(line, text))
            elif keyword == "CHECK":
                case.checks_only = True
            elif keyword == "ANALYZE":
                match = re.match(r"^(count\s+)?(\w+)\s*(=|/=)\s*(.*)$", text)
                if not match:
                    raise BadFormula("expected `ANALYZE key = value`")
                case.analysis.append((line, text, bool(match[1]), match[2], match[3], match[4]))
            elif keyword == "INIT":
                found = Expectation(line=line, text=text, subject="init")
                match = re.match(rf"^({_NAME})\s*(.*)$", text)
                if not match:
                    raise BadFormula("expected `INIT name = value`")
                found.name = match[1]
                _comparison(found, match[2])
                case.initial.append(found)
            elif text.startswith("exit"):
                _exit(case, text)
            else:
                case.expectations.append(_expectation(line, text))
        except (BadFormula, ValueError) as error:
            raise BadDirective(f"{line}: {error}") from None
    if solvers:
        case.runs = [run + ["--solver", solver] for run in case.runs for solver in solvers]
    if not case.runs and (case.expectations or not (case.initial or case.analysis or case.checks_only)):
        raise BadDirective("1: there is no RUN directive")
    case.runs = [_with_grid(case, run) for run in case.runs]
    return case


def _with_grid(case, run):
    """Adds the --step whose grid holds every asked time that is a short decimal number."""
    if "--step" in run or "--points" in run or "--end" not in run:
        return run
    end = run[run.index("--end") + 1]
    wanted = [end] + [text for e in case.expectations for text, _ in e.times]
    step = fractions.Fraction(0)
    for text in wanted:
        if not re.match(r"^\d+\.?\d*(?:[eE][+-]?\d+)?$", text) or len(text.lstrip("0.")) > 8:
            continue  # the time of an event, or an expression: events have rows of their own
        value = fractions.Fraction(text)
        step = value if step == 0 else _gcd(step, value)
    end = fractions.Fraction(end)
    if step <= 0 or end / step > _GRID_POINTS:
        return run
    while end / step < 100:
        step /= 2
    return run + ["--step", repr(float(step))]


def _gcd(a, b):
    while b:
        a, b = b, a % b
    return a
