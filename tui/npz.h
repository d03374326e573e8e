/* Views as NumPy's .npz: every array of a view under its name, labels with it, and how it was made.
 *
 *     import json, numpy
 *     view = numpy.load("view.npz")
 *     view["weights"], view["rows"], json.loads(view["provenance.json"])
 *
 * Weights are float32, NaN where a gate is not there; labels str; layers, heads and places int64, from 1.
 *   attn, align   weights (rows, columns), rows, columns
 *   importance    weights (rows, heads), rows
 *   gates         gates (rows, columns), rows, columns ("2.1": layer 2, learned head 1)
 *   gates FILE    means and counts (groups), of qk (sides, groups); groups, sides
 *   heads         weights (layers, heads, rows, columns), layers, heads, rows, columns
 *   token         from (layers, heads, columns), to (layers, heads, rows), as they are there; layers, heads, rows,
 *                 columns, places (of the token)
 *   beside        of a, b and difference, if there is one: a (rows, columns), a_rows, a_columns, ...
 */
#ifndef ATTNSCOPE_NPZ_H
#define ATTNSCOPE_NPZ_H

#include "tui/pace.h"
#include "tui/provenance.h"

#define NPZ_PROVENANCE "provenance.json"

/* Writes a view that has arrays to a stream that can seek, at its beginning. Write errors stay with the stream. */
bool npz_write(FILE *stream, const struct result *view, const struct provenance *provenance,
               struct pace *pace, struct status *status);

#endif
