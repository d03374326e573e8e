#include "model/formats/family.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/formats/yaml/yaml.h"
#include "model/text/file_kind.h"
#include "model/text/quote.h"

void candidate_head(struct candidate *candidate)
{
    int descriptor = open(candidate->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat about;
    if (descriptor < 0)
        return;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
        ssize_t got = read(descriptor, candidate->head, sizeof candidate->head);
        if (got < (ssize_t)sizeof candidate->head)
            memset(candidate->head + (got > 0 ? got : 0), 0,
                   sizeof candidate->head - (size_t)(got > 0 ? got : 0));
    }
    close(descriptor);
}

const char *name_in_path(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void name_of_folder(const char *path, char *name, size_t bytes)
{
    static const char middle[] = "/snapshots/", first[] = "models--";
    const char *own = name_in_path(path);
    const size_t below = sizeof middle - 1;
    snprintf(name, bytes, "%s", own);
    if ((size_t)(own - path) < below || strncmp(own - below, middle, below) != 0)
        return;
    const char *end = own - below, *begin = end;
    while (begin > path && begin[-1] != '/')
        begin--;
    if (strncmp(begin, first, sizeof first - 1) != 0)
        return;
    begin += sizeof first - 1;
    for (const char *at = begin; at + 1 < end; at++)
        if (at[0] == '-' && at[1] == '-')
            begin = at + 2;
    snprintf(name, bytes, "%.*s", (int)(end - begin), begin);
}

bool name_ends(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}

char *family_path(const char *folder, const char *name, struct status *status)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = memory_new(size, 1, status);
    if (path)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

bool family_has(const char *folder, const char *name)
{
    struct status status;
    struct stat about;
    char *path = family_path(folder, name, &status);
    bool has = path && stat(path, &about) == 0 && S_ISREG(about.st_mode);
    free(path);
    return has;
}

const struct mapped_file *family_file(struct contents *contents, const char *folder,
                                      const char *name, struct status *status)
{
    char *path = family_path(folder, name, status);
    const struct mapped_file *file = path ? contents_file(contents, path, status) : NULL;
    free(path);
    if (!file)
        status_prefix(status, "%s", name);
    return file;
}

const struct mapped_file *family_text(struct contents *contents, const char *folder,
                                      const char *name, struct status *status)
{
    const struct mapped_file *file = family_file(contents, folder, name, status);
    if (!file || file_kind_check(file->data, file->bytes, FILE_OF_TEXT, status))
        return file;
    status_prefix(status, "%s", name);
    return NULL;
}

bool family_file_of_path(struct contents *contents, const char *folder, const char *path,
                         const struct mapped_file **file, struct status *status)
{
    const char *name = name_in_path(path);
    bool has = *name && family_has(folder, name);
    *file = has ? family_file(contents, folder, name, status) : NULL;
    return *file || !has;
}

void recognised_torch_close(struct recognised_torch *recognised)
{
    torch_file_close(recognised->torch);
    mapped_file_close(recognised->file);
    *recognised = (struct recognised_torch){0};
}

/* Reads a file, unless it is the one read last. */
static void recognised_torch_read(struct recognised_torch *recognised, const char *path)
{
    struct status status;
    if (recognised->file && strcmp(recognised->file->path, path) == 0)
        return;
    recognised_torch_close(recognised);
    recognised->file = mapped_file_open(path, &status);
    const struct mapped_file *file = recognised->file;
    if (file && file->bytes >= 16 && torch_begins(file->data))
        recognised->torch = torch_file_open(file, &status);
}

bool family_is_torch(const struct candidate *candidate, const char *name,
                     bool (*holds)(const struct pickle_value *root))
{
    struct status status;
    struct recognised_torch *recognised = candidate->torch;
    char *path = family_path(candidate->folder, name, &status);
    if (!path)
        return false;
    recognised_torch_read(recognised, path);
    free(path);
    return recognised->torch && holds(torch_root(recognised->torch));
}

/* Replaces longer integers, outside of strings, by 18 nines. Python writes an unlimited
 * model_max_length as 1000000000000000019884624838656, which jansson refuses. */
static void clip_integers(char *text, size_t bytes)
{
    enum { DIGITS = 18 };
    bool quoted = false;
    for (size_t i = 0; i < bytes; i++) {
        if (quoted && text[i] == '\\')
            i++;
        else if (text[i] == '"')
            quoted = !quoted;
        if (quoted || i >= bytes || text[i] < '0' || text[i] > '9')
            continue;
        size_t first = i;
        while (i + 1 < bytes && text[i + 1] >= '0' && text[i + 1] <= '9')
            i++;
        bool whole = i + 1 == bytes || !strchr(".eE", text[i + 1]);
        bool begins = first == 0 || !strchr(".eE+", text[first - 1]);
        if (whole && begins && i - first >= DIGITS) {
            memset(text + first, '9', DIGITS);
            memset(text + first + DIGITS, ' ', i + 1 - first - DIGITS);
        }
    }
}

static void fail_json(const json_error_t *error, struct status *status)
{
    struct quoted text; // jansson repeats the file's bytes in its message
    status_fail(status, STATUS_INVALID, "line %d: %s, expected JSON", error->line,
                quote_bytes(&text, error->text, strlen(error->text)));
}

static json_t *parse_clipped(const char *text, size_t bytes, json_error_t *error,
                             struct status *status)
{
    char *clipped = memory_new(bytes, 1, status);
    if (!clipped)
        return NULL;
    memcpy(clipped, text, bytes);
    clip_integers(clipped, bytes);
    json_t *value = json_loadb(clipped, bytes, JSON_REJECT_DUPLICATES, error);
    free(clipped);
    if (!value)
        fail_json(error, status);
    return value;
}

static json_t *parse(const struct mapped_file *file, struct status *status)
{
    const char *text = file->data ? (const char *)file->data : "";
    json_error_t error;
    json_t *value = json_loadb(text, file->bytes, JSON_REJECT_DUPLICATES, &error);
    if (!value && json_error_code(&error) == json_error_numeric_overflow)
        return parse_clipped(text, file->bytes, &error, status);
    if (!value)
        fail_json(&error, status);
    return value;
}

json_t *family_json(struct contents *contents, const char *folder, const char *name, size_t most,
                    struct status *status)
{
    const struct mapped_file *file = family_text(contents, folder, name, status);
    if (!file)
        return NULL;
    if (file->bytes == 0) {
        status_fail(status, STATUS_INVALID, "%s: empty, expected JSON", name);
        return NULL;
    }
    if (file->bytes > most) {
        status_fail(status, STATUS_INVALID, "%s: %zu bytes, expected at most %zu", name,
                    file->bytes, most);
        return NULL;
    }
    json_t *value = parse(file, status);
    if (!value)
        status_prefix(status, "%s", name);
    return value;
}

bool family_json_check(const char *folder, const char *name, struct status *status)
{
    struct status unread;
    char *path = family_has(folder, name) ? family_path(folder, name, &unread) : NULL;
    struct mapped_file *file = path ? mapped_file_open(path, &unread) : NULL;
    json_t *value = file && file->bytes ? parse(file, status) : NULL;
    const bool good = !file || value;
    if (file && !file->bytes)
        status_fail(status, STATUS_INVALID, "empty, expected JSON");
    if (!good)
        status_prefix(status, "%s", name);
    json_decref(value);
    mapped_file_close(file);
    free(path);
    return good;
}

json_t *family_yaml(struct contents *contents, const char *folder, const char *name, size_t most,
                    struct status *status)
{
    const struct mapped_file *file = family_text(contents, folder, name, status);
    if (!file)
        return NULL;
    if (file->bytes > most) {
        status_fail(status, STATUS_INVALID, "%s: %zu bytes, expected at most %zu", QUOTED(name),
                    file->bytes, most);
        return NULL;
    }
    json_t *value = yaml_parse(file->data ? (const char *)file->data : "", file->bytes, status);
    if (!value)
        status_prefix(status, "%s", QUOTED(name));
    return value;
}

int64_t family_integer(const json_t *object, const char *key, int64_t otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : otherwise;
}

double family_number(const json_t *object, const char *key, double otherwise)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}
