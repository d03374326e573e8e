#!/usr/bin/env python3
"""Compiles exported LaTeX tables with pdflatex: check_latex.py ATTNSCOPE [FOLDER].

Each table stands alone in an article that has only the packages named in the table's "% needs" lines, and once more in
one that has the encoding T1, too, which has more ligatures. A table fails if LaTeX reports an error or a missing
character, or if LaTeX joins marks into others. Run in the
checkout's root; pdflatex and pdftotext must be installed (texlive-latex-recommended, poppler-utils).
"""
import os
import re
import subprocess
import sys
import tempfile

TEXTS = ["xx y", "a ,, b -- c --- d << e >> f ?` g !` h '' i `` j \" k", "@@ a@@ Ġb ￭ ▁ ☃",
         "{x} $y$ 50% & #1 _z_ ~ ^ \\ | < > [a] *b*", "“a” ‘b’ ?‘ „c“ «d» – — …", "本日は किताब שלום 🙂",
         "e\u0301 \u200b x\u00a0y ß Ł Å Œ đ ŋ"]
VIEWS = ["attn enc layer 1 head 1", "attn enc layer 1 head 1 word", "token 1 enc", "token 1 cross"]
STUDIES = [":contrast samples/agreement-en-de.json", ":contrast samples/agreement-en-de.json by distance",
           ":contrast samples/agreement-en-de.json by distance group 2",
           ":contrast samples/agreement-en-de.json ablate by layer layer 1",
           ":align samples/aligned.en samples/aligned.de samples/aligned.pharaoh by layer,head",
           ":stats samples/aligned.en", ":bleu samples/aligned.en samples/aligned.de by 5,10"]


def export(attnscope, folder):
    """Returns (name, path, texts that the PDF must have) of every table."""
    tables, commands = [], []
    for i, text in enumerate(TEXTS):
        commands.append(" " + text)
        for j, view in enumerate(VIEWS):
            tables.append((f"{view}: {text}", f"{folder}/t{i}-{j}.tex"))
            commands.append(f":export {tables[-1][1]} {view}")
    commands += [" Two dogs are running.", f":export {folder}/patch.tex patch Two cats are running. ||| cross"]
    tables += [("patch", f"{folder}/patch.tex")]
    for i, study in enumerate(STUDIES):
        tables.append((study, f"{folder}/s{i}.tex"))
        commands += [study, f":export {tables[-1][1]}"]
    commands += [":disable enc head 1", ":contrast samples/agreement-en-de.json", ":flips",
                 f":export {folder}/flips.tex"]
    tables.append((":flips", f"{folder}/flips.tex"))
    arguments = [part for command in commands for part in ("-e", command)]
    subprocess.run([attnscope, "samples/en-de.bin", *arguments], check=True, stdout=subprocess.DEVNULL)
    return tables


def compile_table(path, more):
    """Compiles with `more` in the preamble. Returns what LaTeX complains about, and the text of the PDF."""
    with open(path, encoding="utf-8") as file:
        table = file.read()
    packages = re.findall(r"^% needs (\\usepackage\S+)", table, re.M)
    wide = "\\usepackage[paperwidth=200cm,paperheight=100cm,margin=1cm]{geometry}\n"
    base, folder = os.path.splitext(os.path.basename(path))[0], os.path.dirname(path)
    with open(f"{folder}/main-{base}.tex", "w", encoding="utf-8") as file:
        file.write("\\documentclass{article}\n" + "\n".join([more, *packages]) + "\n" + wide +
                   "\\begin{document}\n\\input{" + os.path.basename(path) + "}\n\\end{document}\n")
    run = subprocess.run(["pdflatex", "-interaction=nonstopmode", f"main-{base}.tex"], cwd=folder,
                         capture_output=True)
    log = run.stdout.decode("latin-1")
    complaints = re.findall(r"^! .*|^Missing character.*|^LaTeX Warning: Command .*", log, re.M)
    if run.returncode and not complaints:
        complaints = [f"exit {run.returncode}"]
    text = subprocess.run(["pdftotext", "-layout", f"main-{base}.pdf", "-"], cwd=folder,
                          capture_output=True).stdout.decode("utf-8", "replace")
    return complaints, text


def check_text(path, text):
    """Runs of marks that LaTeX would join stand in the PDF as they were typed."""
    wanted = {"t1-1": [",,", "--", "---", "<<", ">>", "?`", "!`", "''", "``"]}
    base = os.path.splitext(os.path.basename(path))[0]
    return [f"{mark} is not in the PDF" for mark in wanted.get(base, []) if mark not in text]


def main():
    attnscope = sys.argv[1] if len(sys.argv) > 1 else "build/attnscope"
    failures = 0
    with tempfile.TemporaryDirectory() as made:
        folder = sys.argv[2] if len(sys.argv) > 2 else made
        tables = export(attnscope, folder)
        for name, path in tables:
            for more in "", "\\usepackage[T1]{fontenc}":
                complaints, text = compile_table(path, more)
                for complaint in complaints + check_text(path, text):
                    print(f"{name}: {more} {complaint}")
                    failures += 1
    print(f"{len(tables)} tables, {failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
