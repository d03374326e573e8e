/* Models of golden data with one file changed: inputs of fuzz_model. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/checkpoint/checkpoint.h"
#include "tests/fuzz/fuzz.h"

static const char golden[] = "tests/golden/formats";

/* A link to a file of golden data, "MODEL/FILE", in the folder of this process. */
static void link_file(const char *name)
{
    char to[1024];
    char *root = realpath(golden, NULL), *target = NULL;
    fuzz_check(root && asprintf(&target, "%s/%s", root, name) > 0, "no golden data");
    snprintf(to, sizeof to, "%s/%s", fuzz_folder(), name);
    fuzz_check(symlink(target, to) == 0, "no link to a file of a model");
    free(target);
    free(root);
}

/* A folder whose files are links to those of the model; false: there is no such model. */
static bool link_files(const char *model)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", golden, model);
    DIR *listing = opendir(path);
    if (!listing)
        return false;
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), model);
    fuzz_check(mkdir(path, 0700) == 0, "no folder for a model");
    for (struct dirent *entry; (entry = readdir(listing));) {
        snprintf(path, sizeof path, "%s/%s", model, entry->d_name);
        if (entry->d_name[0] != '.')
            link_file(path);
    }
    closedir(listing);
    return true;
}

/* "MODEL/FILE": a model of the family, and a name without folders. */
static bool take_name(const char *family, char *name, char **file)
{
    char *slash = strchr(name, '/');
    if (!slash || strncmp(name, family, strlen(family)) != 0)
        return false;
    *slash = '\0';
    *file = slash + 1;
    return **file && !strchr(*file, '/') && **file != '.' && !strchr(name, '.');
}

static void open_model(const char *path)
{
    struct status status = {0};
    struct checkpoint *checkpoint = checkpoint_open(path, &status);
    if (!checkpoint)
        fuzz_refused(&status);
    checkpoint_close(checkpoint);
}

int fuzz_model(const char *family, const uint8_t *data, size_t size)
{
    struct fuzz_file input;
    char path[1024], name[512], *file;
    if (!fuzz_file(data, size, &input) || !take_name(family, input.name, &file))
        return 0;
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), input.name);
    snprintf(name, sizeof name, "%s/%s", input.name, file);
    if (access(path, F_OK) != 0 && !link_files(input.name))
        return 0;
    fuzz_write(name, input.data, input.size);
    open_model(path);

    /* The next input finds the model's own file. */
    snprintf(path, sizeof path, "%s/%s", fuzz_folder(), name);
    unlink(path);
    snprintf(path, sizeof path, "%s/%s", golden, name);
    if (access(path, F_OK) == 0)
        link_file(name);
    return 0;
}
