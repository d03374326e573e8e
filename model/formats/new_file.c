#include "model/formats/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "model/text/quote.h"

enum { NAME_TRIES = 100, PROC_PATH = 40 };

/* A nameless file can be given a name through this path. */
static void proc_path(int descriptor, char path[PROC_PATH])
{
    snprintf(path, PROC_PATH, "/proc/self/fd/%d", descriptor);
}

/* Names beside the target ---------------------------------------------------------------------- */

/* The name does not include the target's, which may have the greatest possible length. */
static const char prefix[] = ".attnscope.";
enum { LETTERS = 6 };

/* Returns memory for such a name, with the target's folder, its slash and the prefix filled in. The
 * caller frees it. */
static char *name_beside(const char *target)
{
    const char *slash = strrchr(target, '/');
    size_t folder = slash ? (size_t)(slash - target) + 1 : 0;
    char *name = malloc(folder + sizeof prefix + LETTERS);
    if (!name)
        return NULL;
    memcpy(name, target, folder);
    strcpy(name + folder, prefix);
    return name;
}

static bool draw_letters(char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
    uint8_t bytes[LETTERS];
    char *end = strrchr(name, '.') + 1;
    if (getentropy(bytes, sizeof bytes) != 0)
        return false;
    for (int i = 0; i < LETTERS; i++)
        end[i] = letters[bytes[i] % (sizeof letters - 1)];
    end[LETTERS] = '\0';
    return true;
}

/* Draws names until `make` makes a file with a new name. Returns what `make` returns: below 0, with
 * errno, is a failure. */
static int make_beside(struct new_file *file, int (*make)(struct new_file *file))
{
    int made = -1;
    file->name = name_beside(file->target);
    if (!file->name)
        return -1;
    for (int tries = 0; tries < NAME_TRIES && made < 0; tries++) {
        made = draw_letters(file->name) ? make(file) : -1;
        if (made < 0 && errno != EEXIST)
            break;
    }
    if (made < 0) {
        free(file->name);
        file->name = NULL;
    }
    return made;
}

static int create_named(struct new_file *file)
{
    return open(file->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, file->mode);
}

static int link_named(struct new_file *file)
{
    char path[PROC_PATH];
    proc_path(fileno(file->stream), path);
    return linkat(AT_FDCWD, path, AT_FDCWD, file->name, AT_SYMLINK_FOLLOW);
}

/* Opening -------------------------------------------------------------------------------------- */

/* Opens a file without a name, which nobody has to remove. -1: not supported by the filesystem, or
 * there is no /proc. */
static int open_nameless(const struct new_file *file)
{
    char path[PROC_PATH];
    char *folder = name_beside(file->target);
    if (!folder)
        return -1;
    folder[strlen(folder) - strlen(prefix) + 1] = '\0'; // "FOLDER/."
    int descriptor = file_open_nameless(folder, file->mode);
    free(folder);
    if (descriptor < 0)
        return -1;
    proc_path(descriptor, path);
    if (access(path, F_OK) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

static bool open_stream(struct new_file *file)
{
    int descriptor = open_nameless(file);
    if (descriptor < 0)
        descriptor = make_beside(file, create_named);
    if (descriptor < 0)
        return false;
    // The umask has reduced the mode. That is right for a new file, but a file that replaces
    // another keeps the other's mode.
    bool ok = !file->replaces || fchmod(descriptor, file->mode) == 0;
    file->stream = ok ? fdopen(descriptor, "wb") : NULL;
    if (file->stream)
        return true;
    int problem = errno;
    close(descriptor);
    if (file->name)
        unlink(file->name);
    errno = problem;
    return false;
}

/* If the path is a link, its target is replaced, not the link. NULL, with errno: the link is
 * broken, or memory ran out. */
static char *find_target(const char *path)
{
    struct stat about;
    bool link = lstat(path, &about) == 0 && S_ISLNK(about.st_mode);
    return link ? realpath(path, NULL) : strdup(path);
}

/* Refuses to replace a device, a pipe or a directory. */
static bool check_target(struct new_file *file, struct status *status)
{
    struct stat about;
    file->mode = 0666;
    if (stat(file->path, &about) != 0)
        return true;
    if (!S_ISREG(about.st_mode))
        return status_fail(status, STATUS_IO, "%s: not a regular file, expected a file to replace",
                           QUOTED_PATH(file->path));
    file->replaces = true;
    file->mode = about.st_mode & 0777;
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
    if (!check_target(file, status))
        return false;
    file->target = find_target(path);
    if (file->target && open_stream(file))
        return true;
    fail(path, errno, status);
    new_file_free(file);
    return false;
}

/* Closing -------------------------------------------------------------------------------------- */

/* The system may write a file's bytes later than its name. They are written first, so that after a
 * crash one of the two files is complete. */
static bool replace_target(struct new_file *file)
{
    if (fsync(fileno(file->stream)) != 0)
        return false;
    if (!file->name && make_beside(file, link_named) < 0)
        return false;
    return rename(file->name, file->target) == 0;
}

/* Returns false, with errno. A link is made only if there is no file yet. */
static bool put_in_place(struct new_file *file)
{
    char path[PROC_PATH];
    if (file->replaces || file->name)
        return replace_target(file);
    proc_path(fileno(file->stream), path);
    if (linkat(AT_FDCWD, path, AT_FDCWD, file->target, AT_SYMLINK_FOLLOW) == 0)
        return true;
    return errno == EEXIST && replace_target(file); // created meanwhile
}

bool new_file_flush(struct new_file *file, bool good, struct status *status)
{
    bool written = !ferror(file->stream) && (!good || fflush(file->stream) == 0);
    return written ? good : fail(file->path, errno, status);
}

bool new_file_close(struct new_file *file, bool good, struct status *status)
{
    // An earlier error has most likely left its reason in errno.
    bool written = !ferror(file->stream);
    int problem = errno;
    if (written && (fflush(file->stream) != 0 || (good && !put_in_place(file)))) {
        problem = errno;
        written = false;
    }
    if ((!good || !written) && file->name)
        unlink(file->name);
    // The system has every byte, but some filesystems (NFS) report only now that they could not
    // keep them.
    if (fclose(file->stream) != 0 && written) {
        problem = errno;
        written = false;
    }
    if (!written)
        fail(file->path, problem, status);
    new_file_free(file);
    return good && written;
}
