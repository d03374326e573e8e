/* Writing files for `:export`. A file that is there is replaced when the new one is complete. */
#ifndef ATTNSCOPE_EXPORT_H
#define ATTNSCOPE_EXPORT_H

#include <stdio.h>

#include "model/formats/new_file.h"
#include "render/figure.h"
#include "report/output/provenance.h"
#include "report/report.h"
#include "terminal/pace.h"

/* A file that a command writes: it gets its path when the command's report is complete, so that a
 * command that is refused for lack of memory has changed nothing. Freed with the report, without a
 * path until export_file_place.
 *
 *     struct new_file *file = export_file_open(report, path, status);
 *     if (!file)
 *         return false;
 *     ... write to file->stream ...
 *     return new_file_flush(file, good, status); // command_run then completes the report and calls
 *     export_file_place
 */
struct new_file *export_file_open(struct report *report, const char *path, struct status *status);
/* The file that the report has, if it has one, gets its path. */
bool export_file_place(struct report *report, struct status *status);

/* Everything captured for the current sentence, as safetensors; *tensors: how many were written. */
bool export_tensors(const struct session *session, const struct sentence_pair *pair, FILE *stream,
                    const struct provenance *provenance, int *tensors, struct status *status);

/* A view, and what is written with it. */
struct exported {
    const struct session *session;
    const struct report *view;
    const struct provenance *provenance;
    struct figure_missing *missing; // of figures (figure.h): characters without a font are added
};
/* Warns of characters that no font has; of none there is no warning. */
void report_missing(struct report *report, const struct figure_missing *missing);

/* A form that views can be written in. */
struct view_format {
    const char *name;                       // and extension: "png"
    bool (*can)(const struct report *view); // true if the view has that form; NULL: all have
    /* Writes to a stream, whose errors stay with it; `kind` as below. */
    bool (*write)(FILE *stream, int kind, const struct exported *what, struct status *status);
    int kind; // which of the forms that `write` knows
};

extern const struct view_format view_formats[]; // name NULL at the end
/* Returns the text after the last dot of a file's name; "" if there is none. */
const char *export_extension(const char *path);
/* The form of that name, whatever its case; NULL: none. */
const struct view_format *view_format_find(const char *name);
/* True if the attention of a head has that form. */
bool view_format_of_heads(const struct view_format *format);

/* Writes a view that `command` shows (without its colon) to a file that takes its place when it is
 * whole. */
bool export_write(const struct session *session, const struct view_format *format,
                  const struct report *view, const char *command, const char *path,
                  struct figure_missing *missing, struct status *status);

/* The same to a stream; its errors stay with it. */
bool export_stream(const struct session *session, const struct view_format *format,
                   const struct report *view, const char *command, FILE *stream,
                   struct figure_missing *missing, struct status *status);

/* Every head of the current sentence as a file in a folder, which is made where there is none.
 * *files: how many are in place, also on failure. */
bool export_heads(const struct session *session, const struct sentence_pair *pair,
                  const struct view_format *format, const char *folder, int *files,
                  struct figure_missing *missing, struct status *status);

/* Reports as NumPy arrays.
 *
 *     import json, numpy
 *     view = numpy.load("view.npz")
 *     view["weights"], view["rows"], json.loads(view["provenance"].item())
 *
 * .npz has an array for every field, matrix and axis with a name that is part of arrays
 * (IN_ARRAYS), and one for every column of a table; `provenance` says how it was made. .npy
 * has the one array of a report, or those of a `stacked` one with a dimension more in front.
 */

#define NPZ_PROVENANCE "provenance.npy"
#define NPZ_PROVENANCE_BEFORE "provenance.json" // of earlier versions, as it is

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
