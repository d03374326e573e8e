/* Projections and attention modules of a pass. Internal to model/net.
 *
 * Every function only enqueues work; backend->check reports failures.
 */
#ifndef ATTNSCOPE_MODULE_H
#define ATTNSCOPE_MODULE_H

#include "model/net/pass.h"

/* y (M, columns) = activation(x wᵀ + bias). */
void run_projection(const struct pass *pass, struct tensor y, struct row_matrix x,
                    const struct projection *projection, int columns, enum activation activation);

/* y (M, columns) += x wᵀ + bias. */
void add_projection(const struct pass *pass, struct tensor y, struct row_matrix x,
                    const struct projection *projection, int columns);

/* One of several projections of the same x, without activation. */
struct output {
    struct tensor y; // (M, N)
    int ld;          // of y
    const struct projection *projection;
    struct tensor cache; // (·, N), or absent: a cache that also stores the rows of y,
    struct tensor slot;  // (M) at these places
    bool cached;         // only the cache is read, not y
};
void run_projections(const struct pass *pass, struct row_matrix x, const struct output *outputs,
                     int count);

/* Arguments of a module's attention over its queries, keys and values in buffers and caches. */
struct attention_args module_attention(const struct pass *pass, enum module module, int layer);

/* Turns the queries or keys x of a module by their positions, or with `back` back; nothing if the
 * module has no rotary positions. */
void module_rotate(const struct pass *pass, enum module module, int layer, struct row_matrix x,
                   bool back);

/* Runs the recurrence of a decoder layer over x (M, d); the result is in buffers->out (M, d). */
void run_recurrence(const struct pass *pass, int layer, struct row_matrix x);

/* Runs one attention module over x (M, d); the result is in buffers->out (M, d). */
void run_module(const struct pass *pass, enum module module, int layer, struct row_matrix x);

#endif
