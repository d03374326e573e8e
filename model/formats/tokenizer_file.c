#include "model/formats/tokenizer_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/family.h"
#include "model/text/quote.h"

static const char *const sides[2] = {"source", "target"};

/* Recognises a tokeniser's file by its content. Returns false if it is not supported; messages do
 * not name the file. */
static bool tokenizer_file_check(const struct mapped_file *file, enum tokenizer_kind *kind,
                                 struct status *status)
{
    struct tokenizer_spec spec = {.model = (const char *)file->data, .model_bytes = file->bytes};
    spec.kind = *kind = tokenizer_recognise(spec.model, spec.model_bytes);
    struct tokenizer *tokenizer = tokenizer_open(&spec, status);
    tokenizer_close(tokenizer);
    return tokenizer != NULL;
}

static bool take_model(struct contents *contents, const char *folder, const char *file,
                       const char *name, struct status *status)
{
    const struct mapped_file *model = family_file(contents, folder, file, status);
    return model && contents_borrow(contents, name, model, status);
}

bool contents_take_sentencepiece(struct contents *contents, const char *folder,
                                 const char *const *names, bool *taken, struct status *status)
{
    *taken = family_has(folder, "source.spm") && family_has(folder, "target.spm");
    if (*taken)
        return take_model(contents, folder, "source.spm", "tokenizer.source", status) &&
               take_model(contents, folder, "target.spm", "tokenizer.target", status);
    while (*names && !family_has(folder, *names))
        names++;
    *taken = *names != NULL;
    return !*taken || take_model(contents, folder, *names, "tokenizer.shared", status);
}

bool contents_take_any(struct contents *contents, const char *folder, const char *const *names,
                       const char **tokenizer, struct status *status)
{
    enum tokenizer_kind kind;
    struct status why;
    while (*names && !family_has(folder, *names))
        names++;
    const struct mapped_file *file = *names ? family_file(contents, folder, *names, status) : NULL;
    if (!file)
        return !*names;
    if (!tokenizer_file_check(file, &kind, &why)) {
        struct quoted message;
        snprintf(contents->notice, sizeof contents->notice, "%s: %.250s", *names,
                 quote_message(&message, why.message));
        return true;
    }
    *tokenizer = tokenizer_names[kind];
    return contents_borrow(contents, "tokenizer.shared", file, status);
}

/* A file that the user names
 * -------------------------------------------------------------------- */

/* Returns a member of the tokeniser, which may be one value for both sides. */
static json_t *of_side(json_t *tokenizer, const char *key, int side)
{
    json_t *value = json_object_get(tokenizer, key);
    return json_is_object(value) ? json_object_get(value, sides[side]) : value;
}

/* Codes split as subword-nmt does, only at U+0020. If a toolkit splits at all white space, it also
 * does so with the pieces. */
static bool set_blanks(json_t *tokenizer, int side)
{
    json_t *other = of_side(tokenizer, "blanks", 1 - side);
    const char *before = json_string_value(of_side(tokenizer, "blanks", side));
    bool again = before && (strcmp(before, "pieces") == 0 || strcmp(before, "unicode") == 0);
    json_t *both = json_object();
    json_object_set_new(both, sides[side], json_string(again ? "pieces" : "space"));
    json_object_set_new(both, sides[1 - side], other ? json_incref(other) : json_string("ascii"));
    return json_object_set_new(tokenizer, "blanks", both) == 0;
}

/* Sets the configuration's "kind" for each side. */
static bool set_kind(struct contents *contents, int side, enum tokenizer_kind kind,
                     struct status *status)
{
    json_t *config = json_loads(contents->config, 0, NULL);
    json_t *tokenizer = json_object_get(config, "tokenizer"),
           *before = json_object_get(tokenizer, "kind"), *kinds = json_object();
    for (int s = 0; s < 2; s++) {
        json_t *old = json_is_object(before) ? json_object_get(before, sides[s]) : before;
        json_object_set_new(kinds, sides[s],
                            s == side ? json_string(tokenizer_names[kind]) : json_incref(old));
    }
    if (kind == TOKENIZER_BPE && !set_blanks(tokenizer, side)) {
        json_decref(kinds);
        json_decref(config);
        return status_no_memory(status);
    }
    bool same = json_equal(json_object_get(kinds, sides[0]), json_object_get(kinds, sides[1]));
    bool good =
        json_object_set(tokenizer, "kind", same ? json_object_get(kinds, sides[0]) : kinds) == 0;
    json_decref(kinds);
    if (good)
        return contents_configure(contents, config, status);
    json_decref(config);
    return status_fail(status, STATUS_INVALID,
                       "the model's configuration has no tokenizer.kind to change");
}

static struct stored_tensor *find(struct contents *contents, const char *name)
{
    const struct stored_tensor *tensor = contents_find(contents, name);
    return tensor ? &contents->tensors[tensor - contents->tensors] : NULL;
}

/* From now on, a tokeniser that both sides shared belongs only to the other side. */
static bool leave_shared(struct contents *contents, int side, struct status *status)
{
    struct stored_tensor *shared = find(contents, "tokenizer.shared");
    char *name = NULL;
    if (!shared)
        return true;
    if (asprintf(&name, "tokenizer.%s", sides[1 - side]) < 0)
        return status_no_memory(status);
    free(shared->name);
    shared->name = name;
    return true;
}

static bool put_file(struct contents *contents, int side, const struct mapped_file *file,
                     struct status *status)
{
    char name[32];
    snprintf(name, sizeof name, "tokenizer.%s", sides[side]);
    struct stored_tensor *own = find(contents, name);
    if (own) {
        own->data = file->data;
        own->bytes = file->bytes;
        own->elements = own->shape[0] = (int64_t)file->bytes;
        return true;
    }
    return leave_shared(contents, side, status) && contents_borrow(contents, name, file, status) &&
           contents_sort(contents, status);
}

bool contents_take_tokenizer(struct contents *contents, int side, const char *path,
                             struct status *status)
{
    const struct mapped_file *file = contents_file(contents, path, status);
    enum tokenizer_kind kind;
    if (!file || !tokenizer_file_check(file, &kind, status))
        return status_prefix(status, "%s", QUOTED_PATH(path));
    contents->given[side] = file;
    return set_kind(contents, side, kind, status) && put_file(contents, side, file, status);
}
