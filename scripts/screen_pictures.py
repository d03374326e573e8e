#!/usr/bin/env python3
"""Makes the pictures of the screen in README.md and doc/manual.md, from the screen: samples/gallery/screen-NAME.png.

    scripts/screen_pictures.py [--check] [--program PROGRAM] [--folder FOLDER] [NAME...]
                                                                    (default: build/attnscope, samples/gallery, all)

--check compares, byte for byte, and writes nothing.

The program runs in tmux, on a server of its own, 120 columns wide and 40 rows high, in truecolor. Keys are typed
as a user would, each step after what the one before led to is seen. The cells that tmux then has are drawn as SVG;
rsvg-convert makes pixels of it, ImageMagick a small file. `scripts/install_packages check` installs all three.
"""

import argparse
import html
import os
import re
import subprocess
import sys
import tempfile
import time
import unicodedata

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COLUMNS, ROWS = 120, 40
PATIENCE = 60  # seconds; a loaded machine is not a failure
FOCUS = "view  i prompt"  # the line of keys when the view has the focus
SENTENCE = ("I have never seen so many stars in the sky.", "so viele Sterne")
ENCODER = (":attn enc layer 1 head 1", "encoder  layer 1/4  head 1/8")

# Name: model and steps. A step is what is typed, a line or a list of keys as tmux names them, and
# what must then be seen.
VIEWS = {
    "overview": ("en-de", [SENTENCE, ENCODER, (["o"], "4.8"), (["j", "3l"], "layer 2  head 4")]),
    "mean": ("en-de", [SENTENCE, ENCODER, (["Tab", "Tab", "Down"], "layer 2/2"), (["a"], "mean of 8 heads"),
                       (["7j", "6l"], "star")]),
    "words": ("en-de", [SENTENCE, ENCODER, (["2", "Down", "5", "Right"], "layer 3/4  head 6/8"), (["w"], "sky."),
                        (["6j", "5l"], "stars")]),
    "token": ("en-de", [SENTENCE, ENCODER, (["6j"], "star → I"), (["t"], "token 7"), (["3j", "3l"], "layer")]),
    "importance": ("en-de-dhicm", [SENTENCE, (":importance dec layer 2", "importance of heads"), (["7j", "7l"], "head 8")]),
    "gates": ("en-de-context", [SENTENCE, (":gates enc k", "gates of keys"), (["6j", "2l"], "layer 3")]),
    "hypotheses": ("en-de", [SENTENCE, (["H"], "1 of 5"), (["j"], "2 of 5")]),
    "beside": ("en-de", [SENTENCE, (":attn enc layer 4 head 1", "layer 4/4"), (":disable enc head 8", "was"),
                         (":beside before", "before"), (["4j", "3l"], "seen")]),
    "scores": ("en-de", [(":bleu samples/sentences.en samples/sentences.de", "BLEU"), (["3l", "s"], "BLEU▲")]),
    "help": ("en-de", [SENTENCE, (["?"], "keys")]),
}

# The terminal: colours, and cells in pixels. DejaVu Sans Mono is 1233/2048 of its size wide.
INK, GROUND, PALETTE = "#d5d9e0", "#16181d", 64
WIDTH, HEIGHT, BASELINE, MARGIN = 8, 17, 13, 10
SIZE = WIDTH * 2048 / 1233
ZOOM = 1.2
COLOURS = {"hypotheses": 16, "scores": 16, "help": 16, "beside": 40}  # of pictures with few
LINES = {"─": (0, .5, 1, 0), "━": (0, .5, 1, 0), "│": (.5, 0, 0, 1), "┃": (.5, 0, 0, 1)}  # from, across, down
THICK = "━┃"


class Terminal:
    """The program in tmux."""

    def __init__(self, folder, arguments):
        self.command = ["tmux", "-u", "-f", "/dev/null", "-S", os.path.join(folder, "tmux")]
        self.environment = dict(os.environ, COLORTERM="truecolor", LC_ALL="C.UTF-8", INPUTRC="/dev/null",
                                XDG_STATE_HOME=folder)
        for name in ("TMUX", "TMUX_PANE", "NO_COLOR", "COLUMNS", "LINES", "ATTNSCOPE_ISA"):
            self.environment.pop(name, None)
        self.run("new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), "env", "TERM=tmux-256color", *arguments)

    def run(self, *words):
        done = subprocess.run(self.command + list(words), env=self.environment, cwd=ROOT, capture_output=True,
                              encoding="utf-8")
        if done.returncode != 0:
            sys.exit(f"screen_pictures: tmux {words[0]}: {done.stderr.strip() or 'the program has ended'}")
        return done.stdout

    def expect(self, text):
        """Waits until a text is on a screen that no longer changes, as half of a new one may be
        visible. Returns its cells."""
        end = time.monotonic() + PATIENCE
        before = None
        while True:
            now = self.run("capture-pane", "-e", "-p", "-N")
            cells = read_cells(now)
            seen = "\n".join("".join(cell["text"] for cell in row).rstrip() for row in cells)
            if now == before and text in seen:
                return cells
            if time.monotonic() > end:
                sys.exit(f"screen_pictures: {text!r} is not seen:\n{seen}")
            before = now
            time.sleep(0.05)

    def step(self, typed, text):
        """Starts and ends in the view; after a line, the prompt has the focus until Esc."""
        if isinstance(typed, str):
            sentence = not typed.startswith(":")
            self.run("send-keys", "-l", "i" + typed if sentence else typed)
            self.run("send-keys", "Enter")
            self.expect(text)
            self.run("send-keys", "Escape")
            return self.expect(FOCUS)
        else:
            for keys in typed:
                self.run("send-keys", keys)
        return self.expect(text)

    def close(self):
        self.run("kill-server")


# Cells -------------------------------------------------------------------------------------------------------------

PLAIN = {"ink": None, "fill": None, "bold": False, "faint": False, "italic": False, "underline": False,
         "reverse": False}
ON = {1: "bold", 2: "faint", 3: "italic", 4: "underline", 7: "reverse"}
OFF = {22: ("bold", "faint"), 23: ("italic",), 24: ("underline",), 27: ("reverse",), 39: ("ink",), 49: ("fill",)}
STYLE = re.compile(r"\x1b\[([0-9;:]*)m")


def change_style(style, codes):
    """Applies SGR sequences; colours are those of a truecolor screen: its own, or red, green and
    blue."""
    numbers = [int(number or 0) for number in re.split("[;:]", codes.replace("::", ":"))]
    while numbers:
        number = numbers.pop(0)
        if number == 0:
            style.update(PLAIN)
        elif number in ON:
            style[ON[number]] = True
        elif number in OFF:
            style.update({name: PLAIN[name] for name in OFF[number]})
        elif number in (38, 48) and numbers[0] == 2:
            style["ink" if number == 38 else "fill"] = "#%02x%02x%02x" % tuple(numbers[1:4])
            del numbers[:4]
        else:
            sys.exit(f"screen_pictures: a style that a truecolor screen has not: {codes}")


def width_of(character):
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def read_cells(capture):
    """Returns rows of cells: style, text, column and width."""
    style, rows = dict(PLAIN), []
    for line in capture.split("\n")[:ROWS]:
        row, column = [], 0
        for index, part in enumerate(STYLE.split(line)):
            if index % 2:
                change_style(style, part)
                continue
            for character in part:
                width = width_of(character)
                if width == 0 and row:
                    row[-1]["text"] += character
                    continue
                row.append(dict(style, text=character, column=column, width=width))
                column += width
        rows.append(row)
    return rows


# Pictures ----------------------------------------------------------------------------------------------------------

def colours(cell):
    ink, fill = cell["ink"] or INK, cell["fill"]
    return (fill or GROUND, ink) if cell["reverse"] else (ink, fill)


def draw_fills(row, top):
    """Draws neighbours of one colour as one rectangle, so that no seam is visible."""
    runs = []
    for cell in row:
        fill = colours(cell)[1]
        if runs and runs[-1][0] == fill:
            runs[-1][2] += cell["width"]
        else:
            runs.append([fill, cell["column"], cell["width"]])
    for fill, column, width in runs:
        if fill:
            yield (f'<rect x="{MARGIN + column * WIDTH}" y="{top}" width="{width * WIDTH}" height="{HEIGHT}" '
                   f'fill="{fill}"/>')


def draw_line(cell, left, top, ink):
    x, y, across, down = LINES[cell["text"]]
    thickness = 2 if cell["text"] in THICK else 1
    return (f'<rect x="{left + x * WIDTH - (thickness / 2 if down else 0)}" '
            f'y="{top + int(y * HEIGHT)}" '
            f'width="{across * WIDTH or thickness}" height="{down * HEIGHT or thickness}" fill="{ink}"/>')


def draw_character(cell, top):
    ink, left = colours(cell)[0], MARGIN + cell["column"] * WIDTH
    if cell["text"] in LINES:
        return draw_line(cell, left, top, ink)
    style = ' font-weight="bold"' * cell["bold"] + ' font-style="italic"' * cell["italic"] \
        + ' text-decoration="underline"' * cell["underline"] + ' opacity="0.6"' * cell["faint"]
    return f'<text x="{left}" y="{top + BASELINE}" fill="{ink}"{style}>{html.escape(cell["text"])}</text>'


def draw_screen(rows):
    width, height = 2 * MARGIN + COLUMNS * WIDTH, 2 * MARGIN + ROWS * HEIGHT
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             f'font-family="DejaVu Sans Mono" font-size="{SIZE:.4f}" xml:space="preserve" '
             f'shape-rendering="crispEdges">', f'<rect width="{width}" height="{height}" fill="{GROUND}"/>']
    for index, row in enumerate(rows):
        top = MARGIN + index * HEIGHT
        parts.extend(draw_fills(row, top))
        parts.extend(draw_character(cell, top) for cell in row if cell["text"] != " " or cell["underline"])
    return "\n".join(parts + ["</svg>\n"])


def write_picture(svg, path, colours_most):
    """Few colours and no dates, so that the same screen gives the same bytes."""
    pixels = subprocess.run(["rsvg-convert", "--zoom", str(ZOOM)], input=svg.encode(), check=True,
                            stdout=subprocess.PIPE).stdout
    subprocess.run(["convert", "png:-", "-strip", "+dither", "-colors", str(colours_most), "-define",
                    "png:compression-level=9", "png8:" + path + ".new"], input=pixels, check=True)
    os.replace(path + ".new", path)


def make_picture(program, name, path):
    model, steps = VIEWS[name]
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(folder, [program, "--device", "cpu", f"samples/{model}.bin"])
        try:
            terminal.expect("goes to the view")
            terminal.run("send-keys", "Escape")
            terminal.expect(FOCUS)
            for typed, text in steps:
                cells = terminal.step(typed, text)
        finally:
            terminal.close()
    write_picture(draw_screen(cells), path, COLOURS.get(name, PALETTE))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def is_same(program, name, path):
    """A slow machine may rest in the middle of drawing a screen: tries three times."""
    with tempfile.TemporaryDirectory() as folder:
        again = os.path.join(folder, "again.png")
        for _ in range(3):
            make_picture(program, name, again)
            if os.path.exists(path) and read(again) == read(path):
                return True
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--program", default=os.path.join(ROOT, "build/attnscope"))
    parser.add_argument("--folder", default=os.path.join(ROOT, "samples/gallery"))
    parser.add_argument("names", metavar="NAME", nargs="*", help=", ".join(VIEWS))
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(VIEWS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: expected {', '.join(VIEWS)}")
    program = os.path.abspath(arguments.program)
    paths = {name: os.path.join(arguments.folder, f"screen-{name}.png") for name in arguments.names or VIEWS}
    if arguments.check:
        others = [name for name, path in paths.items() if not is_same(program, name, path)]
        if others:
            sys.exit(f"{arguments.folder} is not what the screen shows: run scripts/screen_pictures.py {' '.join(others)}")
        return
    for name, path in paths.items():
        make_picture(program, name, path)
        print(f"{path}: {os.path.getsize(path)} bytes")


if __name__ == "__main__":
    main()
