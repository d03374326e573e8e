#include "model/formats/torch_checkpoint.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Files of a folder ---------------------------------------------------------------------------- */

static bool has_any(const char *name, const char *const *words)
{
    for (; *words; words++)
        if (strstr(name, *words))
            return true;
    return false;
}

static bool ends_in_any(const char *name, const char *const *endings)
{
    for (; *endings; endings++)
        if (name_ends(name, *endings))
            return true;
    return false;
}

static bool is_torch_file(const char *folder, const char *name)
{
    struct status status;
    struct candidate file = {.path = family_path(folder, name, &status)};
    if (file.path)
        candidate_head(&file);
    free((char *)file.path);
    return torch_begins(file.head);
}

/* Training states, and data that OpenNMT-py has prepared, are kept beside a model. Some endings are
 * also used by other files. */
static bool is_checkpoint(const char *folder, const char *name)
{
    static const char *const endings[] = {".pt", ".pth", ".ckpt", ".th", NULL};
    static const char *const shared[] = {".bin", ".tar", ".model", ".pkl", NULL};
    static const char *const others[] = {"optim",         "sched",         "scaler",    ".vocab.",
                                         ".train.",       ".valid.",       "rng_state", ".test.",
                                         "training_args", "random_states", NULL};
    if (has_any(name, others))
        return false;
    return ends_in_any(name, endings) || (ends_in_any(name, shared) && is_torch_file(folder, name));
}

bool torch_checkpoint_list(const char *folder, struct file_list *list, struct status *status)
{
    return file_list_read(folder, is_checkpoint, list, status);
}

/* Choice of a file ----------------------------------------------------------------------------- */

enum rank { PUBLISHED, NAMED_BEST, BEST, AVERAGE, LAST, PLAIN, NUMBERED, OTHER };

static bool is_stem(const char *name, const char *stem)
{
    size_t length = strlen(stem);
    return strncmp(name, stem, length) == 0 && name[length] == '.' &&
           !strchr(name + length + 1, '.');
}

/* Finds the last number in a name: its first digit and the place after it; both NULL: none. */
static void find_number(const char *name, const char **begin, const char **end)
{
    *begin = *end = NULL;
    for (const char *at = name; *at; at++) {
        if (!isdigit((unsigned char)*at))
            continue;
        *begin = at;
        while (isdigit((unsigned char)at[1]))
            at++;
        *end = at + 1;
    }
}

static enum rank rank_of(const char *name)
{
    static const char *const best[] = {"best", NULL};
    static const char *const average[] = {"avg", "average", NULL};
    static const char *const last[] = {"last", "latest", "final", NULL};
    const char *digits, *end;
    find_number(name, &digits, &end);
    return is_stem(name, "model")                                      ? PUBLISHED
           : is_stem(name, "checkpoint_best") || is_stem(name, "best") ? NAMED_BEST
           : has_any(name, best)                                       ? BEST
           : has_any(name, average)                                    ? AVERAGE
           : has_any(name, last)                                       ? LAST
           : is_stem(name, "checkpoint")                               ? PLAIN
           : digits                                                    ? NUMBERED
                                                                       : OTHER;
}

/* True if two names differ only in their last number. *greater: the first one's is greater. */
static bool differ_by_number(const char *a, const char *b, bool *greater)
{
    const char *begin[2], *end[2];
    find_number(a, &begin[0], &end[0]);
    find_number(b, &begin[1], &end[1]);
    size_t before = (size_t)(begin[0] - a);
    if (before != (size_t)(begin[1] - b) || strncmp(a, b, before) != 0 ||
        strcmp(end[0], end[1]) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        while (begin[i] + 1 < end[i] && *begin[i] == '0')
            begin[i]++;
    size_t digits[2] = {(size_t)(end[0] - begin[0]), (size_t)(end[1] - begin[1])};
    *greater =
        digits[0] != digits[1] ? digits[0] > digits[1] : strncmp(begin[0], begin[1], digits[0]) > 0;
    return true;
}

const char *torch_checkpoint_choose(const struct file_list *list)
{
    const char *best = NULL;
    enum rank rank = OTHER;
    bool alike = false;
    for (size_t i = 0; i < list->count; i++) {
        const char *name = list->names[i];
        enum rank own = rank_of(name);
        bool greater = false;
        if (best && own > rank)
            continue;
        bool same = best && own == rank;
        bool comparable = same && own == NUMBERED && differ_by_number(name, best, &greater);
        alike = same && (alike || !comparable);
        if (!same || greater)
            best = name;
        rank = own;
    }
    return alike ? NULL : best;
}

/* Candidates ----------------------------------------------------------------------------------- */

char *torch_checkpoint_name(const struct candidate *candidate)
{
    struct file_list list;
    struct status status;
    if (!candidate->is_folder)
        return strdup(name_in_path(candidate->path));
    const char *name = torch_checkpoint_list(candidate->folder, &list, &status)
                           ? torch_checkpoint_choose(&list)
                           : NULL;
    char *copy = name ? strdup(name) : NULL;
    file_list_free(&list);
    return copy;
}

bool torch_checkpoint_recognise(const struct candidate *candidate,
                                bool (*holds)(const struct pickle_value *root))
{
    if (!candidate->is_folder && !torch_begins(candidate->head))
        return false;
    char *name = torch_checkpoint_name(candidate);
    bool is = name && family_is_torch(candidate, name, holds);
    free(name);
    return is;
}
