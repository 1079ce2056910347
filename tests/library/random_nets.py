#!/usr/bin/env python3
"""Random net lists: `random_nets.py CHI FOLDER [COUNT [FIRST_SEED]]`, connected graphs of components of a folder of the library.

Each runs, and then its energies are zero together (see balance.py), or is refused with a message about its physics: by one of the codes below.
What else happens, a crash, a run without end, a failure of the numbers, is a failure of the test. The last lines count what came.
"""
import collections
import csv
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import balance  # noqa: E402

# Equations that say the same or contradict each other (E6101), values at the start that no mode keeps (E6103), a potential that nothing
# fixes (E4020, E6101), and flows that nothing divides, as the heat into two bodies that melt.
PHYSICS = re.compile(r"error\[(E4020|E6101|E6103)\]|do not determine their unknowns")
ELECTRICAL = [("Resistor", 2, "R = {x}"), ("Resistor", 2, "R = {x}"), ("Capacitor", 2, "C = {x}"), ("Inductor", 2, "L = {x}"), ("Diode", 2, ""),
              ("SineVoltage", 2, "V = {x}, f = {y}"), ("SineCurrent", 2, "I = {x}, f = {y}"), ("IdealTransformer", 4, "n = {x}"),
              ("ZenerDiode", 2, "Vz = {x}"), ("Gyrator", 4, "G = {x}"), ("VCC", 4, "G = {x}")]
ROTATIONAL = [("Inertia", 1, "J = {x}"), ("Inertia", 1, "J = {x}"), ("Spring", 2, "c = {x}"), ("Damper", 2, "d = {x}"), ("SineTorque", 1, "tau = {x}, freq = {y}"),
              ("Friction", 2, "tau = {x}"), ("BearingFriction", 1, "tau = {x}"), ("Gear", 2, "ratio = {x}"), ("PlanetaryGear", 3, "ratio = {x}"),
              ("OneWayClutch", 2, ""), ("Backlash", 2, "play = {x}"), ("EndStops", 1, "low = -{x}, high = {y}"), ("LossyGear", 2, "ratio = {x}"), ("Torque", 1, "tau = {x}")]
TRANSLATIONAL = [("Mass", 1, "m = {x}"), ("Mass", 1, "m = {x}"), ("Spring", 2, "c = {x}"), ("Damper", 2, "d = {x}"), ("Force", 1, "F = {x}"), ("Weight", 1, "m = {x}"),
                 ("Friction", 2, "F = {x}"), ("SupportFriction", 1, "F = {x}"), ("Lever", 2, "ratio = -{x}"), ("Rope", 2, "L = {x}"), ("Contact", 2, "gap = -{x}"),
                 ("EndStops", 1, "low = -{x}, high = {y}"), ("Ratchet", 2, ""), ("ElastoGap", 2, "gap = -{x}, c = 100.0")]
THERMAL = [("HeatCapacitor", 1, "C = {x}"), ("HeatCapacitor", 1, "C = {x}"), ("ThermalConductor", 2, "G = {x}"), ("ThermalResistor", 2, "R = {x}"),
           ("FixedTemperature", 1, ""), ("HeatFlow", 1, "Q = {x}"), ("HeatPipe", 2, "G = {x}"), ("HeatBar", 2, "n = 3, C = {x}"), ("MeltingBody", 1, "latent = {x}, Tm = 293.15, T0 = 293.15")]
FLUID = [("Tank", 1, "A = {x}, h0 = {y}"), ("Tank", 1, "A = {x}"), ("Pipe", 2, "R = {x}e6"), ("TurbulentPipe", 2, "dp = {x}e3"), ("CheckValve", 2, ""), ("Ambient", 1, ""),
         ("FlowSource", 1, "q = {x}e-3"), ("FluidInertia", 2, "L = {x}"), ("Rise", 2, "H = {x}"), ("Pump", 2, "q = {x}e-3"), ("ReliefValve", 2, "p = {x}e3")]
PLANAR = [("Body", 1, "m = {x}"), ("Body", 1, "J = {x}"), ("Revolute", 2, ""), ("Bar", 2, ""), ("Bushing", 2, "c = {x}"), ("Force", 1, "fx = {x}"),
          ("Floor", 1, ""), ("RoughFloor", 1, "mu = {x}"), ("World", 1, "")]
FOLDERS = {"electrical": ("pin", ELECTRICAL, ["Ground"]), "rotational": ("flange", ROTATIONAL, ["Fixed"]), "translational": ("rod", TRANSLATIONAL, ["Fixed"]),
           "thermal": ("heat", THERMAL, ["FixedTemperature"]), "fluid": ("port", FLUID, ["Ambient"]), "planar": ("frame", PLANAR, ["World"])}

FIRST = {"electrical": "Resistor(n.0, n.1)", "rotational": "SpringDamper(n.0, n.1)", "translational": "SpringDamper(n.0, n.1)",
         "thermal": "ThermalConductor(n.0, n.1)", "fluid": "Pipe(n.0, n.1)", "planar": "Bushing(n.0, n.1)"}


def net(folder, seed):
    """A connected graph: each component has a terminal at a node that is connected already. The first node is held, and only parts with two ends come to it."""
    dice = random.Random(f"{folder} {seed}")
    kind, components, held = FOLDERS[folder]
    nodes, lines = 2, [f"H: {held[0]}(n.0)", "X: " + FIRST[folder]]
    for k in range(dice.randint(2, 8)):
        name, terminals, values = dice.choice(components)
        ends = [dice.randrange(1 if terminals == 1 else 0, nodes)]
        for _ in range(terminals - 1):
            others = [node for node in range(nodes) if node not in ends]
            ends.append(dice.choice(others) if others and dice.random() < 0.5 else nodes)
            nodes += ends[-1] == nodes
        dice.shuffle(ends)
        text = values.format(x=round(dice.uniform(0.3, 3.0), 3), y=round(dice.uniform(0.3, 2.0), 3))
        lines.append(f"X{k}: {name}({', '.join(f'n.{end}' for end in ends)}{', ' + text if text else ''})")
    return f"from {folder} import *\n\nsys Net() =\n|[ n: {kind}^{nodes}\n | " + "\n|| ".join(lines) + "\n]|\n"


def outcome(chi, library, text):
    """What came of it, and whether that is as it should be."""
    (library / "nets").mkdir(exist_ok=True)
    model, out = library / "nets" / "net.chi", library / "nets" / "net.csv"
    model.write_text(text, "utf-8")
    for options in ([], ["--include", str(library)]):
        try:
            done = subprocess.run([chi, "run", str(model), "--end", "2", *options, "--quiet", "--out", str(out)], capture_output=True, timeout=60, check=False,
                                  text=True)
        except subprocess.TimeoutExpired:
            return "no end", False
        if done.returncode != 0:
            codes = re.findall(r"error\[(E\d+)\]", done.stderr)
            refused = done.returncode in (1, 3) and bool(PHYSICS.search(done.stderr))
            # The energy asks for the velocity of every end. That of one without a mass or a force, behind an open gap, nothing determines.
            return codes[0] if codes else f"exit code {done.returncode}", refused and (not options or codes == ["E6101"])
    rows = list(csv.reader(out.open()))
    rows[0] = [name.split(" [")[0] for name in rows[0]]  # without units
    columns = [[float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0]) if name.endswith("energy_")]
    scale = max([1e-3] + [max(map(abs, column)) for column in columns])
    if columns and max(abs(sum(values)) for values in zip(*columns)) > 1e-4 * scale:
        return "energy", False
    return "runs", True


def main():
    chi, folder = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    found, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        library = pathlib.Path(name)
        balance.instrument(chi, library)
        for seed in range(first, first + count):
            text = net(folder, seed)
            what, right = outcome(chi, library, text)
            found[what] += 1
            if not right:
                wrong += 1
                print(f"seed {seed}: {what}\n{text}")
    print(", ".join(f"{what} {n}" for what, n in found.most_common()))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
