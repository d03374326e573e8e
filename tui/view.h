/* Capturing for the views: what of the sentence at hand goes into a matrix.
 *
 * Functions fill results, or parts of them; the caller frees those (result_free), also after a failure.
 */
#ifndef ATTNSCOPE_VIEW_H
#define ATTNSCOPE_VIEW_H

#include "tui/result.h"
#include "tui/selector.h"

/* What of a sentence's attention a view is of, without labels: out->view, head, off and weights (rows, columns)
 * of tokens. */
bool view_matrix(const struct session *session, const struct subject *subject,
                 const struct view *view, struct attention_result *out, struct status *status);

/* The weights of one head, or mean or maximum over all heads of the layer; over words: columns summed,
 * rows averaged, so that a row's sum stays what it was. */
bool view_attention(const struct session *session, const struct subject *subject,
                    const struct view *view, bool words, struct attention_result *out,
                    struct status *status);

/* Those of cross-attention, each row under the token that the model chooses with it: rows are the translation,
 * end-of-sentence included. */
bool view_alignment(const struct session *session, const struct subject *subject,
                    const struct view *view, bool words, struct attention_result *out,
                    struct status *status);

bool view_importance(const struct session *session, const struct subject *subject,
                     enum module module, int layer, struct importance_result *out,
                     struct status *status);

bool view_gates(const struct session *session, const struct subject *subject, enum module module,
                int side, struct gates_result *out, struct status *status);

/* The weights of the heads of out->grid, which is filled in. */
bool view_heads(const struct session *session, const struct subject *subject, bool words,
                struct heads_result *out, struct status *status);

/* Where the heads of out->grid look from out->first … and who looks there; grid, side, first and count are
 * filled in. */
bool view_token(const struct session *session, const struct subject *subject,
                struct token_result *out, struct status *status);

/* Fills in layers and heads of a grid: what the selector says; without a module the one last shown,
 * without layers or heads all of them. The selector was parsed for HEADS_SINGLE. */
bool grid_choose(const struct session *session, struct selector *selector, struct head_grid *grid,
                 struct status *status);

/* Module, layer and head that a selector, parsed for HEADS_OR_MERGED, says; the rest as last shown. */
bool view_choose(const struct session *session, struct selector *selector, struct view *view,
                 struct status *status);

/* The view in a model whose module has fewer layers or heads than the one it was shown in: its last ones. */
struct view view_fit(const struct config *config, struct view view);

/* Whether the layer mixes that side with context through gates. */
bool layer_has_gate(const struct config *config, enum module module, int layer, int side);

#endif
