#!/usr/bin/env bash
# Installs the Debian packages of packages.txt that are missing: those without a mark, and those
# marked with one of the arguments, e.g. `install_packages.sh bench`. Does nothing when all are there.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
wanted=()
while read -r name mark; do
  case "$name" in '' | '#'*) continue ;; esac
  if [[ $mark =~ ^#\ *\(([a-z]+)\) ]]; then
    case " $* " in *" ${BASH_REMATCH[1]} "*) ;; *) continue ;; esac
  fi
  wanted+=("$name")
done <"$root/packages.txt"

missing=()
for name in "${wanted[@]}"; do
  dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "installing: ${missing[*]}"
if [ "$(id -u)" -eq 0 ]; then as_root=(env); elif command -v sudo >/dev/null; then as_root=(sudo); else
  echo "error: these Debian packages are missing and neither root nor sudo is at hand:" >&2
  echo "  apt-get install ${missing[*]}" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
