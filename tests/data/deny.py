"""Runs a program in which the system call NUMBER fails, as in a sandbox (Linux on x86-64).

    deny.py NUMBER COMMAND...
"""

import ctypes
import os
import struct
import sys

# Instructions of a filter: load the number, compare it, and return what becomes of the call.
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050001  # with EPERM
code = [(LOAD, 0, 0, 0), (EQUAL, 0, 1, int(sys.argv[1])), (RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
filters = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *one) for one in code))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(filters)))
library = ctypes.CDLL(None, use_errno=True)
SET_NO_NEW_PRIVILEGES, SET_SECCOMP, FILTER = 38, 22, 2
if library.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or library.prctl(SET_SECCOMP, FILTER, program, 0, 0):
    sys.exit(os.strerror(ctypes.get_errno()))
os.execv(sys.argv[2], sys.argv[2:])
