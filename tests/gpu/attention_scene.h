/* A small example of attention with everything in it: eight heads, some with queries and keys, two
 * variants, all masks, patterns and units, ragged sentences or branching hypotheses, and rows
 * further apart than they are long; and the results that the formulas give.
 */
#ifndef ATTNSCOPE_TESTS_ATTENTION_SCENE_H
#define ATTNSCOPE_TESTS_ATTENTION_SCENE_H

#include "tests/gpu/ops_support.h"

enum { ROWS = 80, SLOTS = 160, HEADS = 8, LEARNED = 3, KEYS = 40, POSITIONS = 40, VARIANTS = 2 };
enum { CAPTURED = 6 };

extern const int scene_learned[HEADS], scene_captured[HEADS];
extern const float scene_gains[VARIANTS][HEADS];

/* The arguments of one call, in host memory. */
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

/* Opens a scene with random queries, keys and values, and without rows. Fails the test if there is
 * no memory. */
void scene_open(struct scene *scene, enum keys keys, int head_dim);
/* The same, but all rows are at multiples of 16 bytes if head_dim is a multiple of 4. */
void scene_open_aligned(struct scene *scene, enum keys keys, int head_dim);
/* Adds a random bias up to `distance`, 1 to KEYS. Keys further away get the bias of `distance`. */
void scene_bias(struct scene *scene, int distance);
/* Gives the learned heads entmax, each with its own α; one of them keeps softmax. */
void scene_entmax(struct scene *scene);
void scene_close(struct scene *scene);

/* Adds sentences side by side, with words of one or two tokens; every third row is of variant 1.
 * For cross-attention, rows are positions of another sentence with `extra` more tokens. */
void scene_ranges(struct scene *scene, const int *lengths, int sentences, int extra);

/* Three hypotheses: lane 2 follows lane 0 up to position 4, lane 1 is short. Rows in the order of
 * lanes, all positions; row 5 is idle. */
void scene_paths(struct scene *scene);

/* Computes the expected result of row m and head h, with loops in double.
 *   weights: (KEYS), zeros past the keys; o: (hd) */
void scene_expect(const struct scene *scene, int m, int h, double *weights, double *o);

/* Copies the scene's tensors to a device; stores weights if `store`. */
struct attention_args scene_args(struct ops *ops, const struct scene *scene, bool store);
size_t scene_o_size(const struct scene *scene); // floats
size_t scene_weights_size(const struct scene *scene);
/* An ops_run that runs a scene: writes the outputs, then the weights (CAPTURED, rows, KEYS), in
 * floats. */
void scene_run(struct ops *ops, void *out, const void *context);

#endif
