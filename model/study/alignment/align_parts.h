/* Alignments that other parts, or an earlier run of this one, have made (model/study/shards/shards.h). For align_files.c
 * alone.
 *
 *     align_parts_take; align_parts_keep for each line that is aligned
 */
#ifndef ATTNSCOPE_ALIGN_PARTS_H
#define ATTNSCOPE_ALIGN_PARTS_H

#include "model/study/alignment/align_files.h"

/* Takes the links of the lines that the parts have. context->shards may be NULL. */
bool align_parts_take(const struct study_context *context, struct align_result *result,
                      struct identity *scope, struct status *status);
bool align_parts_keep(const struct study_context *context, const struct align_result *result,
                      const struct identity *scope, int line, struct status *status);

#endif
