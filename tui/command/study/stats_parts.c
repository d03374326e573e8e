#include "tui/command/study/stats_parts.h"

#include <stdlib.h>
#include <string.h>

#include "model/study/heads/attended_sentence.h"
#include "tui/report/parts_of_speech.h"
#include "tui/session/sentence_file.h"
#include "tui/terminal/interrupt.h"

/* Rows of one part of speech in which a head has weight. */
struct part_sum {
    double sum;
    int64_t rows;
};

struct stats_parts {
    const struct config *config;
    const struct stats_request *request;
    const bool *wanted; // (layers * heads) of the encoder
    int heads;          // that are wanted
    struct sentence_file file;
    struct attended_sentence tokens;
    struct part_sum *sums;               // (parts, heads)
    char (*names)[CONLLU_NAME_MOST + 1]; // (parts): "": no row has it
    int parts;
    size_t capacity[2];
};

/* One sentence ------------------------------------------------------------------------------------- */

/* Rows and means of every head over those rows of the sentence that are of one part of speech. */
static bool put_part(const struct stats_parts *parts, const struct attended *attended, int place,
                     struct sentence_numbers *out, struct status *status)
{
    const bool *const wanted[MODULE_COUNT] = {[MODULE_ENCODER] = parts->wanted};
    struct head_stats stats;
    if (!head_stats_open(parts->config, wanted, &stats, status))
        return false;
    bool ok = head_stats_add(&stats, attended, status) && sentence_numbers_put(out, place, status);
    for (int k = 0; ok && k < parts->heads; k++) {
        const int64_t rows = head_rows(&stats, MODULE_ENCODER, k);
        const double mean = head_mean(&stats, MODULE_ENCODER, k, parts->request->measure);
        ok = sentence_numbers_put(out, (double)rows, status) &&
             sentence_numbers_put(out, rows ? mean : 0, status);
    }
    head_stats_free(&stats);
    return ok;
}

/* places: (tokens). */
static bool put_parts(const struct stats_parts *parts, struct attended *attended, const int *places,
                      struct sentence_numbers *out, struct status *status)
{
    const int tokens = attended->source.count;
    bool *rows = memory_new((size_t)tokens, sizeof *rows, status), ok = rows != NULL;
    attended->rows = rows;
    for (int place = 0; ok && place < parts_of_speech_most(&parts->file.conllu); place++) {
        bool any = false;
        for (int i = 0; i < tokens; i++)
            any |= rows[i] = places[i] == place;
        ok = !any || put_part(parts, attended, place, out, status);
    }
    free(rows);
    return ok;
}

static bool measure_sentence(const struct state *state, const struct sentence_pair *pair,
                             void *context, struct sentence_numbers *out, struct status *status)
{
    struct stats_parts *parts = context;
    const struct capture_request request = {.weights = {[MODULE_ENCODER] = parts->wanted}};
    const struct forced_sentence forced = {.source = &pair->source,
                                           .target = pair_hypothesis(pair)->ids,
                                           .count = pair_hypothesis(pair)->count};
    struct attended attended;
    struct capture capture;
    int *places = memory_new((size_t)pair->source.count, sizeof *places, status);
    bool captured = places && pair_capture(state, pair, &request, &capture, status);
    bool ok = captured && interrupt_check(status) &&
              attended_fill(pair->checkpoint, &forced, &parts->tokens, &attended, status) &&
              parts_of_speech(pair, &parts->file.conllu, parts->file.words, places, status);
    if (ok) {
        attended.capture = &capture;
        ok = put_parts(parts, &attended, places, out, status);
    }
    if (captured)
        capture_free(&capture);
    free(places);
    return ok;
}

/* Sums --------------------------------------------------------------------------------------------- */

static bool make_room(struct stats_parts *parts, int place, struct status *status)
{
    const size_t needed = (size_t)place + 1;
    if (!memory_grow((void **)&parts->sums, &parts->capacity[0], needed * (size_t)parts->heads,
                     sizeof *parts->sums, status) ||
        !memory_grow((void **)&parts->names, &parts->capacity[1], needed, sizeof *parts->names,
                     status))
        return false;
    parts->parts = parts->parts > place ? parts->parts : place + 1;
    snprintf(parts->names[place], sizeof parts->names[place], "%s",
             part_of_speech_name(&parts->file.conllu, place));
    return true;
}

static bool are_numbers(const struct stats_parts *parts, const struct sentence_numbers *numbers)
{
    const int width = 1 + 2 * parts->heads;
    if (numbers->count % width)
        return false;
    for (int at = 0; at < numbers->count; at += width) {
        const double *of = numbers->numbers + at;
        if (!(of[0] >= 0 && of[0] < parts_of_speech_most(&parts->file.conllu)))
            return false;
        for (int k = 0; k < parts->heads; k++)
            if (!(of[1 + 2 * k] >= 0 && of[1 + 2 * k] <= INT32_MAX && of[2 + 2 * k] >= 0))
                return false;
    }
    return true;
}

static bool add_sentence(void *context, const struct sentence_numbers *numbers,
                         struct status *status)
{
    struct stats_parts *parts = context;
    const int width = 1 + 2 * parts->heads;
    if (!are_numbers(parts, numbers))
        return status_fail(status, STATUS_INVALID, "no statistics of a sentence");
    for (int at = 0; at < numbers->count; at += width) {
        const double *of = numbers->numbers + at;
        const int place = (int)of[0];
        if (!make_room(parts, place, status))
            return false;
        struct part_sum *sums = parts->sums + (size_t)place * (size_t)parts->heads;
        for (int k = 0; k < parts->heads; k++) {
            sums[k].rows += (int64_t)of[1 + 2 * k];
            sums[k].sum += of[1 + 2 * k] * of[2 + 2 * k];
        }
    }
    return true;
}

/* The report --------------------------------------------------------------------------------------- */

static const struct column columns[] = {
    {.key = "module", .name = "module", .title = "module", .type = COLUMN_TEXT, .least = 7},
    {.key = "layer", .name = "layer", .title = "layer", .type = COLUMN_INT},
    {.key = "head", .name = "head", .title = "head", .type = COLUMN_INT},
    {.key = "name", .name = "pos", .title = "part of speech", .type = COLUMN_TEXT, .least = 14},
    {.key = "count", .name = "count", .title = "rows", .type = COLUMN_INT},
    {.key = "mean", .name = "mean", .title = "mean", .type = COLUMN_REAL, .digits = 4},
};

/* The places in the encoder, layer * heads + head, of the heads that are wanted. */
static const int *wanted_heads(struct report *report, const struct stats_parts *parts)
{
    const int all =
        module_layers(parts->config, MODULE_ENCODER) * module_heads(parts->config, MODULE_ENCODER);
    int *of = report_new(report, (size_t)parts->heads, sizeof *of), count = 0;
    for (int i = 0; of && i < all; i++)
        if (parts->wanted[i])
            of[count++] = i;
    return of;
}

static double mean_of(const struct stats_parts *parts, int place, int k)
{
    const struct part_sum *sum = &parts->sums[(size_t)place * (size_t)parts->heads + (size_t)k];
    return sum->rows ? sum->sum / (double)sum->rows : NAN;
}

static void put_head(struct table *table, const struct stats_parts *parts, int k, int of)
{
    const int heads = module_heads(parts->config, MODULE_ENCODER);
    const char *source = report_quoted(table->report, parts->request->source);
    for (int place = 0; place < parts->parts; place++) {
        if (!*parts->names[place])
            continue;
        const char *name = report_copy(table->report, parts->names[place]);
        table_row(table);
        table_enter(table, ":stats %s enc layer %d head %d show %s", source, of / heads + 1,
                    of % heads + 1, head_measure_names[parts->request->measure]);
        table_put(table, value_text(module_names[MODULE_ENCODER]));
        table_put(table, value_int(of / heads + 1));
        table_put(table, value_int(of % heads + 1));
        table_put_shown(table, value_text(name), name, place);
        table_put(table,
                  value_int(parts->sums[(size_t)place * (size_t)parts->heads + (size_t)k].rows));
        table_put(table, value_real(mean_of(parts, place, k)));
    }
}

/* Heads by parts of speech. */
static void draw(struct report *report, const struct stats_parts *parts, const int *of)
{
    const int heads = module_heads(parts->config, MODULE_ENCODER);
    const char **names = report_new(report, (size_t)parts->parts, sizeof *names);
    const char **labels = report_new(report, (size_t)parts->heads, sizeof *labels);
    float *values = malloc((size_t)parts->parts * (size_t)parts->heads * sizeof *values);
    int rows = 0;
    if (!names || !labels || !values) {
        report->lacking = true;
        free(values);
        return;
    }
    for (int k = 0; k < parts->heads; k++)
        labels[k] = report_format(report, "%d.%d", of[k] / heads + 1, of[k] % heads + 1);
    for (int place = 0; place < parts->parts; place++) {
        if (!*parts->names[place])
            continue;
        names[rows] = report_copy(report, parts->names[place]);
        for (int k = 0; k < parts->heads; k++)
            values[(size_t)rows * (size_t)parts->heads + (size_t)k] =
                (float)mean_of(parts, place, k);
        rows++;
    }
    struct matrix *matrix = report_matrix(report, IN_FIGURE, values);
    matrix->rows =
        (struct axis){.title = "part of speech", .count = rows, .texts = names, .labels = names};
    matrix->columns = (struct axis){
        .title = "layer.head", .count = parts->heads, .texts = labels, .labels = labels};
    matrix->scale = report_format(report, "mean %s", head_measure_names[parts->request->measure]);
}

static void describe(struct report *report, const struct session *session,
                     const struct stats_parts *parts)
{
    const struct stats_request *request = parts->request;
    const struct sentence_file *file = &parts->file;
    const char *measure = head_measure_names[request->measure];
    const char *gap = *request->selected ? " " : "";
    report_title(report, "%s of heads by part of speech in %s%s%s", measure, request->source,
                 *gap ? "  " : "", request->selected);
    report_command(report, "stats %s%s%s by pos %s", report_quoted(report, request->source), gap,
                   request->selected, measure);
    report->navigation.kind = VIEW_FILE;
    report->origin.state = states_current(session);
    report_json(report, "file", value_text(report_copy(report, request->source)));
    report_json(report, "by", value_text("pos"));
    report_json(report, "measure", value_text(measure));
    report_json(report, "sentences", value_int(file->sentences));
    report_json(report, "partial", value_bool(file->sentences < file->lines));
    if (file->sentences < file->lines)
        report_line(report, FOR_PEOPLE, " partial: the first %d of %d sentences", file->sentences,
                    file->lines);
}

static void report_parts(struct report *report, const struct session *session,
                         const struct stats_parts *parts)
{
    const int *of = wanted_heads(report, parts);
    describe(report, session, parts);
    struct table *table =
        report_table(report, FOR_PEOPLE | FOR_PROGRAMS, "groups", columns, COUNT(columns));
    for (int k = 0; of && k < parts->heads; k++)
        put_head(table, parts, k, of[k]);
    if (of && parts->parts)
        draw(report, parts, of);
}

/* Running ------------------------------------------------------------------------------------------ */

static bool run(struct session *session, struct stats_parts *parts, struct report *report,
                struct status *status)
{
    struct sentence_file *file = &parts->file;
    const struct sentence_work work = {measure_sentence, add_sentence, parts};
    *file = (struct sentence_file){.path = parts->request->source,
                                   .words_for = "by pos",
                                   .encoder = true,
                                   .what = "averaging attention"};
    file->asked = report_format(report, "stats %s by pos %s", parts->request->selected,
                                head_measure_names[parts->request->measure]);
    bool ok = sentence_file_walk(session, file, &work, status);
    bool found = ok || (status->code == STATUS_CANCELLED && file->sentences > 0);
    if (found && !shards_divided(session->shards))
        report_parts(report, session, parts);
    return ok;
}

bool stats_by_parts(struct session *session, const struct stats_request *request,
                    struct report *report, struct status *status)
{
    struct stats_parts parts = {.config = session_config(session),
                                .request = request,
                                .wanted = request->wanted[MODULE_ENCODER]};
    const int all =
        module_layers(parts.config, MODULE_ENCODER) * module_heads(parts.config, MODULE_ENCODER);
    for (int i = 0; i < all; i++)
        parts.heads += parts.wanted[i];
    if (request->target)
        return status_fail(status, STATUS_INVALID,
                           "by pos: only what the encoder does with SRC is averaged: expected no "
                           "TGT");
    if (!parts.heads)
        return status_fail(status, STATUS_INVALID,
                           "by pos: FILE has no parts of speech of translations: expected enc");
    bool ok = run(session, &parts, report, status);
    attended_free(&parts.tokens);
    free(parts.sums);
    free(parts.names);
    return ok;
}
