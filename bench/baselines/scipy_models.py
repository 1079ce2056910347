#!/usr/bin/python3
"""Models of bench/models with SciPy, for orientation: right sides in NumPy, sparse Jacobians.

    scipy_models.py MODEL METHOD N RTOL ATOL        prints: steps seconds answer

METHOD is LSODA, BDF or Radau. LSODA takes banded Jacobians and gets their width.
"""
import sys
import time

import numpy as np
from scipy.integrate import solve_ivp
from scipy.sparse import diags


def chain(n, rate, above, leak):
    """x_i' = rate (x_(i-1) - x_i + above (x_(i+1) - x_i)), fed with 1; see equations_by_hand.cc."""
    middle = np.full(n, -rate * (1.0 + above))
    middle[-1] = -rate * (1.0 + leak)
    matrix = diags([np.full(n - 1, rate), middle, np.full(n - 1, rate * above)], [-1, 0, 1], format="csc")
    feed = np.zeros(n)
    feed[0] = rate
    return (lambda t, x: matrix @ x + feed), matrix, np.zeros(n)


def reaction(n):
    """A front that a flow carries; see equations_by_hand.cc."""
    def rhs(t, u):
        return n * (np.concatenate(([1.0], u[:-1])) - u) - 1000 * u * (u - 0.5) * (u - 1)

    def jacobian(t, u):
        middle = -n - 1000 * (3 * u * u - 3 * u + 0.5)
        return diags([np.full(n - 1, float(n)), middle], [-1, 0], format="csc")

    return rhs, jacobian, np.zeros(n)


def robertson(_):
    def rhs(t, y):
        a, c = -0.04 * y[0] + 1e4 * y[1] * y[2], 3e7 * y[1] ** 2
        return np.array([a, -a - c, c])

    def jacobian(t, y):
        return np.array([[-0.04, 1e4 * y[2], 1e4 * y[1]],
                         [0.04, -1e4 * y[2] - 6e7 * y[1], -1e4 * y[1]],
                         [0, 6e7 * y[1], 0]])

    return rhs, jacobian, np.array([1.0, 0.0, 0.0])


MODELS = {  # maker, end, the component that is the answer
    "heat": (lambda n: chain(n, float(n) ** 2, 1.0, 1.0), 0.5, lambda n: n // 2),
    "cascade": (lambda n: chain(n, float(n), 0.0, 0.0), 1.0, lambda n: n - 1),
    "ladder": (lambda n: chain(n, 1.0, 1.0, 0.0), 100.0, lambda n: 9),
    "reaction": (reaction, 0.5, lambda n: slice(None)),
    "robertson": (robertson, 1e11, lambda n: 0),
}

if __name__ == "__main__":
    model, method, n, rtol, atol = sys.argv[1], sys.argv[2], *map(float, sys.argv[3:6])
    n = int(n)
    start = time.perf_counter()
    maker, end, shown = MODELS[model]
    rhs, jacobian, x0 = maker(n)
    options = {"jac": jacobian}
    if method == "LSODA" and model != "robertson":
        options = {"lband": 1, "uband": 1}
    solution = solve_ivp(rhs, (0, end), x0, method=method, rtol=rtol, atol=atol, **options)
    if not solution.success:
        sys.exit(solution.message)
    print(len(solution.t) - 1, f"{time.perf_counter() - start:.6f}", repr(float(np.mean(solution.y[shown(n), -1]))))
