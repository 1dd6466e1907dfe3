"""Errors of the operating system in the words of Node.js, which Gemini CLI's result texts quote."""

from __future__ import annotations

import errno
import os

# libuv's wording where it differs from the C library's (uv_strerror).
_WORDS = {
    errno.EACCES: "permission denied",
    errno.EBUSY: "resource busy or locked",
    errno.EEXIST: "file already exists",
    errno.EFBIG: "file too large",
    errno.EINVAL: "invalid argument",
    errno.EIO: "i/o error",
    errno.EISDIR: "illegal operation on a directory",
    errno.ELOOP: "too many symbolic links encountered",
    errno.EMFILE: "too many open files",
    errno.ENAMETOOLONG: "name too long",
    errno.ENOENT: "no such file or directory",
    errno.ENOSPC: "no space left on device",
    errno.ENOTDIR: "not a directory",
    errno.EPERM: "operation not permitted",
    errno.EROFS: "read-only file system",
}


def code_of(error: OSError) -> str:
    """The name of the error's number: `ENOENT`."""
    return errno.errorcode.get(error.errno or 0, "UNKNOWN")


def node_message(error: OSError, call: str, path: str) -> str:
    """The error as Node.js says it: `ENOENT: no such file or directory, open '/a/b'`."""
    if error.errno is None:
        return str(error)
    ours = error.strerror or ""
    # Our own sentence ("not a regular file but a FIFO") says more than the number's words.
    own_words = ours if ours != os.strerror(error.errno) else None
    words = own_words or _WORDS.get(error.errno) or os.strerror(error.errno).lower()
    return f"{code_of(error)}: {words}, {call} '{path}'"
