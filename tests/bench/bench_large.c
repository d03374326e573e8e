/* Prints the time until the first translation by a model of 300 MB, of OPUS-MT's shape in F32, with
 * the file in the page cache, and the peak memory until then. Fails if the time exceeds 1.5 s or
 * the memory 1.2 times the file's size.
 *
 * bench_large PROGRAM
 */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "model/formats/safetensors.h"

enum { D = 512, FFN = 2048, LAYERS = 6, PIECES = 58101, ROUNDS = 5 };
static const double most_seconds = 1.5, most_memory = 1.2; // of the file's size
static const char sentence[] = "▁w5 ▁w100 ▁w2000 ▁w30000 ▁w7 ▁w8 ▁w9 ▁w10 ▁w11 ▁w12\n";

static char folder[] = "/tmp/attnscope-large-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void fail(const char *what)
{
    fprintf(stderr, "bench_large: %s\n", what);
    exit(EXIT_FAILURE);
}

/* The model ------------------------------------------------------------------------------------ */

/* Every tensor is a slice of one of these. */
struct values {
    float *random, *zeros, *ones; // (PIECES * D), (PIECES), (D)
};

static void put(struct safetensors_writer *writer, const float *data, int rows, int columns,
                const char *prefix, const char *name, const char *kind)
{
    struct status status;
    char full[256];
    struct stored_tensor tensor = {.dtype = STORED_F32,
                                   .dtype_name = "F32",
                                   .dimensions = columns ? 2 : 1,
                                   .shape = {rows, columns},
                                   .elements = (int64_t)rows * (columns ? columns : 1),
                                   .data = data};
    snprintf(full, sizeof full, "%s.%s%s", prefix, name, kind);
    tensor.name = full;
    tensor.bytes = (size_t)tensor.elements * sizeof *data;
    if (!safetensors_borrow(writer, &tensor, &status))
        fail(status.message);
}

static void put_linear(struct safetensors_writer *writer, const struct values *values,
                       const char *prefix, const char *name, int n, int k)
{
    put(writer, values->random, n, k, prefix, name, ".weight");
    put(writer, values->zeros, n, 0, prefix, name, ".bias");
}

static void put_norm(struct safetensors_writer *writer, const struct values *values,
                     const char *prefix, const char *name)
{
    put(writer, values->ones, D, 0, prefix, name, ".weight");
    put(writer, values->zeros, D, 0, prefix, name, ".bias");
}

static void put_layer(struct safetensors_writer *writer, const struct values *values,
                      const char *stack, int layer)
{
    static const char *const modules[] = {"self_attn", "encoder_attn"};
    static const char *const parts[] = {"q_proj", "k_proj", "v_proj", "out_proj"};
    char prefix[64], name[64];
    snprintf(prefix, sizeof prefix, "model.%s.layers.%d", stack, layer);
    for (int m = 0; m < (strcmp(stack, "decoder") == 0 ? 2 : 1); m++) {
        for (int i = 0; i < 4; i++) {
            snprintf(name, sizeof name, "%s.%s", modules[m], parts[i]);
            put_linear(writer, values, prefix, name, D, D);
        }
        snprintf(name, sizeof name, "%s_layer_norm", modules[m]);
        put_norm(writer, values, prefix, name);
    }
    put_linear(writer, values, prefix, "fc1", FFN, D);
    put_linear(writer, values, prefix, "fc2", D, FFN);
    put_norm(writer, values, prefix, "final_layer_norm");
}

/* Uniformly distributed, with the standard deviation of an embedding. */
static struct values random_values(void)
{
    size_t count = (size_t)PIECES * D;
    struct values values = {malloc(count * sizeof(float)), calloc(PIECES, sizeof(float)),
                            malloc(D * sizeof(float))};
    uint64_t state = 20261124;
    if (!values.random || !values.zeros || !values.ones)
        fail("out of memory");
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        values.random[i] = ((float)(state >> 40) * 0x1p-23f - 1) * sqrtf(3.0f / D);
    }
    for (int i = 0; i < D; i++)
        values.ones[i] = 1;
    return values;
}

static void write_weights(void)
{
    static const int64_t shape[] = {1, PIECES};
    struct status status;
    struct values values = random_values();
    struct safetensors_writer *writer = safetensors_writer_open(&status);
    if (!writer)
        fail(status.message);
    put(writer, values.random, PIECES, D, "model", "shared", ".weight");
    if (!safetensors_add(writer, "final_logits_bias", values.zeros, 2, shape, &status))
        fail(status.message);
    for (int layer = 0; layer < LAYERS; layer++) {
        put_layer(writer, &values, "encoder", layer);
        put_layer(writer, &values, "decoder", layer);
    }
    if (!safetensors_write(writer, NULL, path_of("model.safetensors"), &status))
        fail(status.message);
    safetensors_writer_close(writer);
    free(values.random);
    free(values.zeros);
    free(values.ones);
}

static void write_texts(void)
{
    FILE *file = fopen(path_of("vocab.json"), "w");
    if (!file)
        fail("a file cannot be written");
    fputs("{\"</s>\": 0, \"<unk>\": 1", file);
    for (int id = 2; id < PIECES - 1; id++)
        fprintf(file, ", \"▁w%d\": %d", id, id);
    fprintf(file, ", \"<pad>\": %d}", PIECES - 1);
    fclose(file);
    file = fopen(path_of("config.json"), "w");
    if (!file)
        fail("a file cannot be written");
    fprintf(file,
            "{\"model_type\": \"marian\", \"d_model\": %d, \"encoder_layers\": %d, "
            "\"decoder_layers\": %d, \"encoder_attention_heads\": 8, "
            "\"decoder_attention_heads\": 8, \"encoder_ffn_dim\": %d, \"decoder_ffn_dim\": %d, "
            "\"max_position_embeddings\": 512, \"activation_function\": \"swish\", "
            "\"scale_embedding\": true, \"vocab_size\": %d, \"pad_token_id\": %d, "
            "\"eos_token_id\": 0, \"decoder_start_token_id\": %d, \"num_beams\": 4, "
            "\"max_length\": 20}",
            D, LAYERS, LAYERS, FFN, FFN, PIECES, PIECES - 1, PIECES - 1);
    fclose(file);
}

/* Runs ----------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Returns the peak resident memory of a process so far, in bytes. */
static double greatest_memory(pid_t process)
{
    char path[64], line[256];
    double kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            kilobytes = strtod(line + 6, NULL);
    if (file)
        fclose(file);
    return 1024 * kilobytes;
}

/* Starts the program on the model and writes the sentence to its standard input, which stays
 * open. */
static pid_t start(const char *program, int input[2], int output[2])
{
    if (pipe(input) != 0 || pipe(output) != 0 ||
        write(input[1], sentence, strlen(sentence)) != (ssize_t)strlen(sentence))
        fail("no pipe");
    pid_t child = fork();
    if (child == 0) {
        dup2(input[0], STDIN_FILENO);
        dup2(output[1], STDOUT_FILENO);
        close(input[1]);
        execl(program, program, "--device", "cpu", folder, (char *)NULL);
        _exit(127);
    }
    close(input[0]);
    close(output[1]);
    return child;
}

/* Returns the seconds until the first translation and sets *memory to the peak memory until
 * then. */
static double run(const char *program, double *memory)
{
    int input[2], output[2], status;
    char text[4096];
    double began = seconds_now();
    pid_t child = start(program, input, output);
    ssize_t got = read(output[0], text, sizeof text);
    double seconds = seconds_now() - began;
    *memory = greatest_memory(child);
    close(input[1]);
    close(output[0]);
    waitpid(child, &status, 0);
    if (got < 20)
        fail("no translation");
    return seconds;
}

static void remove_model(void)
{
    static const char *const names[] = {"model.safetensors", "vocab.json", "config.json"};
    for (int i = 0; i < 3; i++)
        unlink(path_of(names[i]));
    rmdir(folder);
}

int main(int count, char **arguments)
{
    if (count != 2)
        fail("expected the program");
    if (!mkdtemp(folder))
        fail("no folder");
    atexit(remove_model);
    write_weights();
    write_texts();
    FILE *weights = fopen(path_of("model.safetensors"), "rb");
    fseek(weights, 0, SEEK_END);
    double size = (double)ftell(weights), best = 1e9, greatest = 0;
    fclose(weights);
    for (int i = 0; i < ROUNDS; i++) {
        double memory, seconds = run(arguments[1], &memory);
        best = seconds < best ? seconds : best;
        greatest = memory > greatest ? memory : greatest;
    }
    printf(
        "weights of %.1f MB: first translation after %.2f s, with %.1f MB (%.2f times as much)\n",
        size / 1e6, best, greatest / 1e6, greatest / size);
    return best <= most_seconds && greatest <= most_memory * size ? EXIT_SUCCESS : EXIT_FAILURE;
}
