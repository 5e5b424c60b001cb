"""The command line behind `dynamoc-diff`, the program that `kubectl diff` runs as KUBECTL_EXTERNAL_DIFF.

kubectl gives its two directories first, then the words of KUBECTL_EXTERNAL_DIFF that consist of letters, digits, `-`
and `=`; it drops others without a message, such as `1.4`. So further options come from another variable.
Source: k8s.io/kubectl pkg/cmd/diff, DiffProgram.
"""

from __future__ import annotations

import os
import shlex
import sys

from dynamoc.cli.failure import DONE, UsageError

OPTIONS = "DYNAMOC_DIFF_OPTIONS"


def use_command_line() -> int:
    """Makes the words of this process those of `dynamoc diff`. Raises UsageError for an open quote."""
    try:
        options = shlex.split(os.environ.get(OPTIONS, ""))
    except ValueError as problem:
        raise UsageError(f"{OPTIONS} cannot be split into words: {problem}.") from None
    # The settings of whoever owns the directory of kubectl's files, /tmp, are not the user's.
    os.environ["DYNAMOC_SETTINGS"] = "none"
    sys.argv[1:] = ["diff", "--all-files", *options, *sys.argv[1:]]
    return DONE
