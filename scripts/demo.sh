#!/usr/bin/env bash
# What χ does, in a few seconds: physics first, then processes, then how mistakes are explained.
set -euo pipefail
cd "$(dirname "$0")/.."
chi=${CHI:-build/chi}
show() { printf '\033[1m$ chi %s\033[0m\n' "$*"; "$chi" "$@" --no-progress || true; }
say() { printf '\n\033[1;36m%s\033[0m\n' "$1"; }

say "Two tanks that start in their steady state, which nobody computed; the source rises at t = 10."
show run examples/process/two_tanks.chi --end 40 --vars '*.V' --plot

say "A pendulum: the length of the rod is an equation, the tension an unknown. Index 3; only y and vy are given."
show run examples/mechanics/pendulum.chi --end 5 --vars Pendulum.x,Pendulum.T --plot

say "A bouncing ball; then the same ball to the end, where the bounces accumulate."
show run examples/mechanics/bouncing_ball.chi --end 8 --vars y --plot
show run examples/mechanics/bouncing_ball.chi --end 20 | tail -n 3

say "An ideal diode before an inductor: a state that comes and goes, and a voltage that jumps."
show run examples/circuits/half_wave_inductive.chi --end 0.06 --vars i,ud --plot

say "Processes: a queue with a hundred thousand customers."
show run examples/manufacturing/mm1.chi -p n=100000 --stats

say "Two philosophers and two forks: the deadlock is found, and explained."
show run examples/manufacturing/philosophers.chi

say "A model with mistakes: all of them in one go, each where it is."
printf '\033[1m$ chi check examples/mistakes.chi\033[0m\n'
"$chi" check examples/mistakes.chi || true

say "More than a hundred models, simulated, as pictures that lead to pages with zoom, cursor, events and modes:"
scripts/make_gallery.py "$chi" build/demo
printf 'Open it in a browser. The models are in examples/, the book begins at docs/book/index.md.\n'
