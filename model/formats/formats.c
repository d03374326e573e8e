#include "model/formats/formats.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/formats/family.h"
#include "model/formats/piece_marks.h"
#include "model/formats/unknown_folder.h"

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

/* A training of fairseq keeps checkpoints in a folder beside its data. *inner: its path, which the caller frees, where the
 * model is there; the candidate becomes that folder. */
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
    struct candidate candidate = {.path = path,
                                  .is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode)};
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
