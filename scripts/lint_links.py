#!/usr/bin/env python3
"""Checks what pages for people name: every link leads to a file and to a heading there, and every path of the
sources in `code` is one. In doc/architecture.md and CONTRIBUTING.md every file's name and every identifier is one, too,
and every line of C stands in the sources.

    scripts/lint_links.py

A path may have wildcards and {choices,between,braces}; a word in capitals stands for any name: `command_NAME.c`.
"""

import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ("README.md", "CONTRIBUTING.md", "doc/*.md", "samples/README.md", "samples/papers/README.md",
         "scripts/README.md")
ABOUT_SOURCES = ("CONTRIBUTING.md", "doc/architecture.md")
FOLDERS = ("base", "debian", "doc", "gpu", "model", "render", "report", "samples", "scripts", "session", "terminal",
           "tests", "tui")
BLOCK = re.compile(r"^ *```.*?^ *```$|(?<=\n\n)(?:    [^\n]*\n)+", re.DOTALL | re.MULTILINE)
EXAMPLE = re.compile(r"^```c\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
PATH = re.compile(rf"(?:{'|'.join(FOLDERS)})/[\w*{{}},./-]*|(?:Makefile|\.ci/run)")
NAME = re.compile(r"[\w.]+\.(?:c|h|cc|cu|cuh|py|awk|mk)")
IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def anchors(page):
    """As GitHub names headings."""
    names = (CODE.sub(r"\1", heading).lower() for heading in HEADING.findall(BLOCK.sub("", read(page))))
    return {re.sub(r"[^\w\- ]", "", name).replace(" ", "-") for name in names}


def check_link(page, link):
    if "://" in link:
        return True
    path, _, anchor = link.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
    if not os.path.exists(os.path.join(ROOT, path)):
        return False
    return not anchor or (path.endswith(".md") and anchor in anchors(path))


def choices(path):
    """The paths that one with braces stands for."""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [one for choice in match.group(1).split(",")
            for one in choices(path[:match.start()] + choice + path[match.end():])]


def exists(path):
    """Whether it is there, or is what the Makefile makes and git leaves alone."""
    pattern = re.sub(r"[A-Z]{4,}(?=[_./])(?<!README)", "*", path)
    return all(glob.glob(os.path.join(ROOT, one)) for one in choices(pattern)) or \
        subprocess.run(["git", "check-ignore", "--quiet", path], cwd=ROOT).returncode == 0


def words_of_sources():
    text = subprocess.run(["git", "grep", "-hoIwE", IDENTIFIER.pattern.replace("(?:", "("), "--", *FOLDERS, "Makefile",
                           ":!doc", ":!*.md"], cwd=ROOT, check=True, capture_output=True, encoding="utf-8").stdout
    return set(text.split())


def names_of_files():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, encoding="utf-8").stdout
    return {os.path.basename(path) for path in listed.splitlines()}


def lines_of_c():
    listed = subprocess.run(["git", "ls-files", "*.c", "*.h"], cwd=ROOT, check=True, capture_output=True,
                            encoding="utf-8").stdout
    return {line.strip() for path in listed.splitlines() for line in read(path).splitlines()}


def check_examples(page, lines):
    """The lines of C that no source has; "..." stands for what is left out."""
    return [f"{page}: {line}: not in the sources" for example in EXAMPLE.findall(read(page))
            for line in example.splitlines() if line.strip() not in lines and line.strip() != "..."]


def main():
    pages = sorted(os.path.relpath(path, ROOT) for pattern in PAGES for path in glob.glob(os.path.join(ROOT, pattern)))
    words, names = words_of_sources(), names_of_files()
    wrong = []
    for page in pages:
        text = read(page)
        wrong += [f"{page}: ({link}): no such file or heading" for link in LINK.findall(text)
                  if not check_link(page, link)]
        for code in CODE.findall(BLOCK.sub("", text)):
            if PATH.fullmatch(code) and not exists(code):
                wrong.append(f"{page}: `{code}`: no such file")
            if page in ABOUT_SOURCES and NAME.fullmatch(code) and "NAME" not in code and code not in names:
                wrong.append(f"{page}: `{code}`: no such file")
            if page in ABOUT_SOURCES and IDENTIFIER.fullmatch(code) and code not in words:
                wrong.append(f"{page}: `{code}`: not in the sources")
    lines = lines_of_c()
    wrong += [line for page in ABOUT_SOURCES for line in check_examples(page, lines)]
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
