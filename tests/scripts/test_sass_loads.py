"""What the reader of machine code counts, in a kernel written for this."""

import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import sass_loads  # noqa: E402

# Two loads before the first use, one after it; a predicate; a pair of registers for an address; a spill.
SASS = """
	code for sm_90
		Function : _Z8a_kernelILi128E6accessEvPf
	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED"
        /*0000*/                   LDG.E.128 R4, desc[UR4][R2.64] ;            /* 0x0000000402047981 */
                                                                               /* 0x000ea2000c1e1d00 */
        /*0010*/              @!P0 LDG.E R8, desc[UR4][R2.64+0x200] ;          /* 0x0002000402088981 */
        /*0020*/                   FFMA R0, R1, R1, R1 ;                       /* 0x0000000101007223 */
        /*0030*/                   FADD R9, R7, R0 ;                           /* 0x0000000007097221 */
        /*0040*/                   LDG.E.64 R10, desc[UR4][R12.64] ;           /* 0x000000040c0a7981 */
        /*0050*/                   LDG.E R12, desc[UR4][R10.64] ;              /* 0x000000040a0c7981 */
        /*0060*/                   STL [R1+0x4], R0 ;                          /* 0x0000040001007387 */
        /*0070*/                   STG.E desc[UR4][R2.64], R12 ;               /* 0x0000000c02007986 */
        /*0080*/                   EXIT ;                                      /* 0x000000000000794d */
"""


def run(arguments):
    """The exit status, and what is printed."""
    streams = sys.argv, sys.stdout
    sys.argv, sys.stdout = ["sass_loads.py", *arguments], io.StringIO()
    try:
        status = sass_loads.main()
        return status, sys.stdout.getvalue()
    finally:
        sys.argv, sys.stdout = streams


class SassLoads(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.sass = self.write("sass.txt", SASS)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_loads_are_a_round_until_one_is_used(self):
        kernels = sass_loads.read_kernels(io.StringIO(SASS))
        self.assertEqual(len(kernels), 1)
        counts = sass_loads.count(next(iter(kernels.values())))
        self.assertEqual(counts, sass_loads.Counts(spills=1, rounds=3, wide=1, narrow=2))

    def test_names_are_those_of_the_sources(self):
        self.assertEqual(sass_loads.plain("void a_kernel<(int)128, (access)2, float>(params)"),
                         "a_kernel<128, 2, float>")

    def test_limits_are_kept_or_not(self):
        within = "a_kernel<*\t1\t3\t1\t2  # as it is\n"
        self.assertEqual(run(["--limits", self.write("within", within), self.sass])[0], 0)
        for limits, what in [("a_kernel<*\t0\t3\t1\t2\n", "spills 1 (at most 0)"),
                             ("a_kernel<*\t1\t2\t1\t2\n", "rounds 3 (at most 2)"),
                             ("a_kernel<*\t1\t3\t2\t2\n", "wide loads 1 (at least 2)"),
                             ("a_kernel<*\t1\t3\t1\t1\n", "narrow loads 2 (at most 1)"),
                             (within + "b_kernel\t0\t0\t0\t0\n", "b_kernel: no such kernel"),
                             ("", "spills 1 (at most 0)")]:
            status, printed = run(["--limits", self.write("limits", limits), self.sass])
            self.assertEqual(status, 1, limits)
            self.assertIn(what, printed)

    def test_a_file_without_kernels_is_not_right(self):
        self.assertEqual(run([self.write("empty", "")])[0], 1)


if __name__ == "__main__":
    unittest.main()
