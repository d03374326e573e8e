/* Files of parts of studies, and the contents of their lines. */
#include <stdlib.h>
#include <string.h>

#include "model/study/heads/head_stats_text.h"
#include "model/study/shards/journal.h"
#include "model/study/shards/record.h"
#include "tests/fuzz/fuzz.h"

/* Statistics of two heads of the encoder as text: what was read must be written the same again. */
static void read_statistics(const char *text)
{
    static const bool wanted[] = {true, true};
    const bool *const all[MODULE_COUNT] = {[MODULE_ENCODER] = wanted};
    struct config config = {.d_model = 4};
    struct head_stats stats, sum;
    struct status status = {0};
    config.stacks[STACK_ENCODER] = (struct stack_config){.layers = 1, .heads = 2};
    config.stacks[STACK_DECODER] = (struct stack_config){.layers = 1, .heads = 2};
    fuzz_check(head_stats_open(&config, all, &stats, &status), "no statistics");
    fuzz_check(head_stats_like(&stats, &sum, &status), "none like them");
    if (!head_stats_read(text, 1, 9, 3, &stats, &status))
        fuzz_refused(&status);
    else
        fuzz_check(head_stats_merge(&sum, &stats, &status), "statistics that do not merge");
    head_stats_free(&stats);
    head_stats_free(&sum);
}

/* A record of rows, a share and a text: what was read must have its shape and be written the same
 * again. */
static void read_record(const char *text)
{
    static struct record_field fields[] = {
        {.rows = 0, .width = 2, .least = -1, .most = 9, .whole = true},
        {.rows = RECORD_ONE, .width = 1, .least = 0, .most = 1}};
    const struct record_shape shape = {
        .dimensions = {{0, 5}}, .dimension_count = 1, .fields = fields, .count = 2, .text = true};
    struct record record = {.count = 0}, again = {.count = 0};
    struct status status = {0};
    if (!record_read(text, &shape, &record, &status)) {
        fuzz_refused(&status);
    } else {
        int rows;
        const double *share = record_numbers(&shape, &record, 1, &rows);
        fuzz_check(rows == 1 && *share >= 0 && *share <= 1, "a share");
        char *value = record_write(&record, &status);
        fuzz_check(value && record_read(value, &shape, &again, &status), "a record");
        fuzz_check(again.count == record.count && strcmp(again.text, record.text) == 0,
                   "the same record");
        free(value);
    }
    record_free(&record);
    record_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    struct journal journal = {0};
    struct journal_file file;
    if (!journal_read(fuzz_write("1-of-2.part", data, size), NULL, &journal, &file, &status))
        fuzz_refused(&status);
    else
        fuzz_check(file.bytes <= (int64_t)size && journal.count <= file.results, "lines");
    journal_file_free(&file);
    journal_free(&journal);
    char *text = fuzz_text(data, size);
    if (text) {
        read_statistics(text);
        read_record(text);
    }
    free(text);
    return 0;
}
