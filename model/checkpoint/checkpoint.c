#include "model/checkpoint/checkpoint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "model/checkpoint/checkpoint_rules.h"
#include "model/formats/formats.h"
#include "model/formats/tokenizer_file.h"
#include "model/text/quote.h"

static const char *const side_names[2] = {[SIDE_SOURCE] = "source", [SIDE_TARGET] = "target"};

/* Keeps track of which of a file's tensors are known; the others are errors. */
struct audit {
    struct checkpoint *checkpoint;
    bool *known; // (tensors of the file)
};

static void audit_mark(struct audit *audit, const struct stored_tensor *tensor)
{
    audit->known[tensor - audit->checkpoint->contents->tensors] = true;
}

static const struct stored_tensor *audit_find(struct audit *audit, const char *name)
{
    const struct stored_tensor *tensor = contents_find(audit->checkpoint->contents, name);
    if (tensor)
        audit_mark(audit, tensor);
    return tensor;
}

/* Writes "[32, 16]". */
static const char *shape_text(const int64_t *shape, int dimensions, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "[");
    for (int i = 0; i < dimensions && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld", i ? ", " : "",
                                 (long long)shape[i]);
    if (used < size)
        snprintf(text + used, size - used, "]");
    return text;
}

/* Called by expected_tensors. */
static bool check_weight(const struct expected_tensor *expected, void *context,
                         struct status *status)
{
    struct audit *audit = context;
    char wanted[64], found[200];
    shape_text(expected->shape, expected->dimensions, wanted, sizeof wanted);
    const struct stored_tensor *tensor = audit_find(audit, expected->name);
    if (!tensor)
        return expected->optional ||
               status_fail(status, STATUS_INVALID, "%s: missing, expected a tensor of shape %s",
                           expected->name, wanted);
    if (!stored_is_float(tensor))
        return status_fail(status, STATUS_INVALID, "%s: dtype %s, expected F32, F16 or BF16",
                           expected->name, tensor->dtype_name);
    if (tensor->dimensions != expected->dimensions ||
        memcmp(tensor->shape, expected->shape, (size_t)tensor->dimensions * sizeof(int64_t)) != 0)
        return status_fail(status, STATUS_INVALID, "%s: shape %s, expected %s", expected->name,
                           shape_text(tensor->shape, tensor->dimensions, found, sizeof found),
                           wanted);
    audit->checkpoint->parameters += tensor->elements;
    return true;
}

static bool check_bytes(const struct stored_tensor *tensor, struct status *status)
{
    char found[200];
    if (tensor->dtype != STORED_U8)
        return status_fail(status, STATUS_INVALID, "%s: dtype %s, expected U8", tensor->name,
                           tensor->dtype_name);
    if (tensor->dimensions != 1)
        return status_fail(status, STATUS_INVALID, "%s: shape %s, expected one dimension",
                           tensor->name,
                           shape_text(tensor->shape, tensor->dimensions, found, sizeof found));
    return true;
}

/* Finds `kind`.shared for both sides, or one tensor for each. */
static bool find_sides(struct audit *audit, const char *kind,
                       const struct stored_tensor *tensors[2], struct status *status)
{
    char name[32];
    snprintf(name, sizeof name, "%s.shared", kind);
    const struct stored_tensor *shared = audit_find(audit, name);
    for (int side = 0; side < 2; side++) {
        snprintf(name, sizeof name, "%s.%s", kind, side_names[side]);
        const struct stored_tensor *own = audit_find(audit, name);
        if (own && shared)
            return status_fail(status, STATUS_INVALID, "%s: present, expected none beside %s", name,
                               shared->name);
        if (!own && !shared)
            return status_fail(status, STATUS_INVALID,
                               "%s: missing, expected a tensor of bytes (or one %s.shared)", name,
                               kind);
        tensors[side] = shared ? shared : own;
        if (!check_bytes(tensors[side], status))
            return false;
    }
    return true;
}

/* Reports an error in a tensor's text. The message may repeat bytes of it. */
static bool text_fail(const char *name, const char *expected, struct status *status)
{
    struct quoted message;
    quote_message(&message, status->message);
    bool complete = status->code != STATUS_INVALID || strstr(message.text, "expected");
    return status_fail(status, status->code, "%s: %s%s%s", name, message.text,
                       complete ? "" : ", expected ", complete ? "" : expected);
}

static bool open_vocabularies(struct audit *audit, struct status *status)
{
    struct checkpoint *checkpoint = audit->checkpoint;
    const struct stored_tensor *tensors[2];
    if (!find_sides(audit, "vocab", tensors, status))
        return false;
    for (int side = 0; side < 2; side++) {
        const struct stored_tensor *tensor = tensors[side];
        if (tensor->bytes == 0)
            return status_fail(status, STATUS_INVALID, "%s: empty, expected pieces, one a line",
                               tensor->name);
        if (side == SIDE_TARGET && tensor == tensors[SIDE_SOURCE]) {
            checkpoint->vocabulary[side] = checkpoint->vocabulary[SIDE_SOURCE];
            continue;
        }
        checkpoint->vocabulary[side] = vocabulary_open(tensor->data, tensor->bytes, status);
        if (!checkpoint->vocabulary[side])
            return text_fail(tensor->name, "pieces in UTF-8, one a line", status);
    }
    return true;
}

/* Both sides share a tokeniser if nothing it does depends on the side. */
static bool same_tokenizer(const struct config *config, const struct stored_tensor *tensors[2])
{
    return tensors[SIDE_SOURCE] == tensors[SIDE_TARGET] &&
           config->tokenizer[SIDE_SOURCE] == config->tokenizer[SIDE_TARGET] &&
           config->marks[SIDE_SOURCE] == config->marks[SIDE_TARGET] &&
           config->blanks[SIDE_SOURCE] == config->blanks[SIDE_TARGET] &&
           (!(config->moses || config->normalized) ||
            strcmp(config->source_language, config->target_language) == 0);
}

static bool has_model(enum tokenizer_kind kind)
{
    return kind != TOKENIZER_WHITESPACE && kind != TOKENIZER_JOINER;
}

/* Finds the tensors of the sides whose tokeniser has a model. */
static bool find_tokenizers(struct audit *audit, const struct stored_tensor *tensors[2],
                            struct status *status)
{
    const enum tokenizer_kind *kinds = audit->checkpoint->config->tokenizer;
    if (has_model(kinds[SIDE_SOURCE]) && has_model(kinds[SIDE_TARGET]))
        return find_sides(audit, "tokenizer", tensors, status);
    for (int side = 0; side < 2; side++) {
        char name[32];
        snprintf(name, sizeof name, "tokenizer.%s", side_names[side]);
        if (!has_model(kinds[side]))
            continue;
        tensors[side] = audit_find(audit, name);
        if (!tensors[side])
            return status_fail(status, STATUS_INVALID, "%s: missing, expected a tensor of bytes",
                               name);
        if (!check_bytes(tensors[side], status))
            return false;
    }
    return true;
}

static bool open_tokenizers(struct audit *audit, struct status *status)
{
    struct checkpoint *checkpoint = audit->checkpoint;
    const struct config *config = checkpoint->config;
    static const char *const models[] = {[TOKENIZER_SENTENCEPIECE] = "a SentencePiece model",
                                         [TOKENIZER_BPE] =
                                             "the merge codes of subword-nmt or fastBPE",
                                         [TOKENIZER_BYTE_BPE] = "the merges of GPT-2's kind",
                                         [TOKENIZER_JSON] = "a tokenizer.json",
                                         [TOKENIZER_WHITESPACE] = "to split at blanks",
                                         [TOKENIZER_JOINER] = "to split at blanks"};
    const struct stored_tensor *tensors[2] = {NULL, NULL};
    if (!find_tokenizers(audit, tensors, status))
        return false;
    for (int side = 0; side < 2; side++) {
        const struct stored_tensor *tensor = tensors[side];
        if (side == SIDE_TARGET && same_tokenizer(config, tensors)) {
            checkpoint->tokenizer[side] = checkpoint->tokenizer[SIDE_SOURCE];
            continue;
        }
        const struct tokenizer_spec spec = {
            .kind = config->tokenizer[side],
            .marks = config->marks[side],
            .blanks = config->blanks[side],
            .added = config->added,
            .added_count = config->added_count,
            .language_codes = config->language_codes,
            .last_blank = config->last_blank,
            .moses = config->moses,
            .normalized = config->normalized,
            .lowercase = config->lowercase,
            .language = side == SIDE_SOURCE ? config->source_language : config->target_language,
            .model = tensor ? tensor->data : NULL,
            .model_bytes = tensor ? tensor->bytes : 0};
        checkpoint->tokenizer[side] = tokenizer_open(&spec, status);
        if (!checkpoint->tokenizer[side])
            return text_fail(tensor ? tensor->name : "tokenizer", models[config->tokenizer[side]],
                             status);
    }
    return true;
}

static bool see_vocabularies(struct checkpoint *checkpoint)
{
    for (int side = 0; side < 2; side++)
        tokenizer_see(checkpoint->tokenizer[side], checkpoint->vocabulary[side]);
    return true;
}

bool checkpoint_has_integers(const struct checkpoint *checkpoint)
{
    const struct contents *contents = checkpoint->contents;
    for (int i = 0; i < contents->count; i++)
        if (contents->tensors[i].integers)
            return true;
    return false;
}

bool checkpoint_in_pieces(const struct checkpoint *checkpoint, int side)
{
    return !checkpoint->contents->own && !has_model(tokenizer_kind(checkpoint->tokenizer[side]));
}

static bool read_config(struct checkpoint *checkpoint, struct status *status)
{
    const char *json = checkpoint->contents->config;
    checkpoint->config = config_parse(json, strlen(json), status);
    return checkpoint->config != NULL;
}

static bool check_leftovers(const struct audit *audit, struct status *status)
{
    const struct contents *contents = audit->checkpoint->contents;
    for (int i = 0; i < contents->count; i++)
        if (!audit->known[i])
            return status_fail(status, STATUS_INVALID,
                               "%s: present, expected no such tensor with this configuration",
                               QUOTED(contents->tensors[i].name));
    return true;
}

static bool check_contents(struct audit *audit, struct status *status)
{
    struct checkpoint *checkpoint = audit->checkpoint;
    if (!read_config(checkpoint, status) || !open_vocabularies(audit, status))
        return false;
    int source_size = vocabulary_size(checkpoint->vocabulary[SIDE_SOURCE]);
    int target_size = vocabulary_size(checkpoint->vocabulary[SIDE_TARGET]);
    return config_check_ids(checkpoint->config, source_size, target_size, status) &&
           expected_tensors(checkpoint->config, source_size, target_size, check_weight, audit,
                            status) &&
           open_tokenizers(audit, status) && see_vocabularies(checkpoint) &&
           check_leftovers(audit, status);
}

static bool open_contents(struct checkpoint *checkpoint, const char *path,
                          const struct tokenizer_files *tokenizers, struct status *status)
{
    checkpoint->contents = contents_open(path, status);
    if (!checkpoint->contents)
        return false;
    for (int side = 0; tokenizers && side < 2; side++)
        if (tokenizers->paths[side] &&
            !contents_take_tokenizer(checkpoint->contents, side, tokenizers->paths[side], status))
            return false;
    struct audit audit = {checkpoint, NULL};
    audit.known = memory_new((size_t)checkpoint->contents->count, sizeof *audit.known, status);
    bool good = audit.known && check_contents(&audit, status);
    free(audit.known);
    return good;
}

struct checkpoint *checkpoint_open(const char *path, struct status *status)
{
    return checkpoint_open_with(path, NULL, status);
}

struct checkpoint *checkpoint_open_with(const char *path, const struct tokenizer_files *tokenizers,
                                        struct status *status)
{
    struct checkpoint *checkpoint = memory_new(1, sizeof *checkpoint, status);
    if (checkpoint && open_contents(checkpoint, path, tokenizers, status))
        return checkpoint;
    status_prefix(status, "%s", QUOTED_PATH(path));
    checkpoint_close(checkpoint);
    return NULL;
}

void checkpoint_close(struct checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    for (int side = 1; side >= 0; side--) {
        bool last = side == 0;
        if (last || checkpoint->tokenizer[1] != checkpoint->tokenizer[0])
            tokenizer_close(checkpoint->tokenizer[side]);
        if (last || checkpoint->vocabulary[1] != checkpoint->vocabulary[0])
            vocabulary_close(checkpoint->vocabulary[side]);
    }
    config_free(checkpoint->config);
    contents_close(checkpoint->contents);
    free(checkpoint);
}

const struct stored_tensor *checkpoint_tensor(const struct checkpoint *checkpoint,
                                              const char *format, ...)
{
    char name[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    return contents_find(checkpoint->contents, name);
}
