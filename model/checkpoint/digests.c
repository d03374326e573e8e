#include "model/checkpoint/digests.h"

#include <dirent.h>
#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/minmax.h"
#include "model/text/quote.h"

static const char hashing[] = "hashing";

/* The progress of hashing all files. */
struct hashing {
    const struct checkpoint *checkpoint;
    double done, all; // bytes
};

/* Fails if the file has been written to meanwhile: the hash would be of contents that it never
 * had. */
static bool hash_bytes(struct hashing *at, const struct mapped_file *file,
                       struct sha256_ctx *context, struct status *status)
{
    enum { CHUNK = 1 << 20 };
    for (size_t done = 0; done < file->bytes; done += CHUNK) {
        if (!watch_proceed(at->checkpoint->watch, hashing, at->done, at->all, status) ||
            !mapped_file_unchanged(file, status))
            return false;
        size_t bytes = size_min(file->bytes - done, CHUNK);
        sha256_update(context, bytes, file->data + done);
        mapped_file_release(file, file->data + done, bytes);
        at->done += (double)bytes;
    }
    return mapped_file_unchanged(file, status);
}

static void finish_hash(struct sha256_ctx *context, char hex[DIGEST_DIGITS + 1])
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_digest(context, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}

bool file_digest(const char *path, char digest[DIGEST_DIGITS + 1], struct status *status)
{
    uint8_t buffer[1 << 14];
    size_t bytes;
    struct sha256_ctx context;
    FILE *file = fopen(path, "rb");
    sha256_init(&context);
    while (file && (bytes = fread(buffer, 1, sizeof buffer, file)) > 0)
        sha256_update(&context, bytes, buffer);
    const bool ok = file && !ferror(file);
    if (file)
        fclose(file);
    finish_hash(&context, digest);
    return ok || status_fail(status, STATUS_IO, "%s: cannot be read", QUOTED_PATH(path));
}

static bool hash_file(struct hashing *at, const struct mapped_file *file,
                      char hex[DIGEST_DIGITS + 1], struct status *status)
{
    struct sha256_ctx context;
    sha256_init(&context);
    bool ok = hash_bytes(at, file, &context, status);
    if (ok)
        finish_hash(&context, hex);
    return ok;
}

const char *digests_name(const struct checkpoint *checkpoint, int file)
{
    const char *path = checkpoint->contents->files[file]->path, *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void hash_line(struct sha256_ctx *context, const char *hash, const char *name)
{
    sha256_update(context, DIGEST_DIGITS, (const uint8_t *)hash);
    sha256_update(context, 2, (const uint8_t *)"  ");
    sha256_update(context, strlen(name), (const uint8_t *)name);
    sha256_update(context, 1, (const uint8_t *)"\n");
}

static void hash_lines(const struct checkpoint *checkpoint, struct digests *digests)
{
    static const char *const sides[] = {"--source-tokenizer", "--target-tokenizer"};
    const struct contents *contents = checkpoint->contents;
    struct sha256_ctx context;
    sha256_init(&context);
    for (int i = 0; i < contents->file_count; i++)
        hash_line(&context, digests->files[i], digests_name(checkpoint, i));
    for (int side = 0; side < 2; side++)
        for (int i = 0; contents->given[side] && i < contents->file_count; i++)
            if (contents->files[i] == contents->given[side])
                hash_line(&context, digests->files[i], sides[side]);
    finish_hash(&context, digests->whole);
}

static bool hash_files(struct hashing *at, struct digests *digests, struct status *status)
{
    const struct contents *contents = at->checkpoint->contents;
    for (int i = 0; i < contents->file_count; i++)
        if (!hash_file(at, contents->files[i], digests->files[i], status))
            return false;
    if (contents->file_count == 1 && !contents->given[0] && !contents->given[1])
        memcpy(digests->whole, digests->files[0], sizeof digests->whole);
    else
        hash_lines(at->checkpoint, digests);
    return true;
}

/* Folders ------------------------------------------------------------------------------------- */

enum { DEEPEST = 8 };

static int is_seen(const struct dirent *entry)
{
    return *entry->d_name != '.';
}

static bool digest_below(const char *path, int depth, char digest[DIGEST_DIGITS + 1],
                         struct status *status);

/* Hashes a file or a folder. */
static bool hash_entry(struct sha256_ctx *context, const char *folder, const char *name, int depth,
                       struct status *status)
{
    char *path, digest[DIGEST_DIGITS + 1];
    struct stat about;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return status_no_memory(status);
    const bool there = stat(path, &about) == 0, inner = there && S_ISDIR(about.st_mode);
    const bool counts = there && (inner || S_ISREG(about.st_mode));
    const bool ok = !counts || (inner ? digest_below(path, depth + 1, digest, status)
                                      : file_digest(path, digest, status));
    if (ok && counts)
        hash_line(context, digest, name);
    free(path);
    return ok;
}

static bool digest_below(const char *path, int depth, char digest[DIGEST_DIGITS + 1],
                         struct status *status)
{
    struct sha256_ctx context;
    struct dirent **entries = NULL;
    if (depth > DEEPEST)
        return status_fail(status, STATUS_INVALID, "%s: too many folders in one another",
                           QUOTED_PATH(path));
    const int count = scandir(path, &entries, is_seen, alphasort);
    bool ok =
        count >= 0 || status_fail(status, STATUS_IO, "%s: %s", QUOTED_PATH(path), strerror(errno));
    sha256_init(&context);
    for (int i = 0; i < count; i++) {
        ok = ok && hash_entry(&context, path, entries[i]->d_name, depth, status);
        free(entries[i]);
    }
    free(entries);
    finish_hash(&context, digest);
    return ok;
}

bool folder_digest(const char *path, char digest[DIGEST_DIGITS + 1], struct status *status)
{
    return digest_below(path, 0, digest, status);
}

bool digests_read(const struct checkpoint *checkpoint, struct digests *digests,
                  struct status *status)
{
    const struct contents *contents = checkpoint->contents;
    struct hashing at = {.checkpoint = checkpoint};
    struct status other;
    *digests = (struct digests){0};
    digests->files = memory_new((size_t)contents->file_count, sizeof *digests->files, status);
    if (!digests->files)
        return false;
    for (int i = 0; i < contents->file_count; i++)
        at.all += (double)contents->files[i]->bytes;
    bool ok = hash_files(&at, digests, status);
    ok = watch_proceed(checkpoint->watch, hashing, at.all, at.all, ok ? status : &other) && ok;
    if (!ok)
        digests_free(digests);
    return ok;
}

void digests_free(struct digests *digests)
{
    free(digests->files);
    *digests = (struct digests){0};
}
