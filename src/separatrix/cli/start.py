"""The process of the command line: it ends at once when it is told to, whatever it is doing.

Python runs the handler of a signal between two instructions of the main thread, which may be in a compiled loop or a
matrix product for a long time; worker threads are waited for. So the signal is also sent through a pipe to a thread
that ends the process after a moment, unless it has ended in its own way. Nothing heavy is imported before that.
"""

import os
import signal
import sys
import threading
import time

from separatrix.cli import streams

GRACE = 0.1  # seconds for the orderly way
WORDS = {"SIGINT": "Interrupted.", "SIGTERM": "Terminated.", "SIGHUP": "The terminal was closed."}
SHOW_CURSOR = b"\x1b[?25h"  # a progress bar hides it

_said = threading.Event()


class Stopped(KeyboardInterrupt):
    """Raised in the main thread by a signal that ends the process."""

    received: int | None = None

    def __init__(self, number=signal.SIGINT):
        super().__init__()
        self.number = number


def run():
    """The entry point of the command ``separatrix``."""
    try:
        streams.prepare_streams()  # first: a pipe would take the place of a closed stream
        _heed_signals()
        from separatrix.cli.main import main

        main()
    except KeyboardInterrupt as stop:
        sys.exit(farewell(stop))


def farewell(stop):
    """Say in a sentence that the process was stopped; return its exit code."""
    number = stop.number if isinstance(stop, Stopped) else signal.SIGINT
    _said.set()
    print(WORDS[signal.Signals(number).name], file=sys.stderr, flush=True)
    return 128 + number


def _heed_signals():
    if os.name != "posix":
        return  # elsewhere an interrupt is a KeyboardInterrupt, and there are no other signals
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    for name in WORDS:
        number = getattr(signal, name)
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup and a shell's & set it
            signal.signal(number, _stop)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_end_soon, args=(reader,), daemon=True).start()
    sys.unraisablehook = _unless_stopped


def _stop(number, frame):
    if Stopped.received is None:  # another one must not disturb the clearing away
        Stopped.received = number
        raise Stopped(number)


def _end_soon(reader):
    """Wait for a signal, then for the orderly end, and then end the process."""
    number = os.read(reader, 1)[0]
    time.sleep(GRACE)
    writing = sys.modules.get("separatrix.core.atomic_file")
    if writing is not None:
        writing.remove_unfinished()
    words = b"" if _said.is_set() else WORDS[signal.Signals(number).name].encode() + b"\n"
    os.write(2, (SHOW_CURSOR if os.isatty(2) else b"") + words)
    os._exit(128 + number)


def _unless_stopped(unraisable):
    """Python's report of an exception in a destructor, but not of an interrupt there."""
    if not isinstance(unraisable.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
