/* Writing files for `:export`. An existing file is replaced once the new one is complete. */
#ifndef ATTNSCOPE_EXPORT_H
#define ATTNSCOPE_EXPORT_H

#include <stdio.h>

#include "model/formats/new_file.h"
#include "render/figure.h"
#include "report/output/provenance.h"
#include "report/report.h"
#include "terminal/pace.h"

/* Opens a file that a command writes. It gets its path only when the command's report is complete,
 * so that a command that fails for lack of memory changes nothing. Freed with the report; without
 * export_file_place it never gets a path.
 *
 *     struct new_file *file = export_file_open(report, path, status);
 *     if (!file)
 *         return false;
 *     ... write to file->stream ...
 *     return new_file_flush(file, good, status); // command_run then completes the report and calls
 *     export_file_place
 */
struct new_file *export_file_open(struct report *report, const char *path, struct status *status);
/* Moves the report's file, if any, to its path. */
bool export_file_place(struct report *report, struct status *status);

/* Everything captured for the current sentence, as safetensors; *tensors: the number written. */
bool export_tensors(const struct session *session, const struct sentence_pair *pair, FILE *stream,
                    const struct provenance *provenance, int *tensors, struct status *status);

/* A view and what is written with it. */
struct exported {
    const struct session *session;
    const struct report *view;
    const struct provenance *provenance;
    struct figure_missing *missing; // for figures (figure.h): collects characters that no font has
};
/* Warns of characters that no font has, if any. */
void report_missing(struct report *report, const struct figure_missing *missing);

/* A format for writing views. */
struct view_format {
    const char *name;                       // and extension: "png"
    bool (*can)(const struct report *view); // true if the view can be written so; NULL: all can
    /* Writes to a stream, which keeps its errors; `kind` as below. */
    bool (*write)(FILE *stream, int kind, const struct exported *what, struct status *status);
    int kind; // selects among the forms that `write` supports
};

extern const struct view_format view_formats[]; // name NULL at the end
/* Returns the text after the last dot of a file's name; "": no dot. */
const char *export_extension(const char *path);
/* Finds a format by name, ignoring case. NULL: none. */
const struct view_format *view_format_find(const char *name);
/* True if a head's attention can be written in that format. */
bool view_format_of_heads(const struct view_format *format);

/* Writes a view that `command` (without its colon) shows to a file, which is put in place once
 * complete. */
bool export_write(const struct session *session, const struct view_format *format,
                  const struct report *view, const char *command, const char *path,
                  struct figure_missing *missing, struct status *status);

/* The same to a stream; its errors stay with it. */
bool export_stream(const struct session *session, const struct view_format *format,
                   const struct report *view, const char *command, FILE *stream,
                   struct figure_missing *missing, struct status *status);

/* Writes every head of the current sentence to a file in a folder, which is created if absent.
 * *files: the number in place, also on failure. */
bool export_heads(const struct session *session, const struct sentence_pair *pair,
                  const struct view_format *format, const char *folder, int *files,
                  struct figure_missing *missing, struct status *status);

/* Reports as NumPy arrays.
 *
 *     import json, numpy
 *     view = numpy.load("view.npz")
 *     view["weights"], view["rows"], json.loads(view["provenance"].item())
 *
 * .npz has an array for every named field, matrix and axis in IN_ARRAYS, and one for every column
 * of a table; `provenance` says how it was made. .npy has a report's only array, or the arrays of a
 * `stacked` report with an additional leading dimension.
 */

#define NPZ_PROVENANCE "provenance.npy"
#define NPZ_PROVENANCE_BEFORE "provenance.json" // of earlier versions, verbatim

/* Fail with the status of `pace` if it stops the work. Write errors stay with the stream.
 * STATUS_INVALID: the report is not a single array. */
bool npy_report(FILE *stream, const struct report *report, struct pace *pace,
                struct status *status);
bool npz_report(FILE *stream, const struct report *report, const struct provenance *provenance,
                struct pace *pace, struct status *status);

/* True if a report has any arrays; true if it is a single array. */
bool report_has_arrays(const struct report *report);
bool report_has_array(const struct report *report);

#endif
