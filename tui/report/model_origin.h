/* The origin of a model, as values of reports: for `:info` and for the provenance of exported
 * files. */
#ifndef ATTNSCOPE_MODEL_ORIGIN_H
#define ATTNSCOPE_MODEL_ORIGIN_H

#include "tui/report/report.h"

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

#endif
