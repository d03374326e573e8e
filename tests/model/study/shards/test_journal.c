/* Files of results: what a line is, and that nothing else is taken for one. */
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "model/study/shards/shards_fields.h"
#include "tests/support/test.h"

#define HEADING "attnscope 0.1.0 part 1/2 cpu"
/* As sha256sum has their beginnings. */
#define HEADING_LINE "00000000000000000000000000000000 " HEADING " 88870cf485fcc5b1\n"
#define RESULT_LINE "0123456789abcdef0123456789abcdef a\\nb\\\\c 8112fb066aa23249\n"
#define EMPTY_LINE "0123456789abcdef0123456789abcdef  e02edb34317344ab\n"

static const struct journal_key key = {{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23,
                                        0x45, 0x67, 0x89, 0xab, 0xcd, 0xef}};
static const char value[] = "a\nb\\c";

/* A file of this test's own, and its path. */
static char path[] = "/tmp/journal.XXXXXX";

static void write_file(const char *text, size_t bytes)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

static char *read_file(void)
{
    static char text[4096];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static int make_path(void **state)
{
    int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
    return unlink(path);
}

static bool read_journal(struct journal *journal, struct journal_file *file, struct status *status)
{
    *journal = (struct journal){0};
    return journal_read(path, NULL, journal, file, status);
}

/* ---------------------------------------------------------------------------------------------- */

static void lines_are_keys_values_and_checksums(void **state)
{
    struct status status;
    size_t bytes;
    char *heading = journal_line(NULL, HEADING, &bytes, &status);
    assert_string_equal(heading, HEADING_LINE);
    assert_int_equal(bytes, strlen(HEADING_LINE));
    char *result = journal_line(&key, value, &bytes, &status);
    assert_string_equal(result, RESULT_LINE);
    free(heading);
    free(result);
}

static void what_was_written_is_read(void **state)
{
    struct journal journal;
    struct journal_file file;
    struct status status;
    write_file(HEADING_LINE RESULT_LINE, strlen(HEADING_LINE RESULT_LINE));
    assert_true(read_journal(&journal, &file, &status));
    assert_string_equal(file.heading, HEADING);
    assert_int_equal(file.results, 1);
    assert_int_equal(file.damaged, 0);
    assert_string_equal(journal_find(&journal, &key), value);
    journal_file_free(&file);
    journal_free(&journal);
}

static void a_value_may_be_empty(void **state)
{
    struct journal journal;
    struct journal_file file;
    struct status status;
    size_t bytes;
    char *line = journal_line(&key, "", &bytes, &status);
    assert_string_equal(line, EMPTY_LINE);
    free(line);
    write_file(HEADING_LINE EMPTY_LINE, strlen(HEADING_LINE EMPTY_LINE));
    assert_true(read_journal(&journal, &file, &status));
    assert_int_equal(file.results, 1);
    assert_int_equal(file.damaged, 0);
    assert_string_equal(journal_find(&journal, &key), "");
    journal_file_free(&file);
    journal_free(&journal);
}

/* A value that was computed again follows the damaged one. */
static void of_equal_keys_the_last_value_counts(void **state)
{
    struct journal journal;
    struct journal_file file;
    struct status status;
    write_file(HEADING_LINE EMPTY_LINE RESULT_LINE, strlen(HEADING_LINE EMPTY_LINE RESULT_LINE));
    assert_true(read_journal(&journal, &file, &status));
    assert_int_equal(file.results, 2);
    assert_int_equal(journal.count, 1);
    assert_string_equal(journal_find(&journal, &key), value);
    journal_file_free(&file);
    journal_free(&journal);
}

/* Each byte of the result's line in turn, but for its line break, which joins it with what
 * follows. */
static void a_line_with_one_other_byte_is_damaged(void **state)
{
    char text[] = HEADING_LINE RESULT_LINE HEADING_LINE;
    const size_t begin = strlen(HEADING_LINE), end = begin + strlen(RESULT_LINE);
    for (size_t i = begin; i < end; i++) {
        struct journal journal;
        struct journal_file file;
        struct status status;
        const char byte = text[i];
        text[i] = (char)(byte ^ 1);
        write_file(text, strlen(text));
        assert_true(read_journal(&journal, &file, &status));
        assert_int_equal(file.results, 0);
        assert_int_equal(file.damaged, i + 1 == end ? 1 : 2); // with the second heading
        assert_int_equal(file.damaged_line, 2);
        assert_null(journal_find(&journal, &key));
        journal_file_free(&file);
        journal_free(&journal);
        text[i] = byte;
    }
}

static void the_damaged_line_of_a_shard_is_told(void **state)
{
    struct journal journal = {0};
    struct shard_file file;
    struct status status;
    char text[] = HEADING_LINE RESULT_LINE RESULT_LINE;
    int damaged = 0, line = 0;
    text[strlen(HEADING_LINE RESULT_LINE)] ^= 1;
    write_file(text, strlen(text));
    assert_true(
        shard_file_open(strdup(path), HEADING, NULL, &journal, &file, &damaged, &line, &status));
    assert_int_equal(damaged, 1);
    assert_int_equal(line, 3);
    assert_non_null(journal_find(&journal, &key));
    shard_file_close(&file);
    journal_free(&journal);
}

/* As a process that is killed while it writes leaves it. */
static void a_file_that_is_cut_off_goes_on(void **state)
{
    static const char whole[] = HEADING_LINE RESULT_LINE;
    for (size_t bytes = 0; bytes <= strlen(whole); bytes++) {
        struct journal journal = {0};
        struct shard_file file;
        struct status status;
        int damaged = 0, line = 0;
        write_file(whole, bytes);
        assert_true(shard_file_open(strdup(path), HEADING, NULL, &journal, &file, &damaged, &line,
                                    &status));
        assert_int_equal(damaged, 0);
        bool known = bytes == strlen(whole);
        assert_int_equal(journal_find(&journal, &key) != NULL, known);
        if (!known)
            assert_true(shard_file_add(&file, &key, value, &status));
        shard_file_close(&file);
        assert_string_equal(read_file(), whole);
        journal_free(&journal);
    }
}

static void one_process_at_a_time_has_a_file(void **state)
{
    struct journal journal = {0};
    struct shard_file file, other;
    struct status status;
    int damaged = 0, line = 0;
    write_file("", 0);
    assert_true(
        shard_file_open(strdup(path), HEADING, NULL, &journal, &file, &damaged, &line, &status));
    assert_false(
        shard_file_open(strdup(path), HEADING, NULL, &journal, &other, &damaged, &line, &status));
    assert_non_null(strstr(status.message, ": another process works on this part"));
    shard_file_close(&file);
    assert_false(shard_file_open(strdup(path), "attnscope 0.1.0 part 2/2 cpu", NULL, &journal,
                                 &file, &damaged, &line, &status));
    assert_non_null(strstr(status.message, "expected \"attnscope 0.1.0 part 2/2 cpu\""));
    assert_string_equal(read_file(), HEADING_LINE);
    journal_free(&journal);
}

static void other_files_are_refused(void **state)
{
    static const char *const texts[] = {"\n", "Two dogs are running.\n", RESULT_LINE};
    struct journal journal;
    struct journal_file file;
    struct status status;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file(texts[i], strlen(texts[i]));
        assert_false(read_journal(&journal, &file, &status));
        assert_int_equal(status.code, STATUS_INVALID);
        assert_non_null(strstr(status.message, ": not a part of a study"));
        journal_free(&journal);
    }
    assert_false(journal_read("/dev/zero", NULL, &journal, &file, &status));
    assert_non_null(strstr(status.message, "not a regular file"));
}

static bool opens(const char *name, struct status *status)
{
    struct journal journal = {0};
    struct shard_file file;
    int damaged = 0, line = 0;
    const bool ok =
        shard_file_open(strdup(name), HEADING, NULL, &journal, &file, &damaged, &line, status);
    if (ok)
        shard_file_close(&file);
    journal_free(&journal);
    return ok;
}

/* Whatever stands in the place of a shard's file, with a line break or without one. */
static void a_file_of_others_stays_as_it_is(void **state)
{
    static const char *const texts[] = {"precious, one line", "0",
                                        "00000000000000000000000000000001",
                                        "00000000000000000000000000000000 precious", "a\nb"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct status status;
        write_file(texts[i], strlen(texts[i]));
        if (strcmp(texts[i], "0") == 0) { // as a heading begins that was cut off
            assert_true(opens(path, &status));
            continue;
        }
        assert_false(opens(path, &status));
        assert_non_null(strstr(status.message, ": not a part of a study"));
        assert_string_equal(read_file(), texts[i]);
    }
}

static void a_link_is_not_followed(void **state)
{
    char link[sizeof path + 8], none[sizeof path + 8];
    struct status status;
    snprintf(link, sizeof link, "%s.link", path);
    snprintf(none, sizeof none, "%s.none", path);
    write_file("", 0);
    assert_int_equal(symlink(path, link), 0);
    assert_false(opens(link, &status));
    assert_non_null(strstr(status.message, ": a symbolic link, expected a file"));
    assert_string_equal(read_file(), "");
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink(none, link), 0); // to no file
    assert_false(opens(link, &status));
    assert_int_not_equal(access(none, F_OK), 0);
    assert_int_equal(unlink(link), 0);
}

/* As on a full disk: the part of a line that has been written is taken away again. */
static void a_line_that_cannot_be_written_leaves_nothing(void **state)
{
    static const char whole[] = HEADING_LINE;
    struct rlimit old, little;
    struct journal journal = {0};
    struct shard_file file;
    struct status status;
    int damaged = 0, line = 0;
    write_file(whole, strlen(whole));
    assert_true(
        shard_file_open(strdup(path), HEADING, NULL, &journal, &file, &damaged, &line, &status));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    little = old;
    little.rlim_cur = strlen(whole) + 10;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    const bool added = shard_file_add(&file, &key, value, &status);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_false(added);
    assert_int_equal(status.code, STATUS_IO);
    assert_string_equal(read_file(), whole);
    assert_true(shard_file_add(&file, &key, value, &status)); // there is room again
    assert_string_equal(read_file(), HEADING_LINE RESULT_LINE);
    shard_file_close(&file);
    journal_free(&journal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_keys_values_and_checksums),
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(a_value_may_be_empty),
        cmocka_unit_test(of_equal_keys_the_last_value_counts),
        cmocka_unit_test(a_line_with_one_other_byte_is_damaged),
        cmocka_unit_test(the_damaged_line_of_a_shard_is_told),
        cmocka_unit_test(a_file_that_is_cut_off_goes_on),
        cmocka_unit_test(one_process_at_a_time_has_a_file),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(a_file_of_others_stays_as_it_is),
        cmocka_unit_test(a_link_is_not_followed),
        cmocka_unit_test(a_line_that_cannot_be_written_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
