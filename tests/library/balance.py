#!/usr/bin/env python3
"""The energy of net lists: `balance.py CHI [EXAMPLE...]` runs those of examples/netlists and examples/modelica.

The library is copied, and each component with terminals gets a state of its own: the energy that has flowed into it through them. In a run then

- the energies of all components are zero together: what sources give is stored or lost;
- what a store has taken is what it holds, by its state;
- a component without losses and stores, as an ideal diode or gear, has none, but for what an impulse loses in it at an instant;
- a component with losses, as a resistor or a brake, never gives energy back.

Each holds within 100 tolerances of the largest energy.
"""
import csv
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RTOL = 1e-7
POWERS = {  # per node type
    "pin": "{t}.v * {t}.i",
    "flange": "{t}.phi' * {t}.tau",
    "rod": "{t}.s' * {t}.f",
    "port": "{t}.p * {t}.q",
    "frame": "{t}.x' * {t}.fx + {t}.y' * {t}.fy + {t}.phi' * {t}.tau",
}
LOSSLESS = set("""Diode Thyristor Switch TwoWaySwitch Breaker IGBT IGBTWithDiode MOSFET GTO Triac SparkGap IdealTransformer ThreeWindingTransformer
    Gyrator EMF Star Delta Ground Gear PlanetaryGear OneWayClutch Differential CVT Disc CardanJoint Fixed World Backlash EndStops Bar Lever FloatingLever
    Tackle Rack Screw Rope Contact Ratchet Revolute Prismatic PrismaticDrive RevoluteDrive Slot Link RollingWheel Floor Discs LimitedRevolute Valve
    CheckValve Cylinder DoubleCylinder DisplacementPump CurrentSensor VoltageSensor IdealClutch Fuse""".split())
LOSSY = set("""Resistor Conductor VariableResistor Potentiometer Damper Friction BearingFriction StribeckFriction Clutch DiscClutch Brake LossyGear QuadraticLoad
    SupportFriction RollingResistance Drag Pipe LaminarPipe TurbulentPipe ControlValve ReliefValve Wheel HeatingResistor HeatingDiode
    RoughFloor Tyre""".split())
STORES = {  # what is stored, by states and parameters
    "Capacitor": "0.5 * C * v^2",
    "Inductor": "0.5 * L * i^2",
    "Inertia": "0.5 * J * w^2",
    "Mass": "0.5 * m * v^2",
    "Body": "0.5 * m * (vx^2 + vy^2) + 0.5 * J * w^2 + m * g * y",
    "PointMass": "0.5 * m * (vx^2 + vy^2) + m * g * y",
    "Tank": "0.5 * A * rho * g * h^2",
    "FluidInertia": "0.5 * rho * L / A * q^2",
}


def instrumented(definition, text):
    """A definition with the state energy_, and its store in stored_, if it is a process with terminals."""
    powers = []
    for parameter in definition["parameters"]:
        kind, _, count = parameter["type"].partition("^")
        if kind.split(".")[-1] not in POWERS:
            continue
        names = [f"{parameter['name']}.{k}" for k in range(int(count))] if count else [parameter["name"]]
        powers += [POWERS[kind.split(".")[-1]].format(t=name) for name in names]
    if definition["kind"] != "proc" or not powers:
        return text
    head = re.search(rf"(?ms)^proc {definition['name']}\(.*?\) =\n\|\[", text)
    equations = re.compile(r"(?m)^\| ").search(text, head.end())
    store = STORES.get(definition["name"])
    declared = " energy_: real := 0.0" + (", stored_: real" if store else "")
    if text[head.end():equations.start()].strip():
        declared += ","
    added = f"| energy_' = {' + '.join(powers)}, " + (f"stored_ <- {store}, " if store else "")
    return text[:head.end()] + declared + text[head.end():equations.start()] + added + text[equations.end():]


def instrument(chi, folder):
    """A copy of the library in which components count their energy."""
    lines = subprocess.run([chi, "doc", "--json"], capture_output=True, check=True, text=True).stdout.splitlines()
    definitions = [json.loads(line) for line in lines]
    for path in sorted((ROOT / "library").rglob("*.chi")):
        text = path.read_text("utf-8")
        for definition in definitions:
            if definition["module"] == path.parent.name and re.search(rf"(?m)^proc {definition['name']}\(", text):
                text = instrumented(definition, text)
        target = folder / path.relative_to(ROOT / "library")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")


def instrumented_model(text):
    """A model whose own components count their energy too."""
    for name, parameters in re.findall(r"(?ms)^proc (\w+)\(([^)]*)\) =\n\|\[", text):
        terminals = re.findall(rf"((?:\w+, )*\w+): (?:\w+\.)?((?:{'|'.join(POWERS)})(?:\^\d+)?)\b", parameters)
        named = [{"name": n, "type": kind} for names, kind in terminals for n in names.split(", ") if n not in ("real", "bool", "nat") and n.isidentifier()]
        text = instrumented({"name": name, "kind": "proc", "parameters": named}, text)
    return text


def kinds_of(text):
    """The kinds of the instances: by label, else by their own name."""
    found = {}
    for label, name in re.findall(r"(?:\b([A-Za-z]\w*):\s*)?\b(?:\w+\.)?([A-Z]\w*)\(", re.sub(r"//.*", "", text)):
        found[label or name] = name
    return found


# Labels within the systems of the library.
INSIDE = {"Up": "Diode", "Low": "Diode", "R": "Resistor", "T": "IdealTransformer"}


def kind_of(name, kinds):
    label = re.sub(r"\[\d+\]", "", name).split(".")[-1]
    return kinds.get(label) if "." not in name or label not in INSIDE else INSIDE[label]


def losses(kind, times, column, near):
    """What a component without stores does that it must not, and what impulses lose in it."""
    steps = [(t, u, b - a) for t, u, a, b in zip(times, times[1:], column, column[1:])]
    if (back := -min(step for _, _, step in steps)) > near:
        return f"gives {back} back", 0.0
    moving = sum(step for t, u, step in steps if u > t)
    if kind in LOSSLESS and abs(moving) > near:
        return f"takes {moving}", 0.0
    return None, sum(step for t, u, step in steps if u == t) if kind in LOSSLESS else 0.0


def problems_of(chi, library, path):
    text = path.read_text("utf-8")
    if not re.search(rf": ({'|'.join(POWERS)})\b", text):
        return []  # heat only, of which the flow is a power already
    call = re.search(r"(?m)^// Run: chi run \S+(.*)$", text)[1]
    options = [word for word in shlex.split(re.sub(r"--plot|--vars ('[^']*'|\S+)", "", call))]
    out, model = library / "out.csv", library / path.name
    model.write_text(instrumented_model(text), "utf-8")
    done = subprocess.run([chi, "run", str(model), *options, "--rtol", str(RTOL), "--include", str(library), "--quiet", "--out", str(out)],
                          capture_output=True, timeout=1000, check=False, text=True)
    if done.returncode != 0:
        return [f"exit code {done.returncode}: " + done.stderr[:2000]]
    rows = list(csv.reader(out.open()))
    rows[0] = [name.split(" [")[0] for name in rows[0]]  # without units
    columns = {name: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0]) if name.endswith(("energy_", "stored_"))}
    energies = {name[:-8]: column for name, column in columns.items() if name.endswith(".energy_")}
    stored = {name[:-8]: column for name, column in columns.items() if name.endswith(".stored_")}
    if not energies:
        return ["no component counts its energy"]
    scale = max(max(map(abs, column)) for column in columns.values())
    near = 100 * RTOL * scale
    kinds = kinds_of(text)
    problems = []
    if (total := max(abs(sum(values)) for values in zip(*energies.values()))) > near:
        problems.append(f"the energies of all components are {total} together")
    times = [float(row[0]) for row in rows[1:]]
    impulses, known = 0.0, 0
    for name, column in energies.items():
        kind = kind_of(name, kinds)
        if name in stored:
            wrong = max(abs(taken - (now - stored[name][0])) for taken, now in zip(column, stored[name]))
            problem, lost = f"has not stored {wrong} of what it has taken" if wrong > near else None, 0.0
        elif kind in LOSSLESS | LOSSY:
            problem, lost = losses(kind, times, column, near)
        else:
            continue
        known += 1
        impulses += lost
        problems += [f"{name}, a {kind}, {problem}"] if problem else []
    print(f"{path.stem:20} {len(energies):3} components, {known:3} of them without sources; largest energy {scale:.6g} J, together {total:.2g}, "
          f"lost in impulses {impulses:.6g} J")
    return problems


def main():
    chi = sys.argv[1]
    paths = [pathlib.Path(name) for name in sys.argv[2:]] or sorted(
        path for folder in ("netlists", "modelica") for path in (ROOT / "examples" / folder).glob("*.chi"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        instrument(chi, pathlib.Path(folder))
        for path in paths:
            for problem in problems_of(chi, pathlib.Path(folder), path):
                print(f"{path.stem}: {problem}")
                failed += 1
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
