#!/usr/bin/env python3
"""Labels of verdicts follow from numbers: the table of samples/papers/README.md, case by case."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import papers_verdicts as verdicts  # noqa: E402

CASES = [
    ("+1.64 [+0.73, +2.53], p < 0.001; paper +2.09", "Agreement"),
    ("-1.64 [-2.53, -0.73], p < 0.001; paper +2.09", "Disagreement"),
    ("+1.64 [+0.73, +2.53], p 0.060; paper +2.09", "Not testable"),       # p alone
    ("+0.41 [-0.54, +1.26], p 0.049; paper +0.95", "Not testable"),       # the interval alone
    ("+0.41 [-0.54, +0.90], p 0.379; paper +0.95", "No difference shown"),
    ("-0.59 [-1.34, +0.26], p 0.169; paper none", "No difference shown"),
    ("-0.59 [-1.34, -0.26], p 0.010; paper none", "Disagreement"),
    ("7 of 7", "Agreement"), ("0 of 4", "Disagreement"), ("3 of 4", "In part"), ("2 of 4", "In part"),
    ("1 of 4", "Disagreement"),
    ("mean +2.56 [+2.17, +2.95], p 0.001 of +2.52, +2.42, +2.73; paper +2.09", "Agreement"),
    ("mean +0.54 [-0.69, +1.78], p 0.199 of -0.03, +0.81, +0.85; paper -0.64", "Not testable"),
    ("mean -0.53 [-0.99, -0.07], p 0.038 of -0.54, -0.71, -0.34; paper none", "Disagreement"),
    ("65 of 108 after 59 of 108; paper none", "Not testable"),            # 59 of 108 may be chance
    ("65 of 108 after 69 of 108; paper none", "No difference shown"),
    ("90 of 108 after 69 of 108; paper +5", "Agreement"),
    ("2,400 steps", None), ("+0.41; paper +0.95", None)]


class Labels(unittest.TestCase):
    def test_each_part_has_the_label_of_the_table(self):
        for part, label in CASES:
            self.assertEqual(verdicts.label_of(part), label, part)

    def test_parts_are_combined(self):
        for labels, label in [(["Agreement", "Disagreement"], "In part"), (["Agreement"] * 2, "Agreement"),
                              (["Disagreement", "Not testable"], "Disagreement"),
                              (["In part", "Not testable"], "In part"),
                              (["Not testable", "No difference shown"], "No difference shown")]:
            self.assertEqual(verdicts.combined(labels), label)

    def test_a_label_against_its_numbers_is_a_fault(self):
        results = {("+1.64", "+0.73", "+2.53", "<0.001", "one"), ("-1.00", "", "", "", "one"), ("+2.00", "", "", "", "two"),
                   ("+5", "", "", "", "three"), ("+7", "", "", "", "two")}
        for text, fault in [("- **Agreement** (+1.64 [+0.73, +2.53], p < 0.001; paper +2.09)", None),
                            ("- **In part** (+1.64 [+0.73, +2.53], p < 0.001; paper +2.09)", "from its numbers"),
                            ("- **Agreement** (+1.65 [+0.73, +2.53], p < 0.001; paper +2.09)", "no such comparison"),
                            # By Student's t of scipy 1.17: ttest_1samp([-1, 2, 5], 0).
                            ("- **No difference shown** (mean +2.00 [-5.45, +9.45], p 0.368 of -1.00, +2.00, +5; paper none)",
                             None),
                            ("- **No difference shown** (mean +2.00 [-5.45, +9.45], p 0.369 of -1.00, +2.00, +5; paper none)",
                             "expected +2.00 -5.45 +9.45 0.368"),
                            ("- **No difference shown** (mean +2.00 [-5.45, +9.45], p 0.368 of -1.00, +2.00, +6; paper none)",
                             "not the differences of 3 sessions"),
                            ("- **No difference shown** (mean +2.67 [-7.67, +13.01], p 0.383 of -1.00, +2.00, +7; paper none)",
                             "not the differences of 3 sessions"),
                            ("- **Agreement** (as in the paper)", "expected a difference"),
                            ("- **Mostly** (7 of 7)", "expected one of"),
                            ("- **Not comparable** (7 of 7)", "expected a reason"),
                            ("- **Not comparable** (2,400 steps)", None)]:
            found = verdicts.check_verdict(verdicts.VERDICT.match(text), results)
            self.assertTrue(found is None if fault is None else found and fault in found, (text, found))

    def test_verdicts_are_counted_by_section(self):
        text = ("# Page\n\n| verdicts | agreement | in part | disagreement | no difference shown | not testable "
                "| not comparable |\n|---|---|---|---|---|---|---|\n| One | {} | 0 | 1 | 0 | 0 | 0 |\n\n"
                "## One (Someone 2020)\n\n- **Agreement** (7 of 7)\n- **Disagreement** (0 of 7)\n\n## Two\n")
        self.assertEqual(list(verdicts.check_counts(text.format(1))), [])
        self.assertEqual(len(list(verdicts.check_counts(text.format(2)))), 1)
        self.assertIn("no section", list(verdicts.check_counts(text.format(1).replace("## One", "## Three")))[1])
        self.assertIn("'Two'", next(verdicts.check_counts(text.format(1) + "- **In part** (4 of 7)\n")))

    def test_numbers_of_tables_are_read_back(self):
        table = ("**Table 1**: `one-table`, `trained/two-table`.\n\n"
                 "| | BLEU | gain | quick default | paper | its gain |\n|---|---|---|---|---|---|\n"
                 "| a | {} | {} | {} | 3.4 | 5.6 |\n| paper | 7.8 | | | | |\n")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "one-table.csv").write_text("a,0.375,-1.25\n")
            (folder / "one-table-more.csv").write_text("1440000\n")
            (folder / "one-tables.csv").write_text("99\n")
            for bleu, gain, quick, found in [("37.5%", "-1.25", "-1.25", True), ("0.4", "-1.2", "0.4", True),
                                             ("1,440,000", "", "1440000", True), ("37.6%", "", "38", False),
                                             ("", "+1.25", "+1.25", False), ("99", "", "99", False)]:
                readme = folder / "README.md"
                readme.write_text(table.format(bleu, gain, quick).replace(", `trained/two-table`", ""))
                with mock.patch.object(verdicts, "README", readme), contextlib.redirect_stdout(io.StringIO()), \
                        contextlib.redirect_stderr(io.StringIO()):
                    for mode in (False, True):
                        self.assertEqual(verdicts.read_back(folder, mode, False), 0 if found else 1, (bleu, gain, mode))
        numbers = list(verdicts.table_numbers(table.format("1", "2", "5") + "| 3 |\n"))
        self.assertEqual([number[2:] for number in numbers], [("1", False), ("2", False), ("5", True)])
        self.assertEqual(numbers[0][1], ["one-table", "trained/two-table"])


if __name__ == "__main__":
    unittest.main()
