"""χ text as tokens, and back: enough to mutate and to shrink models without understanding them."""
import re

_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)|(?P<number>\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]?\d+|\d+)|(?P<name>[^\W\d]\w*)"
    r'|(?P<string>"(?:\\.|[^"\\\n])*")|(?P<sign>\|\[|\]\||\|\||:=|->|<-|<=|>=|/=|!=|\+\+|--|\.\.|.)', re.DOTALL)
OPENING, CLOSING = {"(", "[", "{", "|["}, {")", "]", "}", "]|"}
KEYWORDS = set("""type const func proc sys syst clus xper ref bool nat int real string void set dict true false and or not div mod
    in if then else skip delta nabla terminate ret time sample impulse""".split())


def split(text):
    """Pairs (kind, text) with kind number, name, string or sign; comments and space are gone."""
    return [(m.lastgroup, m[0]) for m in _TOKEN.finditer(text) if m.lastgroup != "space"]


def join(tokens):
    """Text that splits into the same tokens; a new line for every definition and every long line."""
    result, width, before = [], 0, ""
    for _, text in tokens:
        if text in ("proc", "sys", "syst", "clus", "xper", "func", "const", "type") and result:
            result.append("\n")
            width, before = 0, ""
        elif width > 110 and text not in ("'",):
            result.append("\n ")
            width, before = 1, ""
        if before and text not in ("'", ",", ";", ")", ".") and before not in ("(", "."):
            result.append(" ")
            width += 1
        result.append(text)
        width += len(text)
        before = text
    return "".join(result) + "\n"
