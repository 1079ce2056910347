"""Formulas over the columns of a result: `abs(x^2 + T[0].y^2 - 1) < 1e-5`.

χ's operators and functions, result names as columns (`Tank.V`, `T[1].Q`, `x'`, `t.0`), `time`, and `pi`.
"""
import math
import re

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*(?:\[\d+\])*(?:\.(?:[A-Za-z_]\w*|\d+)(?:\[\d+\])*)*'*)"
    r"|(?P<operator><=|>=|/=|!=|==|[-+*/^()<>=,]))"
)
_WORDS = {"and": " and ", "or": " or ", "not": " not "}
_OPERATORS = {"^": "**", "/=": "!=", "=": "=="}


def _sign(x):
    return (x > 0) - (x < 0)


def _elliptic_k(m):
    """Complete elliptic integral of the first kind, parameter m, by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1 - m)
    for _ in range(8):  # the error is squared each time
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


FUNCTIONS = {name: getattr(math, name) for name in (
    "sqrt", "cbrt", "exp", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "floor", "ceil", "erf", "gamma") if hasattr(math, name)}
FUNCTIONS.update(ln=math.log, log=math.log10, abs=abs, min=min, max=max, sign=_sign, elliptic_k=_elliptic_k)
CONSTANTS = {"pi": math.pi, "inf": math.inf, "true": 1, "false": 0}


class BadFormula(Exception):
    """The text is no formula, or names something that is not there."""


class Formula:
    """A parsed formula; `names` are the columns it reads."""

    def __init__(self, text):
        self.text = text.strip()
        self.names = []
        pieces = []
        place = 0
        text = text.rstrip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if not match or match.end() == place:
                raise BadFormula(f"cannot read {text[place:]!r}")
            place = match.end()
            if match["number"]:
                pieces.append(match["number"])
            elif match["name"]:
                pieces.append(self._word(match["name"]))
            else:
                pieces.append(_OPERATORS.get(match["operator"], match["operator"]))
        try:
            self._code = compile("".join(pieces), "<formula>", "eval")
        except SyntaxError:
            raise BadFormula(f"no formula: {self.text}") from None

    def _word(self, word):
        if word in _WORDS:
            return _WORDS[word]
        if word in FUNCTIONS:
            return word
        if word in CONSTANTS:
            return repr(CONSTANTS[word]) if word != "inf" else "float('inf')"
        if word not in self.names:
            self.names.append(word)
        return f"_v[{self.names.index(word)}]"

    def __call__(self, lookup):
        """The value, where `lookup(name)` gives that of a column."""
        values = [lookup(name) for name in self.names]
        try:
            return eval(self._code, {"__builtins__": {}, "float": float, **FUNCTIONS}, {"_v": values})
        except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
            raise BadFormula(f"{self.text}: {error}") from None


def number(text):
    """The value of a formula without names."""
    def none(name):
        raise BadFormula(f"`{name}` is no number")
    return float(Formula(text)(none))
