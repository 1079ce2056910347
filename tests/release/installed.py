"""What an installed χ must do, wherever it is: used by install.py and package.py."""
import pathlib
import subprocess
import tempfile

MODEL = """from electrical import *
sys Divider() =
|[ a, b, g: pin
 | Source: VoltageSource(a, g, V = 10.0) || High: Resistor(a, b, R = 100.0) || Low: Resistor(b, g, R = 300.0) || Ground(g)
]|
"""
# Long enough that its formulas are compiled.
LONG = """proc Waves() =
|[ x: real := 1.0, v: real := 0.0
 | x' = v, v' = -x - 0.1*sin(50*time)*v
]|
"""


def files_below(folder):
    return sorted(str(f.relative_to(folder)) for f in pathlib.Path(folder).rglob("*") if f.is_file() or f.is_symlink())


def works(prefix):
    """Messages of what does not work of the χ below this folder, with nothing of the build in reach."""
    prefix = pathlib.Path(prefix)
    chi = prefix / "bin" / "chi"
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        def call(*words, **more):
            return subprocess.run([chi, *words], cwd=folder, capture_output=True, text=True, **more)

        (pathlib.Path(folder) / "divider.chi").write_text(MODEL)
        (pathlib.Path(folder) / "waves.chi").write_text(LONG)
        version = call("--version")
        if version.returncode != 0 or not version.stdout.startswith("chi "):
            wrong.append(f"--version: {version.stdout}{version.stderr}")
        run = call("run", "divider.chi", "--end", "1", "--vars", "b.v", "--out", "r.csv")
        table = pathlib.Path(folder, "r.csv")
        last = table.read_text().split()[-1] if table.is_file() else "no results"
        if run.returncode != 0 or last != "1,7.5":
            wrong.append(f"a model with parts of the library: {last}\n{run.stderr}")
        # The compiler of formulas is loaded from where it is installed; the linker tells which files it opens.
        if (prefix / "lib" / "chi" / "native" / "libchi_native.so").exists():
            opened = call("run", "waves.chi", "--end", "3000", "--quiet",
                          env={"LD_DEBUG": "files", "CHI_COMPILE": "at-once", "PATH": "/usr/bin:/bin"}).stderr
            if f"{prefix}/bin/../lib/chi/native/libchi_native.so" not in opened:
                wrong.append("the compiler of formulas is not loaded from lib/chi/native")
    installed = files_below(prefix)
    for needed in ("man1/chi.1", "bash-completion/completions/chi", "_chi", "chi.fish", "LICENSE",
                   "THIRD-PARTY-NOTICES.md", "chi/library/electrical/passive.chi", "examples/README.md"):
        if not any(f.endswith(needed) for f in installed):
            wrong.append(f"{needed} is not installed")
    return wrong
