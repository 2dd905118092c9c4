"""How the kernels are compiled: on first use, kept on disk, division as in numpy.

kernel    what Python calls
inner     what only kernels call
bare      what only kernels call and allocates nothing: without reference counts, whose atomic operations would cost
          ten times as much as a test on a correlation matrix
reordered bare, and sums may be taken in any order, which lets LLVM use the vector unit: they differ by some 1e-16

numba by itself optimises every function, makes machine code of it, and optimises it again within each caller. Here only
kernels get that far: what they call is handed on as plain LLVM and optimised once, as a part of the kernel.
"""

from __future__ import annotations

import gc
from typing import Any, ClassVar

from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class _Whole(JITCodeLibrary):  # type: ignore[misc]  # numba has no types
    """LLVM of a kernel, made into machine code."""

    def _optimize_functions(self, module: Any) -> None:
        """With one pass manager for all; numba makes one for each function, declarations too."""
        module.data_layout = self._codegen._data_layout
        manager, builder = self._codegen._function_pass_manager()
        for function in module.functions:
            if not function.is_declaration:
                manager.run(function, builder)


class _Part(_Whole):
    """LLVM to link into a kernel: not loaded, so that it has neither an address nor an environment to set."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    @property
    def codegen(self) -> _Part:
        return self

    def set_env(self, name: str, environment: object) -> None:
        pass


class _KernelCompiler(Compiler):  # type: ignore[misc]
    library: ClassVar[type[_Whole]] = _Whole

    def compile_extra(self, func: Any) -> Any:
        """Without garbage collection, which would find little and take a tenth of the time."""
        collected = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)
        finally:
            if collected:
                gc.enable()

    def define_pipelines(self) -> Any:
        state = self.state
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


class _PartCompiler(_KernelCompiler):
    library = _Part


_OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
_PART = _OPTIONS | {"no_cpython_wrapper": True, "no_rewrites": True, "pipeline_class": _PartCompiler}

kernel = njit(**_OPTIONS, cache=True, pipeline_class=_KernelCompiler)
inner = njit(**_PART)
bare = njit(**_PART, _nrt=False)
reordered = njit(**_PART, _nrt=False, fastmath={"reassoc", "contract"})
