/* Reports as NumPy arrays.
 *
 *     import json, numpy
 *     view = numpy.load("view.npz")
 *     view["weights"], view["rows"], json.loads(view["provenance.json"])
 *
 * .npz has an array for every field, matrix and axis with a name that is part of arrays
 * (IN_ARRAYS), and one for every column of a table; `provenance.json` says how it was made. .npy
 * has the one array of a report, or those of a `stacked` one with a dimension more in front.
 */
#ifndef ATTNSCOPE_REPORT_ARRAYS_H
#define ATTNSCOPE_REPORT_ARRAYS_H

#include <stdio.h>

#include "tui/output/provenance.h"
#include "tui/report/report.h"
#include "tui/terminal/pace.h"

#define NPZ_PROVENANCE "provenance.json"

/* If `pace` stops the work they fail, with its status. Write errors stay with the stream.
 * STATUS_INVALID: the report is no one array. */
bool npy_report(FILE *stream, const struct report *report, struct pace *pace,
                struct status *status);
bool npz_report(FILE *stream, const struct report *report, const struct provenance *provenance,
                struct pace *pace, struct status *status);

/* True if a report has arrays, and true if it has one array. */
bool report_has_arrays(const struct report *report);
bool report_has_array(const struct report *report);

#endif
