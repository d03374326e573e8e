/* Shortcuts: faster ways to compute the same results. Each can be switched on and off, so that a
 * run on a GPU can measure its gain. Those that change more than the order of sums say so. The
 * environment variable ATTNSCOPE_CUDA is a comma-separated list of names, read from left to right
 * when a device is opened: a name switches that shortcut on, -name off; `all` and `none` stand for
 * all of them.
 * Without the variable, those marked with a star are on. `bench_gpu --count` prints the names and
 * what each saves.
 *
 *   norm-in-product*   up to 8 rows: a norm of a multiple of 4 columns, at most 1024, is computed
 *                      inside the product that reads it, not by a separate kernel
 *   split-product*     up to 8 rows: the warps of a block divide a long product, and add their sums
 *                      in a fixed order
 *   joined-products*   more rows: queries, keys and values are one product if their weights are
 *                      adjacent
 *   late-bias*         more rows: the norm, or the log-probabilities, that reads the product adds
 *                      its bias
 *   narrow-once*       more rows, in bf16: embeddings, norms, attention and hidden units are also
 *                      written in bfloat16, so that no kernel rounds the inputs of products
 *   shared-keys*       attention of rows with the same keys, as the hypotheses of a sentence in
 *                      cross-attention: these and the values are read once for up to 8 rows, in
 *                      coalesced accesses
 *   staged-keys*       other attention, in the decoder from a row to those before it: a warp loads
 *                      keys into shared memory, in coalesced accesses, where each lane scores its
 *                      own
 *   narrow-caches*     in bf16: keys and values of the decoder are cached in bfloat16, written by
 *                      the kernel that computes them; without this shortcut they are float32
 *   logit-parts        more than 256 rows: their logits are computed and ranked 256 rows at a time,
 *                      so that they are read from the cache; takes more kernels, and products of
 *                      another shape
 *   early-launch       GPUs of compute capability 9.0 or more: a kernel begins while the previous
 *                      one ends (programmatic dependent launch), also within graphs; a product of
 *                      few rows fetches its first weights meanwhile
 *   product-epilogues* more rows: a single product adds its bias, and applies relu, itself
 *                      (cuBLASLt); in tf32, and in bf16 without narrow-once, it also applies gelu,
 *                      with cuBLAS's tanh; not if a kernel after it writes a second copy in
 *                      bfloat16. With narrow-once in bf16 it writes hidden units after relu only in
 *                      bfloat16; their bias is rounded to that with every shortcut
 *   few-hypotheses*    a beam of up to 8: the step of a search ranks continuations by counting, in
 *                      shared memory, and moves the hypotheses through registers
 *   told-ends*         the step of a search writes which sentences are done to host memory;
 *                      otherwise the host has this copied after every step
 *
 * `graphs` is read from the same list, but ignores `all` and `none`: -graphs runs scopes one
 * operation at a time (scope.cuh).
 */
#ifndef ATTNSCOPE_CUDA_SHORTCUTS_CUH
#define ATTNSCOPE_CUDA_SHORTCUTS_CUH

extern "C" {
#include "base/status.h"
#include "gpu/shortcut.h"
}

enum shortcut {
    SHORTCUT_NORM_IN_PRODUCT,
    SHORTCUT_SPLIT_PRODUCT,
    SHORTCUT_JOINED_PRODUCTS,
    SHORTCUT_LATE_BIAS,
    SHORTCUT_NARROW_ONCE,
    SHORTCUT_SHARED_KEYS,
    SHORTCUT_STAGED_KEYS,
    SHORTCUT_NARROW_CACHES,
    SHORTCUT_LOGIT_PARTS,
    SHORTCUT_EARLY_LAUNCH,
    SHORTCUT_PRODUCT_EPILOGUES,
    SHORTCUT_FEW_HYPOTHESES,
    SHORTCUT_TOLD_ENDS,
    SHORTCUT_COUNT,
    SWITCH_GRAPHS = SHORTCUT_COUNT,
    SWITCH_COUNT
};

/* Indexed by enum shortcut. */
extern "C" const struct shortcut_entry attnscope_shortcuts[SHORTCUT_COUNT + 1];

/* Parses a list as above into on[SWITCH_COUNT]; NULL: the default ones. Fails if a name is
 * unknown. */
bool shortcuts_read(const char *list, bool *on, struct status *status);
/* The shortcuts that are on, as bits by enum shortcut. */
unsigned shortcuts_mask(const bool *on);

#endif
