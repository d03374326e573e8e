/* Attention on a small scale with everything in it: eight heads, some with queries and keys, two
 * variants, all masks, patterns and units, ragged sentences or branching hypotheses, rows that are
 * further apart than they are long; and what the formulas say comes out.
 */
#ifndef ATTNSCOPE_TESTS_ATTENTION_SCENE_H
#define ATTNSCOPE_TESTS_ATTENTION_SCENE_H

#include "tests/gpu/ops_support.h"

enum { ROWS = 80, SLOTS = 160, HEADS = 8, LEARNED = 3, KEYS = 40, POSITIONS = 40, VARIANTS = 2 };
enum { CAPTURED = 6 };

extern const int scene_learned[HEADS], scene_captured[HEADS];
extern const float scene_gains[VARIANTS][HEADS];

/* Host memory of one call. */
struct scene {
    enum keys keys;
    int rows, head_dim, ldq, ldk, ldv;
    float scale;  // 0: 1 / sqrt(head_dim)
    float cap;    // of energies; 0: none
    int distance; // of the bias; 0: none
    float bias[HEADS][2 * KEYS + 1];
    float *q, *k, *v;
    struct head heads[VARIANTS][HEADS];
    int32_t begin[ROWS], end[ROWS], position[ROWS], variant[ROWS], row_word[ROWS];
    int32_t lane[ROWS], pos[ROWS], slot[ROWS], path[SLOTS / POSITIONS][POSITIONS];
    int32_t word[SLOTS];
};

/* Random queries, keys and values, and no rows yet. Fails the test when there is no memory. */
void scene_open(struct scene *scene, enum keys keys, int head_dim);
/* The same with all rows at multiples of 16 bytes where head_dim is a multiple of 4. */
void scene_open_aligned(struct scene *scene, enum keys keys, int head_dim);
/* Adds a random bias up to `distance`, 1 to KEYS. Keys further away have that of the distance. */
void scene_bias(struct scene *scene, int distance);
/* Gives the learned heads entmax, each with an α of its own; but one keeps softmax. */
void scene_entmax(struct scene *scene);
void scene_close(struct scene *scene);

/* Sentences side by side, their words of one to three tokens; every third row is of variant 1. As
 * cross-attention, rows are positions of another sentence, which may be longer. */
void scene_ranges(struct scene *scene, const int *lengths, int sentences, int extra);

/* Three hypotheses: lane 2 follows lane 0 up to position 4, lane 1 is short. Rows in the order of
 * lanes, all positions; row 5 is idle. */
void scene_paths(struct scene *scene);

/* What row m and head h should give, by loops in double.
 *   weights: (KEYS), zeros past the keys; o: (hd) */
void scene_expect(const struct scene *scene, int m, int h, double *weights, double *o);

/* The scene's tensors on a device; weights are stored if `store`. */
struct attention_args scene_args(struct ops *ops, const struct scene *scene, bool store);
size_t scene_o_size(const struct scene *scene); // floats
size_t scene_weights_size(const struct scene *scene);
/* An ops_run of a scene: outputs, then weights (CAPTURED, rows, KEYS), in floats. */
void scene_run(struct ops *ops, void *out, const void *context);

#endif
