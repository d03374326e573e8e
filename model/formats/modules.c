#include "model/formats/modules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/formats/family.h"
#include "model/text/quote.h"

enum { MAX_LAYERS = 1024, MODULE_NAME = 512 };

static const char *const stacks[2] = {"encoder", "decoder"};

/* Embeddings ----------------------------------------------------------------------------------- */

/* Files may contain a tied tensor several times. */
static bool same(const struct stored_tensor *a, const struct stored_tensor *b)
{
    return a->dtype == b->dtype && a->dimensions == b->dimensions && a->bytes == b->bytes &&
           memcmp(a->shape, b->shape, (size_t)a->dimensions * sizeof *a->shape) == 0 &&
           (a->data == b->data || memcmp(a->data, b->data, a->bytes) == 0);
}

bool modules_embeddings(struct modules *modules, const struct stored_tensor *source,
                        const struct stored_tensor *target, const struct stored_tensor *output)
{
    struct plain_config *plain = modules->plain;
    if (source->dimensions != 2)
        return status_fail(modules->status, STATUS_INVALID, "%s: not a matrix, expected embeddings",
                           QUOTED(source->name));
    plain->d_model = source->shape[1];
    for (int stack = 0; stack < 2; stack++)
        if (plain->stacks[stack].heads < 1 || plain->d_model % plain->stacks[stack].heads != 0)
            return status_fail(modules->status, STATUS_INVALID,
                               "%lld heads, expected a number that divides the width, %lld",
                               (long long)plain->stacks[stack].heads, (long long)plain->d_model);
    plain->tied_target = same(source, target);
    plain->tied_output = same(target, output);
    return contents_add(modules->contents, "source_embedding.weight", source, modules->status) &&
           (plain->tied_target ||
            contents_add(modules->contents, "target_embedding.weight", target, modules->status)) &&
           (plain->tied_output ||
            contents_add(modules->contents, "output.weight", output, modules->status));
}

bool modules_positions(struct modules *modules, const struct stored_tensor *const tables[2])
{
    struct plain_config *plain = modules->plain;
    struct stored_tensor flat[2];
    int64_t rows = INT64_MAX;
    for (int stack = 0; stack < 2; stack++) {
        int dimensions = tables[stack]->dimensions;
        int64_t width = dimensions ? tables[stack]->shape[dimensions - 1] : 0;
        if (width < 1 || width != plain->d_model)
            return status_fail(modules->status, STATUS_INVALID,
                               "%s: %lld columns, expected %lld, those of the embeddings",
                               QUOTED(tables[stack]->name), (long long)width,
                               (long long)plain->d_model);
        flat[stack] = *tables[stack];
        flat[stack].dimensions = 2;
        flat[stack].shape[0] = flat[stack].elements / width;
        flat[stack].shape[1] = width;
        rows = flat[stack].shape[0] < rows ? flat[stack].shape[0] : rows;
    }
    plain->max_positions = rows;
    for (int stack = 0; stack < 2; stack++) {
        char name[64];
        snprintf(name, sizeof name, "%s.positions.weight", stacks[stack]);
        plain->stacks[stack].positions = "learned";
        if (!contents_rows(modules->contents, name, &flat[stack], 0, rows, modules->status))
            return false;
    }
    return true;
}

/* Layers --------------------------------------------------------------------------------------- */

static const char *dot_behind(const char *theirs)
{
    return name_ends(theirs, "_") ? "" : ".";
}

/* Finds THEIRS.weight or THEIRS.bias; NULL: absent. */
static const struct stored_tensor *find(struct modules *modules, const char *theirs, bool bias)
{
    static const char *const kinds[2][2] = {{"weight", "a_2"}, {"bias", "b_2"}};
    const struct stored_tensor *tensor = NULL;
    for (int age = 0; !tensor && age < 2; age++) {
        char name[MODULE_NAME];
        snprintf(name, sizeof name, "%s%s%s", theirs, dot_behind(theirs), kinds[bias][age]);
        tensor = tensor_set_find(&modules->from, name);
    }
    return tensor;
}

static bool put_scaled(struct modules *modules, const char *name, struct stored_tensor tensor,
                       double scale)
{
    if (scale == 1)
        return contents_add(modules->contents, name, &tensor, modules->status);
    if (tensor.dtype != STORED_F32)
        return status_fail(modules->status, STATUS_INVALID,
                           "%s: %s, expected F32 where residual connections have a factor",
                           QUOTED(tensor.name), tensor.dtype_name);
    float *scaled =
        contents_memory(modules->contents, tensor.elements, sizeof *scaled, modules->status);
    if (!scaled)
        return false;
    memcpy(scaled, tensor.data, tensor.bytes);
    for (int64_t i = 0; i < tensor.elements; i++)
        scaled[i] = (float)(scaled[i] * scale);
    tensor.data = scaled;
    return contents_add(modules->contents, name, &tensor, modules->status);
}

/* Puts a module as one of ours. */
static bool put_whole(struct modules *modules, const struct stored_tensor *weight,
                      const struct stored_tensor *bias, const char *ours, double scale)
{
    char name[MODULE_NAME];
    snprintf(name, sizeof name, "%s.weight", ours);
    if (!put_scaled(modules, name, *weight, scale))
        return false;
    snprintf(name, sizeof name, "%s.bias", ours);
    return !bias || put_scaled(modules, name, *bias, scale);
}

/* The rows of one of several modules that share a tensor. */
struct share {
    int64_t first, rows; // consecutive rows
    int64_t block,
        stride; // or, unless 0, a `block` for each head, `stride` rows apart
};

static bool put_share(struct modules *modules, const char *name, const struct stored_tensor *from,
                      const struct share *share)
{
    if (!share->block)
        return contents_rows(modules->contents, name, from, share->first, share->rows,
                             modules->status);
    struct stored_tensor part = *from;
    const size_t row = from->bytes / (size_t)from->shape[0];
    char *data = contents_memory(modules->contents, share->rows, row, modules->status);
    if (!data)
        return false;
    for (int64_t i = 0; i < share->rows; i++) {
        int64_t theirs = share->first + i / share->block * share->stride + i % share->block;
        memcpy(data + (size_t)i * row, (const char *)from->data + (size_t)theirs * row, row);
    }
    part.data = data;
    part.shape[0] = share->rows;
    part.bytes = (size_t)share->rows * row;
    part.elements = from->elements / from->shape[0] * share->rows;
    return contents_add(modules->contents, name, &part, modules->status);
}

static int count_names(const char *names)
{
    int count = *names != '\0';
    for (; *names; names++)
        count += *names == ' ';
    return count;
}

/* Returns the rows of number `index` of `count` modules of equal size. */
static struct share share_of(const struct module_name *module, int index, int count, int64_t rows,
                             int64_t heads)
{
    const int64_t own = rows / count;
    if (!module->interleaved || index < count - 2)
        return (struct share){.first = index * own, .rows = own};
    const int64_t block = own / heads;
    return (struct share){.first = (count - 2) * own + (index - count + 2) * block,
                          .rows = own,
                          .block = block,
                          .stride = 2 * block};
}

/* True if a tensor's rows can be shared like this, or if it is missing. */
static bool check_shares(struct modules *modules, const struct stored_tensor *tensor, int64_t parts)
{
    return !tensor ||
           (tensor->dimensions >= 1 && tensor->shape[0] > 0 && tensor->shape[0] % parts == 0) ||
           status_fail(modules->status, STATUS_INVALID,
                       "%s: %lld rows, expected a multiple of %lld", QUOTED(tensor->name),
                       (long long)(tensor->dimensions ? tensor->shape[0] : 0), (long long)parts);
}

/* Puts a module as several of ours, LAYER.NAME. */
static bool put_several(struct modules *modules, const struct stored_tensor *weight,
                        const struct stored_tensor *bias, const char *layer,
                        const struct module_name *module, int64_t heads)
{
    const int count = count_names(module->ours);
    const char *names = module->ours;
    const int64_t parts = module->interleaved ? count * heads : count;
    if (!check_shares(modules, weight, parts) || !check_shares(modules, bias, parts))
        return false;
    for (int i = 0; i < count; i++) {
        char name[MODULE_NAME];
        const int length = (int)strcspn(names, " ");
        struct share share = share_of(module, i, count, weight->shape[0], heads);
        snprintf(name, sizeof name, "%s.%.*s.weight", layer, length, names);
        if (!put_share(modules, name, weight, &share))
            return false;
        snprintf(name, sizeof name, "%s.%.*s.bias", layer, length, names);
        share = bias ? share_of(module, i, count, bias->shape[0], heads) : share;
        if (bias && !put_share(modules, name, bias, &share))
            return false;
        names += length + 1;
    }
    return true;
}

/* Finds the weight of a module, which must exist; NULL: it does not. */
static const struct stored_tensor *need(struct modules *modules, const char *theirs)
{
    const struct stored_tensor *weight = find(modules, theirs, false);
    if (!weight)
        status_fail(modules->status, STATUS_INVALID,
                    "%s%sweight: missing (every Transformer has it)", theirs, dot_behind(theirs));
    return weight;
}

static bool put(struct modules *modules, const char *theirs, const char *ours, double scale)
{
    const struct stored_tensor *weight = need(modules, theirs);
    return weight && put_whole(modules, weight, find(modules, theirs, true), ours, scale);
}

/* Let x = a^k z before the k-th residual connection, counted from 0. A norm does not see the factor
 * of its input, so a x + f(norm(x)) is a^(k+1) times z + f(norm(z)) / a^(k+1). With post-norm there
 * is a norm after each connection, so k is always 0. */
static double branch_scale(const struct modules *modules, int stack, int connection)
{
    double factor = modules->residual[stack];
    return factor == 1 ? 1
                       : pow(factor, modules->plain->stacks[stack].pre_norm ? -connection - 1 : -1);
}

/* Puts the module THEIRS as part of a layer, under our name. */
static bool put_module(struct modules *modules, int stack, const char *theirs, const char *layer,
                       const char *name, const struct module_name *module, double scale)
{
    char ours[160];
    if (count_names(name) == 1) {
        snprintf(ours, sizeof ours, "%s.%s", layer, name);
        return put(modules, theirs, ours, scale);
    }
    const struct stored_tensor *weight = need(modules, theirs);
    return weight && put_several(modules, weight, find(modules, theirs, true), layer, module,
                                 modules->plain->stacks[stack].heads);
}

static bool put_layer(struct modules *modules, int stack, int layer,
                      const struct stack_modules *names, int *connection)
{
    for (int i = 0; i < names->count; i++) {
        const struct module_name *module = &names->modules[i];
        const char *name = modules->plain->gated && module->gated ? module->gated : module->ours;
        if (!name)
            continue;
        double scale = module->last ? branch_scale(modules, stack, (*connection)++) : 1;
        char theirs[MODULE_NAME], ours[96];
        snprintf(theirs, sizeof theirs, "%s.%d.%s", names->layers, layer, module->theirs);
        snprintf(ours, sizeof ours, "%s.layers.%d", stacks[stack], layer);
        if (!put_module(modules, stack, theirs, ours, name, module, scale))
            return false;
    }
    return true;
}

/* Returns the weight of the first feed-forward layer, which shows its width; NULL: there is
 * none. */
static const struct stored_tensor *ffn_weight(struct modules *modules, int layer,
                                              const struct stack_modules *names)
{
    char name[MODULE_NAME];
    snprintf(name, sizeof name, "%s.%d.%s.weight", names->layers, layer, names->ffn);
    const struct stored_tensor *weight = tensor_set_find(&modules->from, name);
    return weight && weight->dimensions > 0 ? weight : NULL;
}

bool modules_stack(struct modules *modules, int stack, const struct stack_modules *names)
{
    struct plain_config *plain = modules->plain;
    int layers = 0, connection = 0;
    for (const struct stored_tensor *weight;
         layers < MAX_LAYERS && (weight = ffn_weight(modules, layers, names)); layers++) {
        plain->stacks[stack].d_ff = weight->shape[0];
        if (!put_layer(modules, stack, layers, names, &connection))
            return false;
    }
    char norm[32];
    snprintf(norm, sizeof norm, "%s.norm", stacks[stack]);
    plain->stacks[stack].layers = layers;
    if (layers == 0)
        return status_fail(modules->status, STATUS_INVALID,
                           "%s.0.%s.weight: missing, expected the layers of a Transformer",
                           names->layers, names->ffn);
    return !plain_last_norm(plain, stack) || put(modules, names->norm, norm, 1);
}

/* The rest ------------------------------------------------------------------------------------- */

bool modules_left(const struct modules *modules, const char *const *harmless)
{
    const struct stored_tensor *left = tensor_set_left(&modules->from, harmless);
    return !left ||
           status_fail(modules->status, STATUS_INVALID,
                       "%s: not supported, expected a plain Transformer", QUOTED(left->name));
}

bool modules_vocabularies(struct modules *modules, const struct piece_list pieces[2])
{
    bool shared = pieces[0].bytes && piece_list_equal(&pieces[0], &pieces[1]);
    return contents_vocabularies(modules->contents, &pieces[0], &pieces[!shared], modules->status);
}
