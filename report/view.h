/* Captures the parts of the current sentence that views show as matrices.
 *
 * Functions fill zeroed structs; the caller frees them (attention_view_free, ...), also after a
 * failure. Set a member to NULL after taking it out.
 */
#ifndef ATTNSCOPE_VIEW_H
#define ATTNSCOPE_VIEW_H

#include "report/blocks.h"
#include "report/labels.h"
#include "session/selector.h"
#include "session/session.h"

struct attention_view {
    struct view view;
    bool words;   // rows and columns are words
    bool shifted; // of an alignment: rows are the positions where the decoder reads a token
    struct labels rows, columns;
    float *weights; // (rows, columns), or what view.as says
    float *rest;    // (rows) of a method: the share outside all columns (attribute.h); NULL: none
    double source_share; // of joint methods in the decoder: the mean of the rows' shares; NaN: none
    struct head head;    // for one head only
    bool off;            // for one head only
};

struct heads_view {
    struct head_grid grid;
    enum method as; // METHOD_WEIGHTS, or another one that has a matrix for every head
    bool words;     // rows and columns are words
    struct labels rows, columns;
    float *weights; // (layers, heads, rows, columns)
};

/* One token, or the tokens of one word: rows are averaged, columns summed. */
struct token_view {
    struct head_grid grid;
    char *text;       // as in the sentence
    int first, count; // its tokens among the rows or, by `side`, the columns; 0-based
    int side;         // of the token: SIDE_SOURCE or SIDE_TARGET
    struct labels rows, columns;
    float *from; // (layers, heads, columns); NULL: the module does not look from this side
    float *to;   // (layers, heads, rows); NULL: the module does not look at this side
};

struct importance_view {
    enum module module;
    int layer, heads;
    struct labels rows;
    float *weights; // (rows, heads)
};

struct gate_layer {
    float *values; // (rows, columns), NULL: the layer has no gate
    int columns;   // 1, or learned heads
    bool by_head;  // columns are learned heads
};

struct gates_view {
    enum module module;
    int side; // SIDE_Q or SIDE_K
    struct labels rows;
    struct gate_layer *layer; // (layers)
    int layers;
};

void attention_view_free(struct attention_view *attention);
void head_grid_free(struct head_grid *grid);
void heads_view_free(struct heads_view *heads);
void token_view_free(struct token_view *token);
void importance_view_free(struct importance_view *importance);
void gates_view_free(struct gates_view *gates);

/* Writes a view's attention without labels: out->view, head, off and weights (rows, columns) of
 * tokens. */
bool view_matrix(const struct session *session, const struct sentence_pair *pair,
                 const struct view *view, struct attention_view *out, struct status *status);

/* The weights of one head, or mean or maximum over all heads of the layer, or their mean weighted
 * by importance (VIEW_WEIGHTED, where layer_has_importance); over words: columns are summed and
 * rows averaged, which preserves row sums. */
bool view_attention(const struct session *session, const struct sentence_pair *pair,
                    const struct view *view, bool words, struct attention_view *out,
                    struct status *status);

bool view_importance(const struct session *session, const struct sentence_pair *pair,
                     enum module module, int layer, struct importance_view *out,
                     struct status *status);

bool view_gates(const struct session *session, const struct sentence_pair *pair, enum module module,
                int side, struct gates_view *out, struct status *status);

/* Writes the weights, or the values of out->as, of the heads in out->grid, which the caller fills
 * in. */
bool view_heads(const struct session *session, const struct sentence_pair *pair, bool words,
                struct heads_view *out, struct status *status);

/* Writes where the heads of out->grid look from the tokens at out->first, and what looks at those.
 * The caller fills in grid, side, first and count. */
bool view_token(const struct session *session, const struct sentence_pair *pair,
                struct token_view *out, struct status *status);

/* Fills in the layers and heads of a grid from a selector parsed for HEADS_SINGLE. Without a
 * module: the one last shown; without layers or heads: all of them. */
bool grid_choose(const struct session *session, const struct selector *selector,
                 struct head_grid *grid, struct status *status);

/* Takes module, layer and head from a selector parsed for HEADS_OR_MERGED; the rest as last
 * shown. */
bool view_choose(const struct session *session, const struct selector *selector, struct view *view,
                 struct status *status);

/* The module shown last; before any view, cross-attention, with which the screen begins. */
enum module view_module(const struct session *session);

/* Adapts a view to another model: layers and heads beyond those of its module become its last
 * ones. */
struct view view_fit(const struct config *config, struct view view);

/* True if the layer combines its heads by importance (DHICM). */
bool layer_has_importance(const struct config *config, enum module module, int layer);

#endif
