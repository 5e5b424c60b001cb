"""`python -m dynamoc`, and the console scripts."""

import atexit
import gc
import os
import sys


def main() -> int:
    """Run the command line of this process; the result is its exit code."""
    # A run makes trees and no cycles, and ends; collecting garbage meanwhile takes a tenth of its time.
    gc.disable()
    try:
        if sys.stdin is None or sys.stdout is None or sys.stderr is None:
            from dynamoc.interfaces.cli.entry import replace_closed_streams

            replace_closed_streams()
        from dynamoc.interfaces.cli.entry import run

        return run(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
    finally:
        # Hides all that is left from the collection at the interpreter's end, another tenth.
        gc.freeze()


def script() -> None:
    """Run the command line and end the process, at once where nothing waits for the interpreter's end.

    Taking apart what a run made takes a tenth of its time.
    """
    code = main()
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):
            # What cannot be written has no place at the end either, where Python would exit with 120.
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    watched = sys.getprofile() is not None or sys.gettrace() is not None
    callbacks = getattr(atexit, "_ncallbacks", None)
    if not watched and callbacks is not None and callbacks() == 0:
        os._exit(code)
    sys.exit(code)


def diff_main() -> int:
    """`dynamoc-diff LIVE MERGED [OPTION]...`, which kubectl runs as KUBECTL_EXTERNAL_DIFF."""
    from dynamoc.interfaces.cli.compare import use_command_line
    from dynamoc.interfaces.cli.failure import guarded

    return guarded(use_command_line) or main()


if __name__ == "__main__":
    script()
