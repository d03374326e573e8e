/* `:set`: settings and their values. */
#include <stdlib.h>

#include "model/text/quote.h"

#include "tui/command/command.h"

/* Reports -------------------------------------------------------------------------------------- */

/* Returns the value as people read it, which may be any text. */
static const char *value_of(struct report *report, const struct setting *setting,
                            const struct settings *settings)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    const char *quote = setting->type == SETTING_TEXT ? "\"" : "";
    if (out) {
        fputs(quote, out);
        setting_write(setting, settings, false, out);
        fputs(quote, out);
    }
    return report_written(&writer);
}

static const char *range_of(struct report *report, const struct setting *setting)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    if (out)
        setting_write_range(setting, out);
    return report_written(&writer);
}

/* Lists the languages, which may be many, if only this setting was requested. */
static void say_languages(struct report *report, unsigned in, const struct setting *setting,
                          const struct settings *settings)
{
    struct report_writer writer;
    FILE *out = report_write(&writer, report);
    const char *const *names = setting_choices(setting, settings);
    for (int i = 0; out && names[i]; i++)
        fprintf(out, "%s%s", i ? ", " : "", names[i]);
    report_line(report, in, "languages: %s", report_written(&writer));
}

void report_settings(struct report *report, unsigned in, const struct session *session,
                     const struct setting *one)
{
    enum { VALUE_COLUMNS = 8 };
    static const struct column columns[] = {
        {.title = "setting"}, {.title = "value", .least = VALUE_COLUMNS}, {.title = "meaning"}};
    struct table *table = report_table(report, in, NULL, columns, COUNT(columns));
    table->style = TABLE_LIST;
    for (int i = 0; i < setting_count; i++) {
        const struct setting *setting = &setting_table[i];
        if (one && one != setting)
            continue;
        table_add(table, value_text(setting->name),
                  value_text(value_of(report, setting, &session->settings)),
                  value_text(report_format(report, "%s (%s; default %s)", setting->help,
                                           range_of(report, setting),
                                           value_of(report, setting, &session->defaults))));
    }
}

static void put_sheet(struct report *report, const struct session *session)
{
    static const struct column columns[] = {
        {.title = "setting"}, {.title = "value"}, {.title = "default"},
        {.title = "meaning"}, {.title = "range"},
    };
    struct table *table = report_table(report, IN_SCREEN, NULL, columns, COUNT(columns));
    for (int i = 0; i < setting_count; i++) {
        const struct setting *setting = &setting_table[i];
        table_add(table, value_text(setting->name),
                  value_text(value_of(report, setting, &session->settings)),
                  value_text(value_of(report, setting, &session->defaults)),
                  value_text(setting->help), value_text(range_of(report, setting)));
    }
}

/* Ints are reported as ints, with all their digits. */
static struct value number_of(const struct setting *setting, double number)
{
    return setting->type == SETTING_INT ? value_int((int64_t)number) : value_real(number);
}

static struct value json_value_of(const struct setting *setting, const struct settings *settings)
{
    return setting_is_text(setting) ? value_text(setting_text(setting, settings))
                                    : number_of(setting, setting_number(setting, settings));
}

static void put_members(struct report *report, const struct session *session,
                        const struct setting *setting)
{
    report_json(report, "name", value_text(setting->name));
    report_json(report, "value", json_value_of(setting, &session->settings));
    report_json(report, "default", json_value_of(setting, &session->defaults));
    const char *const *choices = setting_choices(setting, &session->settings);
    if (choices) {
        int count = 0;
        while (choices[count])
            count++;
        report_json(report, "choices", value_texts(choices, count));
    } else if (setting->type != SETTING_TEXT) {
        if (setting->type == SETTING_LENGTH)
            report_json(report, "unit", value_text("mm"));
        report_json(report, "minimum", number_of(setting, setting->least));
        report_json(report, "maximum", number_of(setting, setting->most));
    }
    report_json(report, "help", value_text(setting->help));
}

void report_setting(struct report *report, unsigned in, const struct session *session,
                    const struct setting *setting)
{
    put_members(report, session, setting);
    report_settings(report, in, session, setting);
}

static void put_list(struct report *report, const struct session *session)
{
    struct value *list = report_new(report, (size_t)setting_count, sizeof *list);
    for (int i = 0; list && i < setting_count; i++) {
        struct group *object = report_object(report);
        put_members(report, session, &setting_table[i]);
        report_group_end(report);
        list[i] = value_object(&object->blocks);
    }
    report_json(report, "settings", value_list(list, list ? setting_count : 0));
}

static void report_all(struct report *report, const struct session *session)
{
    put_list(report, session);
    report_settings(report, IN_TEXT, session, NULL);
    put_sheet(report, session);
}

enum { NAME, VALUE };
static const struct argument arguments[] = {
    [NAME] = {"NAME", .kind = ARGUMENT_SETTING, .verbatim = true},
    [VALUE] = {"VALUE", .kind = ARGUMENT_VALUE, .needs = ARG(NAME)},
};

/* The command ---------------------------------------------------------------------------------- */

/* All words after the name are one value. */
static bool change_setting(struct session *session, const struct setting *setting,
                           const struct strings *words, struct sentence_pair **before,
                           struct status *status)
{
    struct settings settings = session->settings;
    char *text = NULL;
    size_t size;
    if (session->aside && setting->reach != REACH_PICTURES)
        return status_fail(status, STATUS_BUSY, "a command is at work with this setting");
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return status_no_memory(status);
    for (int i = 0; i < words->count; i++)
        fprintf(out, "%s%s", i ? " " : "", words->text[i]);
    bool ok = fclose(out) == 0 && setting_parse(setting, text, &settings, status) &&
              session_change_settings(session, &settings, before, status);
    free(text);
    return ok;
}

/* This is a change of state: it is reported even to scripts. */
static void say_search(struct report *report, const struct session *session)
{
    const char *search = report_search(report, session);
    report_line(report, IN_TEXT | IF_UNWATCHED, "search: %s",
                *search ? search : "as the checkpoint has it");
}

/* Texts and lengths may consist of several words. */
static bool check_value(const struct setting *setting, const struct strings *value,
                        struct status *status)
{
    bool several = setting && (setting->type == SETTING_TEXT || setting->type == SETTING_LENGTH);
    return several || value->count < 2 ||
           status_fail(status, STATUS_INVALID, "\"%s\": unexpected argument, expected one value",
                       QUOTED(value->text[1]));
}

static bool run_set(struct session *session, const struct request *request, struct report *report,
                    struct status *status)
{
    const char *name = argument_text(request->given, NAME);
    const struct strings value = argument_texts(request->given, VALUE);
    const struct setting *setting = name ? setting_find(name, status) : NULL;
    bool assigned = value.count > 0;
    struct sentence_pair *before = NULL;
    if ((name && !setting) || !check_value(setting, &value, status) ||
        (assigned && !change_setting(session, setting, &value, &before, status)))
        return false;
    if (setting) {
        report_setting(report, FOR_PEOPLE | (assigned ? IF_WATCHED : 0), session, setting);
        if (setting->type == SETTING_LANGUAGE && !assigned)
            say_languages(report, FOR_PEOPLE, setting, &session->settings);
        if (assigned && setting_of_state(setting))
            say_search(report, session);
    } else {
        report_all(report, session);
    }
    if (assigned)
        report_change(report, session, before);
    return report_end(report, status);
}

const struct command command_set = {
    .name = "set",
    .summary = "show or change settings",
    .arguments = ARGUMENT_LIST(arguments),
    .examples = (const char *const[]){":set beam 1", ":set figure.preset acl-column", NULL},
    .run = run_set,
    .group = GROUP_SESSION,
    .needs = NEEDS_SESSION,
};
