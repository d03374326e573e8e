#include "tests/bench/model_floor.h"

#include <math.h>
#include <string.h>

static bool begins(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Keys and values of cross-attention are computed once, from the encoder's output. */
static bool is_source_side(const char *name)
{
    return begins(name, "encoder.") || strstr(name, ".cross_attention.k.") ||
           strstr(name, ".cross_attention.v.");
}

static const char *output_name(const struct config *config)
{
    if (config->tied_output == TIED_NOT)
        return "output.weight";
    bool source = config->tied_output == TIED_SOURCE_EMBEDDING ||
                  config->tied_target == TIED_SOURCE_EMBEDDING;
    return source ? "source_embedding.weight" : "target_embedding.weight";
}

struct model_work model_work_of(const struct checkpoint *checkpoint)
{
    struct model_work work = {0};
    const char *output = output_name(checkpoint->config);
    for (int i = 0; i < checkpoint->contents->count; i++) {
        const struct stored_tensor *tensor = &checkpoint->contents->tensors[i];
        bool layers = strstr(tensor->name, ".layers.") && !strstr(tensor->name, ".context.");
        if (tensor->dimensions != 2 || (!layers && strcmp(tensor->name, output) != 0))
            continue;
        bool source = is_source_side(tensor->name);
        *(source ? &work.source_bytes : &work.target_bytes) += (double)tensor->bytes;
        *(source ? &work.source_products : &work.target_products) += (double)tensor->elements;
    }
    return work;
}

double floor_seconds(const struct model_work *work, const struct rows_done *done,
                     const struct peak *peak)
{
    double source = fmax(done->passes * work->source_bytes / peak->bandwidth,
                         done->source_rows * 2 * work->source_products / peak->flops);
    double target = fmax(done->target_steps * work->target_bytes / peak->bandwidth,
                         done->target_rows * 2 * work->target_products / peak->flops);
    return source + target;
}
