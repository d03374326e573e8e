/* Models of tests/fuzz/models with one file changed, for fuzz_model. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/checkpoint/checkpoint.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_files.h"

static const char models[] = "tests/fuzz/models";

/* Tells libFuzzer which file is changed, as a counter. Otherwise it would drop the larger files of
 * a model, because the smaller ones, which are read together with them, reach the same code. */
__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t changed[MEMORY_FILES_MOST];

/* Reads a file into memory, where it stays. */
static void load_file(const char *model, const char *name)
{
    char *path = NULL, *data = NULL;
    size_t size = 0;
    fuzz_check(asprintf(&path, "%s/%s/%s", models, model, name) > 0, "out of memory");
    FILE *file = fopen(path, "rb"), *copy = open_memstream(&data, &size);
    fuzz_check(file && copy, path);
    for (int byte; (byte = getc(file)) != EOF;)
        putc(byte, copy);
    fclose(file);
    fuzz_check(fclose(copy) == 0, "out of memory");
    memory_file_put(model, name, data, size);
    free(path);
}

/* Loads all files of a model; returns false if there is no such model. */
static bool load_files(const char *model)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", models, model);
    DIR *listing = opendir(path);
    if (!listing)
        return false;
    for (struct dirent *entry; (entry = readdir(listing));)
        if (entry->d_name[0] != '.')
            load_file(model, entry->d_name);
    closedir(listing);
    return true;
}

/* Splits "MODEL/FILE"; returns false unless it is a model of the family and a name without
 * folders. */
static bool take_name(const char *family, char *name, char **file)
{
    char *slash = strchr(name, '/');
    if (!slash || strncmp(name, family, strlen(family)) != 0)
        return false;
    *slash = '\0';
    *file = slash + 1;
    return **file && !strchr(*file, '/') && **file != '.' && !strchr(name, '.');
}

static bool open_model(const char *model, struct status *status)
{
    char path[512];
    snprintf(path, sizeof path, MEMORY_FILES_ROOT "%s", model);
    struct checkpoint *checkpoint = checkpoint_open(path, status);
    const bool opened = checkpoint != NULL;
    checkpoint_close(checkpoint);
    return opened;
}

/* The unchanged model must open: otherwise mutations would not get far into its reader. */
static bool have_model(const char *model)
{
    struct status status;
    if (memory_files_count(model) > 0)
        return true;
    if (!load_files(model))
        return false;
    fuzz_check(open_model(model, &status), status.message);
    return true;
}

int fuzz_model(const char *family, const uint8_t *data, size_t size)
{
    struct fuzz_file input;
    struct status status;
    char *file;
    if (!fuzz_file(data, size, &input) || !take_name(family, input.name, &file) ||
        !have_model(input.name))
        return 0;
    size_t own_size = 0;
    const int own = memory_file_find(input.name, file);
    const void *own_data = own < 0 ? NULL : memory_file_data(own, &own_size);
    if (own >= 0)
        changed[own] = 1;
    memory_file_put(input.name, file, input.data, input.size);
    if (!open_model(input.name, &status))
        fuzz_refused(&status);

    /* restores the model's own file for the next input */
    if (own >= 0)
        memory_file_put(input.name, file, own_data, own_size);
    else
        memory_file_remove(input.name, file);
    return 0;
}
