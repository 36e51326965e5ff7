"""Decorators of compiled loops, for work over many pairs or edges.

A compiled loop is a sequential loop over a range of rows, without the interpreter lock.  It is compiled once and
stored on disk (`loop_store`).  It takes arrays, integers and floats, never functions.  It is in a file
``*_loops.py`` beside its user and has a NumPy twin for small work, which needs no compiler.  The first layout on a new
machine waits for the compiler.  So a function returns each loop for one form of its terms.  To compile fast, a loop
gets its scratch memory as an argument, assigns no slices, and uses ``if`` instead of `max`.  A `compiled_loop` has no
code to count references to arrays, so it cannot make arrays.

A loop may also be compiled while the package is built, see `object_code`: then it needs no numba when it runs.

Numba's own ``cache=True`` cannot store loops that contain other loops made by functions.  If a later numba changes
the internals that `loop_store` needs, loops use ``cache=True`` again, with a notice.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from nelayout.numerics import loop_store
from nelayout.numerics.notices import announce

__all__ = [
    "array_at", "compiled_loop", "exact_loop", "inlined", "inlined_as_written", "interrupts_held", "object_code",
]  # fmt: skip

# Allowed changes of floating-point arithmetic.  nnan and ninf are left out, because a NaN must stay NaN.
FAST_MATH = {"reassoc", "contract", "arcp", "nsz"}
# Wrappers cost compile time: Python calls loops, other loops call pieces, and C calls neither.
LOOP = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
PIECE = {"forceinline": True, "error_model": "numpy", "no_cfunc_wrapper": True, "no_cpython_wrapper": True}
# Signals with handlers that may raise: Ctrl-C, termination, a time limit.
RAISING_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGALRM") if hasattr(signal, name)]
# Signatures by function, context and types of the arguments, see `_resolved_once`.
_signatures: dict[tuple[Any, Any, Any], Any] = {}


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold back interrupts until the end of the block: the compiler must not keep its lock."""
    if threading.current_thread() is not threading.main_thread():  # handlers run in the main thread only
        yield
        return
    caught: list[tuple[int, FrameType | None]] = []
    handlers: dict[int, Any] = {number: signal.getsignal(number) for number in RAISING_SIGNALS}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in handlers:
        signal.signal(number, lambda *now: caught.append(now))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in caught:
            handlers[number](number, frame)


def _internals() -> Any:
    """Return the parts of numba for `_Stored` and `_Loop`, and whether all exist."""
    try:
        from numba.core.caching import NullCache
        from numba.core.compiler import CompileResult
        from numba.core.compiler_lock import global_compiler_lock
        from numba.core.options import DefaultOptions
        from numba.core.registry import CPUDispatcher
        from numba.core.serialize import dumps
        from numba.core.types.functions import BaseFunction

        parts = NullCache, CompileResult, global_compiler_lock, CPUDispatcher, dumps, BaseFunction
        known = all(hasattr(CompileResult, name) for name in ("_rebuild", "_reduce", "_replace"))
        return *parts, known and hasattr(BaseFunction, "get_call_type") and hasattr(DefaultOptions, "_nrt")
    except ImportError:
        return object, None, None, object, None, None, False


with interrupts_held():  # an interrupt would leave the compiler half loaded
    import numba
    from numba.core import config, types

    NullCache, CompileResult, global_compiler_lock, CPUDispatcher, dumps, BaseFunction, KNOWN = _internals()
    if not KNOWN:
        announce(f"numba {numba.__version__} is unknown to this nelayout: each process may compile loops again")
    BARE = {"_nrt": False} if KNOWN else {}  # counts no references to arrays


class _Stored(NullCache):
    """Stored code of one loop, in the protocol of numba's dispatchers."""

    def __init__(self, loop: Any) -> None:
        self.function, self.identity = loop.py_func, _identity(loop)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        data = loop_store.read(key)
        if data is not None:
            try:
                return CompileResult._rebuild(target_context, *pickle.loads(data))  # noqa: S301  written by this package
            except Exception:  # noqa: BLE001  a pickle of another numba raises anything; a new file replaces it
                loop_store.missed.append(key.name)
        announce("compiling new loops and keeping them" if loop_store.place() else "compiling: no folder to keep it in")
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        plain = data._replace(type_annotation="")  # a long text, the source with its types, which is not used
        loop_store.write(self._key(sig, data.codegen), dumps(plain._reduce()))

    def _key(self, sig: Any, codegen: Any) -> loop_store.Key:
        name = f"{self.function.__module__.removeprefix('nelayout.')}.{self.function.__name__}"
        return loop_store.Key(name, f"{codegen.magic_tuple()} {numba.__version__}", f"{self.identity} {sig}")


def _identity(loop: Any) -> str:
    """Identify a loop by its code, its options, and the values in its closure."""
    function = loop.py_func
    options = {name: sorted(value) if isinstance(value, set) else value for name, value in loop.targetoptions.items()}
    parts = [cell.cell_contents for cell in function.__closure__ or ()]
    inside = [_identity(part) if isinstance(part, CPUDispatcher) else repr(part) for part in parts]
    code = function.__code__
    own = (code.co_firstlineno, code.co_code, code.co_consts, code.co_names)
    return f"{function.__module__}.{function.__qualname__} {own} {sorted(options.items())} {inside}"


@contextmanager
def _resolved_once() -> Iterator[None]:
    """Keep the signatures of operators: type inference asks for each many times."""
    resolve, plain = BaseFunction.get_call_type, (types.Number, types.Boolean, types.Array)

    def kept(function: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not all(isinstance(each, plain) for each in args):
            return resolve(function, context, args, kws)
        key = function, context, args
        if key not in _signatures:
            _signatures[key] = resolve(function, context, args, kws)
        return _signatures[key]

    BaseFunction.get_call_type = kept
    try:
        yield
    finally:
        BaseFunction.get_call_type = resolve


class _Loop(CPUDispatcher):
    """Dispatcher of numba that stores its code, and compiles without interrupts."""

    def enable_caching(self) -> None:
        self._cache = _Stored(self)

    def compile(self, sig: Any) -> Any:
        """Load or compile the loop for arguments of these types."""
        if global_compiler_lock.is_locked():  # as part of another loop
            return super().compile(sig)
        collecting, before = gc.isenabled(), len(loop_store.missed)
        with interrupts_held(), global_compiler_lock, _resolved_once():
            gc.disable()  # the collector would visit the compiler's many objects
            try:
                return super().compile(sig)
            finally:
                if collecting and not gc.get_freeze_count():
                    gc.freeze()  # to the oldest generation: the next collection skips the compiler's objects
                    gc.unfreeze()
                if collecting:
                    gc.enable()
                if len(loop_store.missed) > before:
                    announce("")


def _loop(**options: Any) -> Callable[[Callable], Callable]:
    """Make a decorator of loops."""
    if not KNOWN or getattr(config, "DISABLE_JIT", False):
        return numba.njit(cache=True, **LOOP, **options)

    def decorate(function: Callable) -> Callable:
        loop = _Loop(py_func=function, targetoptions={"nopython": True, "boundscheck": None, **LOOP, **options})
        if function.__module__.startswith("nelayout."):
            loop.enable_caching()
        return loop

    return decorate


# For sums: the compiler reorders them and adds several terms at a time.
compiled_loop = _loop(fastmath=FAST_MATH, **BARE)
# For integers, comparisons and recurrences: rounding is NumPy's, so that Python gives the same bits for small work.
exact_loop = _loop()
# For pieces of a `compiled_loop`: the compiler inlines them, so that the loop around them still vectorizes.
inlined = numba.njit(fastmath=FAST_MATH, **BARE, **PIECE)
# For pieces that split off low bits, such as the exponential; reordering would lose these bits.
inlined_as_written = numba.njit(fastmath={"contract"}, **BARE, **PIECE)


def array_at(kind: type, rank: int) -> Callable:
    """Make (table, k) -> array at row k of the table of an `object_code`.

    The array has doubles or 64-bit integers.  A row has four integers: the address, and the lengths along each axis.
    """
    from numba.core import cgutils
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array, populate_array

    array = types.Array(types.float64 if kind is float else types.int64, rank, "C")

    @intrinsic
    def view(context: Any, table: Any, row: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first = builder.gep(args[0], [builder.mul(args[1], context.get_constant(types.int64, 4))])
            address, *lengths = (builder.load(cgutils.gep_inbounds(builder, first, k)) for k in range(rank + 1))
            size = context.get_constant(types.intp, 8)
            strides = [size]
            for length in reversed(lengths[1:]):
                strides.insert(0, builder.mul(strides[0], length))
            made = make_array(array)(context, builder)
            data = builder.inttoptr(address, made.data.type)
            populate_array(made, data=data, shape=lengths, strides=strides, itemsize=size, meminfo=None)
            return made._getvalue()

        return array(table, types.int64), generate

    return view


def object_code(function: Callable, name: str) -> bytes:
    """Compile a function of a table (`array_at`) that returns an integer, for a linker.

    In C it is ``int32_t name(int64_t *result, void **error, int64_t *table)``.  ``NUMBA_CPU_NAME`` and
    ``NUMBA_CPU_FEATURES`` say what processor it is for.
    """
    import llvmlite.binding as llvm

    options: dict[str, Any] = {**LOOP, "no_cpython_wrapper": True, "fastmath": FAST_MATH, **BARE}
    loop = numba.njit(**options)(function)
    loop.compile(types.int64(types.CPointer(types.int64)))
    ((signature, compiled),) = loop.overloads.items()
    module = llvm.parse_assembly(loop.inspect_llvm(signature))
    module.get_function(compiled.fndesc.llvm_func_name).name = name
    target = llvm.Target.from_default_triple().create_target_machine(
        cpu=os.environ.get("NUMBA_CPU_NAME", ""), opt=3, reloc="pic", codemodel="small"
    )
    return target.emit_object(module)
