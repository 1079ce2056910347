"""Expressions over time, variables and their derivatives: written as χ, evaluated, differentiated, substituted.

A value is known for every expression, so that a model can be built around a solution chosen beforehand.
"""
import math


class Expression:
    """An immutable tree. `+ - *` build larger ones and fold the zeros and ones that differentiation leaves behind."""
    __slots__ = ("kind", "args", "_text")

    def __init__(self, kind, *args):
        self.kind, self.args, self._text = kind, args, None

    def __add__(self, other):
        other = expression(other)
        if is_number(self, 0.0):
            return other
        if is_number(other, 0.0):
            return self
        return Expression("+", self, other)

    def __radd__(self, other):
        return expression(other) + self

    def __sub__(self, other):
        return self + expression(other) * -1.0

    def __rsub__(self, other):
        return expression(other) - self

    def __mul__(self, other):
        other = expression(other)
        if is_number(self, 0.0) or is_number(other, 0.0):
            return number(0.0)
        if is_number(self, 1.0):
            return other
        if is_number(other, 1.0):
            return self
        if self.kind == "number" and other.kind == "number":
            return number(self.args[0] * other.args[0])
        return Expression("*", self, other)

    def __rmul__(self, other):
        return expression(other) * self

    def text(self):
        if self._text is None:
            self._text = _text(self)
        return self._text


def expression(value):
    return value if isinstance(value, Expression) else number(value)


def number(value):
    return Expression("number", float(value))


def variable(name, order=0):
    return Expression("variable", name, order)


def call(function, argument):
    return Expression("call", function, argument)


TIME = Expression("time")


def sin(argument):
    return call("sin", argument)


def is_number(e, value):
    return e.kind == "number" and e.args[0] == value


def _number_text(value):
    text = repr(value)
    return f"({text})" if value < 0 or text.startswith("-") else text


def _text(e):
    if e.kind == "number":
        return _number_text(e.args[0])
    if e.kind == "time":
        return "time"
    if e.kind == "variable":
        return e.args[0] + "'" * e.args[1]
    if e.kind == "+":
        return f"{e.args[0].text()} + {e.args[1].text()}"
    if e.kind == "*":
        return "*".join(f"({f.text()})" if f.kind == "+" else f.text() for f in e.args)
    return f"{e.args[0]}({e.args[1].text()})"


_FUNCTIONS = {"sin": math.sin, "cos": math.cos, "exp": math.exp, "tanh": math.tanh, "atan": math.atan}


def value(e, time, values):
    """The number; `values` maps (name, order) to a number."""
    if e.kind == "number":
        return e.args[0]
    if e.kind == "time":
        return time
    if e.kind == "variable":
        return values[e.args]
    if e.kind == "+":
        return value(e.args[0], time, values) + value(e.args[1], time, values)
    if e.kind == "*":
        return value(e.args[0], time, values) * value(e.args[1], time, values)
    return _FUNCTIONS[e.args[0]](value(e.args[1], time, values))


def derivative(e):
    """The total derivative with respect to time."""
    if e.kind == "number":
        return number(0.0)
    if e.kind == "time":
        return number(1.0)
    if e.kind == "variable":
        return variable(e.args[0], e.args[1] + 1)
    if e.kind == "+":
        return derivative(e.args[0]) + derivative(e.args[1])
    if e.kind == "*":
        return derivative(e.args[0]) * e.args[1] + e.args[0] * derivative(e.args[1])
    function, inner = e.args
    outer = {"sin": lambda: call("cos", inner), "cos": lambda: call("sin", inner) * -1.0, "exp": lambda: e,
             "tanh": lambda: 1.0 - e * e}[function]()
    return outer * derivative(inner)


def substitute(e, replacement):
    """`replacement` maps (name, order) to an expression; what it does not hold stays."""
    if e.kind in ("number", "time"):
        return e
    if e.kind == "variable":
        return replacement.get(e.args, e)
    if e.kind == "+":
        return substitute(e.args[0], replacement) + substitute(e.args[1], replacement)
    if e.kind == "*":
        return substitute(e.args[0], replacement) * substitute(e.args[1], replacement)
    return call(e.args[0], substitute(e.args[1], replacement))


def variables(e, found=None):
    """All (name, order) in it."""
    found = set() if found is None else found
    if e.kind == "variable":
        found.add(e.args)
    for part in e.args:
        if isinstance(part, Expression):
            variables(part, found)
    return found
