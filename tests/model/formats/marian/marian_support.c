#include "tests/model/formats/marian/marian_support.h"
#include "tests/support/test.h"

#include <dirent.h>
#include <unistd.h>

const char golden[] = "tests/golden/formats";
char marian_folder[64];

void path_in_folder(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", marian_folder, name);
}

void write_file(const char *name, const void *bytes, size_t count)
{
    char path[512];
    path_in_folder(path, sizeof path, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

unsigned char *read_file(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *count = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*count + 1);
    assert_int_equal(fread(bytes, 1, *count, file), *count);
    fclose(file);
    return bytes;
}

/* Copies a file of a golden model to a name in the folder. */
void copy_golden(const char *model, const char *from, const char *to)
{
    char path[512];
    size_t count;
    snprintf(path, sizeof path, "%s/%s/%s", golden, model, from);
    unsigned char *bytes = read_file(path, &count);
    write_file(to, bytes, count);
    free(bytes);
}

void remove_file(const char *name)
{
    char path[512];
    path_in_folder(path, sizeof path, name);
    unlink(path);
}

int make_folder(void **state)
{
    snprintf(marian_folder, sizeof marian_folder, "/tmp/attnscope-marian-XXXXXX");
    return mkdtemp(marian_folder) ? 0 : -1;
}

int remove_folder(void **state)
{
    DIR *listing = opendir(marian_folder);
    for (struct dirent *entry; listing && (entry = readdir(listing));)
        if (entry->d_name[0] != '.')
            remove_file(entry->d_name);
    if (listing)
        closedir(listing);
    return rmdir(marian_folder);
}

void assert_opens(const char *path)
{
    struct status status;
    struct checkpoint *checkpoint = checkpoint_open(path, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    assert_string_equal(checkpoint->contents->family, "Marian");
    checkpoint_close(checkpoint);
}

void assert_refused(const char *path, const char *expected)
{
    struct status status = {0};
    struct checkpoint *checkpoint = checkpoint_open(path, &status);
    assert_null(checkpoint);
    if (!strstr(status.message, expected))
        fail_msg("%s\nexpected: %s", status.message, expected);
}

void write_text(const char *name, const char *text)
{
    write_file(name, text, strlen(text));
}

struct checkpoint *open_folder(void)
{
    struct status status;
    struct checkpoint *checkpoint = checkpoint_open(marian_folder, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    return checkpoint;
}

unsigned char *take_student(size_t *count)
{
    copy_golden("marian-student", "srcvocab.ende.spm", "srcvocab.ende.spm");
    copy_golden("marian-student", "trgvocab.ende.spm", "trgvocab.ende.spm");
    return read_file("tests/golden/formats/marian-student/model.ende.intgemm.alphas.bin", count);
}
