#!/usr/bin/env bash
# tidy.sh BUILD: clang-tidy over all sources that BUILD's compile commands know.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files 'src/*.cc' 'tools/*.cc' | grep -v _test.cc |
  xargs -P "$(nproc)" -n 4 clang-tidy-14 -p "$1" --quiet --extra-arg=-Wno-error 2>/dev/null
