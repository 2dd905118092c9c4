"""How the loops of the learners are compiled: on first use, kept on disk, division as in numpy.

kernel      what Python calls
inner       what only kernels call: neither kept nor made native on its own, but within each kernel that calls it
bare        what only kernels call and allocates nothing: without reference counts, whose atomic operations would cost
            ten times as much as a test on a correlation matrix, or four fifths of a cached score (203 ns for 36);
            bare_kernel: the same for what Python calls
reordered   bare, and sums may be taken in any order, which lets LLVM use the vector unit: they differ by some 1e-16
contracted  a b + c is rounded once; goes into its callers line by line

numba asks anew for each call in the code which of up to a hundred forms of `+`, `len` or `np.empty` takes these types:
of 13,857 such questions of the quickstart's kernels 1,130 differ. Answers are kept for kernels alone, a fifth of all
compiling: nothing of numba is replaced for anybody else.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite.binding as llvm
from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction
from numba.core.typing import Context, Signature
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


class _Context(Context):
    """numba's context of types as kernels see it: all that it holds is numba's own, answers are remembered here.

    Nobody else's code is compiled through it, so that no function of numba is replaced.
    """

    def __init__(self, numbas: Context):
        self.__dict__ = numbas.__dict__

    def _resolve_user_function_type(
        self, func: Any, args: tuple[Any, ...], kws: Any, literals: Any = None
    ) -> Signature:
        """Which form takes these types; forms may be added, and options (fastmath) change what is chosen."""
        func = self._lookup_global(func) or func  # operators are named by Python's own
        if not isinstance(func, BaseFunction):
            return super()._resolve_user_function_type(func, args, kws, literals)
        options = ConfigStack.top_or_none()
        key = (func, len(func.templates), args, tuple(dict(kws).items()), options and options.summary())
        if key not in _answers:
            _answers[key] = _as_inner(func).get_call_type(self, args, dict(kws))
        return _answers[key]


@cache
def _context_of(numbas: Context) -> _Context:
    return _Context(numbas)


_answers: dict[Any, Signature] = {}


def _as_inner(func: BaseFunction) -> BaseFunction:
    """The same function, whose forms that numba has in Python (np.empty, max, ...) are compiled as inner ones."""
    same = object.__new__(type(func))
    vars(same).update(vars(func), templates=tuple(map(_inner_form, func.templates)))
    return same


@cache
def _inner_form(form: type) -> type:
    if not issubclass(form, _OverloadFunctionTemplate):
        return form

    def decorator(self: _OverloadFunctionTemplate) -> Callable[..., Any]:
        numbas = super(inner_form, self)._get_jit_decorator()
        return lambda **options: numbas(**options | _INNER | {"pipeline_class": _OfNumba})

    inner_form = type(form.__name__, (form,), {"_get_jit_decorator": decorator})
    return inner_form


class _Pipeline(Compiler):
    """numba makes millions of objects and few cycles: to look for these is a tenth of all compiling."""

    def __init__(self, typingctx: Context, *rest: Any):
        super().__init__(_context_of(typingctx), *rest)
        self.state.targetctx.typing_context = self.state.typingctx  # of this function's own copy: lowering asks, too

    def compile_extra(self, func: Any) -> Any:
        was_on = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)
        finally:
            if was_on:
                gc.enable()


class _OfNumba(_Pipeline):
    def define_pipelines(self) -> list[Any]:
        self.state.library = _Linked(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return list(super().define_pipelines())


# Of passes that no kernel has anything for: closures, literals unrolled, expressions of whole arrays.
_UNUSED = {
    "with_lifting", "inline_closure_likes", "make_function_op_code_to_jit_function", "inline_inlinables",
    "find_literally", "literal_unroll", "LiteralPropagation", "inline_overloads", "nopython_rewrites",
}  # fmt: skip


class _Kernel(_Pipeline):
    def define_pipelines(self) -> list[Any]:
        (passes,) = super().define_pipelines()
        passes.passes = [step for step in passes.passes if step[0]._name not in _UNUSED]
        passes.finalize()
        return [passes]


class _Inner(_Kernel, _OfNumba):
    pass


# What is not said here a function takes over from its first caller, and its last bits would hang on who that was.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": False}
_INNER: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": _Inner}

kernel = njit(**_OPTIONS, no_cfunc_wrapper=True, pipeline_class=_Kernel, cache=True)
bare_kernel = njit(**_OPTIONS, no_cfunc_wrapper=True, pipeline_class=_Kernel, cache=True, _nrt=False)
inner = njit(**_OPTIONS, **_INNER)
bare = njit(**_OPTIONS, **_INNER, _nrt=False)
reordered = njit(error_model="numpy", fastmath={"reassoc", "contract"}, **_INNER, _nrt=False)
contracted = njit(error_model="numpy", fastmath={"contract"}, cache=True, forceinline=True)
