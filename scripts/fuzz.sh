#!/usr/bin/env bash
# fuzz.sh BUILD SECONDS: fuzzes the front end from the corpus in the tree; new finds stay in BUILD/fuzz-corpus, inputs that
# fail in BUILD/fuzz-failures. Exits non-zero if one failed.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$1
seconds=$2
mkdir -p "$build/fuzz-corpus" "$build/fuzz-failures"
seeds=("$root/tests/fuzz/corpus")
for folder in tests/golden tests/papers tests/conformance examples; do
  while IFS= read -r file; do
    cp -n "$file" "$build/fuzz-corpus/$(md5sum "$file" | cut -c1-16)"
  done < <(find "$root/$folder" -name '*.chi' 2>/dev/null)
done
"$build/fuzz_frontend" "$build/fuzz-corpus" "${seeds[@]}" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
  -rss_limit_mb=2048 -dict="$root/tests/fuzz/chi.dict" -artifact_prefix="$build/fuzz-failures/" -print_final_stats=1
