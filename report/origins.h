/* What reports are made from, as values: heads and the search, the model, and the provenance of a
 * report, which is made of them (report_add_provenance). */
#ifndef ATTNSCOPE_ORIGINS_H
#define ATTNSCOPE_ORIGINS_H

#include "report/report.h"

/* Heads and the search, as objects of JSON like the configuration ------------------------------ */

/* [{module, layer, head}] of the heads that are off; of those replaced with how they attend. */
struct value heads_off_value(struct report *report, const struct session *session);
struct value heads_changed_value(struct report *report, const struct session *session);
/* {beam, length_penalty {kind, alpha}, max_length {factor, plus}, min_length, endings} of the
 * session's state; the last two where they are not 0 and "best". */
struct value search_value(struct report *report, const struct session *session);

/* The model, for `:info` and for exported files ------------------------------------------------ */

/* True if the model is in another toolkit's format, or was converted from one. */
bool model_is_foreign(const struct session *session);

/* [{name, sha256}] of the files that were read, in their order; the caller has called
 * loaded_digests. */
struct value model_files_value(struct report *report, const struct session *session);
/* {family, files [{name, sha256}]} of what the model was converted from; null: it was not. */
struct value model_origin_value(struct report *report, const struct session *session);

/* Returns the conventions in which toolkits differ, as this model has them, in one line: "positions
 * halves_fairseq from 2; pre-norm, epsilon 1e-05; embeddings times 4; source __en__ … </s>; target
 * begins </s> __de__". */
const char *model_conventions(struct report *report, const struct session *session);

/* Fills report->provenance, so that the report can be read apart from the session, once the command
 * is done: the model, its state, and the sentence of a view. What the report's origin leaves open
 * is the session's. Where memory is short the report lacks it, as after any function that fills
 * it. */
void report_add_provenance(struct report *report, const struct session *session);

#endif
