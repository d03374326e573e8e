#include "model/formats/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/text/quote.h"

/* A new file in the folder of the target, with the permissions that any new file gets. Its name does not
 * contain the target's: that may be as long as names can be. */
static bool open_beside(struct new_file *file)
{
    static const char name[] = ".attnscope.XXXXXX";
    const char *slash = strrchr(file->target, '/');
    size_t folder = slash ? (size_t)(slash - file->target) + 1 : 0;
    file->name = malloc(folder + sizeof name);
    if (!file->name)
        return false;
    memcpy(file->name, file->target, folder);
    strcpy(file->name + folder, name);
    int descriptor = mkostemp(file->name, O_CLOEXEC);
    if (descriptor < 0)
        return false;
    mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    file->stream = fdopen(descriptor, "wb");
    if (file->stream)
        return true;
    close(descriptor);
    unlink(file->name);
    return false;
}

/* What a link leads to is replaced, not the link. NULL, with errno: a link that leads nowhere, no memory. */
static char *find_target(const char *path)
{
    struct stat about;
    bool link = lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
    return link ? realpath(path, NULL) : strdup(path);
}

/* The rename would put a file in the place of a device, a pipe or a directory. */
static bool check_target(const char *path, struct status *status)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return status_fail(status, STATUS_IO, "%s: not a regular file, expected a file to replace",
                           QUOTED_PATH(path));
    return true;
}

static bool fail(const char *path, int problem, struct status *status)
{
    return status_fail(status, STATUS_IO, "%s: cannot be written: %s", QUOTED_PATH(path),
                       strerror(problem));
}

static void new_file_free(struct new_file *file)
{
    free(file->target);
    free(file->name);
}

bool new_file_open(struct new_file *file, const char *path, struct status *status)
{
    *file = (struct new_file){.path = path};
    if (!check_target(path, status))
        return false;
    file->target = find_target(path);
    if (file->target && open_beside(file))
        return true;
    fail(path, errno, status);
    new_file_free(file);
    return false;
}

bool new_file_close(struct new_file *file, bool good, struct status *status)
{
    // An error of before has most likely left its reason there.
    bool written = !ferror(file->stream);
    int problem = errno;
    if (written && fflush(file->stream) != 0) {
        problem = errno;
        written = false;
    }
    if (fclose(file->stream) != 0 && written) {
        problem = errno;
        written = false;
    }
    if (good && written && rename(file->name, file->target) != 0) {
        problem = errno;
        written = false;
    }
    if (!good || !written)
        unlink(file->name);
    if (!written)
        fail(file->path, problem, status);
    new_file_free(file);
    return good && written;
}
