"""Every compiled function says how it computes: what it leaves open it would take from whoever calls it first."""

from importlib import import_module

from numba.core.dispatcher import Dispatcher

from trueness.learners import kernels


def test_every_kernel_says_how_it_divides_and_sums(root):
    folder = root / "src" / "trueness" / "learners" / "kernels"
    silent, seen = [], 0
    for path in sorted(folder.glob("[a-z]*.py")):
        for name, value in vars(import_module(f"{kernels.__name__}.{path.stem}")).items():
            if isinstance(value, Dispatcher):
                seen += 1
                silent += [(path.stem, name)] * (not {"fastmath", "error_model"} <= set(value.targetoptions))
    assert seen > 200 and silent == []
