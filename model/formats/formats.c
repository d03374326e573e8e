#include "model/formats/formats.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/formats/family.h"
#include "model/formats/piece_marks.h"
#include "model/text/file_kind.h"
#include "model/text/quote.h"

/* Our own comes last: it says of any other file what was expected. */
static const struct family *const families[] = {
    &family_hugging_face, &family_ctranslate2, &family_fairseq,       &family_opennmt,
    &family_joeynmt,      &family_marian,      &family_torch_unknown, &family_own};

/* The path without slashes at its end; of a file, the folder that it is in. */
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

/* Whether a file has the name of weights and is something else; the message is about it. */
static bool is_other(const char *folder, const char *name, struct status *status)
{
    static const char *const endings[] = {".bin", ".npz", ".pt", ".ckpt", ".safetensors"};
    struct status unread;
    bool weights = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        weights |= name_ends(name, endings[i]);
    char *path = weights && family_has(folder, name) ? family_path(folder, name, &unread) : NULL;
    struct mapped_file *file = path ? mapped_file_open(path, &unread) : NULL;
    bool other = file && !file_kind_check(file->data, file->bytes, FILE_OF_MODEL, status);
    mapped_file_close(file);
    free(path);
    return other && (status_prefix(status, "%s", QUOTED(name)), true);
}

/* No family knows the folder: perhaps because its weights were not downloaded. In a package of Argos Translate they are in
 * the folder `model`. */
static bool fail_folder(const char *folder, struct status *status)
{
    DIR *files = opendir(folder);
    bool told = is_other(folder, "model/model.bin", status);
    for (struct dirent *entry; files && !told && (entry = readdir(files));)
        told = is_other(folder, entry->d_name, status);
    if (files)
        closedir(files);
    return !told &&
           status_fail(status, STATUS_INVALID,
                       "no model in this folder, expected config.json and model.safetensors "
                       "(Hugging Face), model.bin and vocabularies (CTranslate2), "
                       "checkpoint_best.pt and dict.*.txt (fairseq), one *.pt (OpenNMT-py), "
                       "config.yaml and *.ckpt (JoeyNMT), or model.npz and "
                       "vocabularies (Marian)");
}

static bool read_family(struct contents *contents, struct candidate *candidate,
                        struct status *status)
{
    const struct family *family = recognise(candidate);
    if (!family)
        return fail_folder(candidate->folder, status);
    contents->family = family->name;
    contents->own = family == &family_own;
    return family->read(contents, candidate, status) && contents_sort(contents, status) &&
           (contents->own || contents_mark_pieces(contents, status));
}

struct contents *contents_open(const char *path, struct status *status)
{
    struct stat about;
    struct candidate candidate = {.path = path,
                                  .is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode)};
    struct contents *contents = memory_new(1, sizeof *contents, status);
    char *folder = folder_of(path, candidate.is_folder);
    candidate.folder = folder;
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
