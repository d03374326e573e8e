#include "model/study/contrast/suite_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/text/lines.h"
#include "model/text/parallel.h"
#include "model/text/quote.h"
#include "model/text/utf8.h"

/* JSON ----------------------------------------------------------------------------------------- */

enum { JSON_MOST = 256 << 20, JSON_STEP = 1 << 16 };

/* Reads the rest of the stream. The caller frees *text, also on failure. */
static bool read_all(FILE *stream, const struct watch *watch, char **text, size_t *bytes,
                     struct status *status)
{
    size_t capacity = 0, got = 1;
    *bytes = 0;
    while (got > 0) {
        if (*bytes > JSON_MOST)
            return status_fail(status, STATUS_INVALID, "longer than %d MiB", JSON_MOST >> 20);
        if (!memory_grow((void **)text, &capacity, *bytes + JSON_STEP, 1, status))
            return false;
        errno = 0;
        got = fread(*text + *bytes, 1, JSON_STEP, stream);
        *bytes += got;
        if (!watch_ask(watch, status))
            return false;
    }
    return !ferror(stream) || status_fail(status, STATUS_IO, "%s", strerror(errno));
}

static bool read_json(const char *path, const struct watch *watch, struct suite *suite,
                      struct status *status)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = lines_open(path, watch, status);
    if (!stream)
        return false;
    bool ok = read_all(stream, watch, &text, &bytes, status) ||
              status_prefix(status, "%s", QUOTED_PATH(path));
    fclose(stream);
    ok = ok && suite_add_json(suite, path, text, bytes, status);
    free(text);
    return ok;
}

/* Texts ---------------------------------------------------------------------------------------- */

/* Reads one set of text files; type NULL: none. */
static bool read_texts(const struct strings *paths, const char *type, const struct watch *watch,
                       struct suite *suite, struct status *status)
{
    struct parallel files;
    bool ok = parallel_read(paths, watch, &files, status);
    const char *const **all = ok ? memory_new((size_t)files.count, sizeof *all, status) : NULL;
    for (int i = 0; all && i < files.count; i++)
        all[i] = (const char *const *)files.lines[i].text;
    if (all) {
        struct suite_texts texts = {.paths = (const char *const *)paths->text,
                                    .text = all,
                                    .files = files.count,
                                    .count = files.lines[0].count,
                                    .type = type};
        ok = suite_add_texts(suite, &texts, status);
    }
    free(all);
    parallel_free(&files);
    return ok && all != NULL;
}

/* Folders -------------------------------------------------------------------------------------- */

enum { SOURCE, CORRECT, INCORRECT, ROLES };

/* How files' names begin, in either layout. */
static const char *const begins[ROLES][2] = {
    {"src.", "src."}, {"correct.", "tgt.correct."}, {"incorrect.", "tgt.incorrect."}};

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static int role_of(const char *name)
{
    for (int role = 0; role < ROLES; role++)
        if (begins_with(name, begins[role][0]) || begins_with(name, begins[role][1]))
            return role;
    return -1;
}

static bool keep_path(const char *folder, const char *name, char **path, struct status *status)
{
    if (*path)
        return status_fail(status, STATUS_INVALID, "%s beside %s: expected one such file",
                           QUOTED(name), QUOTED_PATH(*path));
    if (asprintf(path, "%s/%s", folder, name) >= 0)
        return true;
    *path = NULL;
    return status_no_memory(status);
}

static void entries_free(struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
}

/* Finds the files of a set in a folder; missing ones stay NULL. */
static bool find_set(const char *folder, char *paths[ROLES], struct status *status)
{
    struct dirent **entries;
    bool ok = true;
    int count = scandir(folder, &entries, NULL, alphasort);
    if (count < 0)
        return status_fail(status, STATUS_IO, "%s: %s", QUOTED_PATH(folder), strerror(errno));
    for (int i = 0; ok && i < count; i++) {
        int role = role_of(entries[i]->d_name);
        if (role >= 0)
            ok = keep_path(folder, entries[i]->d_name, &paths[role], status) ||
                 status_prefix(status, "%s", QUOTED_PATH(folder));
    }
    entries_free(entries, count);
    return ok;
}

/* Adds a folder's set; *found: true if it has one. */
static bool read_set(const char *folder, const char *type, const struct watch *watch,
                     struct suite *suite, bool *found, struct status *status)
{
    char *paths[ROLES] = {NULL};
    bool ok = find_set(folder, paths, status);
    *found = paths[SOURCE] != NULL;
    for (int role = 0; ok && *found && role < ROLES; role++)
        if (!paths[role])
            ok = status_fail(status, STATUS_INVALID, "%s: expected %sLANG beside %s",
                             QUOTED_PATH(folder), begins[role][0], QUOTED_PATH(paths[SOURCE]));
    if (ok && *found)
        ok = read_texts(&(struct strings){.text = paths, .count = ROLES}, type, watch, suite,
                        status);
    for (int role = 0; role < ROLES; role++)
        free(paths[role]);
    return ok;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Adds the sets in a folder's folders, under their names. */
static bool read_sets(const char *folder, const struct watch *watch, struct suite *suite,
                      struct status *status)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort), sets = 0;
    bool ok = count >= 0 ||
              status_fail(status, STATUS_IO, "%s: %s", QUOTED_PATH(folder), strerror(errno));
    for (int i = 0; ok && i < count; i++) {
        const char *name = entries[i]->d_name;
        char *inner = NULL;
        bool found = false;
        if (*name == '.')
            continue;
        if (asprintf(&inner, "%s/%s", folder, name) < 0) {
            inner = NULL;
            ok = status_no_memory(status);
        }
        // A name that is not UTF-8 is valid, but cannot be shown.
        if (ok && is_folder(inner))
            ok = (check_utf8(name, status) || status_prefix(status, "%s", QUOTED_PATH(inner))) &&
                 read_set(inner, name, watch, suite, &found, status);
        free(inner);
        sets += found;
    }
    if (count >= 0)
        entries_free(entries, count);
    return ok && (sets > 0 ||
                  status_fail(status, STATUS_INVALID,
                              "%s: expected src.LANG, correct.LANG and incorrect.LANG in this "
                              "folder or in folders in it",
                              QUOTED_PATH(folder)));
}

static bool read_folder(const char *folder, const struct watch *watch, struct suite *suite,
                        struct status *status)
{
    bool found;
    return read_set(folder, NULL, watch, suite, &found, status) &&
           (found || read_sets(folder, watch, suite, status));
}

/* ---------------------------------------------------------------------------------------------- */

bool suite_read(const struct strings *paths, const struct watch *watch, struct suite *suite,
                struct status *status)
{
    bool ok;
    *suite = (struct suite){0};
    if (paths->count > 1)
        ok = read_texts(paths, NULL, watch, suite, status);
    else if (is_folder(paths->text[0]))
        ok = read_folder(paths->text[0], watch, suite, status);
    else
        ok = read_json(paths->text[0], watch, suite, status);
    ok = ok && suite_finish(suite, status);
    if (!ok)
        suite_free(suite);
    return ok;
}
