#!/usr/bin/env python3
"""install.py BUILD: installs χ in a clean folder, uses it there, and removes it again without a trace."""
import pathlib
import subprocess
import sys
import tempfile

from installed import files_below, works


def main():
    build = pathlib.Path(sys.argv[1])
    source = pathlib.Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        prefix = pathlib.Path(folder) / "somewhere else"
        subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        wrong = works(prefix)
        stranger = prefix / "share" / "chi" / "mine.txt"
        stranger.write_text("not installed by χ")
        subprocess.run([source / "scripts/uninstall.sh", build / "install_manifest.txt"], check=True)
        left = files_below(prefix)
        if left != ["share/chi/mine.txt"]:
            wrong.append(f"after `make uninstall` there is: {left}")
    print("\n".join(wrong) or "installed, used and removed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
