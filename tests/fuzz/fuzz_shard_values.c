/* Values in a shard's file: a byte that selects the study, then one value a line. The values get
 * the keys that the study looks for. Whatever they are, the study must give an answer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/shards/journal.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_session.h"
#include "tests/support/shard_studies.h"

enum { KEYS_MOST = 8 };

/* The keys of a study's results, in the order in which it writes them, and the heading of its
 * file. */
static struct known {
    int count;
    struct journal_key keys[KEYS_MOST];
    char heading[400];
} all_known[SHARD_STUDIES];

static void write_files(void)
{
    for (int i = 0; i < SHARD_FILES; i++)
        fuzz_session_write(shard_files[i].name, shard_files[i].text, strlen(shard_files[i].text));
}

static void run_study(struct session *session, int study)
{
    char *line = strdup(shard_studies[study].line);
    fuzz_check(line != NULL, "out of memory");
    fuzz_session_run(session, line);
    free(line);
}

static void read_keys(FILE *file, struct known *known)
{
    char *line = NULL;
    size_t room = 0;
    for (int at = -1; getline(&line, &room, file) > 0 && at < KEYS_MOST; at++) {
        const size_t length = strlen(line), key = 2 * (size_t)JOURNAL_KEY_BYTES;
        fuzz_check(length > key + 18, "a line of a shard");
        line[length - 18] = '\0'; // cuts off the checksum
        if (at < 0) {
            snprintf(known->heading, sizeof known->heading, "%s", line + key + 1);
            continue;
        }
        for (int i = 0; i < JOURNAL_KEY_BYTES; i++)
            fuzz_check(sscanf(line + 2 * (size_t)i, "%2hhx", &known->keys[at].bytes[i]) == 1,
                       "a key");
        known->count = at + 1;
    }
    free(line);
}

/* Runs the study once as a shard, to learn its keys. */
static void find_keys(int study, struct known *known)
{
    struct status status = {0};
    struct session *session = fuzz_session_open(shard_studies[study].model);
    fuzz_session_enter();
    write_files();
    fuzz_check(session_take_shard(session, "shards", 1, 1, &status), status.message);
    run_study(session, study);
    FILE *file = fopen("shards/1-of-1.part", "r");
    fuzz_check(file != NULL, "no shard");
    read_keys(file, known);
    fclose(file);
    fuzz_check(known->count > 0, shard_studies[study].line);
    fuzz_session_leave();
    fuzz_session_reset(session);
}

static void write_line(FILE *out, const struct journal_key *key, const char *value)
{
    struct status status = {0};
    size_t bytes;
    char *line = journal_line(key, value, &bytes, &status);
    fuzz_check(line != NULL, status.message);
    fwrite(line, 1, bytes, out);
    free(line);
}

static void write_shard(const struct known *known, char *values)
{
    FILE *out = fopen("values.part", "w");
    fuzz_check(out != NULL, "no file");
    write_line(out, NULL, known->heading);
    for (int i = 0; i < known->count && values; i++)
        write_line(out, &known->keys[i], strsep(&values, "\n"));
    fuzz_check(fclose(out) == 0, "a shard that cannot be written");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"values.part"};
    char *values = size ? fuzz_text(data + 1, size - 1) : NULL;
    if (!values)
        return 0;
    const int study = data[0] % SHARD_STUDIES;
    struct known *known = &all_known[study];
    struct status status = {0};
    if (!known->count)
        find_keys(study, known);
    struct session *session = fuzz_session_open(shard_studies[study].model);
    fuzz_session_enter();
    write_files();
    write_shard(known, values);
    fuzz_check(session_merge(session, paths, 1, &status), status.message);
    run_study(session, study);
    fuzz_session_leave();
    fuzz_session_reset(session);
    free(values);
    return 0;
}
