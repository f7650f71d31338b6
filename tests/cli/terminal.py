"""Runs a program on a terminal of its own and types: terminal.py LINES STDIN PROGRAM ARGUMENTS...

Each line of LINES is typed when the program shows the mark of a question. `^C` is the key. STDIN is
`terminal`, or `pipe` for this one's own standard input. All that the terminal shows goes to standard
output; the exit code is the program's.
"""

import os
import pty
import sys

MARK = b"\n> "
lines = sys.argv[1].split("\n")
pipe = os.dup(0)
pid, terminal = pty.fork()
if pid == 0:
    if sys.argv[2] == "pipe":
        os.dup2(pipe, 0)
    os.close(pipe)
    os.execv(sys.argv[3], sys.argv[3:])
shown = b""
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:  # Linux's way to say that nobody has the other end any more
        break
    if not part:
        break
    shown += part.replace(b"\r\n", b"\n")
    if shown.endswith(MARK) and lines:
        line = lines.pop(0)
        os.write(terminal, b"\x03" if line == "^C" else line.encode() + b"\n")
sys.stdout.write(shown.decode())
sys.stdout.flush()
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))
