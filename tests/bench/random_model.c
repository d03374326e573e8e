#include "tests/bench/random_model.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 512, FFN = 2048, LAYERS = 6, PIECES = 32000, SPECIALS = 3, EOS = 1 };

static const char config[] =
    "{'name': 'random-base', 'source_language': 'en', 'target_language': 'de',"
    " 'd_model': 512, 'd_ff': 2048, 'activation': 'relu', 'norm': 'post', 'norm_eps': 1e-5,"
    " 'embedding_scale': 22.627417,"
    " 'positions': {'encoder': {'kind': 'sinusoidal', 'layout': 'halves'},"
    "               'decoder': {'kind': 'sinusoidal', 'layout': 'halves'}},"
    " 'encoder': {'layers': 6, 'heads': 8, 'head_dim': 64},"
    " 'decoder': {'layers': 6, 'heads': 8, 'head_dim': 64},"
    " 'tied': {'target_embedding': 'source_embedding', 'output': 'target_embedding'},"
    " 'special': {'pad': 0, 'eos': 1, 'unk': 2},"
    " 'source': {'prefix': [], 'suffix': [1]}, 'target': {'start': [1]},"
    " 'tokenizer': {'kind': 'whitespace'}, 'max_positions': 256,"
    " 'search': {'beam': 5, 'length_penalty': {'kind': 'average', 'alpha': 1.0},"
    "            'max_length': {'factor': 1.0, 'plus': 5}}}";

/* xorshift64*: the same numbers everywhere. */
static uint32_t random_bits(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)(*state * UINT64_C(2685821657736338717) >> 32);
}

/* F16 of a number that is normal in F16 or becomes 0; the rest of the mantissa is cut off. */
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

/* One pass over all tensors describes them in the header, a second one writes their values. */
struct output {
    FILE *file;
    bool values;    // which pass this is
    size_t offset;  // of the next tensor's bytes
    uint64_t state; // of the random numbers
};

/* A tensor of F16: random with the standard deviation `deviation`, or `fill` where that is 0. */
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
    char path[96];
    snprintf(path, sizeof path, "%s.norm%d.weight", prefix, number);
    put_tensor(output, path, D, 0, 0, 1);
    snprintf(path, sizeof path, "%s.norm%d.bias", prefix, number);
    put_tensor(output, path, D, 0, 0, 0);
}

static void put_attention(struct output *output, const char *prefix, const char *kind)
{
    char path[64];
    snprintf(path, sizeof path, "%s.%s", prefix, kind);
    put_linear(output, path, "q", D, D);
    put_linear(output, path, "k", D, D);
    put_linear(output, path, "v", D, D);
    put_linear(output, path, "o", D, D);
}

static void put_layer(struct output *output, const char *stack, int layer, bool cross)
{
    char prefix[32];
    snprintf(prefix, sizeof prefix, "%s.layers.%d", stack, layer);
    put_attention(output, prefix, "self_attention");
    if (cross)
        put_attention(output, prefix, "cross_attention");
    put_linear(output, prefix, "ffn.in", FFN, D);
    put_linear(output, prefix, "ffn.out", D, FFN);
    for (int number = 1; number <= 2 + cross; number++)
        put_norm(output, prefix, number);
}

/* Every piece has bias 0, end-of-sentence one that no logit makes up for. */
static void put_output_bias(struct output *output)
{
    if (!output->values) {
        put_tensor(output, "output.bias", PIECES, 0, 0, 0);
        return;
    }
    for (int id = 0; id < PIECES; id++) {
        uint16_t value = half_of(id == EOS ? -1024 : 0);
        fwrite(&value, sizeof value, 1, output->file);
    }
}

static void put_tensors(struct output *output)
{
    put_tensor(output, "source_embedding.weight", PIECES, D, 1 / sqrtf(D), 0);
    for (int layer = 0; layer < LAYERS; layer++)
        put_layer(output, "encoder", layer, false);
    for (int layer = 0; layer < LAYERS; layer++)
        put_layer(output, "decoder", layer, true);
    put_output_bias(output);
}

/* The vocabulary as text; the caller frees it. */
static char *vocabulary_text(size_t *bytes)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, bytes);
    if (!stream)
        return NULL;
    fputs("<pad>\n</s>\n<unk>\n", stream);
    for (int id = SPECIALS; id < PIECES; id++)
        fprintf(stream, "w%d\n", id);
    return fclose(stream) == 0 ? text : NULL;
}

/* The header, padded with blanks so that the tensors begin at a multiple of 8. */
static char *header_text(size_t vocabulary, size_t *bytes)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, bytes);
    if (!stream)
        return NULL;
    fputs("{\"__metadata__\": {\"attnscope.version\": \"1\", \"attnscope.config\": \"", stream);
    for (const char *c = config; *c; c++)
        fputs(*c == '\'' ? "\\\"" : (char[]){*c, 0}, stream);
    fprintf(
        stream,
        "\"}, \"vocab.shared\": {\"dtype\": \"U8\", \"shape\": [%zu], \"data_offsets\": [0, %zu]}",
        vocabulary, vocabulary);
    put_tensors(&(struct output){.file = stream, .offset = vocabulary});
    fputc('}', stream);
    for (long end = ftell(stream); end % 8 != 0; end++)
        fputc(' ', stream);
    return fclose(stream) == 0 ? text : NULL;
}

bool random_model_write(const char *path, struct status *status)
{
    size_t vocabulary_bytes = 0, header_bytes = 0;
    char *vocabulary = vocabulary_text(&vocabulary_bytes);
    char *header = header_text(vocabulary_bytes, &header_bytes);
    FILE *file = fopen(path, "wb");
    bool written = vocabulary && header && file;
    if (written) {
        uint64_t length = header_bytes; // little-endian, as are the machines this runs on
        fwrite(&length, sizeof length, 1, file);
        fwrite(header, 1, header_bytes, file);
        fwrite(vocabulary, 1, vocabulary_bytes, file);
        put_tensors(&(struct output){.file = file, .values = true, .state = 20190617});
        written = !ferror(file);
    }
    if (file && fclose(file) != 0)
        written = false;
    free(header);
    free(vocabulary);
    return written || status_fail(status, STATUS_IO, "%s: cannot write: %s", path, strerror(errno));
}

char *random_sentence(int length, unsigned seed, struct status *status)
{
    enum { WORD = 8 }; // "w31999" and a blank
    uint64_t state = seed + UINT64_C(88172645463325252);
    char *text = memory_new((size_t)length * WORD + 1, 1, status);
    for (int i = 0, end = 0; text && i < length; i++) {
        int id = SPECIALS + (int)(random_bits(&state) % (PIECES - SPECIALS));
        end += sprintf(text + end, i ? " w%d" : "w%d", id);
    }
    return text;
}
