#include "model/formats/formats.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "model/formats/contents.h"
#include "model/formats/family.h"
#include "model/formats/file_list.h"
#include "model/text/file_kind.h"
#include "model/text/marks.h"
#include "model/text/quote.h"
#include "model/text/text.h"

/* Folders that no family reads, recognised by the names of their files. */

static const struct kind {
    const char *pattern, *what;
} kinds[] = {
    {"params.best", "weights of Sockeye without `config`, expected both"},
    {"*.gz", "packed, expected its content (gunzip)"},
    {"*.zst", "packed, expected its content (unzstd)"},
    {"*.xz", "packed, expected its content (unxz)"},
    {"*.bz2", "packed, expected its content (bunzip2)"},
    {"*.tar", "an archive, expected its content (tar -xf)"},
    {"*.tgz", "an archive, expected its content (tar -xzf)"},
    {"*.zip", "an archive, expected its content (unzip)"},
    {"*.argosmodel", "a package of Argos Translate, expected its content (unzip)"},
    {"saved_model.pb", "a TensorFlow model, which is not supported"},
    {"*.index", "a TensorFlow model, which is not supported"},
    {"*.h5", "a TensorFlow model, which is not supported"},
    {"*.msgpack", "a Flax model, which is not supported"},
    {"*.onnx", "an ONNX model, which has no layers to show"},
    {"*.gguf", "a llama.cpp model, which is not supported"},
    {"*.safetensors", "weights without their config.json, expected both"},
    {"*.npz", "arrays, but not a Marian model"},
};

static bool is_weights(const char *folder, const char *name)
{
    static const char *const endings[] = {".bin", ".npz", ".pt", ".pth", ".ckpt", ".safetensors"};
    (void)folder;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (name_ends(name, endings[i]))
            return true;
    return false;
}

/* True if a file named like weights is something else, which the message then describes. */
static bool is_other(const char *folder, const char *name, struct status *status)
{
    struct status unread;
    char *path = family_has(folder, name) ? family_path(folder, name, &unread) : NULL;
    struct mapped_file *file = path ? mapped_file_open(path, &unread) : NULL;
    bool other = file && !file_kind_check(file->data, file->bytes, FILE_OF_MODEL, status);
    mapped_file_close(file);
    free(path);
    return other && (status_prefix(status, "%s", QUOTED(name)), true);
}

/* Looks for weights that were not downloaded. In a package of Argos Translate they are in the
 * folder `model`. */
static bool tell_other(const char *folder, struct status *status)
{
    struct file_list weights;
    struct status unread;
    bool told = is_other(folder, "model/model.bin", status);
    if (file_list_read(folder, is_weights, &weights, &unread))
        for (size_t i = 0; !told && i < weights.count; i++)
            told = is_other(folder, weights.names[i], status);
    file_list_free(&weights);
    return told;
}

static bool is_known(const char *folder, const char *name)
{
    (void)folder;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (fnmatch(kinds[i].pattern, name, 0) == 0)
            return true;
    return false;
}

/* Finds the first file in the order of the kinds. */
static const char *find_file(const struct file_list *files, const char **what)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < files->count; i++)
            if (fnmatch(kinds[k].pattern, files->names[i], 0) == 0) {
                *what = kinds[k].what;
                return files->names[i];
            }
    return NULL;
}

static bool is_own(const char *folder, const char *name)
{
    struct status unread;
    char *path = is_weights(folder, name) ? family_path(folder, name, &unread) : NULL;
    bool own = path && own_begins(path);
    free(path);
    return own;
}

/* Names the models in our own format, each of which is a file. */
static bool tell_own(const char *folder, struct status *status)
{
    struct file_list list;
    struct file_list_text text;
    bool told = file_list_read(folder, is_own, &list, status) && list.count > 0;
    if (told)
        status_fail(status, STATUS_INVALID,
                    "a folder of models (%s), expected the path of one of them",
                    file_list_show(&list, &text));
    file_list_free(&list);
    return told;
}

/* Fails and names the first known file and what it belongs to; or all that a model could be.
 * Returns false. */
static bool unknown_folder_fail(const char *folder, struct status *status)
{
    struct file_list files;
    const char *what = "";
    // A truncated config.json names no family.
    if (tell_own(folder, status) || tell_other(folder, status) ||
        !family_json_check(folder, "config.json", status))
        return false;
    if (file_list_read(folder, is_known, &files, status)) {
        const char *name = find_file(&files, &what);
        if (name)
            status_fail(status, STATUS_INVALID, "no model in this folder; %s: %s", QUOTED(name),
                        what);
        else
            status_fail(
                status, STATUS_INVALID,
                "no model in this folder, expected config.json and model.safetensors "
                "(Hugging Face), model.bin (CTranslate2), checkpoint_best.pt (fairseq), one *.pt "
                "(OpenNMT-py), model.00.safetensors (Eole), *.ckpt (JoeyNMT), params.best "
                "(Sockeye), or model.npz (Marian), with its vocabularies; or weights and "
                "attnscope.json (with a model open, :help nn.Transformer)");
    }
    file_list_free(&files);
    return false;
}

/* Finds out from its vocabularies how a model without a tokeniser marks the beginnings of words. */

/* If fewer pieces have a mark, they may have it by chance. */
enum { MARKED_ONE_IN = 50 };

/* Marks of pieces, and how the configuration names them. */
static const struct {
    const char *mark, *name;
    bool begins, ends;
} marks[] = {
    {BLANK_MARK, "sentencepiece", true, false},  {CONTINUED, "bpe", false, true},
    {BYTE_LEVEL_BLANK, "byte_bpe", true, false}, {BLANK_MARK, "sentencepiece_suffix", false, true},
    {END_OF_WORD, "word_end", false, true},      {JOINER, "joiner", true, true}};
enum { MARKS = sizeof marks / sizeof *marks, JOINERS = MARKS - 1 };

static bool is_marked(const char *piece, size_t bytes, int mark)
{
    size_t length = strlen(marks[mark].mark);
    if (bytes < length)
        return false;
    return (marks[mark].begins && memcmp(piece, marks[mark].mark, length) == 0) ||
           (marks[mark].ends && memcmp(piece + bytes - length, marks[mark].mark, length) == 0);
}

/* Returns the mark that most pieces of a vocabulary have, or -1. */
static int find_mark(const struct stored_tensor *vocabulary)
{
    const char *piece = vocabulary->data, *end = piece + vocabulary->bytes;
    size_t counts[MARKS] = {0}, pieces = 0;
    for (; piece < end; pieces++) {
        const char *stop = memchr(piece, '\n', (size_t)(end - piece));
        size_t bytes = (size_t)((stop ? stop : end) - piece);
        for (int m = 0; m < MARKS; m++)
            counts[m] += is_marked(piece, bytes, m);
        piece += bytes + 1;
    }
    int most = 0;
    for (int m = 1; m < MARKS; m++)
        if (counts[m] > counts[most])
            most = m;
    return counts[most] && counts[most] >= pieces / MARKED_ONE_IN ? most : -1;
}

static int mark_of_side(const struct contents *contents, const char *own)
{
    const struct stored_tensor *vocabulary = contents_find(contents, "vocab.shared");
    if (!vocabulary)
        vocabulary = contents_find(contents, own);
    return vocabulary ? find_mark(vocabulary) : -1;
}

static bool set_marks(json_t *tokenizer, const int found[2])
{
    const char *names[2];
    for (int side = 0; side < 2; side++)
        names[side] = found[side] < 0 || found[side] == JOINERS ? "none" : marks[found[side]].name;
    if (found[0] == JOINERS || found[1] == JOINERS)
        return json_object_set_new(tokenizer, "kind", json_string("joiner")) == 0;
    json_t *value = strcmp(names[0], names[1]) == 0
                        ? json_string(names[0])
                        : json_pack("{s:s, s:s}", "source", names[0], "target", names[1]);
    return json_object_set_new(tokenizer, "marks", value) == 0;
}

/* Completes the `tokenizer` of a configuration whose kind is "whitespace": sets its `marks`, or the
 * kind "joiner" if pieces have OpenNMT's joiner. Call it after contents_sort. */
static bool contents_mark_pieces(struct contents *contents, struct status *status)
{
    json_t *config = json_loads(contents->config, 0, NULL);
    json_t *tokenizer = json_object_get(config, "tokenizer");
    const char *kind = json_string_value(json_object_get(tokenizer, "kind"));
    const int found[2] = {mark_of_side(contents, "vocab.source"),
                          mark_of_side(contents, "vocab.target")};
    bool marked = kind && strcmp(kind, "whitespace") == 0 && (found[0] >= 0 || found[1] >= 0);
    if (marked && set_marks(tokenizer, found))
        return contents_configure(contents, config, status);
    json_decref(config);
    return !marked || status_no_memory(status);
}

/* Our own family comes last: for any other file it reports what was expected. */
static const struct family *const families[] = {
    &family_nn_transformer, &family_eole,          &family_hugging_face, &family_ctranslate2,
    &family_fairseq,        &family_opennmt,       &family_joeynmt,      &family_sockeye,
    &family_marian,         &family_torch_unknown, &family_own};

/* Returns the path without trailing slashes; for a file, its folder. */
static char *folder_of(const char *path, bool is_folder)
{
    size_t length = strlen(path);
    const char *slash = strrchr(path, '/');
    if (!is_folder)
        return slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    while (length > 1 && path[length - 1] == '/')
        length--;
    return strndup(path, length);
}

static const struct family *recognise(struct candidate *candidate)
{
    struct recognised_torch torch = {0};
    const struct family *found = NULL;
    candidate->torch = &torch;
    for (size_t i = 0; !found && i < sizeof families / sizeof *families; i++)
        if (families[i]->recognise(candidate))
            found = families[i];
    candidate->torch = NULL;
    recognised_torch_close(&torch);
    return found;
}

/* fairseq's trainings keep checkpoints in a folder beside their data. If the model is in there, the
 * candidate becomes that folder. *inner: its path, which the caller frees. */
static const struct family *recognise_inner(struct candidate *candidate, char **inner,
                                            struct status *status)
{
    const struct family *family = recognise(candidate);
    const char *folder = candidate->folder;
    if (family || !candidate->is_folder || !(*inner = family_path(folder, "checkpoints", status)))
        return family;
    candidate->path = candidate->folder = *inner;
    family = recognise(candidate);
    if (!family)
        candidate->path = candidate->folder = folder;
    return family;
}

static bool read_family(struct contents *contents, struct candidate *candidate,
                        struct status *status)
{
    char *inner = NULL;
    const struct family *family = recognise_inner(candidate, &inner, status);
    if (!family) {
        free(inner);
        return unknown_folder_fail(candidate->folder, status);
    }
    contents->family = family->name;
    contents->own = family == &family_own;
    bool good = family->read(contents, candidate, status) && contents_sort(contents, status) &&
                (contents->own || contents_mark_pieces(contents, status));
    if (!good && inner)
        status_prefix(status, "%s", name_in_path(inner));
    free(inner);
    return good;
}

struct contents *contents_open(const char *path, struct status *status)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        status_fail(status, STATUS_IO, "cannot be opened: %s, expected a model's file or folder",
                    strerror(errno));
        return NULL;
    }
    struct candidate candidate = {.path = path, .is_folder = S_ISDIR(about.st_mode)};
    struct contents *contents = memory_new(1, sizeof *contents, status);
    char *folder = folder_of(path, candidate.is_folder);
    candidate.folder = folder;
    name_of_folder(folder ? folder : "", candidate.name, sizeof candidate.name);
    if (!candidate.is_folder)
        candidate_head(&candidate);
    bool good = contents && (folder || status_no_memory(status)) &&
                read_family(contents, &candidate, status);
    free(folder);
    if (good)
        return contents;
    contents_close(contents);
    return NULL;
}
