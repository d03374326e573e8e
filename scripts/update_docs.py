#!/usr/bin/env python3
"""Brings what the manual shows of the program up to date, or checks that it is.

    scripts/update_docs.py [--check] [PROGRAM]        (default: build/attnscope)

Figures are those that samples/gallery/gallery.scope exports, compared byte for byte; pictures of the screen are
scripts/screen_pictures.py's. Tables stand between `<!-- generated: NAME -->` and `<!-- end: NAME -->`, as
`--generate markdown` writes them. A session stands in the code between `<!-- session: MODEL -->` and `<!-- end: session -->`: its lines that
begin with a prompt are typed at a terminal, the others are what came back.
"""

import difflib
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import termios

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = "doc/manual.md"
MANUAL = os.path.join(ROOT, PAGE)
GALLERY = "samples/gallery"
PROMPT = re.compile(r"^[^ >]+> ")
PATIENCE = 120  # seconds; a loaded machine is not a failure
TABLE = re.compile(r"<!-- generated: (\w+) -->\n.*?<!-- end: \1 -->\n", re.DOTALL)
SESSION = re.compile(r"(<!-- session: (\S+) -->\n```\n)(.*?)(```\n<!-- end: session -->\n)", re.DOTALL)


class Terminal:
    """The program at a terminal too plain for colours, and long enough to need no pager."""

    def __init__(self, arguments, folder):
        environment = dict(os.environ, TERM="dumb", PAGER="cat", XDG_STATE_HOME=folder, INPUTRC="/dev/null")
        for name in ("COLUMNS", "LINES", "ATTNSCOPE_ISA"):
            environment.pop(name, None)
        self.master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (1000, 100))
        self.program = subprocess.Popen(arguments, cwd=folder, env=environment, stdin=slave, stdout=slave,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(slave)

    def read_until(self, end):
        text = b""
        while not text.endswith(end):
            if not select.select([self.master], [], [], PATIENCE)[0]:
                sys.exit(f"update_docs: nothing comes after {text!r}")
            try:
                text += os.read(self.master, 65536)
            except OSError:
                sys.exit(f"update_docs: the program ended after {text!r}")
        return text[:-len(end)].decode().replace("\r\n", "\n")

    def type(self, line, prompt):
        """Returns what the program prints for a line."""
        os.write(self.master, line.encode() + b"\n")
        text = self.read_until(prompt.encode())
        echo, _, output = text.partition("\n")
        if echo != line:
            sys.exit(f"update_docs: typed {line!r}, the terminal shows {echo!r}")
        return output

    def close(self):
        os.write(self.master, b"\x04")
        self.program.wait(timeout=PATIENCE)
        os.close(self.master)


def run_session(program, model, text):
    typed = [line for line in text.splitlines() if PROMPT.match(line)]
    if not typed:
        sys.exit("update_docs: the session has no line with a prompt")
    prompt = PROMPT.match(typed[0]).group()
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal([program, "--device", "cpu", os.path.join(ROOT, model)], folder)
        terminal.read_until(prompt.encode())
        session = ""
        for line in typed:
            session += line + "\n" + terminal.type(line[len(prompt):], prompt)
        terminal.close()
    return re.sub(r" +$", "", session, flags=re.MULTILINE)


def update(manual, program):
    tables = subprocess.run([program, "--generate", "markdown"], check=True, capture_output=True,
                            encoding="utf-8").stdout
    new = {match.group(1): match.group() for match in TABLE.finditer(tables)}
    missing = set(new) - set(match.group(1) for match in TABLE.finditer(manual))
    if missing:
        sys.exit(f"{PAGE}: no place for {', '.join(sorted(missing))}")
    manual = TABLE.sub(lambda match: new.get(match.group(1), ""), manual)
    if not SESSION.search(manual):
        sys.exit(f"{PAGE}: no place for a session")
    return SESSION.sub(lambda match: match.group(1) + run_session(program, match.group(2), match.group(3)) +
                       match.group(4), manual)


def figures(program):
    """Returns the figures of the gallery, made anew: contents by path."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, GALLERY))
        for name in os.listdir(os.path.join(ROOT, "samples")):
            if name != os.path.basename(GALLERY):
                os.symlink(os.path.join(ROOT, "samples", name), os.path.join(folder, "samples", name))
        script = os.path.join(ROOT, GALLERY, "gallery.scope")
        subprocess.run([program, "--quiet", "--device", "cpu", "samples/en-de.bin", "-f", script], check=True,
                       cwd=folder, stdout=subprocess.DEVNULL)
        names = os.listdir(os.path.join(folder, GALLERY))
        return {f"{GALLERY}/{name}": read(os.path.join(folder, GALLERY, name)) for name in sorted(names)}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def update_figures(program, check):
    for name, content in figures(program).items():
        path = os.path.join(ROOT, name)
        if os.path.exists(path) and read(path) == content:
            continue
        if check:
            sys.exit(f"{name} is not what the program exports: run scripts/update_docs.py")
        with open(path + ".new", "wb") as file:
            file.write(content)
        os.replace(path + ".new", path)


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    if check:
        arguments.remove("--check")
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        sys.exit("usage: scripts/update_docs.py [--check] [PROGRAM]")
    program = os.path.abspath(arguments[0] if arguments else os.path.join(ROOT, "build/attnscope"))
    with open(MANUAL, encoding="utf-8") as file:
        old = file.read()
    new = update(old, program)
    if check:
        difference = difflib.unified_diff(old.splitlines(), new.splitlines(), PAGE, "the program", lineterm="", n=0)
        lines = list(difference)
        if lines:
            print("\n".join(lines))
            sys.exit(f"{PAGE} is not what the program says: run scripts/update_docs.py")
    elif new != old:
        with open(MANUAL + ".new", "w", encoding="utf-8") as file:
            file.write(new)
        os.replace(MANUAL + ".new", MANUAL)
    update_figures(program, check)


if __name__ == "__main__":
    main()
