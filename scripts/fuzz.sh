#!/usr/bin/env bash
# fuzz.sh BUILD SECONDS TARGET...: fuzzes each target so long, from its corpus in the tree; new finds stay in
# BUILD/fuzz-corpus/TARGET, inputs that fail in BUILD/fuzz-failures. Exits non-zero if one failed. What takes two minutes by
# the clock hangs: an input takes well below a second, but the machine may be busy.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
seconds=$2
shift 2
mkdir -p "$build/fuzz-failures"

# What is in the tree anyway makes good seeds.
seeds() {
  case $1 in
    frontend) find "$root"/{tests/golden,tests/papers,tests/conformance,examples} -name '*.chi' 2>/dev/null ;;
    results) find "$root"/tests -name '*.csv' -size -4k 2>/dev/null ;;
  esac
}

for target in "$@"; do
  corpus=$build/fuzz-corpus/$target
  mkdir -p "$corpus"
  while IFS= read -r file; do cp -n "$file" "$corpus/$(md5sum "$file" | cut -c1-16)"; done < <(seeds "$target")
  options=(-max_total_time="$seconds" -timeout=120 -rss_limit_mb=2048 -print_final_stats=1
    -artifact_prefix="$build/fuzz-failures/$target-")
  case $target in
    frontend) options+=(-max_len=4096 -dict="$root/tests/fuzz/chi.dict") in_tree=$root/tests/fuzz/corpus ;;
    *) options+=(-max_len=2048) in_tree=$root/tests/fuzz/corpus_$target ;;
  esac
  echo "fuzzing $target for $seconds s"
  "$build/fuzz_$target" "$corpus" "$in_tree" "${options[@]}"
done
