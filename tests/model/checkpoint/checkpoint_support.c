#include "tests/model/checkpoint/checkpoint_support.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/checkpoint/config.h"
#include "tests/support/test.h"

static const char base_config[] =
    "{\"name\": \"tiny\", \"source_language\": \"en\", \"target_language\": \"de\","
    " \"d_model\": 8, \"d_ff\": 12, \"activation\": \"gelu\", \"norm\": \"pre\", \"norm_eps\": "
    "1e-5,"
    " \"embedding_scale\": 2.5,"
    " \"positions\": {\"encoder\": {\"kind\": \"sinusoidal\", \"layout\": \"halves\", \"offset\": "
    "0},"
    "                 \"decoder\": {\"kind\": \"learned\", \"layout\": \"halves\", \"offset\": 1}},"
    " \"encoder\": {\"layers\": 2, \"heads\": 3, \"head_dim\": 4},"
    " \"decoder\": {\"layers\": 2, \"heads\": 2, \"head_dim\": 4},"
    " \"attention\": ["
    "  {\"stack\": \"encoder\", \"kind\": \"self\", \"layers\": \"all\","
    "   \"heads\": [{\"energy\": \"fixed\", \"pattern\": \"current\", \"unit\": \"word\"},"
    "               {\"energy\": \"learned\", \"mask\": {\"local\": 1}},"
    "               {\"energy\": \"learned\", \"mask\": \"forward\"}],"
    "   \"combine\": {\"kind\": \"concat\"},"
    "   \"context\": {\"vectors\": [\"deep_global\", \"deep\"], \"gate\": \"token\", \"sides\": "
    "\"qk\"}},"
    "  {\"stack\": \"decoder\", \"kind\": \"self\", \"layers\": [1],"
    "   \"combine\": {\"kind\": \"dhicm\", \"d_m\": 6}, \"context\": null},"
    "  {\"stack\": \"decoder\", \"kind\": \"cross\", \"layers\": [0, 1],"
    "   \"heads\": [{\"energy\": \"learned\", \"mask\": \"global\"},"
    "               {\"energy\": \"fixed\", \"pattern\": \"last\", \"unit\": \"token\"}]}],"
    " \"tied\": {\"target_embedding\": null, \"output\": \"target_embedding\"},"
    " \"special\": {\"pad\": 0, \"eos\": 2, \"unk\": {\"source\": 3, \"target\": 1}},"
    " \"source\": {\"prefix\": [4], \"suffix\": [2]}, \"target\": {\"start\": [2]},"
    " \"tokenizer\": {\"kind\": \"bpe\", \"pretokenizer\": \"none\", \"lowercase\": false},"
    " \"max_positions\": 10,"
    " \"search\": {\"beam\": 2, \"length_penalty\": {\"kind\": \"average\", \"alpha\": 1.0},"
    "             \"max_length\": {\"factor\": 1.2, \"plus\": 10}}}";

static const char source_pieces[] = "<pad>\n<x>\n</s>\n<unk>\n<2de>\nab\n";
static const char target_pieces[] = "<pad>\n<unk>\n</s>\na@@\nb";
static const char merge_codes[] = "#version: 0.2\na b</w>\n";

/* The base's float tensors; %d stands for layers 0 and 1 unless a layer is given. */
static const struct {
    const char *name;
    int rows, columns; // columns 0: a vector
} base_tensors[] = {
    {"source_embedding.weight", 6, 8},
    {"target_embedding.weight", 5, 8},
    {"output.bias", 5, 0},
    {"decoder.positions.weight", 11, 8},
    {"encoder.norm.weight", 8, 0},
    {"encoder.norm.bias", 8, 0},
    {"decoder.norm.weight", 8, 0},
    {"decoder.norm.bias", 8, 0},
    {"encoder.layers.%d.norm1.weight", 8, 0},
    {"encoder.layers.%d.norm1.bias", 8, 0},
    {"encoder.layers.%d.norm2.weight", 8, 0},
    {"encoder.layers.%d.norm2.bias", 8, 0},
    {"encoder.layers.%d.ffn.in.weight", 12, 8},
    {"encoder.layers.%d.ffn.in.bias", 12, 0},
    {"encoder.layers.%d.ffn.out.weight", 8, 12},
    {"encoder.layers.%d.ffn.out.bias", 8, 0},
    {"encoder.layers.%d.self_attention.q.weight", 8, 8},
    {"encoder.layers.%d.self_attention.q.bias", 8, 0},
    {"encoder.layers.%d.self_attention.k.weight", 8, 8},
    {"encoder.layers.%d.self_attention.k.bias", 8, 0},
    {"encoder.layers.%d.self_attention.v.weight", 12, 8},
    {"encoder.layers.%d.self_attention.v.bias", 12, 0},
    {"encoder.layers.%d.self_attention.o.weight", 8, 12},
    {"encoder.layers.%d.self_attention.o.bias", 8, 0},
    {"encoder.layers.0.self_attention.context.deep_global.q", 8, 8},
    {"encoder.layers.0.self_attention.context.deep_global.k", 8, 8},
    {"encoder.layers.1.self_attention.context.deep_global.q", 8, 16},
    {"encoder.layers.1.self_attention.context.deep_global.k", 8, 16},
    {"encoder.layers.1.self_attention.context.deep.q", 8, 8},
    {"encoder.layers.1.self_attention.context.deep.k", 8, 8},
    {"encoder.layers.%d.self_attention.context.gate_q.state", 8, 0},
    {"encoder.layers.%d.self_attention.context.gate_q.context", 8, 0},
    {"encoder.layers.%d.self_attention.context.gate_q.bias", 1, 0},
    {"encoder.layers.%d.self_attention.context.gate_k.state", 8, 0},
    {"encoder.layers.%d.self_attention.context.gate_k.context", 8, 0},
    {"decoder.layers.%d.norm1.weight", 8, 0},
    {"decoder.layers.%d.norm1.bias", 8, 0},
    {"decoder.layers.%d.norm2.weight", 8, 0},
    {"decoder.layers.%d.norm2.bias", 8, 0},
    {"decoder.layers.%d.norm3.weight", 8, 0},
    {"decoder.layers.%d.norm3.bias", 8, 0},
    {"decoder.layers.%d.ffn.in.weight", 12, 8},
    {"decoder.layers.%d.ffn.in.bias", 12, 0},
    {"decoder.layers.%d.ffn.out.weight", 8, 12},
    {"decoder.layers.%d.ffn.out.bias", 8, 0},
    {"decoder.layers.%d.self_attention.q.weight", 8, 8},
    {"decoder.layers.%d.self_attention.k.weight", 8, 8},
    {"decoder.layers.%d.self_attention.v.weight", 8, 8},
    {"decoder.layers.%d.self_attention.v.bias", 8, 0},
    {"decoder.layers.0.self_attention.o.weight", 8, 8},
    {"decoder.layers.1.self_attention.dhicm.w", 6, 4},
    {"decoder.layers.1.self_attention.dhicm.u", 6, 8},
    {"decoder.layers.1.self_attention.dhicm.v", 6, 4},
    {"decoder.layers.1.self_attention.dhicm.out", 8, 6},
    {"decoder.layers.%d.cross_attention.q.weight", 4, 8},
    {"decoder.layers.%d.cross_attention.q.bias", 4, 0},
    {"decoder.layers.%d.cross_attention.k.weight", 4, 8},
    {"decoder.layers.%d.cross_attention.k.bias", 4, 0},
    {"decoder.layers.%d.cross_attention.v.weight", 8, 8},
    {"decoder.layers.%d.cross_attention.v.bias", 8, 0},
    {"decoder.layers.%d.cross_attention.o.weight", 8, 8},
    {"decoder.layers.%d.cross_attention.o.bias", 8, 0},
};

/* A file under construction. Tensors: {name: {"dtype", "shape", "text"}}; "text" is the address of
 * the bytes, which need not be UTF-8, or absent. */
struct draft {
    json_t *config, *metadata, *tensors, *header;
    char *config_text, *header_text;
    unsigned char *data, *whole;
    size_t data_bytes, whole_bytes;
};

static _Noreturn void give_up(const char *what, const char *where)
{
    fprintf(stderr, "checkpoint_support: %s: %s\n", what, where ? where : "");
    abort();
}

static json_t *parse(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    if (!value)
        give_up("not JSON", text);
    return value;
}

static void add_tensor(json_t *tensors, int rows, int columns, const char *format, int layer)
{
    char name[128];
    const char *place = strstr(format, "%d");
    if (place)
        snprintf(name, sizeof name, "%.*s%d%s", (int)(place - format), format, layer, place + 2);
    else
        snprintf(name, sizeof name, "%s", format);
    json_t *shape = columns ? json_pack("[i, i]", rows, columns) : json_pack("[i]", rows);
    json_object_set_new(tensors, name, json_pack("{s:s, s:o}", "dtype", "F32", "shape", shape));
}

static void add_text(json_t *tensors, const char *name, const char *text)
{
    json_object_set_new(tensors, name,
                        json_pack("{s:s, s:[i], s:I}", "dtype", "U8", "shape", (int)strlen(text),
                                  "text", (json_int_t)(uintptr_t)text));
}

static json_t *base_tensor_list(void)
{
    json_t *tensors = json_object();
    for (size_t i = 0; i < sizeof base_tensors / sizeof *base_tensors; i++) {
        int layers = strstr(base_tensors[i].name, "%d") ? 2 : 1;
        for (int layer = 0; layer < layers; layer++)
            add_tensor(tensors, base_tensors[i].rows, base_tensors[i].columns, base_tensors[i].name,
                       layer);
    }
    add_text(tensors, "vocab.source", source_pieces);
    add_text(tensors, "vocab.target", target_pieces);
    add_text(tensors, "tokenizer.source", merge_codes);
    add_text(tensors, "tokenizer.target", merge_codes);
    return tensors;
}

/* Returns the member or element `key` of a container; the container may be NULL. */
static json_t *child(const json_t *parent, const char *key)
{
    return json_is_array(parent) ? json_array_get(parent, (size_t)atoi(key))
                                 : json_object_get(parent, key);
}

/* Sets (value not NULL; takes ownership) or deletes the value at a path. */
static void edit_path(json_t *root, const char *path, json_t *value)
{
    char key[128];
    const char *slash;
    while ((slash = strchr(path, '/'))) {
        snprintf(key, sizeof key, "%.*s", (int)(slash - path), path);
        root = child(root, key);
        path = slash + 1;
    }
    size_t index = (size_t)atoi(path);
    int result;
    if (json_is_array(root))
        result = !value                          ? json_array_remove(root, index)
                 : index < json_array_size(root) ? json_array_set_new(root, index, value)
                                                 : json_array_append_new(root, value);
    else
        result = value ? json_object_set_new(root, path, value) : json_object_del(root, path);
    if (result != 0)
        give_up("no such path", path);
}

/* Returns the text with the first `from` replaced; frees the old text. */
static char *swap_text(char *text, const char *from, const char *to)
{
    char *at = strstr(text, from);
    if (!at)
        give_up("no such text", from);
    size_t size = strlen(text) + strlen(to) + 1;
    char *result = malloc(size);
    snprintf(result, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    free(text);
    return result;
}

static void replace_text(char **text, const char *with)
{
    free(*text);
    *text = strdup(with);
}

static json_t *find_tensor(struct draft *draft, const char *name)
{
    json_t *tensor = json_object_get(draft->tensors, name);
    if (!tensor)
        give_up("no such tensor", name);
    return tensor;
}

static void edit_tensor(struct draft *draft, const struct edit *edit)
{
    switch (edit->kind) {
    case TENSOR_RENAME:
        json_object_set(draft->tensors, edit->what, find_tensor(draft, edit->where));
        json_object_del(draft->tensors, edit->where);
        break;
    case TENSOR_DELETE:
        find_tensor(draft, edit->where);
        json_object_del(draft->tensors, edit->where);
        break;
    case TENSOR_SHAPE:
        if (!json_object_get(draft->tensors, edit->where))
            add_tensor(draft->tensors, 1, 0, edit->where, 0);
        json_object_set_new(find_tensor(draft, edit->where), "shape", parse(edit->what));
        break;
    case TENSOR_DTYPE:
        json_object_set_new(find_tensor(draft, edit->where), "dtype", json_string(edit->what));
        break;
    case TENSOR_TEXT:
        add_text(draft->tensors, edit->where, edit->what);
        break;
    default:
        break;
    }
}

/* Edits are made in stages, as the file is assembled from its parts. */

static void edit_config(struct draft *draft, const struct edit *edit)
{
    if (edit->kind == CONFIG_SET)
        edit_path(draft->config, edit->where, parse(edit->what));
    else if (edit->kind == CONFIG_DELETE)
        edit_path(draft->config, edit->where, NULL);
}

static void edit_config_text(struct draft *draft, const struct edit *edit)
{
    if (edit->kind == CONFIG_TEXT)
        replace_text(&draft->config_text, edit->what);
    else if (edit->kind == CONFIG_SWAP)
        draft->config_text = swap_text(draft->config_text, edit->where, edit->what);
}

static void edit_parts(struct draft *draft, const struct edit *edit)
{
    if (edit->kind == METADATA_SET)
        edit_path(draft->metadata, edit->where, parse(edit->what));
    else if (edit->kind == METADATA_DELETE)
        edit_path(draft->metadata, edit->where, NULL);
    else
        edit_tensor(draft, edit);
}

static void edit_header(struct draft *draft, const struct edit *edit)
{
    if (edit->kind == HEADER_SET)
        edit_path(draft->header, edit->where, parse(edit->what));
    else if (edit->kind == HEADER_DELETE)
        edit_path(draft->header, edit->where, NULL);
}

static void edit_header_text(struct draft *draft, const struct edit *edit)
{
    if (edit->kind == HEADER_SWAP)
        draft->header_text = swap_text(draft->header_text, edit->where, edit->what);
}

static void edit_whole(struct draft *draft, const struct edit *edit)
{
    size_t length = edit->what ? strlen(edit->what) : 0;
    if (edit->kind == HEADER_LENGTH) {
        uint64_t value = strtoull(edit->what, NULL, 10);
        for (int i = 0; i < 8; i++)
            draft->whole[i] = (unsigned char)(value >> (8 * i));
    } else if (edit->kind == FILE_CUT) {
        draft->whole_bytes -= strtoull(edit->what, NULL, 10);
    } else if (edit->kind == FILE_APPEND || edit->kind == FILE_TEXT) {
        if (edit->kind == FILE_TEXT)
            draft->whole_bytes = 0;
        draft->whole = realloc(draft->whole, draft->whole_bytes + length + 1);
        memcpy(draft->whole + draft->whole_bytes, edit->what, length);
        draft->whole_bytes += length;
    }
}

static void make_edits(struct draft *draft, const struct edit *edits,
                       void (*make)(struct draft *draft, const struct edit *edit))
{
    for (int i = 0; edits && i < CASE_EDITS && edits[i].kind != EDIT_NONE; i++)
        make(draft, &edits[i]);
}

static size_t tensor_bytes(const json_t *tensor)
{
    const char *dtype = json_string_value(json_object_get(tensor, "dtype"));
    size_t bytes = strstr(dtype, "8") || strcmp(dtype, "BOOL") == 0 ? 1
                   : strstr(dtype, "16")                            ? 2
                   : strstr(dtype, "64")                            ? 8
                                                                    : 4;
    const json_t *shape = json_object_get(tensor, "shape");
    for (size_t i = 0; i < json_array_size(shape); i++)
        bytes *= (size_t)json_integer_value(json_array_get(shape, i));
    return bytes;
}

/* Lays out the tensors' headers and data in the order of the list. */
static void lay_out(struct draft *draft)
{
    const char *name;
    json_t *tensor;
    draft->header = json_pack("{s:O}", "__metadata__", draft->metadata);
    json_object_foreach(draft->tensors, name, tensor)
    {
        size_t bytes = tensor_bytes(tensor), begin = draft->data_bytes;
        const char *text =
            (const char *)(uintptr_t)json_integer_value(json_object_get(tensor, "text"));
        draft->data = realloc(draft->data, begin + bytes + 1);
        memset(draft->data + begin, 0, bytes);
        if (text && strlen(text) == bytes)
            memcpy(draft->data + begin, text, bytes);
        draft->data_bytes += bytes;
        json_object_set_new(draft->header, name,
                            json_pack("{s:O, s:O, s:[I, I]}", "dtype",
                                      json_object_get(tensor, "dtype"), "shape",
                                      json_object_get(tensor, "shape"), "data_offsets",
                                      (json_int_t)begin, (json_int_t)draft->data_bytes));
    }
}

static void join(struct draft *draft)
{
    size_t length = strlen(draft->header_text);
    draft->whole_bytes = 8 + length + draft->data_bytes;
    draft->whole = malloc(draft->whole_bytes + 1);
    for (int i = 0; i < 8; i++)
        draft->whole[i] = (unsigned char)(length >> (8 * i));
    memcpy(draft->whole + 8, draft->header_text, length);
    memcpy(draft->whole + 8 + length, draft->data, draft->data_bytes);
}

char *checkpoint_case_config(const struct edit *edits)
{
    struct draft draft = {.config = parse(base_config)};
    make_edits(&draft, edits, edit_config);
    draft.config_text = json_dumps(draft.config, 0);
    make_edits(&draft, edits, edit_config_text);
    json_decref(draft.config);
    return draft.config_text;
}

struct config *checkpoint_case_parse(const struct edit *edits)
{
    struct status status;
    char *json = checkpoint_case_config(edits);
    struct config *config = config_parse(json, strlen(json), &status);
    if (!config)
        fail_msg("%s", status.message);
    assert_string_equal(config->json, json);
    free(json);
    return config;
}

unsigned char *checkpoint_case_bytes(const struct edit *edits, size_t *bytes)
{
    struct draft draft = {.tensors = base_tensor_list()};
    char *config = checkpoint_case_config(edits);
    draft.metadata = json_pack("{s:s, s:s}", "attnscope.version", "1", "attnscope.config", config);
    free(config);
    make_edits(&draft, edits, edit_parts);
    lay_out(&draft);
    make_edits(&draft, edits, edit_header);
    draft.header_text = json_dumps(draft.header, JSON_COMPACT);
    make_edits(&draft, edits, edit_header_text);
    join(&draft);
    make_edits(&draft, edits, edit_whole);
    json_decref(draft.tensors);
    json_decref(draft.metadata);
    json_decref(draft.header);
    free(draft.header_text);
    free(draft.data);
    *bytes = draft.whole_bytes;
    return draft.whole;
}

/* Writes a new file: some file systems wait for the disk when an existing one is overwritten. */
void checkpoint_write_bytes(const void *content, size_t bytes, const char *path)
{
    unlink(path);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(content, 1, bytes, file) != bytes || fclose(file) != 0)
        give_up("cannot write", path);
}

void checkpoint_case_write(const struct edit *edits, const char *path)
{
    size_t bytes;
    unsigned char *content = checkpoint_case_bytes(edits, &bytes);
    checkpoint_write_bytes(content, bytes, path);
    free(content);
}

void checkpoint_case_print(const struct edit *edits)
{
    for (int i = 0; i < CASE_EDITS && edits[i].kind != EDIT_NONE; i++)
        fprintf(stderr, "  edit %d: %s -> %.200s\n", (int)edits[i].kind,
                edits[i].where ? edits[i].where : "", edits[i].what ? edits[i].what : "");
}

static char directory[] = "/tmp/attnscope-test-XXXXXX";
static char file_path[sizeof directory + 16];

static void remove_directory(void)
{
    unlink(file_path);
    rmdir(directory);
}

const char *checkpoint_case_path(void)
{
    if (*file_path)
        return file_path;
    if (!mkdtemp(directory))
        give_up("cannot make", directory);
    snprintf(file_path, sizeof file_path, "%s/model.bin", directory);
    atexit(remove_directory);
    return file_path;
}
