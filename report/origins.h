/* The inputs of reports, as values: heads and search, the model, and the provenance of a report,
 * which combines them (report_add_provenance). */
#ifndef ATTNSCOPE_ORIGINS_H
#define ATTNSCOPE_ORIGINS_H

#include "report/report.h"

/* Heads and the search, as objects of JSON like the configuration ------------------------------ */

/* [{module, layer, head}] of the heads that are off; of the replaced heads, with how they
 * attend. */
struct value heads_off_value(struct report *report, const struct session *session);
struct value heads_changed_value(struct report *report, const struct session *session);
/* {beam, length_penalty {kind, alpha}, max_length {factor, plus}, min_length, endings} of the
 * session's state; the last two only if not 0 and "best". */
struct value search_value(struct report *report, const struct session *session);

/* The model, for `:info` and for exported files ------------------------------------------------ */

/* True if the model is in another toolkit's format, or was converted from one. */
bool model_is_foreign(const struct session *session);

/* [{name, sha256}] of the files read, in their order. Call loaded_digests first. */
struct value model_files_value(struct report *report, const struct session *session);
/* {family, files [{name, sha256}]} of what the model was converted from; null: not converted. */
struct value model_origin_value(struct report *report, const struct session *session);

/* Returns this model's choices among the conventions of toolkits, in one line: "positions
 * halves_fairseq from 2; pre-norm, epsilon 1e-05; embeddings times 4; source __en__ … </s>; target
 * begins </s> __de__". */
const char *model_conventions(struct report *report, const struct session *session);

/* Fills report->provenance when the command is done, so that the report can be read without the
 * session: the model, its state, and the sentence of a view. Parts that the report's origin leaves
 * unset come from the session. Out of memory marks the report as lacking, as in any function that
 * fills it. */
void report_add_provenance(struct report *report, const struct session *session);

#endif
