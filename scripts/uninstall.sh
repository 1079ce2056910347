#!/usr/bin/env bash
# uninstall.sh MANIFEST [DESTDIR]: removes the files that CMake's list of an installation names, and the folders of χ
# that are empty then.
set -euo pipefail
manifest=$1 destdir=${2:-}
[ -f "$manifest" ] || { echo "error: nothing was installed from here: there is no $manifest" >&2; exit 1; }
while read -r file || [ -n "$file" ]; do
  rm -f -- "$destdir$file"
  folder=$(dirname "$destdir$file")
  while [[ "$folder" == */chi || "$folder" == */chi/* ]]; do
    rmdir -- "$folder" 2>/dev/null || break
    folder=$(dirname "$folder")
  done
done <"$manifest"
