/* Refuses PyTorch files that are damaged or that no family knows, and says what they are: the
 * message of our own format, which would read them otherwise, would mislead. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/formats/torch_checkpoint.h"
#include "model/text/quote.h"

static bool recognise(const struct candidate *candidate)
{
    struct file_list list;
    struct status status;
    if (!candidate->is_folder)
        return torch_begins(candidate->head);
    bool any = torch_checkpoint_list(candidate->folder, &list, &status) && list.count > 0;
    file_list_free(&list);
    return any;
}

/* A file's contents, in words ------------------------------------------------------------------ */

enum { WORDS = 400, MOST_NAMES = 4 };

/* Lists the first keys that are texts: "a", "b" and more. */
static void show_keys(const struct pickle_value *value, char words[WORDS])
{
    size_t length = 0, shown = 0;
    *words = '\0';
    for (size_t i = 0; i < pickle_pairs(value) && shown < MOST_NAMES; i++) {
        const char *key = pickle_text(pickle_key(value, i));
        if (!key || length >= WORDS / 2)
            continue;
        length += (size_t)snprintf(words + length, WORDS - length, "%s\"%.60s\"",
                                   shown++ ? ", " : "", QUOTED(key));
    }
    if (pickle_pairs(value) > shown)
        snprintf(words + length, WORDS - length, "%s", shown ? " and more" : "other keys");
}

static bool holds_tensors(const struct pickle_value *value)
{
    for (size_t i = 0; i < pickle_pairs(value); i++)
        if (torch_is_tensor(pickle_at(value, i)))
            return true;
    return false;
}

/* Describes the value: "weights alone (...)", "an object of class ...". */
static void describe(const struct pickle_value *root, char words[WORDS])
{
    char keys[WORDS];
    if (root->kind == PICKLE_RECORD && !torch_is_tensor(root)) {
        snprintf(words, WORDS, "an object of the class %.60s.%.60s", QUOTED(root->object->module),
                 QUOTED(root->object->name));
        return;
    }
    if (root->kind != PICKLE_DICT) {
        snprintf(words, WORDS, "%s",
                 torch_is_tensor(root) ? "one tensor" : "neither weights nor options");
        return;
    }
    show_keys(root, keys);
    snprintf(words, WORDS, "%s (%.300s)",
             holds_tensors(root) ? "weights without the options of their model"
             : pickle_get(root, "pytorch-lightning_version") ? "a checkpoint of PyTorch Lightning"
                                                             : "a dict",
             keys);
}

static bool refuse_file(struct contents *contents, const char *path, struct status *status)
{
    char words[WORDS];
    const struct mapped_file *file = contents_file(contents, path, status);
    const struct torch_file *torch = file ? contents_torch(contents, file, status) : NULL;
    if (!torch)
        return false;
    describe(torch_root(torch), words);
    return status_fail(
        status, STATUS_INVALID,
        "a PyTorch file of an unknown kind: %s, expected a checkpoint with "
        "\"model\" and \"args\" or \"cfg\" (fairseq), \"model\", \"vocab\" and "
        "\"opt\" (OpenNMT-py), or \"model_state\" (JoeyNMT); weights of "
        "nn.Transformer need attnscope.json beside them (with a model open, :help nn.Transformer)",
        words);
}

static bool refuse_folder(struct contents *contents, const char *folder,
                          const struct file_list *list, struct status *status)
{
    const char *name = torch_checkpoint_choose(list);
    struct file_list_text text;
    if (!name)
        return status_fail(status, STATUS_INVALID,
                           "%zu checkpoints in this folder (%s), expected the path of one of them",
                           list->count, file_list_show(list, &text));
    char *path = family_path(folder, name, status);
    if (path && !refuse_file(contents, path, status))
        status_prefix(status, "%s", QUOTED(name));
    free(path);
    return false;
}

static bool read_unknown(struct contents *contents, const struct candidate *candidate,
                         struct status *status)
{
    struct file_list list;
    if (!candidate->is_folder)
        return refuse_file(contents, candidate->path, status);
    if (torch_checkpoint_list(candidate->folder, &list, status))
        refuse_folder(contents, candidate->folder, &list, status);
    file_list_free(&list);
    return false;
}

const struct family family_torch_unknown = {"PyTorch", recognise, read_unknown};
