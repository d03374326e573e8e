/* Reports on the session: the current sentence and its translations, changes, heads, the part of a
 * study that it computes, and warnings about languages. */
#include <string.h>
#include <sys/stat.h>

#include "model/checkpoint/config_languages.h"
#include "model/study/contrast/suite_files.h"
#include "model/study/sentence_stream.h"
#include "report/comparison.h"
#include "report/labels.h"
#include "session/head_description.h"
#include "terminal/progress.h"
#include "tui/command/command.h"

#define EXPECTED "the model has no such language, expected one that `:set target_language` lists"

static void report_unknown_language(struct report *report, const char *named)
{
    report_warn(report, "%s: " EXPECTED, report_quoted(report, named));
}

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

struct value report_tokens(struct report *report, const struct checkpoint *checkpoint,
                           const struct hypothesis *hypothesis)
{
    const struct vocabulary *vocabulary = checkpoint->vocabulary[SIDE_TARGET];
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
        table_add(table, value_text(pair->texts[i]),
                  report_tokens(report, pair->checkpoint, hypothesis),
                  value_ints(hypothesis->ids, hypothesis->count),
                  report_floats(report, hypothesis->logprobs, hypothesis->count),
                  value_real(hypothesis->score));
    }
}

/* Returns `names` with what names the tokens that are unknown to the model: of the source their
 * texts, of a translation, which has no texts, their numbers. */
static const char *unknown_tokens(struct report *report, const struct checkpoint *checkpoint,
                                  const struct token_list *tokens, const char *names)
{
    const int unknown = checkpoint->config->special[SPECIAL_UNK][tokens->side];
    for (int i = 0; i < tokens->count; i++) {
        if (tokens->ids[i] != unknown)
            continue;
        const char *name = tokens->side == SIDE_TARGET
                               ? report_format(report, "token %d of the translation", i + 1)
                               : report_take_text(report, display_label(checkpoint, tokens->side,
                                                                        false, tokens->texts[i]));
        names = report_format(report, "%s%s%s", names, *names ? "  " : "", name);
    }
    return names;
}

/* Users who see nonsense should know that the model did not see what they typed. */
void report_unknown(struct report *report, const struct sentence_pair *pair)
{
    const struct token_list read = pair_columns(pair, MODULE_CROSS);
    const struct token_list predicted = pair_predicted(pair);
    const char *names = unknown_tokens(report, pair->checkpoint, &read, "");
    if (pair->forced)
        names = unknown_tokens(report, pair->checkpoint, &predicted, names);
    if (*names)
        report_warn(report, "not in the vocabulary: %s", names);
}

/* Changes -------------------------------------------------------------------------------------- */

static void put_outcome(struct report *report, const char *key, const struct sentence_pair *pair)
{
    const struct hypothesis *hypothesis = pair_hypothesis(pair);
    report_group(report, IN_JSON, key);
    report_json(report, "text", value_text(pair_target(pair)));
    report_json(report, "tokens", report_tokens(report, pair->checkpoint, hypothesis));
    report_json(report, "logprobs", report_floats(report, hypothesis->logprobs, hypothesis->count));
    report_json(report, "score", value_real(hypothesis->score));
    report_group_end(report);
}

/* Puts both translations, how they differ, and what happened to each token. */
static void put_comparison(struct report *report, const struct sentence_pair *before,
                           const struct sentence_pair *after)
{
    bool differ = strcmp(before->texts[0], after->texts[0]) != 0;
    const struct comparison *comparison = report_comparison(
        report, differ ? IN_TEXT | IN_JSON : IN_JSON, (const char *const[2]){"before", "after"},
        (const struct sentence_pair *const[2]){before, after});
    char text[COMPARISON_BYTES];
    if (!comparison)
        return;
    comparison_describe(comparison, text);
    report_line(report, IN_TEXT, "%s", text);
    if (comparison_same_tokens(comparison)) // `:beside` shows other states' changes
        report_token_changes(report, IN_TEXT | IF_WATCHED, comparison);
}

/* The screen shows the translations itself. Compares the best hypotheses, whichever was shown. */
void report_change(struct report *report, const struct session *session,
                   struct sentence_pair *before)
{
    const struct sentence_pair *after = session->current;
    report->effect = EFFECT_SENTENCE;
    report->origin.pair = after;
    report->before = before;
    report->only_says = !before;
    struct status unused;
    if (!before || (before->chosen && !pair_choose(before, 0, &unused)))
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

/* A shard -------------------------------------------------------------------------------------- */

/* Puts JSON `shard`: "2/7"; `unit`: "sentences", or "items" of suites; `count` of them in all,
 * `first` and `last` of the part (null: it has none); `computed` and `found` results; `file`. */
static void tell_part(struct report *report, const struct session *session)
{
    const struct shards_counts counts = shards_counts(session->shards);
    const struct shards_spec *spec = shards_spec(session->shards);
    const struct shard_range range = shards_range(session->shards, counts.sentences);
    const char *path = report_copy(report, shards_path(session->shards));
    bool some = range.end > range.first;
    report_json(report, "shard",
                value_text(report_format(report, "%d/%d", spec->part, spec->count)));
    report_json(report, "unit", value_text(counts.unit));
    report_json(report, "count", value_int(counts.sentences));
    report_json(report, "first", some ? value_int(range.first + 1) : value_null());
    report_json(report, "last", some ? value_int(range.end) : value_null());
    report_json(report, "computed", value_int(counts.computed));
    report_json(report, "found", value_int(counts.found));
    report_json(report, "file", value_text(path));
    const char *which = some
                            ? report_format(report, "%s %d to %d of %d", counts.unit,
                                            range.first + 1, range.end, counts.sentences)
                            : report_format(report, "none of %d %s", counts.sentences, counts.unit);
    report_line(report, FOR_PEOPLE, "part %d of %d: %s are in %s; %ld results computed, %ld found",
                spec->part, spec->count, which, path, counts.computed, counts.found);
}

bool report_part(struct report *report, const struct session *session, const char *line)
{
    const char *name = report->name;
    if (!shards_divided(session->shards) || !shards_counts(session->shards).studies)
        return false;
    report_free(report);
    report->name = name;
    report->of_part = true;
    report_command(report, "%s", line + 1);
    tell_part(report, session);
    return true;
}

void report_refused(struct report *report, const struct session *session)
{
    const struct shards *shards = session->shards;
    const long refused = shards ? shards_counts(shards).refused : 0;
    if (refused)
        report_warn(report, "%ld %s in %s %s impossible values; not used, and computed again",
                    refused, refused > 1 ? "results" : "result",
                    shards_divided(shards) ? report_quoted(report, shards_path(shards))
                                           : "the parts",
                    refused > 1 ? "have" : "has");
}

bool report_needs_whole(struct report *report, const struct session *session)
{
    if (!shards_divided(session->shards))
        return false;
    report->of_part = true;
    report_json(report, "left_to_merge", value_bool(true));
    report_line(report, FOR_PEOPLE, "this needs all sentences and runs in the merge of the parts");
    return true;
}

/* Languages: sources that name one that the model lacks, ">>zzz<< A man reads." ---------------- */

/* The sources that name such a language. */
struct named {
    const struct checkpoint *checkpoint;
    char first[LANGUAGE_CODE_BYTES];
    int count, sentences;
    bool others; // besides the first language
};

/* Counts source sentences in a command's files that name languages that the model lacks, for a
 * warning. */

static void count_source(struct named *named, const char *text)
{
    char code[LANGUAGE_CODE_BYTES];
    named->sentences++;
    if (!sentence_names_unknown(named->checkpoint, text, code))
        return;
    if (named->count++ == 0)
        strcpy(named->first, code);
    else
        named->others |= strcmp(named->first, code) != 0;
}

static void count_in_suite(struct named *named, const struct strings *paths)
{
    struct status status;
    struct suite suite = {0};
    if (suite_read(paths, &progress_watch, &suite, &status))
        for (int i = 0; i < suite.count; i++)
            count_source(named, suite.items[i].source);
    suite_free(&suite);
}

static void count_in_file(struct named *named, const char *path)
{
    struct status status;
    struct sentence_stream stream;
    bool end = false;
    bool good = sentence_stream_open(&stream, path, NULL, &progress_watch, &status);
    while (good && sentence_stream_next(&stream, &end, &status) && !end)
        count_source(named, stream.texts[0]);
    sentence_stream_close(&stream);
}

/* True unless it is a pipe, which cannot be read again. */
static bool is_readable_again(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode));
}

static void count_in_files(struct named *named, const struct argument_values *given, int index)
{
    const struct strings paths = argument_texts(given, index);
    for (int i = 0; i < paths.count; i++)
        if (!is_readable_again(paths.text[i]))
            return;
    if (given->list->each[index].most)
        count_in_suite(named, &paths);
    else if (paths.count)
        count_in_file(named, paths.text[0]);
}

void report_unknown_languages(struct report *report, const struct session *session,
                              const struct argument_values *given)
{
    struct named named = {.checkpoint = session->loaded->checkpoint};
    if (!config_begins_with_target(named.checkpoint->config))
        return;
    for (int i = 0; i < given->list->count; i++)
        if (given->list->each[i].sources && argument_given(given, i))
            count_in_files(&named, given, i);
    if (named.count)
        report_warn(report, "%s%s in %d of %d sentences: " EXPECTED,
                    report_quoted(report, named.first), named.others ? " and others" : "",
                    named.count, named.sentences);
}

/* Words ---------------------------------------------------------------------------------------- */

const char *report_typed(struct report *report, const struct argument_values *given, int index)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    const struct argument_value *value = &given->each[index];
    for (int i = 0; out && i < value->count; i++)
        fprintf(out, "%s%s", i ? " " : "", value->words[i]);
    return report_written(&writer);
}
