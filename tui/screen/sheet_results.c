/* Tables of sentences and scores; and which results are tables. */
#include "tui/screen/sheet_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/plain.h"
#include "tui/titles.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

bool text_begin(struct text_stream *stream, struct status *status)
{
    *stream = (struct text_stream){0};
    stream->out = open_memstream(&stream->text, &stream->size);
    return stream->out || status_fail(status, STATUS_MEMORY, "out of memory");
}

static bool end_text(struct text_stream *stream, struct status *status)
{
    if (fclose(stream->out) != 0) {
        free(stream->text);
        stream->text = NULL;
        return status_fail(status, STATUS_MEMORY, "out of memory");
    }
    if (stream->size > 0 && stream->text[stream->size - 1] == '\n')
        stream->text[stream->size - 1] = '\0';
    return true;
}

bool text_note(struct text_stream *stream, struct sheet *sheet, struct status *status)
{
    bool ok = end_text(stream, status) && sheet_note(sheet, stream->text, status);
    free(stream->text);
    return ok;
}

bool text_cell(struct text_stream *stream, struct sheet *sheet, int column, double number,
               struct status *status)
{
    bool ok =
        end_text(stream, status) && sheet_put_named(sheet, column, number, stream->text, status);
    free(stream->text);
    return ok;
}

bool text_command(struct text_stream *stream, struct sheet *sheet, struct status *status)
{
    return end_text(stream, status) && sheet_put_command(sheet, stream->text, status);
}

bool sheet_put_view(struct sheet *sheet, const struct result *view, struct status *status)
{
    char *command = NULL, *text = view_command(view, status);
    if (!text)
        return false;
    if (asprintf(&command, ":%s", text) < 0)
        command = NULL;
    free(text);
    return sheet_put_command(sheet, command, status);
}

/* Sentences -------------------------------------------------------------------------------------- */

static bool note_unknown(struct sheet *sheet, const struct session *session, struct status *status)
{
    struct text_stream stream;
    if (!text_begin(&stream, status))
        return false;
    plain_unknown(stream.out, session);
    return text_note(&stream, sheet, status);
}

static char *number_command(const char *name, int number)
{
    char *command = NULL;
    return asprintf(&command, ":%s %d", name, number) < 0 ? NULL : command;
}

static bool put_hypothesis(struct sheet *sheet, const struct subject *subject, int h,
                           struct status *status)
{
    const struct hypothesis *hypothesis = &subject->translation.hypotheses[h];
    return sheet_row(sheet, status) &&
           sheet_put_text(sheet, 0, h == subject->chosen ? "*" : "", status) &&
           sheet_put_number(sheet, 1, h + 1, 0, status) &&
           sheet_put_number(sheet, 2, hypothesis->score, 4, status) &&
           sheet_put_number(sheet, 3, hypothesis->logprob, 4, status) &&
           sheet_put_number(sheet, 4, hypothesis->count, 0, status) &&
           sheet_put_text(sheet, 5, subject->texts[h], status) &&
           sheet_put_command(sheet, number_command("hypothesis", h + 1), status);
}

static bool of_hypotheses(struct sheet *sheet, const struct session *session,
                          const struct result *result, struct status *status)
{
    static const struct sheet_column columns[] = {
        {.title = ""},
        {.title = "number", .number = true},
        {.title = "score", .number = true},
        {.title = "log-probability", .number = true},
        {.title = "tokens", .number = true},
        {.title = "text"},
    };
    const struct subject *subject = session->subject;
    (void)result;
    if (!sheet_begin(sheet, columns, COUNT(columns), status) ||
        !note_unknown(sheet, session, status))
        return false;
    for (int h = 0; h < subject->translation.count; h++)
        if (!put_hypothesis(sheet, subject, h, status))
            return false;
    return true;
}

static bool of_score(struct sheet *sheet, const struct session *session,
                     const struct result *result, struct status *status)
{
    static const struct sheet_column columns[] = {
        {.title = "number", .number = true},
        {.title = "log-probability", .number = true},
        {.title = "token"},
    };
    const struct score_result *score = &result->score;
    char note[200];
    (void)session;
    snprintf(note, sizeof note, "log-probability %.4f  tokens %d  score %.4f", score->logprob,
             score->count, score->score);
    if (!sheet_begin(sheet, columns, COUNT(columns), status) || !sheet_note(sheet, note, status))
        return false;
    for (int i = 0; i < score->count; i++)
        if (!sheet_row(sheet, status) || !sheet_put_number(sheet, 0, i + 1, 0, status) ||
            !sheet_put_number(sheet, 1, score->logprobs[i], 4, status) ||
            !sheet_put_text(sheet, 2, score->tokens[i], status))
            return false;
    return true;
}

/* Lines that an interruption left out are not there. */
static bool of_file(struct sheet *sheet, const struct session *session, const struct result *result,
                    struct status *status)
{
    static const struct sheet_column columns[] = {
        {.title = "line", .number = true},
        {.title = "translation"},
    };
    const struct file_result *file = &result->file;
    char note[200], all[40] = "";
    (void)session;
    if (file->finished < file->sentences)
        snprintf(all, sizeof all, " of %d", file->sentences);
    snprintf(note, sizeof note, "%d%s lines, %.1f s, %.1f lines a second", file->finished, all,
             file->seconds, file->finished / fmax(file->seconds, 1e-9));
    if (!sheet_begin(sheet, columns, COUNT(columns), status) || !sheet_note(sheet, note, status))
        return false;
    for (int i = 0; i < file->sentences; i++)
        if (file->translations[i] &&
            (!sheet_row(sheet, status) || !sheet_put_number(sheet, 0, i + 1, 0, status) ||
             !sheet_put_text(sheet, 1, file->translations[i], status)))
            return false;
    return true;
}

static bool of_gate_groups(struct sheet *sheet, const struct session *session,
                           const struct result *result, struct status *status)
{
    static const char *const titles[] = {"layer", "position", "length"};
    const struct gate_groups_result *groups = &result->gate_groups;
    const struct sheet_column columns[] = {
        {.title = titles[groups->by], .number = true},
        {.title = "gates", .number = true},
        {.title = "mean", .number = true},
        {.title = "side"},
    };
    bool both = groups->side == GATES_BOTH;
    (void)session;
    if (!sheet_begin(sheet, columns, COUNT(columns) - !both, status))
        return false;
    for (int i = 0; i < groups->count; i++) {
        const struct gate_group *group = &groups->groups[i];
        if (!sheet_row(sheet, status) ||
            !sheet_put_named(sheet, 0, group->place, group->name, status) ||
            !sheet_put_number(sheet, 1, (double)group->count, 0, status) ||
            !sheet_put_number(sheet, 2, group->sum / (double)group->count, 4, status) ||
            (both && !sheet_put_text(sheet, 3, gate_side_names[group->side], status)))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ */

static sheet_maker *const makers[RESULT_KINDS] = {
    [RESULT_HYPOTHESES] = of_hypotheses,
    [RESULT_SCORE] = of_score,
    [RESULT_FILE] = of_file,
    [RESULT_STATES] = sheet_of_states,
    [RESULT_SETTINGS] = sheet_of_settings,
    [RESULT_BLEU] = sheet_of_study,
    [RESULT_COMPARE] = sheet_of_study,
    [RESULT_GATE_GROUPS] = of_gate_groups,
    [RESULT_TOKEN] = sheet_of_token,
    [RESULT_ALIGNMENT] = sheet_of_alignment,
    [RESULT_ABLATE] = sheet_of_ablate,
    [RESULT_PRUNE] = sheet_of_prune,
    [RESULT_CONTRAST] = sheet_of_contrast,
    [RESULT_FLIPS] = sheet_of_flips,
    [RESULT_CONTRAST_ABLATE] = sheet_of_contrast_ablate,
    [RESULT_BLEU_ACROSS] = sheet_of_across,
    [RESULT_CONTRAST_ACROSS] = sheet_of_across,
};

/* One setting is a line, and what a change of it did words. */
bool sheet_can(const struct result *result)
{
    return makers[result->kind] && (result->kind != RESULT_SETTINGS || !result->settings.setting);
}

bool sheet_make(struct sheet *sheet, const struct session *session, const struct result *result,
                struct status *status)
{
    *sheet = (struct sheet){0};
    if (!makers[result->kind](sheet, session, result, status)) {
        sheet_free(sheet);
        return false;
    }
    sheet_end(sheet);
    return true;
}
