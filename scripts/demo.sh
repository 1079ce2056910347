#!/usr/bin/env bash
# What χ does, in a minute: checks, runs and draws models from examples/, and shows how it explains a mistake.
set -euo pipefail
cd "$(dirname "$0")/.."
chi=build/chi
show() { printf '\n\033[1m$ chi %s\033[0m\n' "$*"; "$chi" "$@" || true; }

echo "A buffer between two machines, of which the second fails now and then: lots in the buffer over time."
show run examples/manufacturing/unreliable_line.chi --end 200 --seed 1 --vars 'Buffer.n,Second.up' --plot --no-progress

echo
echo "A queue with random arrivals and services, one hundred thousand customers."
show run examples/manufacturing/mm1.chi -p n=100000 --stats --no-progress

echo
echo "Two philosophers and two forks: the deadlock is found, and explained."
show run examples/manufacturing/philosophers.chi --no-progress

echo
echo "A model with mistakes: all of them in one go, each where it is."
show check examples/mistakes.chi
