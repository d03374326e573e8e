#!/usr/bin/env python3
"""Compiles exported LaTeX tables with pdflatex: check_latex.py ATTNSCOPE [FOLDER].

The tables are those of every view that the examples of `:help` show, of all commands, on two models, and of texts that
LaTeX gives a meaning. Each stands on a page of one document for all that need the same packages, which has these alone
(the tables' "% needs" lines), and of one that has the encoding T1, too, which has more ligatures. A table fails if
LaTeX reports an error or a missing character, if it has no column, or if LaTeX joins marks into others. Run
in the checkout's root; pdflatex and pdftotext must be installed (texlive-latex-recommended, poppler-utils).
"""
import json
import os
import re
import subprocess
import sys
import tempfile

MODELS = ["samples/en-de.bin", "samples/en-de-context-both.bin"]
TEXTS = ["xx y", "a ,, b -- c --- d << e >> f ?` g !` h '' i `` j \" k", "@@ a@@ Ġb ￭ ▁ ☃",
         "{x} $y$ 50% & #1 _z_ ~ ^ \\ | < > [a] *b*", "“a” ‘b’ ?‘ „c“ «d» – — …", "本日は किताब שלום 🙂",
         "e\u0301 \u200b x\u00a0y ß Ł Å Œ đ ŋ"]
VIEWS = ["attn enc layer 1 head 1", "attn enc layer 1 head 1 word", "token 1 enc", "token 1 cross"]
JOINED = ["``", ",,", "--", "---", "<<", ">>", "?`", "!`", "''"]  # marks in the second text
MORE = [":contrast samples/agreement-en-de.json by distance group 2", ":compare before current samples/aligned.en "
        "samples/aligned.de", ":hypothesis", ":lens samples/aligned.en samples/aligned.de", ":align"]
# Commands that write, wait for a terminal, or end the session.
WITHOUT = {"export", "save", "show", "quit", "merge", "source"}


def run(attnscope, model, lines):
    """Returns the answers to the lines."""
    run = subprocess.run([attnscope, "--json", "--device", "cpu", "-f", "-", model], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, input="\n".join(lines).encode())
    return [json.loads(line) for line in run.stdout.decode().splitlines()]


def view_tables(attnscope, model, folder, commands):
    """Exports what every line of the commands' examples shows. Returns [(name, path)], and the
    commands that have a table."""
    lines, tables, having = [], [], set()
    for command in commands:
        for line in command["examples"] + (MORE if command["name"] == "disable" else []):
            lines += [line, f":export {folder}{len(lines)}.tex"]
        lines += [":model " + os.path.basename(model), ":reset"]
    answers, seen = run(attnscope, model, ["Two dogs are running.", *lines])[1:], set()
    for line, answer in zip(lines, answers):
        view = answer.get("view") if answer["ok"] and line.startswith(":export") else None
        if view and view not in seen:
            seen.add(view)
            having.add(view.split()[0])
            tables.append((f"{model}: {view}", line.split()[1]))
    return tables, having


def text_tables(attnscope, folder):
    """Does the same for texts."""
    lines, tables = [], []
    for i, text in enumerate(TEXTS):
        lines.append(" " + text)
        for j, view in enumerate(VIEWS):
            tables.append((f"{view}: {text}", f"{folder}/t{i}-{j}.tex"))
            lines.append(f":export {tables[-1][1]} {view}")
    run(attnscope, MODELS[0], lines)
    return tables


def compile_pages(tables, packages, folder, name):
    """Compiles the tables, one per page. Returns LaTeX's complaints and the text of every page."""
    wide = "\\usepackage[paperwidth=200cm,paperheight=500cm,margin=1cm]{geometry}\n"
    with open(f"{folder}/{name}.tex", "w", encoding="utf-8") as file:
        file.write("\\documentclass{article}\n" + "\n".join(packages) + "\n" + wide + "\\begin{document}\n")
        for title, path in tables:
            file.write("\\typeout{TABLE " + re.sub(r"[^ -~]|[\\{}%#~^]", "?", title)[:60] + "}\n\\input{" +
                       os.path.basename(path) + "}\n\\clearpage\n")
        file.write("\\end{document}\n")
    run = subprocess.run(["pdflatex", "-interaction=nonstopmode", f"{name}.tex"], cwd=folder, capture_output=True)
    log = run.stdout.decode("latin-1")
    told = re.findall(r"^TABLE .*|^! .*|^Missing character.*|^LaTeX Warning: Command .*", log, re.M)
    complaints = [f"{told[i - 1]}: {line}" for i, line in enumerate(told) if not line.startswith("TABLE ")]
    if run.returncode and not complaints:
        complaints = [f"exit {run.returncode}"]
    text = subprocess.run(["pdftotext", "-layout", f"{name}.pdf", "-"], cwd=folder, capture_output=True).stdout
    return complaints, text.decode("utf-8", "replace").split("\f")[:-1]


def check_shape(name, path):
    with open(path, encoding="utf-8") as file:
        table = file.read()
    bodies = re.findall(r"\\midrule\n(.*?)    \\bottomrule", table, re.S)
    if not bodies or "\\begin{tabular}{}" in table:
        return [f"{name}: no columns"]
    return []


def check(tables, folder):
    """Returns the tables' failures."""
    failures, groups = [], {}
    for name, path in tables:
        failures += check_shape(name, path)
        with open(path, encoding="utf-8") as file:
            needs = tuple(re.findall(r"^% needs (\\usepackage\S+)", file.read(), re.M))
        groups.setdefault(needs, []).append((name, path))
    for i, (needs, group) in enumerate(groups.items()):
        for more in [], ["\\usepackage[T1]{fontenc}"]:
            complaints, pages = compile_pages(group, [*more, *needs], folder, f"main{i}-{len(more)}")
            failures += [f"{' '.join([*more, *needs])}: {complaint}" for complaint in complaints]
            if len(pages) != len(group):
                failures.append(f"{len(pages)} pages of {len(group)} tables")
            failures += [f"{name}: {mark} is not in the PDF" for (name, path), page in zip(group, pages)
                         if path.endswith("t1-1.tex") for mark in JOINED if mark not in page]
    return failures


def main():
    attnscope = sys.argv[1] if len(sys.argv) > 1 else "build/attnscope"
    with tempfile.TemporaryDirectory() as made:
        folder = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else made)
        commands = [one for one in run(attnscope, MODELS[0], [":help"])[0]["commands"] if one["name"] not in WITHOUT]
        tables, having = text_tables(attnscope, folder), set()
        for i, model in enumerate(MODELS):
            found, of = view_tables(attnscope, model, f"{folder}/{i}-", commands)
            tables += found
            having |= of
        failures = check(tables, folder)
    print("\n".join(failures))
    print(f"{len(tables)} tables of {len(having)} commands, {len(failures)} failures")
    print("without a table:", " ".join(sorted(one["name"] for one in commands if one["name"] not in having)))
    return len(failures) > 0


if __name__ == "__main__":
    sys.exit(main())
