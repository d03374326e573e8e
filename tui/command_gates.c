/* `:gates`: how much context queries and keys take in, for the sentence at hand or over a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/quote.h"
#include "tui/command.h"
#include "tui/interrupt.h"
#include "tui/lines.h"
#include "tui/progress.h"
#include "tui/view.h"

/* Sentences whose lengths fall into the same ten belong together. */
enum { LENGTH_STEP = 10 };
#define GATES_SYNTAX "[enc|dec] [q|k|qk] [FILE [by layer|pos|length]]"

struct gates_request {
    bool module_given, side_given;
    enum module module;
    int side;         // GATES_BOTH: of a file
    const char *path; // NULL: the sentence at hand
    enum gate_grouping by;
};

static bool has_gates(const struct config *config, enum module module, int side)
{
    if (side == GATES_BOTH)
        return has_gates(config, module, SIDE_Q) && has_gates(config, module, SIDE_K);
    for (int i = 0; i < module_layers(config, module); i++)
        if (layer_has_gate(config, module, i, side))
            return true;
    return false;
}

static bool parse_side(const char *word, struct gates_request *gates)
{
    for (int side = 0; side <= GATES_BOTH; side++)
        if (strcmp(word, gates_side_name(side)) == 0) {
            gates->side_given = true;
            gates->side = side;
        }
    return gates->side_given;
}

static bool parse_grouping(const char *word, enum gate_grouping *by, struct status *status)
{
    for (int i = 0; word && gate_grouping_names[i]; i++)
        if (strcmp(word, gate_grouping_names[i]) == 0) {
            *by = i;
            return true;
        }
    return status_fail(status, STATUS_INVALID, "by: expected layer, pos or length after it");
}

/* Module and side come before the file, so that a file called "q" is ./q. */
static bool parse_words(const struct pieces *words, struct gates_request *gates,
                        struct status *status)
{
    *gates = (struct gates_request){.by = BY_LAYER};
    int i = 0;
    if (i < words->count && strcmp(words->text[i], "in") == 0)
        i++;
    if (i < words->count && module_parse(words->text[i], &gates->module)) {
        gates->module_given = true;
        i++;
    } else if (i > 0) {
        return status_fail(status, STATUS_INVALID, "in: expected enc or dec after it");
    }
    if (i < words->count && parse_side(words->text[i], gates))
        i++;
    if (i < words->count && strcmp(words->text[i], "by") != 0)
        gates->path = words->text[i++];
    if (i < words->count && gates->path && strcmp(words->text[i], "by") == 0) {
        if (!parse_grouping(i + 1 < words->count ? words->text[i + 1] : NULL, &gates->by, status))
            return false;
        i += 2;
    }
    if (i < words->count)
        return status_fail(status, STATUS_INVALID, "\"%s\": expected " GATES_SYNTAX,
                           QUOTED(words->text[i]));
    if (gates->side == GATES_BOTH && !gates->path)
        return status_fail(status, STATUS_INVALID,
                           "qk: averages of both over a file, expected FILE after it");
    return true;
}

/* By default the encoder if it has gates, else the decoder; queries if they have, else keys. */
static bool choose_gates(const struct config *config, struct gates_request *gates,
                         struct status *status)
{
    static const enum module modules[] = {MODULE_ENCODER, MODULE_DECODER};
    static const char *const sides[] = {
        [SIDE_Q] = " of queries", [SIDE_K] = " of keys", [GATES_BOTH] = " of queries and keys"};
    if (gates->module_given && gates->module == MODULE_CROSS)
        return status_fail(status, STATUS_INVALID,
                           "cross-attention takes no context: expected enc or dec");
    for (int m = 0; m < 2; m++)
        for (int side = 0; side <= GATES_BOTH; side++) {
            if ((gates->module_given && gates->module != modules[m]) ||
                (gates->side_given && gates->side != side) || !has_gates(config, modules[m], side))
                continue;
            gates->module = modules[m];
            gates->side = side;
            return true;
        }
    return status_fail(status, STATUS_INVALID, "%s has no gates%s",
                       gates->module_given ? module_titles[gates->module] : "the model",
                       gates->side_given ? sides[gates->side] : "");
}

/* Averages over a file ------------------------------------------------------------------------ */

/* Adds `count` gates to a group; groups before it come into being empty. Both sides of a place are neighbours. */
static bool add_to_group(struct gate_groups_result *out, int side, int place, double sum,
                         int64_t count, struct status *status)
{
    int index = place * SIDE_COUNT + side;
    if (!memory_grow((void **)&out->groups, &out->capacity, (size_t)index + 1, sizeof *out->groups,
                     status))
        return false;
    out->count = out->count > index ? out->count : index + 1;
    out->groups[index].sum += sum;
    out->groups[index].count += count;
    return true;
}

static bool add_row(struct gate_groups_result *out, const struct gates_result *gates, int layer,
                    int row, struct status *status)
{
    const struct gate_layer *values = &gates->layer[layer];
    int length = gates->rows.texts.count;
    int place = out->by == BY_LAYER      ? layer
                : out->by == BY_POSITION ? row
                                         : (length - 1) / LENGTH_STEP;
    double sum = 0;
    for (int c = 0; c < values->columns; c++)
        sum += values->values[(size_t)row * values->columns + c];
    return add_to_group(out, gates->side, place, sum, values->columns, status);
}

static bool add_gates(struct gate_groups_result *out, const struct gates_result *gates,
                      struct status *status)
{
    for (int layer = 0; layer < gates->layers; layer++)
        for (int row = 0; gates->layer[layer].values && row < gates->rows.texts.count; row++)
            if (!add_row(out, gates, layer, row, status))
                return false;
    return true;
}

static void name_group(struct gate_group *group, enum gate_grouping by)
{
    if (by == BY_LENGTH)
        snprintf(group->name, sizeof group->name, "%d-%d", group->place * LENGTH_STEP + 1,
                 (group->place + 1) * LENGTH_STEP);
    else
        snprintf(group->name, sizeof group->name, "%d", group->place + 1);
}

/* Names the groups, drops those without a gate, and puts queries before keys. */
static bool name_groups(struct gate_groups_result *out, struct status *status)
{
    struct gate_group *named = memory_new((size_t)out->count, sizeof *named, status);
    int kept = 0;
    for (int side = 0; named && side < SIDE_COUNT; side++)
        for (int i = side; i < out->count; i += SIDE_COUNT) {
            if (!out->groups[i].count)
                continue;
            struct gate_group *group = &named[kept++];
            *group = out->groups[i];
            group->side = side;
            group->place = i / SIDE_COUNT;
            name_group(group, out->by);
        }
    if (!named)
        return false;
    free(out->groups);
    out->groups = named;
    out->count = kept;
    return true;
}

/* The encoder's gates depend on the source alone: any target serves, an empty one is the cheapest. The
 * decoder's are those of the model's own translation. */
static struct subject *read_line(const struct session *session, const char *line,
                                 enum module module, struct status *status)
{
    return module == MODULE_ENCODER ? subject_force(&session->state, line, "", status)
                                    : subject_translate(&session->state, line, status);
}

/* Of queries and keys, as far as they are asked for; the others stay empty. After Ctrl-C none are right. */
static bool view_sides(const struct session *session, const char *line,
                       const struct gate_groups_result *out, struct result sides[SIDE_COUNT],
                       struct status *status)
{
    struct subject *subject = read_line(session, line, out->module, status);
    bool ok = subject != NULL;
    for (int side = 0; ok && side < SIDE_COUNT; side++) {
        if (out->side != GATES_BOTH && out->side != side)
            continue;
        sides[side].kind = RESULT_GATES;
        ok = view_gates(session, subject, out->module, side, &sides[side].gates, status);
    }
    subject_free(subject);
    return ok && interrupt_check(status);
}

/* All gates of a line, or none of them. */
static bool add_line(const struct session *session, const char *line,
                     struct gate_groups_result *out, struct status *status)
{
    struct result sides[SIDE_COUNT] = {{.kind = RESULT_NONE}};
    bool ok = view_sides(session, line, out, sides, status);
    for (int side = 0; side < SIDE_COUNT; side++) {
        ok = ok && (sides[side].kind == RESULT_NONE || add_gates(out, &sides[side].gates, status));
        result_free(&sides[side]);
    }
    return ok;
}

static bool add_lines(const struct session *session, const struct lines *lines,
                      struct gate_groups_result *out, struct status *status)
{
    struct progress progress;
    bool ok = true;
    progress_begin(&progress, "averaging gates", "sentences", lines->count);
    for (int i = 0; ok && i < lines->count; i++) {
        if (!command_blank(lines->text[i]) && !add_line(session, lines->text[i], out, status))
            ok = status->code == STATUS_CANCELLED
                     ? false
                     : status_prefix(status, "%s:%d", QUOTED_PATH(out->path), i + 1);
        ok = ok && interrupt_check(status);
        progress.count = out->sentences += ok;
        progress.done = (double)progress.count;
        progress_draw(&progress);
    }
    progress_end(&progress);
    return ok;
}

static bool check_gates(const struct gate_groups_result *out, struct status *status)
{
    return out->count > 0 ||
           status_fail(status, STATUS_INVALID, "%s: blank lines alone, expected a sentence",
                       QUOTED_PATH(out->path));
}

/* After Ctrl-C `out` holds the averages of the lines before it, if there are any. */
static bool average_lines(const struct session *session, const struct lines *lines,
                          struct gate_groups_result *out, struct status *status)
{
    struct status other;
    out->lines = lines->count;
    if (add_lines(session, lines, out, status))
        return check_gates(out, status) && name_groups(out, status);
    if (status->code != STATUS_CANCELLED || out->count == 0)
        return false;
    if (!name_groups(out, &other)) {
        *status = other;
        return false;
    }
    return status_fail(status, STATUS_CANCELLED,
                       "interrupted: the first %d of %d sentences are averaged", out->sentences,
                       out->lines);
}

static bool read_lines(const char *path, struct lines *lines, struct status *status)
{
    if (!lines_read(path, lines, status))
        return false;
    if (lines_check_any(path, lines, status))
        return true;
    lines_free(lines);
    return false;
}

static bool gates_of_file(const struct session *session, const struct gates_request *gates,
                          struct result *result, struct status *status)
{
    struct lines lines;
    struct gate_groups_result *out = &result->gate_groups;
    if (!read_lines(gates->path, &lines, status))
        return false;
    result->kind = RESULT_GATE_GROUPS;
    *out =
        (struct gate_groups_result){.module = gates->module, .side = gates->side, .by = gates->by};
    out->path = copy_text(gates->path, status);
    bool ok = out->path && average_lines(session, &lines, out, status);
    lines_free(&lines);
    // What was finished before Ctrl-C is kept, and nothing of what else failed.
    if (!ok && (status->code != STATUS_CANCELLED || out->count == 0))
        result_free(result);
    return ok;
}

COMMAND(gates)
{
    struct gates_request gates;
    if (!parse_words(&request->words, &gates, status) ||
        !choose_gates(session_config(session), &gates, status))
        return false;
    if (gates.path)
        return gates_of_file(session, &gates, result, status);
    const struct subject *subject = session_subject(session, status);
    if (!subject)
        return false;
    result->kind = RESULT_GATES;
    if (view_gates(session, subject, gates.module, gates.side, &result->gates, status))
        return true;
    result_free(result);
    return false;
}
