/* The tensors of a model's files. Tensors that a reader takes are marked, so that it can refuse a
 * model with tensors that the computation would ignore. Private to model/formats.
 *
 *     tensor_set_add(&set, tensors, count, status);   // for each file, its tensors sorted by name
 *     const struct stored_tensor *weight = tensor_set_find(&set, "encoder.layers.0.fc1.weight");
 *     const struct stored_tensor *left = tensor_set_left(&set, harmless);
 *     tensor_set_free(&set);
 */
#ifndef ATTNSCOPE_TENSOR_SET_H
#define ATTNSCOPE_TENSOR_SET_H

#include "model/formats/safetensors.h"

struct tensor_set {
    struct tensor_part {
        const struct stored_tensor *tensors; // (count), by name
        int count;
        bool *used; // (count)
    } * parts;      // (part_count)
    int part_count;
};

/* Borrows the tensors. */
bool tensor_set_add(struct tensor_set *set, const struct stored_tensor *tensors, int count,
                    struct status *status);
void tensor_set_free(struct tensor_set *set);

/* Finds a tensor by name and marks it as taken; NULL: none. */
const struct stored_tensor *tensor_set_find(struct tensor_set *set, const char *name);

/* The first untaken tensor whose name matches none of the fnmatch(3) patterns, such as "*.version"
 * (NULL at the end); NULL: none. */
const struct stored_tensor *tensor_set_left(const struct tensor_set *set,
                                            const char *const *harmless);

#endif
