#!/usr/bin/env python3
"""package.py BUILD: makes the Debian package and the archive, installs or unpacks each in a clean folder, uses χ there,
and removes the package again. Skipped where there is no dpkg, or no right to use it on a folder."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from installed import files_below, works


def main():
    build = pathlib.Path(sys.argv[1])
    if not shutil.which("dpkg") or not shutil.which("dpkg-shlibdeps") or os.geteuid() != 0:
        print("needs dpkg, dpkg-shlibdeps and root")
        return 77
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run(["cpack", "--config", build / "CPackConfig.cmake", "-B", folder / "made"], cwd=build, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        [deb] = (folder / "made").glob("*.deb")
        [archive] = (folder / "made").glob("*.tar.gz")

        unpacked = folder / "unpacked here"
        unpacked.mkdir()
        subprocess.run(["tar", "xzf", archive, "-C", unpacked], check=True)
        wrong += [f"archive: {w}" for w in works(next(unpacked.iterdir()))]

        root = folder / "root"
        (root / "var/lib/dpkg/info").mkdir(parents=True)
        (root / "var/lib/dpkg/updates").mkdir()
        for file in ("status", "available"):
            (root / "var/lib/dpkg" / file).touch()
        dpkg = ["dpkg", f"--root={root}", "--force-depends", "--force-not-root", "--log=/dev/null"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([*dpkg, "-i", deb], check=True, **quiet)
        wrong += [f"Debian package: {w}" for w in works(root / "usr")]
        needs = subprocess.run(["dpkg-deb", "-f", deb, "Depends"], capture_output=True, text=True).stdout
        for library in ("libc6", "libfmt9", "libstdc++6"):
            if library not in needs:
                wrong.append(f"the Debian package does not ask for {library}: {needs}")
        subprocess.run([*dpkg, "-r", "chi-simulator"], check=True, **quiet)
        left = [f for f in files_below(root) if not f.startswith("var/")]
        if left:
            wrong.append(f"after removing the package there is: {left}")
    print("\n".join(wrong) or "packages made, installed, used and removed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
