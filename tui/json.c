/* Results as JSON: one object on one line for every command. */
#include "tui/json.h"

#include "tui/commands.h"
#include "tui/describe.h"
#include "tui/json_writer.h"
#include "tui/sink.h"

typedef void present(struct json_writer *json, const struct session *session,
                     const struct result *result);

void json_texts(struct json_writer *json, const char *key, const struct pieces *texts)
{
    put_key(json, key);
    put_strings(json, (const char *const *)texts->text, texts->count);
}

/* Sentences ------------------------------------------------------------------------------------- */

static void write_source(struct json_writer *json, const struct subject *subject)
{
    put_object(json);
    put_member_string(json, "text", subject->text);
    json_texts(json, "tokens", &subject->source.pieces);
    put_key(json, "ids");
    put_ints(json, subject->source.ids, subject->source.count);
    put_object_end(json);
}

void json_tokens(struct json_writer *json, const struct session *session,
                 const struct hypothesis *hypothesis)
{
    const struct vocabulary *vocabulary = session->loaded->checkpoint->vocabulary[SIDE_TARGET];
    put_array(json);
    for (int i = 0; i < hypothesis->count; i++)
        put_string(json, vocabulary_piece(vocabulary, hypothesis->ids[i]));
    put_array_end(json);
}

static void write_hypothesis(struct json_writer *json, const struct session *session,
                             const struct hypothesis *hypothesis, const char *text)
{
    put_object(json);
    put_member_string(json, "text", text);
    put_key(json, "tokens");
    json_tokens(json, session, hypothesis);
    put_key(json, "ids");
    put_ints(json, hypothesis->ids, hypothesis->count);
    put_key(json, "logprobs");
    put_floats(json, hypothesis->logprobs, hypothesis->count);
    put_member_number(json, "score", hypothesis->score);
    put_object_end(json);
}

void json_sentence(struct json_writer *json, const struct session *session)
{
    const struct subject *subject = session->subject;
    put_key(json, "source");
    write_source(json, subject);
    put_key(json, "hypotheses");
    put_array(json);
    for (int i = 0; i < subject->translation.count; i++)
        write_hypothesis(json, session, &subject->translation.hypotheses[i], subject->texts[i]);
    put_array_end(json);
}

static void present_sentence(struct json_writer *json, const struct session *session,
                             const struct result *result)
{
    (void)result;
    json_sentence(json, session);
}

static void present_file(struct json_writer *json, const struct session *session,
                         const struct result *result)
{
    const struct file_result *file = &result->file;
    (void)session;
    put_member_string(json, "file", file->path);
    put_member_int(json, "sentences", file->sentences);
    put_member_int(json, "tokens", file->tokens);
    put_member_number(json, "seconds", file->seconds);
    put_key(json, "translations");
    put_array(json);
    for (int i = 0; i < file->sentences; i++)
        if (file->translations[i])
            put_string(json, file->translations[i]);
        else
            put_null(json);
    put_array_end(json);
}

static void present_score(struct json_writer *json, const struct session *session,
                          const struct result *result)
{
    const struct score_result *score = &result->score;
    (void)session;
    put_member_number(json, "logprob", score->logprob);
    put_key(json, "tokens");
    put_strings(json, score->tokens, score->count);
    put_key(json, "ids");
    put_ints(json, score->ids, score->count);
    put_key(json, "logprobs");
    put_floats(json, score->logprobs, score->count);
    put_member_number(json, "score", score->score);
}

/* Session --------------------------------------------------------------------------------------- */

static void write_outcome(struct json_writer *json, const char *key, const struct subject *subject)
{
    put_key(json, key);
    put_object(json);
    put_member_string(json, "text", subject->texts[0]);
    put_member_number(json, "score", subject->translation.hypotheses[0].score);
    put_object_end(json);
}

void json_change(struct json_writer *json, const struct subject *before,
                 const struct subject *after)
{
    if (!before)
        return;
    write_outcome(json, "before", before);
    write_outcome(json, "after", after);
}

static void present_dials(struct json_writer *json, const struct session *session,
                          const struct result *result)
{
    put_key(json, "disabled");
    put_heads_off(json, session);
    put_key(json, "changed");
    put_heads_changed(json, session);
    json_change(json, result->dials.before, session->subject);
}

/* An int may have more digits than numbers are given. */
static void write_setting_number(struct json_writer *json, const char *key,
                                 const struct setting *setting, double number)
{
    put_key(json, key);
    if (setting->type == SETTING_INT)
        put_int(json, (int64_t)number);
    else
        put_number(json, number);
}

static void write_setting_value(struct json_writer *json, const char *key,
                                const struct setting *setting, const struct settings *settings)
{
    if (setting_is_text(setting))
        put_member_string(json, key, setting_text(setting, settings));
    else
        write_setting_number(json, key, setting, setting_number(setting, settings));
}

static void write_setting(struct json_writer *json, const struct session *session,
                          const struct setting *setting)
{
    put_member_string(json, "name", setting->name);
    write_setting_value(json, "value", setting, &session->settings);
    write_setting_value(json, "default", setting, &session->defaults);
    if (setting->type == SETTING_CHOICE) {
        int count = 0;
        while (setting->choices[count])
            count++;
        put_key(json, "choices");
        put_strings(json, setting->choices, count);
    } else if (setting->type != SETTING_TEXT) {
        if (setting->type == SETTING_LENGTH)
            put_member_string(json, "unit", "mm");
        write_setting_number(json, "minimum", setting, setting->least);
        write_setting_number(json, "maximum", setting, setting->most);
    }
    put_member_string(json, "help", setting->help);
}

static void present_settings(struct json_writer *json, const struct session *session,
                             const struct result *result)
{
    if (result->settings.setting) {
        write_setting(json, session, result->settings.setting);
        json_change(json, result->settings.before, session->subject);
        return;
    }
    put_key(json, "settings");
    put_array(json);
    for (int i = 0; i < setting_count; i++) {
        put_object(json);
        write_setting(json, session, &setting_table[i]);
        put_object_end(json);
    }
    put_array_end(json);
}

static void present_info(struct json_writer *json, const struct session *session,
                         const struct result *result)
{
    json_info(json, session, &result->info);
}

static void write_command(struct json_writer *json, const struct command *command)
{
    put_member_string(json, "name", command->name);
    put_member_string(json, "arguments", command->arguments);
    put_member_string(json, "summary", command->summary);
    if (command->details)
        put_member_string(json, "details", command->details);
}

static void present_help(struct json_writer *json, const struct session *session,
                         const struct result *result)
{
    (void)session;
    if (result->help.command) {
        write_command(json, result->help.command);
        return;
    }
    put_key(json, "commands");
    put_array(json);
    for (int i = 0; i < command_count; i++) {
        put_object(json);
        write_command(json, &command_table[i]);
        put_object_end(json);
    }
    put_array_end(json);
}

static void present_export(struct json_writer *json, const struct session *session,
                           const struct result *result)
{
    (void)session;
    const struct export_result *exported = &result->exported;
    put_member_string(json, "file", exported->path);
    put_member_string(json, "format", exported->format);
    if (exported->view)
        put_member_string(json, "view", exported->view);
    else if (exported->files)
        put_member_int(json, "files", exported->files);
    else
        put_member_int(json, "tensors", exported->tensors);
}

static void present_replay(struct json_writer *json, const struct session *session,
                           const struct result *result)
{
    (void)session;
    const struct replay_result *replay = &result->replay;
    put_member_string(json, "file", replay->path);
    put_member_bool(json, "same", replay->same);
    if (replay->same)
        return;
    put_member_string(json, "redrawn", replay->redrawn);
    put_member_string(json, "differences", replay->differences);
}

static void present_source(struct json_writer *json, const struct session *session,
                           const struct result *result)
{
    (void)session;
    put_member_string(json, "file", result->source.path);
    put_member_int(json, "commands", result->source.commands);
    put_member_int(json, "failed", result->source.failed);
}

static void present_save(struct json_writer *json, const struct session *session,
                         const struct result *result)
{
    (void)session;
    put_member_string(json, "file", result->save.path);
    put_member_int(json, "commands", result->save.commands);
}

static void present_nothing(struct json_writer *json, const struct session *session,
                            const struct result *result)
{
    (void)json;
    (void)session;
    (void)result;
}

static present *const presenters[RESULT_KINDS] = {
    [RESULT_NONE] = present_nothing,
    [RESULT_SENTENCE] = present_sentence,
    [RESULT_FILE] = present_file,
    [RESULT_ATTENTION] = json_attention,
    [RESULT_ALIGNMENT] = json_alignment,
    [RESULT_IMPORTANCE] = json_importance,
    [RESULT_GATES] = json_gates,
    [RESULT_GATE_GROUPS] = json_gate_groups,
    [RESULT_SCORE] = present_score,
    [RESULT_DIALS] = present_dials,
    [RESULT_SETTINGS] = present_settings,
    [RESULT_INFO] = present_info,
    [RESULT_HELP] = present_help,
    [RESULT_EXPORT] = present_export,
    [RESULT_TESTSET] = json_testset,
    [RESULT_HYPOTHESIS] = json_hypothesis,
    [RESULT_HYPOTHESES] = present_sentence,
    [RESULT_STATE] = json_state,
    [RESULT_STATES] = json_states,
    [RESULT_BESIDE] = json_beside,
    [RESULT_HEADS] = json_heads,
    [RESULT_TOKEN] = json_token,
    [RESULT_SOURCE] = present_source,
    [RESULT_SAVE] = present_save,
    [RESULT_REPLAY] = present_replay,
    [RESULT_BLEU] = json_bleu,
    [RESULT_COMPARE] = json_compare,
    [RESULT_ABLATE] = json_ablate,
    [RESULT_PRUNE] = json_prune,
    [RESULT_CONTRAST] = json_contrast,
    [RESULT_FLIPS] = json_flips,
    [RESULT_CONTRAST_ABLATE] = json_contrast_ablate,
    [RESULT_BLEU_ACROSS] = json_across,
    [RESULT_CONTRAST_ACROSS] = json_across,
};

void json_result(struct json_writer *json, const struct session *session, const char *command,
                 const struct result *result)
{
    put_member_string(json, "command", command);
    put_member_bool(json, "ok", true);
    presenters[result->kind](json, session, result);
}

/* The sink -------------------------------------------------------------------------------------- */

/* The result has all lines. */
static void sink_line(struct sink *sink, const char *translation)
{
    (void)sink;
    (void)translation;
}

static void sink_result(struct sink *sink, const struct session *session, const char *command,
                        const struct result *result)
{
    struct json_writer json = {.stream = sink->stream};
    put_object(&json);
    json_result(&json, session, command, result);
    put_object_end(&json);
    fputc('\n', sink->stream);
}

static void sink_failure(struct sink *sink, const struct session *session, const char *where,
                         const char *command, const struct result *result, const char *message)
{
    struct json_writer json = {.stream = sink->stream};
    (void)where;
    put_object(&json);
    put_member_string(&json, "command", command);
    put_member_bool(&json, "ok", false);
    put_member_string(&json, "error", message);
    presenters[result->kind](&json, session, result);
    put_object_end(&json);
    fputc('\n', sink->stream);
}

const struct sink_kind json_sink = {sink_line, sink_result, sink_failure};
