#include "model/study/parts/parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/version.h"
#include "model/study/parts/parts_fields.h"
#include "model/text/quote.h"

void parts_close(struct parts *parts)
{
    if (!parts)
        return;
    part_file_close(&parts->file);
    journal_free(&parts->journal);
    strings_free(&parts->notices);
    free((char *)parts->spec.folder);
    free((char *)parts->spec.device);
    free(parts->merged);
    free(parts->merged_device);
    free(parts->lacking);
    free(parts->models);
    free(parts);
}

/* Files ------------------------------------------------------------------------------------------ */

static struct parts *open_any(const struct parts_spec *spec, struct status *status)
{
    struct parts *parts = memory_new(1, sizeof *parts, status);
    if (!parts)
        return NULL;
    parts->file.descriptor = -1;
    parts->spec =
        (struct parts_spec){strdup(spec->folder), spec->part, spec->count, strdup(spec->device)};
    if (parts->spec.folder && parts->spec.device)
        return parts;
    parts_close(parts);
    status_no_memory(status);
    return NULL;
}

static bool notice_damage(struct parts *parts, const char *path, int damaged, int line,
                          struct status *status)
{
    char text[400];
    parts->damaged += damaged;
    if (!damaged)
        return true;
    snprintf(text, sizeof text, "%s:%d: damaged%s; not used, and computed again if it is missing",
             QUOTED_PATH(path), line, damaged > 1 ? ", the first of several such lines" : "");
    return strings_add(&parts->notices, text, strlen(text), status);
}

static bool make_folder(const char *path, struct status *status)
{
    struct stat about;
    if (mkdir(path, 0777) == 0 ||
        (errno == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
        return true;
    return status_fail(status, STATUS_IO, "%s: %s", QUOTED_PATH(path),
                       errno == EEXIST ? "not a folder" : strerror(errno));
}

static bool open_file(struct parts *parts, const struct watch *watch, struct status *status)
{
    const struct parts_spec *spec = &parts->spec;
    char *path, heading[200];
    int damaged = 0, line = 0;
    snprintf(heading, sizeof heading, "attnscope %s part %d/%d %s", ATTNSCOPE_VERSION, spec->part,
             spec->count, spec->device);
    if (asprintf(&path, "%s/%d-of-%d.part", spec->folder, spec->part, spec->count) < 0)
        return status_no_memory(status);
    return part_file_open(path, heading, watch, &parts->journal, &parts->file, &damaged, &line,
                          status) &&
           notice_damage(parts, parts->file.path, damaged, line, status);
}

struct parts *parts_open_part(const struct parts_spec *spec, const struct watch *watch,
                              struct status *status)
{
    struct parts *parts = open_any(spec, status);
    if (parts && make_folder(parts->spec.folder, status) && open_file(parts, watch, status))
        return parts;
    parts_close(parts);
    return NULL;
}

struct parts *parts_open_merge(const char *device, struct status *status)
{
    return open_any(&(struct parts_spec){.folder = "", .device = device}, status);
}

/* Merging ---------------------------------------------------------------------------------------- */

/* Takes apart what open_file has written; *device points into it. */
static bool read_heading(const char *heading, struct merged_part *part, const char **device,
                         struct status *status)
{
    char version[32];
    int used = 0;
    if (sscanf(heading, "attnscope %31s part %d/%d %n", version, &part->part, &part->count, &used) <
            3 ||
        !used || part->part < 1 || part->part > part->count || part->count > PARTS_MOST)
        return status_fail(status, STATUS_INVALID, "not a part of a study: \"%s\"",
                           QUOTED(heading));
    *device = heading + used;
    return strcmp(version, ATTNSCOPE_VERSION) == 0 ||
           status_fail(status, STATUS_INVALID,
                       "a part written by attnscope %s, expected " ATTNSCOPE_VERSION,
                       QUOTED(version));
}

/* Results of several devices do not go together: their last bits differ. */
static bool take_device(struct parts *parts, const char *device, struct status *status)
{
    if (!parts->merged_device)
        return (parts->merged_device = strdup(device)) || status_no_memory(status);
    return strcmp(parts->merged_device, device) == 0 ||
           status_fail(status, STATUS_INVALID, "computed on %s, expected %s as the parts before",
                       QUOTED(device), QUOTED(parts->merged_device));
}

static bool take_heading(struct parts *parts, const struct journal_file *file,
                         struct status *status)
{
    struct merged_part part;
    const char *device = "";
    if (!file->heading)
        return true; // stopped before its first line was written
    if (!read_heading(file->heading, &part, &device, status) ||
        !take_device(parts, device, status) ||
        !memory_grow((void **)&parts->merged, &parts->merged_capacity,
                     (size_t)parts->merged_count + 1, sizeof *parts->merged, status))
        return false;
    parts->merged[parts->merged_count++] = part;
    return true;
}

static bool merge_file(struct parts *parts, const char *path, const struct watch *watch,
                       struct status *status)
{
    struct journal_file file;
    if (!journal_read(path, watch, &parts->journal, &file, status))
        return false;
    bool ok = take_heading(parts, &file, status) || status_prefix(status, "%s", QUOTED_PATH(path));
    ok = ok && notice_damage(parts, path, file.damaged, file.damaged_line, status);
    journal_file_free(&file);
    return ok;
}

static int is_part(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && *entry->d_name != '.' && strcmp(end, ".part") == 0;
}

static bool merge_listed(struct parts *parts, const char *folder, const char *name,
                         const struct watch *watch, struct status *status)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return status_no_memory(status);
    bool ok = merge_file(parts, path, watch, status);
    free(path);
    return ok;
}

static bool merge_folder(struct parts *parts, const char *folder, const struct watch *watch,
                         struct status *status)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_part, versionsort);
    bool ok = count > 0;
    if (count < 0)
        status_fail(status, STATUS_IO, "%s: %s", QUOTED_PATH(folder), strerror(errno));
    else if (count == 0)
        status_fail(status, STATUS_INVALID, "%s: no parts there, expected files NAME.part",
                    QUOTED_PATH(folder));
    for (int i = 0; i < count; i++) {
        ok = ok && merge_listed(parts, folder, entries[i]->d_name, watch, status);
        free(entries[i]);
    }
    free(entries);
    return ok;
}

bool parts_merge(struct parts *parts, const char *path, const struct watch *watch,
                 struct status *status)
{
    struct stat about;
    bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    return folder ? merge_folder(parts, path, watch, status)
                  : merge_file(parts, path, watch, status);
}

/* What they are ---------------------------------------------------------------------------------- */

const struct strings *parts_notices(const struct parts *parts)
{
    return &parts->notices;
}

bool parts_divided(const struct parts *parts)
{
    return parts && parts->spec.count > 0;
}

const struct parts_spec *parts_spec(const struct parts *parts)
{
    return &parts->spec;
}

const char *parts_path(const struct parts *parts)
{
    return parts->file.path;
}

int parts_files(const struct parts *parts)
{
    return parts->merged_count;
}

int parts_results(const struct parts *parts)
{
    return parts->journal.count;
}

/* Results ---------------------------------------------------------------------------------------- */

int parts_first(int part, int parts, int count)
{
    return (int)((int64_t)count * (part - 1) / parts);
}

struct parts_range parts_range(const struct parts *parts, int count)
{
    if (!parts_divided(parts))
        return (struct parts_range){0, count};
    const struct parts_spec *spec = &parts->spec;
    return (struct parts_range){parts_first(spec->part, spec->count, count),
                                parts_first(spec->part + 1, spec->count, count)};
}

bool parts_begin(struct parts *parts, int count, const char *unit, struct status *status)
{
    if (!parts)
        return true;
    if (!memory_grow((void **)&parts->lacking, &parts->lacking_room, (size_t)count + 1,
                     sizeof *parts->lacking, status))
        return false;
    memset(parts->lacking, 0, (size_t)count * sizeof *parts->lacking);
    parts->lacked = 0;
    parts->counts.sentences = count;
    parts->counts.studies++;
    parts->counts.unit = unit;
    return true;
}

static const char *digest_of(struct parts *parts, const struct checkpoint *checkpoint,
                             struct status *status)
{
    struct digests digests;
    for (int i = 0; i < parts->model_count; i++)
        if (parts->models[i].checkpoint == checkpoint)
            return parts->models[i].digest;
    if (!memory_grow((void **)&parts->models, &parts->model_capacity,
                     (size_t)parts->model_count + 1, sizeof *parts->models, status) ||
        !digests_read(checkpoint, &digests, status))
        return NULL;
    struct known_model *model = &parts->models[parts->model_count++];
    model->checkpoint = checkpoint;
    memcpy(model->digest, digests.whole, sizeof model->digest);
    digests_free(&digests);
    return model->digest;
}

bool parts_scope(struct parts *parts, const char *kind, const struct state *state,
                 enum key_search search, struct key_scope *scope, struct status *status)
{
    const char *model = digest_of(parts, model_checkpoint(state->model), status);
    if (model)
        key_scope_open(scope, kind, model, state, search);
    return model != NULL;
}

const char *parts_find(struct parts *parts, const struct journal_key *key)
{
    const char *value = journal_find(&parts->journal, key);
    parts->counts.found += value != NULL;
    return value;
}

void parts_refuse(struct parts *parts)
{
    parts->counts.found--;
    parts->damaged++;
}

const char *parts_peek(const struct parts *parts, const struct journal_key *key)
{
    return journal_find(&parts->journal, key);
}

bool parts_keep(struct parts *parts, const struct journal_key *key, const char *value,
                struct status *status)
{
    parts->counts.computed++;
    if (!parts_divided(parts) && parts->damaged > 0)
        parts->damaged--;
    return (!parts_divided(parts) || part_file_add(&parts->file, key, value, status)) &&
           journal_add(&parts->journal, key, value, status);
}

struct parts_counts parts_counts(const struct parts *parts)
{
    return parts->counts;
}

void parts_forget_counts(struct parts *parts)
{
    if (parts)
        parts->counts = (struct parts_counts){0};
}
