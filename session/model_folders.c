#include "session/model_folders.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "model/checkpoint/config.h"
#include "model/formats/formats.h"
#include "model/text/quote.h"
#include "terminal/progress.h"
#include "terminal/text/display.h"

#define ENDING ".bin"

static const double PATIENCE = 2; // seconds: the folder may be anybody's, and large

/* Folders -------------------------------------------------------------------------------------- */

/* Relative to the executable's folder: after `make install`; in the sources, beside build/. */
static const char *const sample_folders[] = {"../share/attnscope/samples", "../samples"};

static bool add_variable(struct strings *folders, struct status *status)
{
    const char *text = getenv("ATTNSCOPE_MODELS");
    while (text && *text) {
        size_t length = strcspn(text, ":");
        if (length && !strings_add(folders, text, length, status))
            return false;
        text += length + (text[length] == ':');
    }
    return true;
}

static bool add_samples(struct strings *folders, struct status *status)
{
    char program[PATH_MAX], joined[2 * PATH_MAX], real[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program);
    const char *slash = length > 0 ? memory_find_last(program, '/', (size_t)length) : NULL;
    for (size_t i = 0; slash && i < sizeof sample_folders / sizeof *sample_folders; i++) {
        snprintf(joined, sizeof joined, "%.*s%s", (int)(slash + 1 - program), program,
                 sample_folders[i]);
        if (realpath(joined, real) && !strings_add(folders, real, strlen(real), status))
            return false;
    }
    return true;
}

/* Adds a folder of another program; it need not exist. */
static bool add_place(struct strings *folders, const char *value, const char *home,
                      const char *below, struct status *status)
{
    char path[PATH_MAX];
    struct stat about;
    const char *user = getenv("HOME");
    if (value && *value)
        snprintf(path, sizeof path, "%s%s", value, below);
    else
        snprintf(path, sizeof path, "%s%s%s", user ? user : "", home, below);
    bool there = (user || value) && stat(path, &about) == 0 && S_ISDIR(about.st_mode);
    return !there || strings_add(folders, path, strlen(path), status);
}

/* Adds the model folders of translateLocally (ModelManager.cpp: beside its settings; in its
 * packages: as data) and of Argos Translate (settings.py: package_data_dir). */
static bool add_places(struct strings *folders, struct status *status)
{
    const char *argos = getenv("ARGOS_PACKAGES_DIR");
    bool named = argos && *argos;
    return add_place(folders, getenv("XDG_DATA_HOME"), "/.local/share", "/translateLocally",
                     status) &&
           add_place(folders, getenv("XDG_CONFIG_HOME"), "/.config", "/translateLocally", status) &&
           add_place(folders, named ? argos : getenv("XDG_DATA_HOME"), "/.local/share",
                     named ? "" : "/argos-translate/packages", status);
}

/* Free with strings_free, also on failure. */
static bool list_folders(struct strings *folders, struct status *status)
{
    return add_variable(folders, status) && strings_add(folders, ".", 1, status) &&
           add_samples(folders, status) && add_places(folders, status);
}

/* Returns the path of a file in a folder; the current folder is left out. NULL: out of memory. */
static char *join(const char *folder, const char *name, const char *ending)
{
    char *path = NULL;
    bool here = strcmp(folder, ".") == 0;
    return asprintf(&path, "%s%s%s%s", here ? "" : folder, here ? "" : "/", name, ending) < 0
               ? NULL
               : path;
}

/* Names ---------------------------------------------------------------------------------------- */

/* True if there is a file, or a folder as other toolkits write models. */
static bool is_there(const char *path, bool folder)
{
    struct stat about;
    return stat(path, &about) == 0 && (folder ? S_ISDIR(about.st_mode) : S_ISREG(about.st_mode));
}

/* Finds the first file or folder of that name in the folders. *path NULL: none. */
static bool look_for(const struct strings *folders, const char *name, char **path,
                     struct status *status)
{
    *path = NULL;
    for (int i = 0; i < 2 * folders->count; i++) {
        bool folder = i % 2;
        *path = join(folders->text[i / 2], name, folder ? "" : ENDING);
        if (!*path)
            return status_no_memory(status);
        if (is_there(*path, folder))
            return true;
        free(*path);
        *path = NULL;
    }
    return true;
}

/* Looks up a name without a file as a model of the hub, if it is spelt like one. If its first part
 * is an existing folder, it is a path. */
static bool find_in_hub(const char *name, char **path, struct status *status)
{
    const char *slash = strchr(name, '/');
    char *first = slash ? strndup(name, (size_t)(slash - name)) : NULL;
    bool other = !hub_is_name(name) || (first && access(first, F_OK) == 0);
    free(first);
    if (other)
        return true;
    if (!hub_find(name, path, status) || *path || !slash)
        return *path || !slash;
    char *cache = hub_cache_folder();
    status_fail(status, STATUS_INVALID,
                "%s: no such file, and no such model in the hub's cache (%s); `hf download %s` "
                "brings a model of the hub",
                name, cache ? QUOTED(cache) : "there is no HOME", name);
    free(cache);
    return false;
}

/* Looks everywhere. *path NULL: not found. */
static bool find_by_name(const char *name, char **path, struct status *status)
{
    struct strings folders = {0};
    *path = NULL;
    bool good = strchr(name, '/') ||
                (list_folders(&folders, status) && look_for(&folders, name, path, status));
    strings_free(&folders);
    return good && (*path || find_in_hub(name, path, status));
}

char *model_find_path(const char *name, struct status *status)
{
    char *path = NULL;
    bool there = access(name, F_OK) == 0;
    if (!(there ? hub_snapshot(name, &path, status) : find_by_name(name, &path, status)))
        return NULL;
    if (!path && !(path = strdup(name)))
        status_no_memory(status);
    return path;
}

/* The list ------------------------------------------------------------------------------------- */

struct found {
    char *name, *path;
    struct config *config;
};

/* A folder that was searched: its models are those from `first` on. */
struct folder {
    int first, count;
    int problem; // errno; 0: none
};

struct listing {
    struct found *models; // (count)
    int count;
    size_t capacity;
    double began;
    bool cut; // time ran out
};

static void found_free(struct found *found)
{
    free(found->name);
    free(found->path);
    config_free(found->config);
}

static bool in_time(struct listing *listing)
{
    listing->cut |= seconds_now() - listing->began > PATIENCE;
    return !listing->cut;
}

/* Returns NULL for a file that is not a model or cannot be read. */
static struct config *read_config(const char *path)
{
    struct status unused;
    struct contents *contents = contents_open(path, &unused);
    struct config *config =
        contents ? config_parse(contents->config, strlen(contents->config), &unused) : NULL;
    contents_close(contents);
    return config;
}

/* True if the same file was found in another folder before. */
static bool is_listed(const struct listing *listing, const char *path)
{
    struct stat this, other;
    for (int i = 0; i < listing->count; i++)
        if (stat(path, &this) == 0 && stat(listing->models[i].path, &other) == 0 &&
            this.st_dev == other.st_dev && this.st_ino == other.st_ino)
            return true;
    return false;
}

/* Takes the name and the path; either may be NULL (out of memory). */
static bool add_found(struct listing *listing, char *name, char *path, struct status *status)
{
    struct found found = {.name = name, .path = path};
    bool ok = (name && path) || status_no_memory(status);
    if (ok && !is_listed(listing, path))
        found.config = read_config(path);
    if (ok && found.config)
        ok = memory_grow((void **)&listing->models, &listing->capacity, (size_t)listing->count + 1,
                         sizeof *listing->models, status);
    if (ok && found.config)
        listing->models[listing->count++] = found;
    else
        found_free(&found);
    return ok;
}

/* Adds a model whose name is the first `length` bytes of the entry's. */
static bool add_model(struct listing *listing, const char *folder, const char *file, size_t length,
                      struct status *status)
{
    return add_found(listing, strndup(file, length), join(folder, file, ""), status);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct found *)a)->name, ((const struct found *)b)->name);
}

static bool holds_folder(const char *folder, const char *name)
{
    char *path = join(folder, name, "");
    bool holds = path && is_there(path, true);
    free(path);
    return holds;
}

static void end_folder(const struct listing *listing, struct folder *folder)
{
    folder->count = listing->count - folder->first;
    if (folder->count)
        qsort(listing->models + folder->first, (size_t)folder->count, sizeof *listing->models,
              by_name);
}

static bool add_folder(struct listing *listing, const char *folder, struct folder *out,
                       struct status *status)
{
    DIR *entries = opendir(folder);
    bool ok = true;
    *out = (struct folder){.first = listing->count, .problem = entries ? 0 : errno};
    for (const struct dirent *entry;
         ok && entries && in_time(listing) && (entry = readdir(entries));) {
        size_t length = strlen(entry->d_name), ending = strlen(ENDING);
        if (length > ending && strcmp(entry->d_name + length - ending, ENDING) == 0)
            ok = add_model(listing, folder, entry->d_name, length - ending, status);
        else if (entry->d_name[0] != '.' && holds_folder(folder, entry->d_name))
            ok = add_model(listing, folder, entry->d_name, length, status);
    }
    if (entries)
        closedir(entries);
    end_folder(listing, out);
    return ok;
}

/* Adds the complete models of the hub's cache. */
static bool add_hub(struct listing *listing, const char *folder, struct folder *out,
                    struct status *status)
{
    DIR *entries = opendir(folder);
    bool ok = true;
    *out = (struct folder){.first = listing->count};
    for (const struct dirent *entry;
         ok && entries && in_time(listing) && (entry = readdir(entries));) {
        struct status unused;
        char *name = hub_name(entry->d_name), *snapshot = NULL;
        char *model = name ? join(folder, entry->d_name, "") : NULL;
        if (model && hub_snapshot(model, &snapshot, &unused) && snapshot)
            ok = add_found(listing, name, snapshot, status);
        else
            free(name);
        free(model);
    }
    if (entries)
        closedir(entries);
    end_folder(listing, out);
    return ok;
}

/* Writes how the model's attention differs from the usual: "fixed patterns, masks". */
static void write_variations(FILE *stream, const struct config *config)
{
    bool fixed = false, masked = false, entmax = false, dhicm = false, context = false;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int layer = 0; layer < module_layers(config, m); layer++) {
            const struct attention_config *attention = &config->attention[m][layer];
            dhicm |= attention->dhicm;
            context |= attention->context != 0;
            for (int h = 0; h < module_heads(config, m); h++) {
                fixed |= attention->heads[h].energy == ENERGY_FIXED;
                masked |= attention->heads[h].energy != ENERGY_FIXED &&
                          attention->heads[h].mask != MASK_GLOBAL;
                entmax |= head_has_entmax(&attention->heads[h]);
            }
        }
    fprintf(stream, "%s%s%s%s%s", fixed ? ", fixed patterns" : "", masked ? ", masks" : "",
            entmax ? ", entmax" : "", dhicm ? ", DHICM" : "", context ? ", context" : "");
}

/* True if an earlier model has the same name, so that the name means that one. */
static bool is_hidden(const struct listing *listing, int number)
{
    for (int i = 0; i < number; i++)
        if (strcmp(listing->models[i].name, listing->models[number].name) == 0)
            return true;
    return false;
}

static void write_model(FILE *stream, const struct listing *listing, int number, int width)
{
    const struct found *found = &listing->models[number];
    const struct stack_config *stacks = found->config->stacks;
    fputs("  ", stream);
    display_field(stream, found->name, width);
    fputs("  ", stream);
    display_write(stream, found->config->source_language);
    fputs(" → ", stream);
    display_write(stream, found->config->target_language);
    fprintf(stream, ", %d+%d layers, %d+%d heads", stacks[STACK_ENCODER].layers,
            stacks[STACK_DECODER].layers, stacks[STACK_ENCODER].heads, stacks[STACK_DECODER].heads);
    write_variations(stream, found->config);
    fputs(is_hidden(listing, number) ? "; open it by its path\n" : "\n", stream);
}

static int name_width(const struct listing *listing)
{
    enum { WIDEST = 30 };
    int width = 0;
    for (int i = 0; i < listing->count; i++) {
        int columns = display_width_within(listing->models[i].name, WIDEST);
        width = columns > WIDEST ? WIDEST : columns > width ? columns : width;
    }
    return width;
}

static void write_folder(FILE *stream, const struct listing *listing, const char *path,
                         const struct folder *folder)
{
    if (!folder->count && !folder->problem)
        return;
    fputs("in ", stream);
    display_write(stream, strcmp(path, ".") == 0 ? "the current folder" : path);
    fprintf(stream, ":%s%s\n", folder->problem ? " " : "",
            folder->problem ? strerror(folder->problem) : "");
    for (int i = 0; i < folder->count; i++)
        write_model(stream, listing, folder->first + i, name_width(listing));
}

static void write_listing(FILE *stream, const struct listing *listing, const struct strings *paths,
                          const struct folder *folders)
{
    fputs("Models that were found, with layers and heads of encoder and decoder,\n", stream);
    for (int i = 0; i < paths->count; i++)
        write_folder(stream, listing, paths->text[i], &folders[i]);
    if (listing->cut)
        fprintf(stream, "and more, perhaps: not all files could be looked at in %.0f seconds\n",
                PATIENCE);
    fputs("\nOpen one by its name, as in `attnscope ", stream);
    display_write(stream, listing->models[0].name);
    fputs("`, any other by its path.\n"
          "Folders that ATTNSCOPE_MODELS names are looked through as well.\n"
          "`attnscope --help` lists the options.\n",
          stream);
}

bool models_write_list(FILE *stream, struct status *status)
{
    struct strings paths = {0};
    struct listing listing = {.began = seconds_now()};
    struct folder *folders = NULL;
    char *hub = hub_cache_folder(); // the last path
    bool ok = list_folders(&paths, status) &&
              (!hub || strings_add(&paths, hub, strlen(hub), status)) &&
              (folders = memory_new((size_t)paths.count, sizeof *folders, status)) != NULL;
    for (int i = 0; ok && i < paths.count; i++)
        ok = hub && i + 1 == paths.count ? add_hub(&listing, paths.text[i], &folders[i], status)
                                         : add_folder(&listing, paths.text[i], &folders[i], status);
    if (ok && listing.count)
        write_listing(stream, &listing, &paths, folders);
    else if (ok)
        ok = status_fail(status, STATUS_INVALID,
                         "expected the path of a model: none was found in the folders of "
                         "ATTNSCOPE_MODELS, in the current folder, or among the samples");
    for (int i = 0; i < listing.count; i++)
        found_free(&listing.models[i]);
    free(listing.models);
    free(folders);
    free(hub);
    strings_free(&paths);
    return ok;
}
