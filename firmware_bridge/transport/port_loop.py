"""The event loop of a process that serves ports: asyncio's own, which hands a port its bytes without a queue between.

asyncio puts every ready descriptor into a queue of callbacks, each with a handle and a context of its own, and reckons its
timers anew after each wait. On the path of a card that is a third of the host's work, so a port that is watched here is
served inside the wait itself, as soon as the kernel names it, and the wait goes on until the loop has something of its own
to do; everything else of the loop is asyncio's. `serve_ports` runs a program on such a loop.

Rules:
* What is called here neither waits nor raises; an exception goes to the loop's exception handler like any callback's.
* One wait serves each ready port once, so timers, tasks and other descriptors have their turn between two reads of a port.
* Without such a loop (a test, another program) `watch` takes asyncio's way: the same calls, one step later.
"""

from __future__ import annotations

import asyncio
import select
import selectors
import time
from collections.abc import Callable, Coroutine, Mapping
from contextvars import Context
from typing import TYPE_CHECKING, Final, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    from _typeshed import HasFileno

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
Serve = Callable[[], None]
Blame = Callable[[Exception, Serve], None]

_IN: Final = select.EPOLLIN
_OUT: Final = select.EPOLLOUT
_FOR_EVER: Final = -1


class PortSelector(selectors.BaseSelector):
    """asyncio's selector, with ports that are served while it waits."""

    def __init__(self, blame: Blame) -> None:
        """`blame` is told which port raised what."""
        self._epoll = select.epoll()
        self._keys: dict[int, selectors.SelectorKey] = {}
        self._ports: dict[int, Serve] = {}
        self._blame = blame
        self.has_work = False
        """Set when the loop is given something to do: it must have its turn, although none of its own descriptors is ready."""

    def watch_port(self, fd: int, serve: Serve) -> None:
        """Call `serve` whenever the port has bytes, an error or an end."""
        known = fd in self._ports
        self._ports[fd] = serve
        if not known:
            self._tell_kernel(fd, fresh=fd not in self._keys)

    def forget_port(self, fd: int) -> None:
        """Serve it no more; a port that was never watched is not touched."""
        if self._ports.pop(fd, None) is not None:
            self._tell_kernel(fd, fresh=False)

    def register(self, fileobj: int | HasFileno, events: int, data: object = None) -> selectors.SelectorKey:
        fd = _number_of(fileobj)
        if fd in self._keys:
            raise KeyError(f"descriptor {fd} is registered already")
        key = self._keys[fd] = selectors.SelectorKey(fileobj, fd, events, data)
        self._tell_kernel(fd, fresh=fd not in self._ports)
        return key

    def unregister(self, fileobj: int | HasFileno) -> selectors.SelectorKey:
        fd = _number_of(fileobj)
        key = self._keys.pop(fd)
        self._tell_kernel(fd, fresh=False)
        return key

    def modify(self, fileobj: int | HasFileno, events: int, data: object = None) -> selectors.SelectorKey:
        fd = _number_of(fileobj)
        before = self._keys[fd]
        key = self._keys[fd] = before._replace(events=events, data=data)
        if events != before.events:
            self._tell_kernel(fd, fresh=False)
        return key

    def get_map(self) -> Mapping[int, selectors.SelectorKey]:  # type: ignore[override]  # asyncio asks by number only
        return self._keys

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait, serve the ports that are ready, and return what else is; while there is nothing else, go on waiting."""
        until_s = None if timeout is None else time.monotonic() + timeout
        wait_s = _FOR_EVER if timeout is None else max(0.0, timeout)
        ready: list[tuple[selectors.SelectorKey, int]] = []
        ports, poll = self._ports, self._epoll.poll
        self.has_work = False
        while True:
            for fd, bits in poll(wait_s):
                if fd in ports:
                    if bits != _OUT:
                        try:
                            ports[fd]()
                        except Exception as error:  # noqa: BLE001  # outermost frame of the callback: the loop's handler is told
                            self._blame(error, ports.get(fd, _forgotten))
                    if bits == _IN:
                        continue
                self._add_ready(ready, fd, bits)
            if ready or self.has_work:
                return ready
            if until_s is not None:
                wait_s = until_s - time.monotonic()
                if wait_s <= 0:
                    return ready

    def close(self) -> None:
        self._epoll.close()
        self._keys.clear()
        self._ports.clear()

    def _add_ready(self, ready: list[tuple[selectors.SelectorKey, int]], fd: int, bits: int) -> None:
        """An error or an end counts as both, as in the standard library, so that whoever waits finds out."""
        key = self._keys.get(fd)
        if key is None:
            return
        events = selectors.EVENT_WRITE if bits & ~_IN else 0
        events |= selectors.EVENT_READ if bits & ~_OUT else 0
        if events & key.events:
            ready.append((key, events & key.events))

    def _tell_kernel(self, fd: int, *, fresh: bool) -> None:
        """Watch what port and key together want."""
        key = self._keys.get(fd)
        wanted = key.events if key is not None else 0
        bits = (_OUT if wanted & selectors.EVENT_WRITE else 0) | (_IN if wanted & selectors.EVENT_READ or fd in self._ports else 0)
        if fresh:
            self._epoll.register(fd, bits)
        elif bits:
            self._epoll.modify(fd, bits)
        else:
            try:
                self._epoll.unregister(fd)
            except OSError:
                return  # closed before it was forgotten: the kernel has forgotten it by itself


class PortLoop(asyncio.SelectorEventLoop):
    """asyncio's loop on a `PortSelector`."""

    def __init__(self) -> None:
        self._port_selector = PortSelector(self._blame)
        super().__init__(self._port_selector)

    def watch_port(self, fd: int, serve: Serve) -> None:
        """Call `serve` on this loop whenever the port has bytes, an error or an end."""
        self._port_selector.watch_port(fd, serve)

    def forget_port(self, fd: int) -> None:
        self._port_selector.forget_port(fd)

    def call_soon(self, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None) -> asyncio.Handle:
        self._port_selector.has_work = True
        return super().call_soon(callback, *args, context=context)

    def call_at(self, when: float, callback: Callable[[*Ts], object], *args: *Ts, context: Context | None = None) -> asyncio.TimerHandle:
        self._port_selector.has_work = True
        return super().call_at(when, callback, *args, context=context)

    def stop(self) -> None:
        self._port_selector.has_work = True
        super().stop()

    def _blame(self, error: Exception, serve: Serve) -> None:
        self.call_exception_handler({"message": f"exception while a port was served by {serve!r}", "exception": error})


def watch(loop: asyncio.AbstractEventLoop, fd: int, serve: Serve) -> None:
    """Have `serve` called whenever the port has bytes, an error or an end."""
    if isinstance(loop, PortLoop):
        loop.watch_port(fd, serve)
    else:
        loop.add_reader(fd, serve)


def forget(loop: asyncio.AbstractEventLoop, fd: int) -> None:
    """Undo `watch`; may be called twice."""
    if isinstance(loop, PortLoop):
        loop.forget_port(fd)
    else:
        loop.remove_reader(fd)


def serve_ports(program: Coroutine[object, object, T]) -> T:
    """Run a program to its end on a loop of its own, as `asyncio.run` does."""
    with asyncio.Runner(loop_factory=PortLoop) as runner:
        return runner.run(program)


def _number_of(fileobj: int | HasFileno) -> int:
    return fileobj if isinstance(fileobj, int) else fileobj.fileno()


def _forgotten() -> None:
    """Names a port that was forgotten while it was served."""
