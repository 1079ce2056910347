#!/usr/bin/env bash
# What χ does, in a few seconds: physics first, then processes, then how mistakes are explained.
set -euo pipefail
cd "$(dirname "$0")/.."
chi=${CHI:-build/chi}
call() { printf '\033[1m$ chi'; for word; do case $word in *[*?\ ]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac; done; printf '\033[0m\n'; }
show() { call "$@"; "$chi" "$@" --no-progress || true; }
say() { printf '\n\033[1;36m%s\033[0m\n' "$1"; }

say "A pendulum whose rod breaks: equations as they stand in the book, and two modes with different ones."
sed -n '/^const/,$p' examples/mechanics/breaking_pendulum.chi
show run examples/mechanics/breaking_pendulum.chi --end 1.2 --vars x,y,T --plot

say "Two tanks that start in their steady state, which nobody computed; the source rises at t = 10."
show run examples/process/two_tanks.chi --end 40 --vars '*.V' --plot

say "An ideal diode before an inductor: a state that comes and goes, and a voltage that jumps."
show run examples/circuits/half_wave_inductive.chi --end 0.06 --vars i,ud --plot

say "A bouncing ball, to the end: the bounces accumulate, and the run says where."
call run examples/mechanics/bouncing_ball.chi --end 20
"$chi" run examples/mechanics/bouncing_ball.chi --end 20 --no-progress --color always 2>&1 | tail -n 8 || true

say "Processes: a queue with a hundred thousand customers."
show run examples/manufacturing/mm1.chi -p n=100000 --stats

say "Two philosophers and two forks: the deadlock is found, and explained."
show run examples/manufacturing/philosophers.chi

say "A model with mistakes: all of them in one go, each where it is."
call check examples/mistakes.chi
"$chi" check examples/mistakes.chi || true

say "More than a hundred models, simulated, as pictures that lead to pages with zoom, cursor, events and modes:"
scripts/make_gallery.py "$chi" build/demo
printf 'Open it in a browser. The models are in examples/, the book begins at docs/book/index.md.\n'
