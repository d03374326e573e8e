/* Results as plain text. What scripts read stays bare: a sentence and a file give their translations alone,
 * a change that worked gives nothing, unless someone watches. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/commands.h"
#include "tui/describe.h"
#include "tui/display.h"
#include "tui/eye.h"
#include "tui/gate_columns.h"
#include "tui/heat.h"
#include "tui/plain.h"
#include "tui/sink.h"
#include "tui/titles.h"

typedef void present(struct sink *sink, const struct session *session, const struct result *result);

void plain_text(FILE *stream, const char *text)
{
    display_write(stream, text);
    fputc('\n', stream);
}

/* Sentences ------------------------------------------------------------------------------------- */

/* Whoever sees nonsense come back should know that the model did not see what was typed. */
void plain_unknown(FILE *stream, const struct session *session)
{
    const struct sentence *source = &session->subject->source;
    int unknown = session_config(session)->special[SPECIAL_UNK][SIDE_SOURCE];
    bool any = false;
    for (int i = 0; i < source->count; i++) {
        if (source->ids[i] != unknown)
            continue;
        char *label = eye_label(session, SIDE_SOURCE, false, source->pieces.text[i]);
        fputs(any ? "  " : "not in the vocabulary: ", stream);
        fputs(label ? label : "", stream);
        any = true;
        free(label);
    }
    fputs(any ? "\n" : "", stream);
}

static void present_sentence(struct sink *sink, const struct session *session,
                             const struct result *result)
{
    const struct subject *subject = session->subject;
    const struct hypothesis *best = &subject->translation.hypotheses[0];
    (void)result;
    if (subject->forced)
        fprintf(sink->stream, "log-probability %.4f  tokens %d  score %.4f\n", best->logprob,
                best->count, best->score);
    else
        plain_text(sink->stream, subject->texts[0]);
    if (sink->interactive)
        plain_unknown(sink->stream, session);
}

static void present_file(struct sink *sink, const struct session *session,
                         const struct result *result)
{
    const struct file_result *file = &result->file;
    (void)session;
    if (sink->interactive)
        fprintf(sink->stream, "%d lines, %.1f s, %.1f lines a second\n", file->sentences,
                file->seconds, file->sentences / fmax(file->seconds, 1e-9));
}

static void present_score(struct sink *sink, const struct session *session,
                          const struct result *result)
{
    const struct score_result *score = &result->score;
    (void)session;
    fprintf(sink->stream, "log-probability %.4f  tokens %d  score %.4f\n", score->logprob,
            score->count, score->score);
    for (int i = 0; i < score->count; i++) {
        fprintf(sink->stream, "%10.4f  ", score->logprobs[i]);
        plain_text(sink->stream, score->tokens[i]);
    }
}

/* Views ----------------------------------------------------------------------------------------- */

/* A blank before it, as before all lines of a view. */
static void print_title(FILE *stream, const struct session *session, const struct result *view)
{
    char *title = view_title(session, view, NULL);
    fputc(' ', stream);
    if (title)
        display_wrapped(stream, title, "  ", 1, display_columns(stream) - 1);
    free(title);
}

static void present_attention(struct sink *sink, const struct session *session,
                              const struct result *result)
{
    const struct attention_result *attention = &result->attention;
    int row_count = attention->rows.texts.count, column_count = attention->columns.texts.count;
    char **rows = eye_labels(session, &attention->rows, attention->words);
    char **columns = eye_labels(session, &attention->columns, attention->words);
    if (rows && columns) {
        struct heat heat = {(const char *const *)rows, (const char *const *)columns, row_count,
                            column_count, attention->weights};
        print_title(sink->stream, session, result);
        heat_draw(sink->stream, &heat, display_columns(sink->stream));
        heat_legend(sink->stream, &heat, display_columns(sink->stream));
    }
    eye_free(rows, row_count);
    eye_free(columns, column_count);
}

static void present_alignment(struct sink *sink, const struct session *session,
                              const struct result *result)
{
    print_title(sink->stream, session, result);
    plain_alignment(sink->stream, session, &result->attention);
}

/* A table with the rows' tokens and columns named by `name`. */
static void print_table(struct sink *sink, const struct session *session,
                        const struct labels *labels, char (*names)[GATE_NAME_SIZE],
                        int column_count, const float *values)
{
    int row_count = labels->texts.count;
    char **rows = eye_labels(session, labels, false);
    const char **columns = display_have(calloc((size_t)column_count + 1, sizeof *columns));
    for (int c = 0; columns && c < column_count; c++)
        columns[c] = names[c];
    if (rows && columns) {
        struct heat heat = {(const char *const *)rows, columns, row_count, column_count, values};
        table_draw(sink->stream, &heat, display_columns(sink->stream));
    }
    eye_free(rows, row_count);
    free(columns);
}

static void present_importance(struct sink *sink, const struct session *session,
                               const struct result *result)
{
    const struct importance_result *importance = &result->importance;
    char(*names)[GATE_NAME_SIZE] = display_have(calloc((size_t)importance->heads, sizeof *names));
    for (int h = 0; names && h < importance->heads; h++)
        snprintf(names[h], sizeof *names, "%d", h + 1);
    print_title(sink->stream, session, result);
    if (names)
        print_table(sink, session, &importance->rows, names, importance->heads,
                    importance->weights);
    free(names);
}

static void present_gates(struct sink *sink, const struct session *session,
                          const struct result *result)
{
    const struct gates_result *gates = &result->gates;
    struct gate_columns columns;
    if (!gate_columns_make(gates, &columns, NULL)) {
        display_have(NULL);
        return;
    }
    print_title(sink->stream, session, result);
    print_table(sink, session, &gates->rows, columns.names, columns.count, columns.values);
    gate_columns_free(&columns);
}

static void present_gate_groups(struct sink *sink, const struct session *session,
                                const struct result *result)
{
    const struct gate_groups_result *groups = &result->gate_groups;
    static const char *const titles[] = {"layer", "position", "length"};
    print_title(sink->stream, session, result);
    bool both = groups->side == GATES_BOTH;
    fprintf(sink->stream, "%s %10s %10s %8s\n", both ? " side" : "", titles[groups->by], "gates",
            "mean");
    for (int i = 0; i < groups->count; i++) {
        const struct gate_group *group = &groups->groups[i];
        fprintf(sink->stream, "%s%s %10s %10lld %8.4f\n", both ? "    " : "",
                both ? gate_side_names[group->side] : "", group->name, (long long)group->count,
                group->sum / (double)group->count);
    }
}

/* Session --------------------------------------------------------------------------------------- */

static void print_heads(FILE *stream, const char *indent, const char *title, char *heads)
{
    if (!heads || *heads)
        fprintf(stream, "%s%s: %s\n", indent, title, heads ? heads : "out of memory");
    free(heads);
}

void plain_heads(FILE *stream, const struct session *session, const char *indent)
{
    print_heads(stream, indent, "off", describe_heads(session, head_off));
    print_heads(stream, indent, "changed", describe_heads(session, head_changed));
}

static void print_dials(FILE *stream, const struct session *session)
{
    char *off = describe_heads(session, head_off), *changed = describe_heads(session, head_changed);
    if (off && changed && !*off && !*changed)
        fputs("all heads are on and as the checkpoint has them\n", stream);
    free(off);
    free(changed);
    plain_heads(stream, session, "");
}

/* The translation before and after, where the change made one. */
static void present_dials(struct sink *sink, const struct session *session,
                          const struct result *result)
{
    if (sink->interactive || result->dials.asked)
        print_dials(sink->stream, session);
    plain_change(sink, result->dials.before, session->subject);
}

static void present_settings(struct sink *sink, const struct session *session,
                             const struct result *result)
{
    if (!result->settings.assigned || sink->interactive)
        plain_settings(sink->stream, session, result->settings.setting);
    plain_change(sink, result->settings.before, session->subject);
}

static void present_help(struct sink *sink, const struct session *session,
                         const struct result *result)
{
    plain_help(sink->stream, session, result->help.command);
}

static void present_export(struct sink *sink, const struct session *session,
                           const struct result *result)
{
    (void)session;
    if (!sink->interactive)
        return;
    fputs("wrote ", sink->stream);
    display_write(sink->stream, result->exported.path);
    const struct export_result *exported = &result->exported;
    if (!exported->view) {
        fprintf(sink->stream, exported->files ? ": %d files\n" : ": %d tensors\n",
                exported->files ? exported->files : exported->tensors);
        return;
    }
    fputs(": ", sink->stream);
    plain_text(sink->stream, result->exported.view);
}

static void present_replay(struct sink *sink, const struct session *session,
                           const struct result *result)
{
    const struct replay_result *replay = &result->replay;
    (void)session;
    display_write(sink->stream, replay->path);
    if (replay->same) {
        fputs(": the same, byte for byte\n", sink->stream);
        return;
    }
    fputs(": not the same as ", sink->stream);
    display_write(sink->stream, replay->redrawn);
    // Without other notes it is the drawing: fonts, or the libraries that draw.
    fprintf(sink->stream,
            *replay->differences ? "; other: %s\n" : "%s, though made in the same way\n",
            replay->differences);
}

static void present_heads(struct sink *sink, const struct session *session,
                          const struct result *result)
{
    print_title(sink->stream, session, result);
    plain_grid(sink->stream, &result->heads);
}

static void present_token(struct sink *sink, const struct session *session,
                          const struct result *result)
{
    print_title(sink->stream, session, result);
    plain_token(sink->stream, session, &result->token);
}

static void print_script(struct sink *sink, const char *verb, const char *path, int commands)
{
    fprintf(sink->stream, "%s ", verb);
    display_write(sink->stream, path);
    fprintf(sink->stream, ": %d command%s", commands, commands == 1 ? "" : "s");
}

static void present_source(struct sink *sink, const struct session *session,
                           const struct result *result)
{
    const struct source_result *source = &result->source;
    (void)session;
    if (!sink->interactive)
        return;
    print_script(sink, "ran", source->path, source->commands);
    if (source->failed)
        fprintf(sink->stream, ", %d failed", source->failed);
    fputc('\n', sink->stream);
}

static void present_save(struct sink *sink, const struct session *session,
                         const struct result *result)
{
    (void)session;
    if (!sink->interactive)
        return;
    print_script(sink, "wrote", result->save.path, result->save.commands);
    fputc('\n', sink->stream);
}

static void present_nothing(struct sink *sink, const struct session *session,
                            const struct result *result)
{
    (void)sink;
    (void)session;
    (void)result;
}

static void present_info(struct sink *sink, const struct session *session,
                         const struct result *result)
{
    plain_info(sink->stream, session, &result->info);
}

static present *const presenters[RESULT_KINDS] = {
    [RESULT_NONE] = present_nothing,        [RESULT_SENTENCE] = present_sentence,
    [RESULT_FILE] = present_file,           [RESULT_ATTENTION] = present_attention,
    [RESULT_ALIGNMENT] = present_alignment, [RESULT_IMPORTANCE] = present_importance,
    [RESULT_GATES] = present_gates,         [RESULT_GATE_GROUPS] = present_gate_groups,
    [RESULT_SCORE] = present_score,         [RESULT_DIALS] = present_dials,
    [RESULT_SETTINGS] = present_settings,   [RESULT_INFO] = present_info,
    [RESULT_HELP] = present_help,           [RESULT_EXPORT] = present_export,
    [RESULT_TESTSET] = plain_testset,       [RESULT_HYPOTHESIS] = plain_hypothesis,
    [RESULT_HYPOTHESES] = plain_hypotheses, [RESULT_STATE] = plain_state,
    [RESULT_STATES] = plain_states,         [RESULT_BESIDE] = plain_beside,
    [RESULT_HEADS] = present_heads,         [RESULT_TOKEN] = present_token,
    [RESULT_SOURCE] = present_source,       [RESULT_SAVE] = present_save,
    [RESULT_REPLAY] = present_replay,       [RESULT_BLEU] = plain_study,
    [RESULT_COMPARE] = plain_study,         [RESULT_ABLATE] = plain_ablate,
    [RESULT_PRUNE] = plain_prune,           [RESULT_CONTRAST] = plain_contrast,
    [RESULT_FLIPS] = plain_flips,           [RESULT_CONTRAST_ABLATE] = plain_contrast_ablate,
    [RESULT_BLEU_ACROSS] = plain_across,    [RESULT_CONTRAST_ACROSS] = plain_across,
};

/* The sink -------------------------------------------------------------------------------------- */

static void sink_line(struct sink *sink, const char *translation)
{
    plain_text(sink->stream, translation);
}

static void sink_result(struct sink *sink, const struct session *session, const char *command,
                        const struct result *result)
{
    (void)command;
    presenters[result->kind](sink, session, result);
}

/* A message about a command begins with its name; other messages speak for themselves. */
static bool is_command(const char *name)
{
    for (int i = 0; i < command_count; i++)
        if (strcmp(command_table[i].name, name) == 0)
            return true;
    return false;
}

/* What was finished is shown before it; of a file's translations it is out already. */
static void sink_failure(struct sink *sink, const struct session *session, const char *where,
                         const char *command, const struct result *result, const char *message)
{
    if (result->kind != RESULT_FILE)
        presenters[result->kind](sink, session, result);
    fflush(sink->stream);
    FILE *out = sink->failures ? sink->failures : stderr;
    fputs("attnscope: ", out);
    display_write(out, where);
    if (session && is_command(command)) // without a session the program itself loads
        fprintf(out, ":%s: ", command);
    plain_text(out, message);
}

const struct sink_kind plain_sink = {sink_line, sink_result, sink_failure};

bool sink_written(struct sink *sink, struct status *status)
{
    // An error of before has most likely left its reason there.
    int problem = ferror(sink->stream) ? errno : 0;
    errno = 0;
    if (fflush(sink->stream) == 0 && !ferror(sink->stream))
        return true;
    problem = errno ? errno : problem;
    return status_fail(status, STATUS_IO, "standard output: %s",
                       problem ? strerror(problem) : "write error");
}
