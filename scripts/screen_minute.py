#!/usr/bin/env python3
"""Records a minute at the screen: samples/gallery/minute.cast.gz, and the same as a moving picture, minute.svg.

    scripts/screen_minute.py [--program PROGRAM] [--folder FOLDER]      (default: build/attnscope)
    scripts/screen_minute.py --check [--folder FOLDER]                  what a recording must be

The program runs in tmux as in screen_pictures.py; keys are typed, and each is followed by what must be seen then, so
that a recording shows what the program does. The .cast is an asciinema recording (version 2), of which each event
draws one screen: `zcat samples/gallery/minute.cast.gz | asciinema play -`. In the .svg a row is drawn once for each
time that it stays the same; SMIL shows and hides it.
"""

import argparse
import gzip
import html
import json
import os
import sys
import tempfile

import screen_pictures as screen

screen.COLUMNS, screen.ROWS = 100, 32
BYTES_MOST = 100_000
FONT = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"

# Keys as tmux names them, or text to be typed; what must then be seen; how many seconds it stays.
STEPS = [
    ([], "goes to the view", 3),
    ("I have never seen so many stars in the sky.", "stars in the sky.", 1),
    (["Enter"], "Sterne", 4),
    (["Escape"], "view  i prompt", 1),
    (["o"], "layer 1-2  head 1-8", 4),
    (["j"], "layer 2  head 5", 1),
    (["2", "l"], "layer 2  head 7", 2),
    (["Enter"], "layer 2/2  head 7/8", 4),
    (["5", "j"], "viele →", 1),
    (["5", "l"], "viele → many", 3),
    (["d"], "was", 6),
    (["v"], "log-probability of each token", 6),
    (["v"], "layer 2/2  head 7/8", 1),
    (["u"], "score -0.2547", 3),
    ([":"], "command", 1),
    ("disable cross layer 2 head 1-4", "head 1-4", 1),
    (["Enter"], "[gelebt.]", 6),
    (["D"], "[gesehen.]", 4),
]
LETTERS, LETTER_SECONDS = 8, 0.5  # typed at once


def pieces(typed):
    """Yields keys one by one, and text in pieces, as people type it."""
    if isinstance(typed, list):
        return [(key, False) for key in typed]
    return [(typed[i:i + LETTERS], True) for i in range(0, len(typed), LETTERS)]


def record(program):
    """Returns screens with the seconds at which they first appear: (seconds, capture)."""
    frames, now = [], 0.0
    with tempfile.TemporaryDirectory() as folder:
        terminal = screen.Terminal(folder, [program, "--device", "cpu", "samples/en-de.bin"])
        try:
            terminal.expect(STEPS[0][1])
            for typed, seen, seconds in STEPS:
                for key, literal in pieces(typed):
                    terminal.run("send-keys", *(["-l", "--", key] if literal else [key]))
                    if literal:
                        terminal.expect(key.strip())
                        frames.append((now, terminal.run("capture-pane", "-e", "-p", "-N")))
                        now += LETTER_SECONDS
                terminal.expect(seen)
                frames.append((now, terminal.run("capture-pane", "-e", "-p", "-N")))
                now += seconds
        finally:
            terminal.close()
    return frames, now


def write_cast(frames, seconds, path):
    header = {"version": 2, "width": screen.COLUMNS, "height": screen.ROWS, "duration": seconds,
              "title": "attnscope: a minute at the screen", "env": {"TERM": "xterm-256color"}}
    lines = [json.dumps(header, ensure_ascii=False)]
    for at, capture in frames:
        text = "\x1b[0m\x1b[H\x1b[2J" + capture.rstrip("\n").replace("\n", "\r\n")
        lines.append(json.dumps([round(at, 2), "o", text], ensure_ascii=False))
    with open(path, "wb") as out:  # the same recording gives the same bytes
        out.write(gzip.compress("".join(line + "\n" for line in lines).encode(), mtime=0))


# The moving picture ------------------------------------------------------------------------------------------------

def runs_of(row):
    """Returns neighbours of one style as one text; blanks alone as none."""
    runs = []
    for cell in row:
        if cell["text"] in screen.LINES:
            continue
        style = (screen.colours(cell)[0], cell["bold"], cell["italic"], cell["underline"], cell["faint"])
        if runs and runs[-1]["style"] == style and runs[-1]["end"] == cell["column"]:
            runs[-1]["text"] += cell["text"]
            runs[-1]["end"] += cell["width"]
        else:
            runs.append({"style": style, "text": cell["text"], "column": cell["column"],
                         "end": cell["column"] + cell["width"]})
    return [run for run in runs if run["text"].strip()]


def draw_run(run):
    text = run["text"]
    left = run["column"] + len(text) - len(text.lstrip())
    width = run["end"] - run["column"] - (len(text) - len(text.strip()))
    ink, bold, italic, underline, faint = run["style"]
    style = f' fill="{ink}"' * (ink != screen.INK) + ' font-weight="bold"' * bold + ' font-style="italic"' * italic \
        + ' text-decoration="underline"' * underline + ' opacity="0.6"' * faint
    return (f'<text x="{screen.MARGIN + left * screen.WIDTH}" y="{screen.BASELINE - screen.HEIGHT // 2 - 1}"{style} '
            f'textLength="{width * screen.WIDTH}">{html.escape(text.strip())}</text>')


def short(colour):
    """Returns the nearest of 4,096 colours: "#415"."""
    return "#" + "".join(f"{round(int(colour[i:i + 2], 16) / 17):x}" for i in (1, 3, 5))


def draw_fills(row):
    """Draws one path per colour, whose stroke is as wide as a row is high."""
    runs, paths = [], {}
    for cell in row:
        fill = screen.colours(cell)[1]
        if runs and runs[-1][0] == fill:
            runs[-1][2] += cell["width"]
        else:
            runs.append([fill, cell["column"], cell["width"]])
    for fill, column, width in runs:
        if fill:
            line = f"M{screen.MARGIN + column * screen.WIDTH} 0h{width * screen.WIDTH}"
            paths.setdefault(short(fill), []).append(line)
    return [f'<path stroke="{fill}" d="{"".join(parts)}"/>' for fill, parts in paths.items()]


def draw_lines(row):
    """Draws horizontal ones as one rectangle."""
    cells = [cell for cell in row if cell["text"] in screen.LINES]
    drawn = [screen.draw_line(cell, screen.MARGIN + cell["column"] * screen.WIDTH, -screen.HEIGHT // 2 + 1,
                              screen.colours(cell)[0]) for cell in cells]
    if len(cells) == screen.COLUMNS:
        return [drawn[0].replace(f'width="{screen.WIDTH}"', f'width="{screen.COLUMNS * screen.WIDTH}"')]
    return drawn


def draw_row(row):
    """Draws a row; its middle is at 0."""
    return "".join(draw_fills(row) + draw_lines(row) + [draw_run(run) for run in runs_of(row)])


def stretches(frames, seconds):
    """Returns what each row shows and when: {(row, drawing): [[from, to], …]}."""
    shown = {}
    for number, (at, capture) in enumerate(frames):
        end = frames[number + 1][0] if number + 1 < len(frames) else seconds
        for index, row in enumerate(screen.read_cells(capture)):
            times = shown.setdefault((index, draw_row(row)), [])
            if times and times[-1][1] == at:
                times[-1][1] = end
            else:
                times.append([at, end])
    return {row: times for row, times in shown.items() if row[1]}


def animate(times):
    """Makes it visible at these times after each start of the clock."""
    return "".join(f'<set attributeName="visibility" to="visible" begin="c.begin+{begin:g}s" dur="{end - begin:g}s"/>'
                   for begin, end in times)


def write_svg(frames, seconds, path):
    width = 2 * screen.MARGIN + screen.COLUMNS * screen.WIDTH
    height = 2 * screen.MARGIN + screen.ROWS * screen.HEIGHT
    with open(path, "w", encoding="utf-8") as out:
        print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
              f'height="{height}" font-family="{FONT}" font-size="{screen.SIZE:.4f}" fill="{screen.INK}" '
              f'xml:space="preserve" stroke-width="{screen.HEIGHT}" shape-rendering="crispEdges">'
              f'<rect width="{width}" height="{height}" rx="6" fill="{screen.GROUND}">'
              f'<set id="c" attributeName="x" to="0" begin="0s;c.end" dur="{seconds:g}s"/></rect>', file=out)
        for (index, drawing), times in stretches(frames, seconds).items():
            top = screen.MARGIN + (index + .5) * screen.HEIGHT
            still = times == [[0, seconds]]
            hidden = "" if still else ' visibility="hidden"'
            print(f'<g transform="translate(0 {top})"{hidden}>{drawing}{"" if still else animate(times)}</g>',
                  file=out)
        print("</svg>", file=out)


# Checks ------------------------------------------------------------------------------------------------------------

def check(folder):
    """Checks that every step appears in the recording, in order, and that the picture has the
    recording's screens."""
    with gzip.open(os.path.join(folder, "minute.cast.gz"), "rt", encoding="utf-8") as file:
        header, *events = [json.loads(line) for line in file]
    assert header["version"] == 2 and (header["width"], header["height"]) == (screen.COLUMNS, screen.ROWS)
    assert all(event[1] == "o" for event in events)
    assert [event[0] for event in events] == sorted(event[0] for event in events)
    frames = [(at, text.partition("\x1b[2J")[2].replace("\r\n", "\n")) for at, _, text in events]
    screens = ["\n".join("".join(cell["text"] for cell in row) for row in screen.read_cells(text))
               for _, text in frames]
    at = 0
    for _, seen, _ in STEPS:
        while at < len(screens) and seen not in screens[at]:
            at += 1
        if at == len(screens):
            sys.exit(f"screen_minute: {seen!r} is not seen in minute.cast.gz")
    picture = os.path.join(folder, "minute.svg")
    with tempfile.TemporaryDirectory() as other:
        again = os.path.join(other, "minute.svg")
        write_svg(frames, header["duration"], again)
        with open(again, "rb") as one, open(picture, "rb") as two:
            if one.read() != two.read():
                sys.exit("screen_minute: minute.svg is not of minute.cast.gz")
    if os.path.getsize(picture) >= BYTES_MOST:
        sys.exit(f"screen_minute: minute.svg has {os.path.getsize(picture)} bytes, expected under {BYTES_MOST}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--program", default=os.path.join(screen.ROOT, "build/attnscope"))
    parser.add_argument("--folder", default=os.path.join(screen.ROOT, "samples/gallery"))
    parser.add_argument("--check", action="store_true", help="checks the recording that is there")
    arguments = parser.parse_args()
    if not arguments.check:
        frames, seconds = record(os.path.abspath(arguments.program))
        write_cast(frames, seconds, os.path.join(arguments.folder, "minute.cast.gz"))
        write_svg(frames, seconds, os.path.join(arguments.folder, "minute.svg"))
    check(arguments.folder)


if __name__ == "__main__":
    main()
