/* Capturing for the views: what of the sentence at hand goes into a matrix.
 *
 * Functions fill results; the caller frees those (result_free), also after a failure.
 */
#ifndef ATTNSCOPE_VIEW_H
#define ATTNSCOPE_VIEW_H

#include "tui/result.h"

/* The weights of one head, or mean or maximum over all heads of the layer; over words: columns summed,
 * rows averaged, so that a row's sum stays what it was. */
bool view_attention(const struct session *session, const struct subject *subject,
                    const struct view *view, bool words, struct attention_result *out,
                    struct status *status);

bool view_importance(const struct session *session, const struct subject *subject,
                     enum module module, int layer, struct importance_result *out,
                     struct status *status);

bool view_gates(const struct session *session, const struct subject *subject, enum module module,
                int side, struct gates_result *out, struct status *status);

/* Whether the layer mixes that side with context through gates. */
bool layer_has_gate(const struct config *config, enum module module, int layer, int side);

#endif
