#include "model/study/shards/shards.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system.h"
#include "base/version.h"
#include "model/study/shards/shards_fields.h"
#include "model/text/quote.h"

void shards_close(struct shards *shards)
{
    if (!shards)
        return;
    shard_file_close(&shards->file);
    journal_free(&shards->journal);
    strings_free(&shards->notices);
    free((char *)shards->spec.folder);
    free((char *)shards->spec.device);
    free(shards->merged);
    free(shards->lacking);
    free(shards->models);
    free(shards);
}

/* Files ---------------------------------------------------------------------------------------- */

static struct shards *open_any(const struct shards_spec *spec, struct status *status)
{
    struct shards *shards = memory_new(1, sizeof *shards, status);
    if (!shards)
        return NULL;
    shards->file.descriptor = -1;
    shards->spec =
        (struct shards_spec){strdup(spec->folder), spec->part, spec->count, strdup(spec->device)};
    if (shards->spec.folder && shards->spec.device)
        return shards;
    shards_close(shards);
    status_no_memory(status);
    return NULL;
}

static bool notice_damage(struct shards *shards, const char *path, int damaged, int line,
                          struct status *status)
{
    char text[400];
    shards->damaged += damaged;
    if (!damaged)
        return true;
    snprintf(text, sizeof text, "%s:%d: damaged%s; not used, and computed again if it is missing",
             QUOTED_PATH(path), line, damaged > 1 ? ", the first of several such lines" : "");
    return strings_add(&shards->notices, text, strlen(text), status);
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

static bool open_file(struct shards *shards, const struct watch *watch, struct status *status)
{
    const struct shards_spec *spec = &shards->spec;
    char *path, heading[100 + DEVICE_TEXT];
    int damaged = 0, line = 0;
    snprintf(heading, sizeof heading, "attnscope %s part %d/%d %s", ATTNSCOPE_VERSION, spec->part,
             spec->count, spec->device);
    if (asprintf(&path, "%s/%d-of-%d.part", spec->folder, spec->part, spec->count) < 0)
        return status_no_memory(status);
    return shard_file_open(path, heading, watch, &shards->journal, &shards->file, &damaged, &line,
                           status) &&
           notice_damage(shards, shards->file.path, damaged, line, status);
}

struct shards *shards_open_one(const struct shards_spec *spec, const struct watch *watch,
                               struct status *status)
{
    struct shards *shards = open_any(spec, status);
    if (shards && make_folder(shards->spec.folder, status) && open_file(shards, watch, status))
        return shards;
    shards_close(shards);
    return NULL;
}

struct shards *shards_open_merge(const char *device, struct status *status)
{
    return open_any(&(struct shards_spec){.folder = "", .device = device}, status);
}

/* Merging -------------------------------------------------------------------------------------- */

/* Parses what open_file has written; *device points into it. */
static bool read_heading(const char *heading, struct merged_part *part, const char **device,
                         struct status *status)
{
    char version[32];
    int used = 0;
    if (sscanf(heading, "attnscope %31s part %d/%d %n", version, &part->part, &part->count, &used) <
            3 ||
        !used || part->part < 1 || part->part > part->count || part->count > SHARDS_MOST)
        return status_fail(status, STATUS_INVALID, "not a part of a study: \"%s\"",
                           QUOTED(heading));
    *device = heading + used;
    return strcmp(version, ATTNSCOPE_VERSION) == 0 ||
           status_fail(status, STATUS_INVALID,
                       "a part written by attnscope %s, expected " ATTNSCOPE_VERSION,
                       QUOTED(version));
}

/* Results of different devices cannot be combined: their last bits differ. */
static bool check_device(const struct shards *shards, const char *device, struct status *status)
{
    return strcmp(shards->spec.device, device) == 0 ||
           status_fail(status, STATUS_INVALID, "computed on %s, expected %s as in this session",
                       QUOTED(device), QUOTED(shards->spec.device));
}

static bool take_heading(struct shards *shards, const struct journal_file *file,
                         struct status *status)
{
    struct merged_part part;
    const char *device = "";
    if (!file->heading)
        return true; // stopped before its first line was written
    if (!read_heading(file->heading, &part, &device, status) ||
        !check_device(shards, device, status) ||
        !memory_grow((void **)&shards->merged, &shards->merged_capacity,
                     (size_t)shards->merged_count + 1, sizeof *shards->merged, status))
        return false;
    shards->merged[shards->merged_count++] = part;
    return true;
}

static bool merge_file(struct shards *shards, const char *path, const struct watch *watch,
                       struct status *status)
{
    struct journal_file file;
    if (!journal_read(path, watch, &shards->journal, &file, status))
        return false;
    bool ok = take_heading(shards, &file, status) || status_prefix(status, "%s", QUOTED_PATH(path));
    ok = ok && notice_damage(shards, path, file.damaged, file.damaged_line, status);
    journal_file_free(&file);
    return ok;
}

static int is_part(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && *entry->d_name != '.' && strcmp(end, ".part") == 0;
}

static bool merge_listed(struct shards *shards, const char *folder, const char *name,
                         const struct watch *watch, struct status *status)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return status_no_memory(status);
    bool ok = merge_file(shards, path, watch, status);
    free(path);
    return ok;
}

static bool merge_folder(struct shards *shards, const char *folder, const struct watch *watch,
                         struct status *status)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_part, compare_numbered);
    bool ok = count > 0;
    if (count < 0)
        status_fail(status, STATUS_IO, "%s: %s", QUOTED_PATH(folder), strerror(errno));
    else if (count == 0)
        status_fail(status, STATUS_INVALID, "%s: no parts there, expected files NAME.part",
                    QUOTED_PATH(folder));
    for (int i = 0; i < count; i++) {
        ok = ok && merge_listed(shards, folder, entries[i]->d_name, watch, status);
        free(entries[i]);
    }
    free(entries);
    return ok;
}

bool shards_merge(struct shards *shards, const char *path, const struct watch *watch,
                  struct status *status)
{
    struct stat about;
    bool folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    return folder ? merge_folder(shards, path, watch, status)
                  : merge_file(shards, path, watch, status);
}

/* Properties ----------------------------------------------------------------------------------- */

const struct strings *shards_notices(const struct shards *shards)
{
    return &shards->notices;
}

bool shards_divided(const struct shards *shards)
{
    return shards && shards->spec.count > 0;
}

const struct shards_spec *shards_spec(const struct shards *shards)
{
    return &shards->spec;
}

const char *shards_path(const struct shards *shards)
{
    return shards->file.path;
}

int shards_files(const struct shards *shards)
{
    return shards->merged_count;
}

int shards_results(const struct shards *shards)
{
    return shards->journal.count;
}

/* Results -------------------------------------------------------------------------------------- */

int shards_first(int part, int shards, int count)
{
    return (int)((int64_t)count * (part - 1) / shards);
}

struct shard_range shards_range(const struct shards *shards, int count)
{
    if (!shards_divided(shards))
        return (struct shard_range){0, count};
    const struct shards_spec *spec = &shards->spec;
    return (struct shard_range){shards_first(spec->part, spec->count, count),
                                shards_first(spec->part + 1, spec->count, count)};
}

bool shards_begin(struct shards *shards, int count, const char *unit, struct status *status)
{
    if (!shards)
        return true;
    if (!memory_grow((void **)&shards->lacking, &shards->lacking_room, (size_t)count + 1,
                     sizeof *shards->lacking, status))
        return false;
    memset(shards->lacking, 0, (size_t)count * sizeof *shards->lacking);
    shards->lacked = 0;
    shards->counts.sentences = count;
    shards->counts.studies++;
    shards->counts.unit = unit;
    return true;
}

static const char *digest_of(struct shards *shards, const struct checkpoint *checkpoint,
                             struct status *status)
{
    struct digests digests;
    for (int i = 0; i < shards->model_count; i++)
        if (shards->models[i].checkpoint == checkpoint)
            return shards->models[i].digest;
    if (!memory_grow((void **)&shards->models, &shards->model_capacity,
                     (size_t)shards->model_count + 1, sizeof *shards->models, status) ||
        !digests_read(checkpoint, &digests, status))
        return NULL;
    struct known_model *model = &shards->models[shards->model_count++];
    model->checkpoint = checkpoint;
    memcpy(model->digest, digests.whole, sizeof model->digest);
    digests_free(&digests);
    return model->digest;
}

bool shards_scope(struct shards *shards, const char *kind, const struct state *state,
                  enum identity_search search, struct identity *scope, struct status *status)
{
    const char *model = digest_of(shards, model_checkpoint(state->model), status);
    if (model)
        identity_open(scope, kind, model, state, search);
    return model != NULL;
}

const char *shards_find(struct shards *shards, const struct journal_key *key)
{
    const char *value = journal_find(&shards->journal, key);
    shards->counts.found += value != NULL;
    return value;
}

void shards_refuse(struct shards *shards)
{
    shards->counts.found--;
    shards->counts.refused++;
    shards->damaged++;
}

const char *shards_peek(const struct shards *shards, const struct journal_key *key)
{
    return journal_find(&shards->journal, key);
}

/* Keeps a new result; a part also adds it to its file. */
static bool shards_keep(struct shards *shards, const struct journal_key *key, const char *value,
                        struct status *status)
{
    shards->counts.computed++;
    if (!shards_divided(shards) && shards->damaged > 0)
        shards->damaged--;
    return (!shards_divided(shards) || shard_file_add(&shards->file, key, value, status)) &&
           journal_add(&shards->journal, key, value, status);
}

bool shards_find_record(struct shards *shards, const struct journal_key *key,
                        const struct record_shape *shape, struct record *record, bool *found,
                        struct status *status)
{
    const char *value = shards ? shards_find(shards, key) : NULL;
    *found = value && record_read(value, shape, record, status);
    if (!value || *found)
        return true;
    shards_refuse(shards);
    return status->code == STATUS_INVALID;
}

bool shards_keep_record(struct shards *shards, const struct journal_key *key,
                        const struct record *record, struct status *status)
{
    char *value = shards ? record_write(record, status) : NULL;
    const bool ok = !shards || (value && shards_keep(shards, key, value, status));
    free(value);
    return ok;
}

struct shards_counts shards_counts(const struct shards *shards)
{
    return shards->counts;
}

void shards_forget_counts(struct shards *shards)
{
    if (shards)
        shards->counts = (struct shards_counts){0};
}
