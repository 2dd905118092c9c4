"""How the loops of the learners are compiled: on first use, kept on disk, division as in numpy.

kernel      what Python calls
inner       what only kernels call: neither kept nor made native on its own, but within each kernel that calls it
bare        what only kernels call and allocates nothing: without reference counts, whose atomic operations would cost
            ten times as much as a test on a correlation matrix, or four fifths of a cached score (203 ns for 36);
            bare_kernel: the same for what Python calls
reordered   bare, and sums may be taken in any order, which lets LLVM use the vector unit: they differ by some 1e-16
contracted  a b + c is rounded once; goes into its callers line by line

numba asks anew for each call in the code which of up to a hundred forms of `+`, `len` or `np.empty` takes these types:
of 13,857 such questions of the quickstart's kernels 1,130 differ. Answers are kept here, a sixth of all compiling.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from numba import njit
from numba.core import event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction
from numba.core.typing import Signature
from numba.core.typing.templates import _OverloadFunctionTemplate


class _Linked(JITCodeLibrary):
    """The code of an inner function as it goes into its callers, which optimise it with their own.

    numba would optimise it and make it native before that as well, so that what lies ten calls deep is worked on ten
    times: a fifth of all that compiling takes. Results are the same to the bit (twelve learners).
    """

    def _optimize_functions(self, module: llvm.ModuleRef) -> None:
        """As numba's, but for what is only declared, for which it would set up all passes too."""
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        engine = self._codegen._engine
        for variable in self._final_module.global_variables:
            if variable.name.startswith("_ZN08NumbaEnv") and not engine.is_symbol_defined(variable.name):
                environment = llvm.parse_assembly(str(variable))  # the only thing of it that numba looks for
                environment.triple, environment.data_layout = self._final_module.triple, self._final_module.data_layout
                self._codegen._add_module(environment)
        engine.finalize_object()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0  # as of a name that is not there: nothing but kernels calls it


class _OfNumba(Compiler):
    def define_pipelines(self) -> list[Any]:
        self.state.library = _Linked(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return list(super().define_pipelines())


# Of passes that no kernel has anything for: closures, literals unrolled, expressions of whole arrays.
_UNUSED = {
    "with_lifting", "inline_closure_likes", "make_function_op_code_to_jit_function", "inline_inlinables",
    "find_literally", "literal_unroll", "LiteralPropagation", "inline_overloads", "nopython_rewrites",
}  # fmt: skip


class _Kernel(Compiler):
    def define_pipelines(self) -> list[Any]:
        (passes,) = super().define_pipelines()
        passes.passes = [step for step in passes.passes if step[0]._name not in _UNUSED]
        passes.finalize()
        return [passes]


class _Inner(_Kernel, _OfNumba):
    pass


_ask_numba = BaseFunction.get_call_type
_answers: dict[Any, Signature] = {}


def _call_type(self: BaseFunction, context: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Signature:
    """Which form takes these types; forms may be added, and options (fastmath) change what is chosen."""
    options = ConfigStack.top_or_none()
    key = (self, len(self.templates), context, args, tuple(kws.items()), options and options.summary())
    if key not in _answers:
        _answers[key] = _ask_numba(self, context, args, kws)
    return _answers[key]


BaseFunction.get_call_type = _call_type

_ask_decorator = _OverloadFunctionTemplate._get_jit_decorator


def _inner_decorator(self: _OverloadFunctionTemplate) -> Callable[..., Any]:
    """numba's own functions (np.empty, max, ...) are compiled as inner ones."""
    decorator = _ask_decorator(self)
    return lambda **options: decorator(**options | _INNER | {"pipeline_class": _OfNumba})


_OverloadFunctionTemplate._get_jit_decorator = _inner_decorator


class _WithoutCollector(event.Listener):
    """numba makes millions of objects and few cycles: to look for these is a tenth of all compiling."""

    def __init__(self) -> None:
        self._depth, self._was_on = 0, False

    def on_start(self, event: event.Event) -> None:
        if self._depth == 0:
            self._was_on = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: event.Event) -> None:
        self._depth -= 1
        if self._depth == 0 and self._was_on:
            gc.enable()


event.register("numba:compile", _WithoutCollector())
llvm.ffi.lib._lock._cblist.clear()  # each of 100,000 calls would be timed once for each function under way

# What is not said here a function takes over from its first caller, and its last bits would hang on who that was.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": False}
_INNER: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _Inner}

kernel = njit(**_OPTIONS, no_cfunc_wrapper=True, pipeline_class=_Kernel, cache=True)
bare_kernel = njit(**_OPTIONS, no_cfunc_wrapper=True, pipeline_class=_Kernel, cache=True, _nrt=False)
inner = njit(**_OPTIONS, **_INNER)
bare = njit(**_OPTIONS, **_INNER, _nrt=False)
reordered = njit(error_model="numpy", fastmath={"reassoc", "contract"}, **_INNER, _nrt=False)
contracted = njit(error_model="numpy", fastmath={"contract"}, cache=True, forceinline=True)
