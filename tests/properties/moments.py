"""Times of events that rounding does not order otherwise."""
from random_hybrid import Degenerate, real

NEAR_TIE = 2e-3  # events that are closer are left out


def moments(r, count, end):
    """Ascending times that are well apart."""
    times = sorted(real(r, 0.03 * end, 0.95 * end, 3) for _ in range(count))
    if any(b - a < 1e-2 for a, b in zip(times, times[1:])):
        raise Degenerate
    return times


def waits(times):
    return [b - a for a, b in zip([0.0] + times, times)]
