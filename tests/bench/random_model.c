#include "tests/bench/random_model.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SPECIALS = 3, EOS = 1 };

const struct random_size random_base = {
    .d = 512, .ffn = 2048, .layers = 6, .heads = 8, .pieces = 32000, .plus = 5};

/* Arguments: d, ffn, scale of embeddings; then layers, heads and head size for each stack; then
 * plus. */
static const char config[] =
    "{'name': 'random-base', 'source_language': 'en', 'target_language': 'de',"
    " 'd_model': %d, 'd_ff': %d, 'activation': 'relu', 'norm': 'post', 'norm_eps': 1e-5,"
    " 'embedding_scale': %.8g,"
    " 'positions': {'encoder': {'kind': 'sinusoidal', 'layout': 'halves'},"
    "               'decoder': {'kind': 'sinusoidal', 'layout': 'halves'}},"
    " 'encoder': {'layers': %d, 'heads': %d, 'head_dim': %d},"
    " 'decoder': {'layers': %d, 'heads': %d, 'head_dim': %d},"
    " 'tied': {'target_embedding': 'source_embedding', 'output': 'target_embedding'},"
    " 'special': {'pad': 0, 'eos': 1, 'unk': 2},"
    " 'source': {'prefix': [], 'suffix': [1]}, 'target': {'start': [1]},"
    " 'tokenizer': {'kind': 'whitespace'}, 'max_positions': 256,"
    " 'search': {'beam': 5, 'length_penalty': {'kind': 'average', 'alpha': 1.0},"
    "            'max_length': {'factor': 1.0, 'plus': %d}}}";

/* xorshift64*: the same numbers everywhere. */
static uint32_t random_bits(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)(*state * UINT64_C(2685821657736338717) >> 32);
}

/* Converts to F16 by cutting off the mantissa. Values below the normal range become 0. */
static uint16_t half_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 23 & 255) - 112;
    if (exponent <= 0)
        return 0;
    return (uint16_t)(bits >> 16 & 0x8000) | (uint16_t)(exponent << 10) |
           (uint16_t)(bits >> 13 & 0x3ff);
}

/* A first pass over all tensors describes them in the header, a second one writes their values. */
struct output {
    FILE *file;
    struct random_size size;
    bool values;    // the second pass
    size_t offset;  // where the next tensor's bytes begin
    uint64_t state; // of the random number generator
};

/* Describes or writes a tensor of F16: random with standard deviation `deviation`, or filled with
 * `fill` if `deviation` is 0. */
static void put_tensor(struct output *output, const char *name, int rows, int columns,
                       float deviation, float fill)
{
    size_t elements = (size_t)rows * (columns ? columns : 1), begin = output->offset;
    output->offset += elements * sizeof(uint16_t);
    if (!output->values) {
        fprintf(output->file, ", \"%s\": {\"dtype\": \"F16\", \"shape\": [%d", name, rows);
        if (columns)
            fprintf(output->file, ", %d", columns);
        fprintf(output->file, "], \"data_offsets\": [%zu, %zu]}", begin, output->offset);
        return;
    }
    for (size_t i = 0; i < elements; i++) {
        float uniform = (float)random_bits(&output->state) * 0x1p-31f - 1;
        uint16_t value = half_of(deviation > 0 ? uniform * sqrtf(3) * deviation : fill);
        fwrite(&value, sizeof value, 1, output->file);
    }
}

static void put_linear(struct output *output, const char *prefix, const char *name, int n, int k)
{
    char path[96];
    snprintf(path, sizeof path, "%s.%s.weight", prefix, name);
    put_tensor(output, path, n, k, sqrtf(2.0f / (float)(n + k)), 0);
    snprintf(path, sizeof path, "%s.%s.bias", prefix, name);
    put_tensor(output, path, n, 0, 0, 0);
}

static void put_norm(struct output *output, const char *prefix, int number)
{
    const int d = output->size.d;
    char path[96];
    snprintf(path, sizeof path, "%s.norm%d.weight", prefix, number);
    put_tensor(output, path, d, 0, 0, 1);
    snprintf(path, sizeof path, "%s.norm%d.bias", prefix, number);
    put_tensor(output, path, d, 0, 0, 0);
}

static void put_attention(struct output *output, const char *prefix, const char *kind)
{
    const int d = output->size.d;
    char path[64];
    snprintf(path, sizeof path, "%s.%s", prefix, kind);
    put_linear(output, path, "q", d, d);
    put_linear(output, path, "k", d, d);
    put_linear(output, path, "v", d, d);
    put_linear(output, path, "o", d, d);
}

static void put_layer(struct output *output, const char *stack, int layer, bool cross)
{
    char prefix[32];
    snprintf(prefix, sizeof prefix, "%s.layers.%d", stack, layer);
    put_attention(output, prefix, "self_attention");
    if (cross)
        put_attention(output, prefix, "cross_attention");
    put_linear(output, prefix, "ffn.in", output->size.ffn, output->size.d);
    put_linear(output, prefix, "ffn.out", output->size.d, output->size.ffn);
    for (int number = 1; number <= 2 + cross; number++)
        put_norm(output, prefix, number);
}

/* Every piece has bias 0, except end-of-sentence: its bias is so low that it is never chosen. */
static void put_output_bias(struct output *output)
{
    if (!output->values) {
        put_tensor(output, "output.bias", output->size.pieces, 0, 0, 0);
        return;
    }
    for (int id = 0; id < output->size.pieces; id++) {
        uint16_t value = half_of(id == EOS ? -1024 : 0);
        fwrite(&value, sizeof value, 1, output->file);
    }
}

static void put_tensors(struct output *output)
{
    const struct random_size *size = &output->size;
    put_tensor(output, "source_embedding.weight", size->pieces, size->d, 1 / sqrtf((float)size->d),
               0);
    for (int layer = 0; layer < size->layers; layer++)
        put_layer(output, "encoder", layer, false);
    for (int layer = 0; layer < size->layers; layer++)
        put_layer(output, "decoder", layer, true);
    put_output_bias(output);
}

/* Returns the vocabulary as text; the caller frees it. */
static char *vocabulary_text(const struct random_size *size, size_t *bytes)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, bytes);
    if (!stream)
        return NULL;
    fputs("<pad>\n</s>\n<unk>\n", stream);
    for (int id = SPECIALS; id < size->pieces; id++)
        fprintf(stream, "w%d\n", id);
    return fclose(stream) == 0 ? text : NULL;
}

/* Writes the configuration as a quoted JSON string. */
static void put_config(FILE *file, const struct random_size *size)
{
    const int head_dim = size->d / size->heads;
    char text[2 * sizeof config];
    snprintf(text, sizeof text, config, size->d, size->ffn, sqrt(size->d), size->layers,
             size->heads, head_dim, size->layers, size->heads, head_dim, size->plus);
    for (const char *c = text; *c; c++)
        fputs(*c == '\'' ? "\\\"" : (char[]){*c, 0}, file);
}

/* Returns the header, padded with blanks so that tensors begin at a multiple of 8. */
static char *header_text(const struct random_size *size, size_t vocabulary, size_t *bytes)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, bytes);
    if (!stream)
        return NULL;
    fputs("{\"__metadata__\": {\"attnscope.version\": \"1\", \"attnscope.config\": \"", stream);
    put_config(stream, size);
    fprintf(
        stream,
        "\"}, \"vocab.shared\": {\"dtype\": \"U8\", \"shape\": [%zu], \"data_offsets\": [0, %zu]}",
        vocabulary, vocabulary);
    put_tensors(&(struct output){.file = stream, .size = *size, .offset = vocabulary});
    fputc('}', stream);
    for (long end = ftell(stream); end % 8 != 0; end++)
        fputc(' ', stream);
    return fclose(stream) == 0 ? text : NULL;
}

static bool write_model(FILE *file, const struct random_size *size)
{
    size_t vocabulary_bytes = 0, header_bytes = 0;
    char *vocabulary = vocabulary_text(size, &vocabulary_bytes);
    char *header = vocabulary ? header_text(size, vocabulary_bytes, &header_bytes) : NULL;
    if (header) {
        uint64_t length = header_bytes; // little-endian, like all machines this runs on
        fwrite(&length, sizeof length, 1, file);
        fwrite(header, 1, header_bytes, file);
        fwrite(vocabulary, 1, vocabulary_bytes, file);
        put_tensors(
            &(struct output){.file = file, .size = *size, .values = true, .state = 20190617});
    }
    bool written = header && !ferror(file);
    free(header);
    free(vocabulary);
    return written;
}

/* The file is removed before this returns; the checkpoint's mapping keeps its content. */
struct checkpoint *random_model_open(const struct random_size *size, struct status *status)
{
    char path[] = "/tmp/attnscope-bench-XXXXXX";
    struct checkpoint *checkpoint = NULL;
    int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    bool written = file && write_model(file, size);
    if (file && fclose(file) != 0)
        written = false;
    if (written)
        checkpoint = checkpoint_open(path, status);
    else
        status_fail(status, STATUS_IO, "%s: cannot write: %s", path, strerror(errno));
    if (descriptor >= 0)
        unlink(path);
    return checkpoint;
}

char *random_sentence(const struct random_size *size, int length, unsigned seed,
                      struct status *status)
{
    enum { WORD = 12 }; // "w", up to ten digits, and a blank
    uint64_t state = seed + UINT64_C(88172645463325252);
    char *text = memory_new((size_t)length * WORD + 1, 1, status);
    for (int i = 0, end = 0; text && i < length; i++) {
        int id = SPECIALS + (int)(random_bits(&state) % (unsigned)(size->pieces - SPECIALS));
        end += sprintf(text + end, i ? " w%d" : "w%d", id);
    }
    return text;
}
