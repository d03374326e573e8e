/* Reports on the session: the current sentence and its translations, heads, changes. */
#include <string.h>

#include "tui/command/command.h"
#include "tui/report/display_label.h"
#include "tui/session/head_description.h"

/* Sentences ------------------------------------------------------------------------------------ */

static void put_source(struct report *report, const struct sentence_pair *pair)
{
    const struct strings *tokens = &pair->source.pieces;
    report_group(report, IN_JSON, "source");
    report_json(report, "text", value_text(pair->text));
    report_json(report, "tokens", value_texts((const char *const *)tokens->text, tokens->count));
    report_json(report, "ids", value_ints(pair->source.ids, pair->source.count));
    report_group_end(report);
}

static struct value tokens_value(struct report *report, const struct session *session,
                                 const struct hypothesis *hypothesis)
{
    const struct vocabulary *vocabulary = session->loaded->checkpoint->vocabulary[SIDE_TARGET];
    const char **tokens = report_new(report, (size_t)hypothesis->count, sizeof *tokens);
    for (int i = 0; tokens && i < hypothesis->count; i++)
        tokens[i] = vocabulary_piece(vocabulary, hypothesis->ids[i]);
    return value_texts(tokens, tokens ? hypothesis->count : 0);
}

void report_sentence(struct report *report, const struct session *session)
{
    static const struct column columns[] = {
        {.key = "text"}, {.key = "tokens"}, {.key = "ids"}, {.key = "logprobs"}, {.key = "score"}};
    const struct sentence_pair *pair = session->current;
    if (pair && *pair->source.unknown)
        report_unknown_language(report, pair->source.unknown);
    if (pair)
        put_source(report, pair);
    else
        report_json(report, "source", value_null());
    struct table *table = report_table(report, IN_JSON, "hypotheses", columns, COUNT(columns));
    for (int i = 0; pair && i < pair->translation.count; i++) {
        const struct hypothesis *hypothesis = &pair->translation.hypotheses[i];
        table_row(table);
        table_put(table, value_text(pair->texts[i]));
        table_put(table, tokens_value(report, session, hypothesis));
        table_put(table, value_ints(hypothesis->ids, hypothesis->count));
        table_put(table, report_floats(report, hypothesis->logprobs, hypothesis->count));
        table_put(table, value_real(hypothesis->score));
    }
}

/* Whoever sees nonsense come back should know that the model did not see what was typed. */
void report_unknown(struct report *report, unsigned in, const struct session *session)
{
    const struct sentence *source = &session->current->source;
    int unknown = session_config(session)->special[SPECIAL_UNK][SIDE_SOURCE];
    const char *line = NULL;
    for (int i = 0; i < source->count; i++) {
        if (source->ids[i] != unknown)
            continue;
        const char *label =
            report_take_text(report, display_label(session->loaded->checkpoint, SIDE_SOURCE, false,
                                                   source->pieces.text[i]));
        line = line ? report_format(report, "%s  %s", line, label)
                    : report_format(report, "not in the vocabulary: %s", label);
    }
    if (line)
        report_line(report, in, "%s", line);
}

/* Changes -------------------------------------------------------------------------------------- */

static void put_outcome(struct report *report, const char *key, const struct sentence_pair *pair)
{
    report_group(report, IN_JSON, key);
    report_json(report, "text", value_text(pair->texts[0]));
    report_json(report, "score", value_real(pair->translation.hypotheses[0].score));
    report_group_end(report);
}

/* Both translations if they differ, and how; of equal ones only the counts. */
static void put_comparison(struct report *report, const struct sentence_pair *before,
                           const struct sentence_pair *after)
{
    bool differ = strcmp(before->texts[0], after->texts[0]) != 0;
    const struct comparison *comparison = report_comparison(
        report, differ ? IN_TEXT | IN_JSON : IN_JSON, (const char *const[2]){"before", "after"},
        (const struct translation_text[2]){
            {before->texts[0], before->translation.hypotheses[0].score},
            {after->texts[0], after->translation.hypotheses[0].score}});
    char text[COMPARISON_BYTES];
    if (!comparison)
        return;
    comparison_describe(comparison, text);
    report_line(report, IN_TEXT, "%s", text);
}

/* The screen shows the translations itself. */
void report_change(struct report *report, const struct session *session,
                   struct sentence_pair *before)
{
    const struct sentence_pair *after = session->current;
    report->effect = EFFECT_SENTENCE;
    report->origin.pair = after;
    report->before = before;
    if (!before)
        return;
    put_outcome(report, "before", before);
    put_outcome(report, "after", after);
    put_comparison(report, before, after);
}

/* Heads and the search ------------------------------------------------------------------------- */

const char *report_heads_off(struct report *report, const struct session *session)
{
    return report_take_text(report, describe_heads(session, head_off));
}

const char *report_heads_changed(struct report *report, const struct session *session)
{
    return report_take_text(report, describe_heads(session, head_changed));
}

const char *report_search(struct report *report, const struct session *session)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    const char *separator = "";
    for (int i = 0; out && i < setting_count; i++) {
        const struct setting *setting = &setting_table[i];
        if (!setting_of_state(setting) ||
            setting_equal(setting, &session->settings, &session->defaults))
            continue;
        fprintf(out, "%s%s ", separator, setting->name);
        setting_write(setting, &session->settings, false, out);
        separator = ", ";
    }
    return report_written(&writer);
}
