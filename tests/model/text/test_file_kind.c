/* Files that are something else, as their programs write them, and files that only look so. */
#include <unistd.h>

#include "model/text/file_kind.h"
#include "model/text/lines.h"
#include "tests/support/test.h"

struct file {
    const char *data;
    size_t bytes;
    const char *text, *model; // what is expected in messages; NULL: it passes
};

#define FILE_OF(data, text, model)                                                                 \
    {                                                                                              \
        data, sizeof(data) - 1, text, model                                                        \
    }

static void check(const struct file *file, enum file_use use, const char *expected)
{
    struct status status = {0};
    bool passes = file_kind_check(file->data, file->bytes, use, &status);
    if (passes != !expected || (expected && !strstr(status.message, expected)))
        fail_msg("%.20s: %s, expected %s", file->data, passes ? "passes" : status.message,
                 expected ? expected : "that it passes");
}

/* gzip, xz, bzip2, zstd, pickle.dumps({'a': 1}, 2), and "a b\n" in other encodings by Python's
 * codecs. */
static void what_a_file_is_follows_from_its_first_bytes(void **state)
{
    static const char lfs[] =
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n";
    static const char gzip[] = "\037\213\010\000\000\000\000\000\002\377KTH\342\002\000";
    static const char xz[] = "\3757zXZ\000\000\004\346\326\264F\002\000!\001\026\000\000\000";
    static const char bzip2[] = "BZh91AY&SY\370\341\233\270\000\000\001";
    static const char zstd[] = "(\265/\375\004X!\000\000a b\n";
    const struct file files[] = {
        FILE_OF(lfs, "a pointer of Git LFS", "expected the file (git lfs pull)"),
        FILE_OF("/annex/objects/SHA256E-s3--4d7a.txt\n", "git-annex", "git annex get"),
        FILE_OF("\n<!DOCTYPE HTML>\n<html>", "a page of HTML", "download it again"),
        FILE_OF("\xEF\xBB\xBF<html lang=\"en\">", "a page of HTML", "a page of HTML"),
        FILE_OF("{\"error\":\"Repository not found\"}", "error message", "of a server"),
        FILE_OF(" { \"detail\" : \"Unauthorized\"", "error message", "of a server"),
        FILE_OF("Entry not found\n", "error message", "of a server"),
        FILE_OF(gzip, "compressed with gzip, expected it unpacked (gunzip)", "gzip"),
        FILE_OF(xz, "compressed with xz", "xz"),
        FILE_OF(bzip2, "compressed with bzip2", "bzip2"),
        FILE_OF(zstd, "compressed with Zstandard", "Zstandard"),
        FILE_OF("7z\274\257\047\034\000\004", "7-Zip", "7-Zip"),
        FILE_OF("%PDF-1.7\n", "a PDF document", "a PDF document"),
        FILE_OF("\211PNG\r\n\032\n", "a PNG picture", "attnscope --replay makes"),
        FILE_OF("PK\003\004\024\000", "a zip archive", NULL),
        FILE_OF("\200\002}q\000X\001\000\000\000aq\001K\001s.", "a pickle of Python", NULL),
        FILE_OF("\377\376a\000 \000b\000\n\000", "text in UTF-16, expected UTF-8 (iconv", "UTF-16"),
        FILE_OF("\376\377\000a\000 \000b\000\n", "text in UTF-16", "text in UTF-16"),
        FILE_OF("\377\376\055\116\207\145", "text in UTF-16", "text in UTF-16"),
        FILE_OF("a\000 \000b\000\n\000", "text in UTF-16, expected UTF-8 (iconv -f UTF-16LE", NULL),
        FILE_OF("\000a\000 \000b\000\n", "text in UTF-16", NULL),
        FILE_OF("\377\376\000\000a\000\000\000", "text in UTF-32", "text in UTF-32"),
        FILE_OF("\000\000\376\377\000\000\000a", "text in UTF-32", "text in UTF-32"),
        FILE_OF("a\000\000\000\n\000\000\000", "text in UTF-32", NULL),
        FILE_OF("\000\000\000a\000\000\000\n", "text in UTF-32", NULL),
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        check(&files[i], FILE_OF_TEXT, files[i].text);
        check(&files[i], FILE_OF_MODEL, files[i].model);
    }
}

/* A safetensors file begins with the length of its header, whose bytes may look like any
 * signature. */
static void files_that_only_look_so_pass(void **state)
{
    const struct file files[] = {
        FILE_OF("", NULL, NULL),
        FILE_OF("a", NULL, NULL),
        FILE_OF("version 2\n", NULL, NULL),
        FILE_OF("<htm", NULL, NULL),
        FILE_OF("{\"error\": 0, \"message\": 1}", NULL, NULL),
        FILE_OF("{\"model_type\": \"marian\"}", NULL, NULL),
        FILE_OF("Entry not found in the list\n", NULL, NULL),
        FILE_OF("\xEF\xBB\xBF"
                "a b\n",
                NULL, NULL),
        FILE_OF("\xE4\xB8\xAD\xE6\x96\x87\n", NULL, NULL),
        FILE_OF("a\0b", NULL, NULL),
        FILE_OF("BZh9 is a word\n", NULL, NULL),
        FILE_OF("\377\376", NULL, NULL),
    };
    static const char *const headers[] = {
        "\037\213\010\000\000\000\000\000{\"a\"", "\377\376\001\000\000\000\000\000{\"a\"",
        "\377\376A\000\000\000\000\000{\"a\"", "\377\376\000\000\000\000\000\000{\"a\"",
        "%PDF-\000\000\000{\"a\""};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        check(&files[i], FILE_OF_TEXT, NULL);
        check(&files[i], FILE_OF_MODEL, NULL);
    }
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        check(&(struct file){headers[i], 12, NULL, NULL}, FILE_OF_MODEL, NULL);
}

/* The name of a tar archive's first member comes before its signature. The fields are those that
 * Python's tarfile writes for an empty file. */
static void a_tar_archive_is_known_by_its_signature_and_sum(void **state)
{
    static const struct {
        int at;
        const char *text;
    } fields[] = {{0, "model.npz"}, {100, "0000644"},     {108, "0000000"},
                  {116, "0000000"}, {124, "00000000000"}, {136, "00000000000"},
                  {148, "007564"},  {155, " 0"},          {257, "ustar"}};
    char tar[FILE_KIND_HEAD] = "", text[FILE_KIND_HEAD];
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        memcpy(tar + fields[i].at, fields[i].text, strlen(fields[i].text));
    memcpy(tar + 263, "00", 2);
    check(&(struct file){tar, sizeof tar, NULL, NULL}, FILE_OF_MODEL, "a tar archive");
    check(&(struct file){tar, sizeof tar, NULL, NULL}, FILE_OF_TEXT, "a tar archive");
    check(&(struct file){tar, 261, NULL, NULL}, FILE_OF_MODEL, NULL);
    tar[124]++;
    check(&(struct file){tar, sizeof tar, NULL, NULL}, FILE_OF_MODEL, NULL);
    memset(text, 'a', sizeof text);
    memcpy(text + 257, "ustar", 5);
    check(&(struct file){text, sizeof text, NULL, NULL}, FILE_OF_TEXT, NULL);
}

static void lines_are_not_read_from_other_files(void **state)
{
    char path[] = "/tmp/attnscope-kind-XXXXXX";
    static const char wide[] = "\377\376a\000\n";
    struct lines lines;
    struct status status = {0};
    int file = mkstemp(path);
    assert_int_equal(write(file, wide, sizeof wide), sizeof wide);
    close(file);
    assert_false(lines_read(path, NULL, &lines, &status));
    assert_memory_equal(status.message, path, strlen(path));
    assert_string_equal(status.message + strlen(path),
                        ": text in UTF-16, expected UTF-8 (iconv -f UTF-16 -t UTF-8)");
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_file_is_follows_from_its_first_bytes),
        cmocka_unit_test(files_that_only_look_so_pass),
        cmocka_unit_test(a_tar_archive_is_known_by_its_signature_and_sum),
        cmocka_unit_test(lines_are_not_read_from_other_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
