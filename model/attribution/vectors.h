/* Decomposes an attention sublayer: the vector that each key adds to the output of each row
 * (method.h has formulas and papers). Pure functions on captured results of a forced pass.
 */
#ifndef ATTNSCOPE_VECTORS_H
#define ATTNSCOPE_VECTORS_H

#include "model/net/force.h"

/* A forced pass and its captures: weights of all heads to be read, importance with DHICM, and the
 * sublayer for vectors. All borrowed. */
struct captured {
    const struct config *config;
    const struct head_settings *head_settings; // of the pass
    const struct capture *capture;
    /* The inputs of the pass, for methods that run further passes. */
    struct model *model;
    const struct sentence *source;
    const int *target; // (count)
    int count;
};

/* Rows and columns of a module's weights. */
int captured_rows(const struct captured *captured, enum module module);
int captured_columns(const struct captured *captured, enum module module);

/* a_hij: weight times gain; with DHICM weight times importance, which includes the gain. */
double head_share(const struct captured *captured, enum module module, int layer, int head, int row,
                  int column);

/* out (rows, columns): ‖a_hij f_h(j)‖ of one head. */
bool head_norms(const struct captured *captured, enum module module, int layer, int head,
                double *out, struct status *status);

/* out (rows, columns): ‖Σ_h a_hij f_h(j)‖. */
bool module_norms(const struct captured *captured, enum module module, int layer, double *out,
                  struct status *status);

/* ‖T_i(j)‖ and c_ij of a sublayer: out (rows, columns); rest (rows): the same for the residual of
 * cross-attention, 0 in other modules. */
bool block_norms(const struct captured *captured, enum module module, int layer, double *out,
                 double *rest, struct status *status);
bool block_contributions(const struct captured *captured, enum module module, int layer,
                         double *out, double *rest, struct status *status);

#endif
