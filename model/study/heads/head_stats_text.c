#include "model/study/heads/head_stats_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/heads/head_sums.h"

enum { SPAN_MOST = 1 << 17 };
/* The greatest number of rows: sums of so few do not overflow. */
static const int64_t COUNT_MOST = INT64_C(1) << 40;

/* Writing -------------------------------------------------------------------------------------- */

static void write_int(FILE *out, int64_t number)
{
    fprintf(out, " %" PRId64, number);
}

static void write_sum(FILE *out, struct exact_sum sum)
{
    fprintf(out, " %" PRId64 " %" PRIu64, sum.whole, sum.rest);
}

/* Writes the span, how many offsets are not 0, then the place and number of each. */
static void write_offsets(FILE *out, const int64_t *offsets, int span)
{
    int count = 0;
    for (int o = 0; offsets && o <= 2 * span; o++)
        count += offsets[o] != 0;
    write_int(out, span);
    write_int(out, count);
    for (int o = 0; offsets && o <= 2 * span; o++)
        if (offsets[o]) {
            write_int(out, o);
            write_int(out, offsets[o]);
        }
}

static void write_examples(FILE *out, const struct head_examples *examples)
{
    const struct head_example *lists[] = {examples->most, examples->least};
    write_int(out, examples->count);
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < examples->count; i++)
            fprintf(out, " %d %a", lists[l][i].sentence, lists[l][i].mean);
}

static void write_module(FILE *out, const struct module_stats *module)
{
    write_int(out, module->rows);
    for (int k = 0; k < module->count; k++) {
        const struct head_sums *head = &module->sums[k];
        write_int(out, head->rows);
        for (int s = 0; s < SUM_COUNT; s++)
            write_sum(out, head->sums[s]);
        write_offsets(out, head->offsets, head->span);
        for (int m = 0; m < MEASURE_COUNT; m++)
            write_examples(out, &head->examples[m]);
    }
    for (int a = 0; a < module->count; a++)
        for (int b = a + 1; b < module->count; b++) {
            write_sum(out, module->distances[a * module->count + b]);
            write_int(out, module->shared[a * module->count + b]);
        }
}

static void write_relations(FILE *out, const struct head_relations *relations, int heads)
{
    int count = 0;
    for (int i = 0; i < relations->count; i++)
        count += relations->sums[i].rows > 0;
    write_int(out, count);
    for (int i = 0; i < relations->count; i++) {
        const struct relation_sums *sums = &relations->sums[i];
        if (!sums->rows)
            continue;
        write_int(out, i);
        write_int(out, sums->rows);
        write_offsets(out, sums->offsets, sums->span);
        for (int k = 0; k < heads; k++) {
            write_int(out, sums->head_rows[k]);
            write_int(out, sums->hits[k]);
        }
    }
}

void head_stats_write(const struct head_stats *stats, FILE *out)
{
    fprintf(out, "%d", stats->sentences);
    for (int m = 0; m < MODULE_COUNT; m++)
        write_module(out, &stats->modules[m]);
    write_relations(out, &stats->relations, stats->modules[MODULE_ENCODER].count);
}

/* Reading -------------------------------------------------------------------------------------- */

/* The rest of the text. After an unexpected number, all others are 0. */
struct reader {
    const char *at;
    int first, count; // sentences that examples may come from
    bool bad;
};

static int64_t read_int(struct reader *reader, int64_t least, int64_t most)
{
    char *end;
    errno = 0;
    int64_t number = strtoll(reader->at, &end, 10);
    reader->bad |= end == reader->at || errno || number < least || number > most;
    reader->at = end;
    return reader->bad ? 0 : number;
}

/* Reads a sum of terms of at most a distance each; the part cut off may bring one below 0. */
static struct exact_sum read_sum(struct reader *reader, int64_t terms)
{
    char *end;
    struct exact_sum sum = {read_int(reader, -1, terms * SPAN_MOST), 0};
    errno = 0;
    sum.rest = strtoull(reader->at, &end, 10);
    reader->bad |=
        end == reader->at || errno || memchr(reader->at, '-', (size_t)(end - reader->at));
    reader->at = end;
    return sum;
}

/* offsets must have room for `span`. */
static void read_offsets(struct reader *reader, int64_t *offsets, int span)
{
    int count = (int)read_int(reader, 0, 2 * span + 1);
    for (int i = 0; i < count && !reader->bad; i++) {
        int at = (int)read_int(reader, 0, 2 * span);
        offsets[at] = read_int(reader, 1, COUNT_MOST);
    }
}

static void read_examples(struct reader *reader, struct head_examples *examples)
{
    struct head_example *lists[] = {examples->most, examples->least};
    examples->count = (int)read_int(reader, 0, EXAMPLES_MOST);
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < examples->count && !reader->bad; i++) {
            char *end;
            lists[l][i].sentence =
                (int)read_int(reader, reader->first, (int64_t)reader->first + reader->count - 1);
            lists[l][i].mean = strtof(reader->at, &end);
            reader->bad |= end == reader->at || !isfinite(lists[l][i].mean);
            reader->at = end;
        }
}

static bool read_head(struct reader *reader, struct head_sums *head, struct status *status)
{
    head->rows = read_int(reader, 0, COUNT_MOST);
    for (int s = 0; s < SUM_COUNT; s++)
        head->sums[s] = read_sum(reader, head->rows);
    int span = (int)read_int(reader, 0, SPAN_MOST);
    if (!head_sums_widen(head, span, status))
        return false;
    read_offsets(reader, head->offsets, span);
    for (int m = 0; m < MEASURE_COUNT; m++)
        read_examples(reader, &head->examples[m]);
    return true;
}

static bool read_module(struct reader *reader, struct module_stats *module, struct status *status)
{
    module->rows = read_int(reader, 0, COUNT_MOST);
    for (int k = 0; k < module->count && !reader->bad; k++)
        if (!read_head(reader, &module->sums[k], status))
            return false;
    for (int a = 0; a < module->count; a++)
        for (int b = a + 1; b < module->count && !reader->bad; b++) {
            module->distances[a * module->count + b] = read_sum(reader, module->rows);
            module->shared[a * module->count + b] = read_int(reader, 0, COUNT_MOST);
        }
    return true;
}

static bool read_relation(struct reader *reader, struct head_relations *relations, int most,
                          int heads, struct status *status)
{
    int at = (int)read_int(reader, 0, (int64_t)most * RELATION_DIRECTIONS - 1);
    int64_t rows = read_int(reader, 1, COUNT_MOST);
    int span = (int)read_int(reader, 0, SPAN_MOST);
    if (reader->bad)
        return true;
    if (!relations_make_room(relations, at / RELATION_DIRECTIONS, heads, span, status))
        return false;
    struct relation_sums *sums = &relations->sums[at];
    sums->rows = rows;
    // An earlier relation of the text may have made more room than this one needs.
    read_offsets(reader, sums->offsets + (sums->span - span), span);
    for (int k = 0; k < heads && !reader->bad; k++) {
        sums->head_rows[k] = read_int(reader, 0, COUNT_MOST);
        sums->hits[k] = read_int(reader, 0, sums->head_rows[k]);
    }
    return true;
}

static bool read_all(struct reader *reader, int relations, struct head_stats *stats,
                     struct status *status)
{
    stats->sentences = (int)read_int(reader, 0, reader->count);
    for (int m = 0; m < MODULE_COUNT && !reader->bad; m++)
        if (!read_module(reader, &stats->modules[m], status))
            return false;
    int count = (int)read_int(reader, 0, (int64_t)relations * RELATION_DIRECTIONS);
    for (int i = 0; i < count && !reader->bad; i++)
        if (!read_relation(reader, &stats->relations, relations,
                           stats->modules[MODULE_ENCODER].count, status))
            return false;
    reader->bad |= *reader->at != '\0';
    return true;
}

bool head_stats_read(const char *text, int first, int count, int relations,
                     struct head_stats *stats, struct status *status)
{
    struct reader reader = {.at = text, .first = first, .count = count};
    if (!read_all(&reader, relations, stats, status))
        return false;
    return !reader.bad || status_fail(status, STATUS_INVALID, "no statistics of these heads");
}

/* Merging -------------------------------------------------------------------------------------- */

static bool merge_head(struct head_sums *head, const struct head_sums *later, struct status *status)
{
    if (later->offsets && !head_sums_widen(head, later->span, status))
        return false;
    head->rows += later->rows;
    for (int s = 0; s < SUM_COUNT; s++)
        exact_sum_merge(&head->sums[s], later->sums[s]);
    for (int o = -later->span; later->offsets && o <= later->span; o++)
        head->offsets[head->span + o] += later->offsets[later->span + o];
    for (int m = 0; m < MEASURE_COUNT; m++)
        head_examples_merge(&head->examples[m], &later->examples[m]);
    return true;
}

bool head_stats_merge(struct head_stats *stats, const struct head_stats *later,
                      struct status *status)
{
    for (int m = 0; m < MODULE_COUNT; m++) {
        struct module_stats *module = &stats->modules[m];
        const struct module_stats *other = &later->modules[m];
        for (int k = 0; k < module->count; k++)
            if (!merge_head(&module->sums[k], &other->sums[k], status))
                return false;
        for (int i = 0; i < module->count * module->count; i++) {
            exact_sum_merge(&module->distances[i], other->distances[i]);
            module->shared[i] += other->shared[i];
        }
        module->rows += other->rows;
    }
    stats->sentences += later->sentences;
    return relations_merge(&stats->relations, &later->relations,
                           stats->modules[MODULE_ENCODER].count, status);
}
