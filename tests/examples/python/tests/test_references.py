"""How often a reference in floating point differs from what the engine computes, and for which inputs."""
import numpy as np

import dyadic
import references


def test_division_by_a_float_differs_on_ties_only():
    n, d = references.pairs()
    of_floats, exact = references.divide_in_floats(n, d), references.divide_exactly(n, d)
    found = dyadic.differing(of_floats, exact)
    size, by = np.abs(n.astype(int)), np.abs(d.astype(int))
    whole, rest = np.divmod(size, np.maximum(by, 1))
    is_tie = (by != 0) & (2 * rest == by)
    np.testing.assert_array_equal(of_floats != exact, is_tie & (whole % 2 == 0))
    assert (found.compared, found.differing, found.worst_distance) == (65536, 674, 1)
    half = np.flatnonzero((n == 1) & (d == 2))[0]
    assert (of_floats[half], exact[half]) == (0, 1)


def test_an_average_of_floats_differs_on_ties_only():
    windows = references.pool_windows(4)
    of_floats, exact = references.pool_in_floats(windows), references.pool_exactly(windows)
    found = dyadic.differing(of_floats, exact)
    assert (found.compared, found.differing, found.worst_distance) == (1021, 128, 1)
    index = np.flatnonzero((windows == [1, 1, 0, 0]).all(-1))[0]
    assert (of_floats[index], exact[index]) == (0, 1)
    nine = references.pool_windows(9)
    assert dyadic.differing(references.pool_in_floats(nine), references.pool_exactly(nine)).differing == 0


def test_a_softmax_of_floats_differs_without_ties():
    x = np.stack(references.pairs(), -1)
    of_floats, exact = references.softmax_in_floats(x, 1 / 128), references.softmax_exactly(x, 1 / 128)
    found = dyadic.differing(of_floats, exact)
    assert (found.compared, found.differing, found.worst_distance) == (131072, 510, 1)
    rows = (of_floats != exact).any(-1)
    np.testing.assert_array_equal(rows, np.abs(x[:, 0].astype(int) - x[:, 1]) == 1)
    index = np.flatnonzero((x == [1, 0]).all(-1))[0]
    assert (of_floats[index].tolist(), exact[index].tolist()) == ([0, 0], [0, -1])
