#include "session/script.h"

#include <stdlib.h>
#include <string.h>

#include "session/head_description.h"
#include "terminal/text/arguments.h"

bool script_check_line(const char *what, const char *text, struct status *status)
{
    return !strchr(text, '\n') ||
           status_fail(status, STATUS_INVALID,
                       "the %s has a line break, which a script cannot hold: expected one line",
                       what);
}

static void write_setting(struct script_writer *writer, const struct setting *setting,
                          const struct settings *usual)
{
    const struct settings *now = &writer->session->settings;
    if (setting_equal(setting, now, usual))
        return;
    writer->commands++;
    fprintf(writer->stream, ":set %s ", setting->name);
    if (setting->type == SETTING_TEXT)
        arguments_quote(writer->stream, setting_text(setting, now));
    else
        setting_write(setting, now, true, writer->stream);
    fputc('\n', writer->stream);
}

/* In the table, a setting that changes others comes before them. Once it is written, they are
 * compared with the values that it gave them. */
void script_write_settings(struct script_writer *writer, bool (*chosen)(const struct setting *))
{
    struct settings usual = writer->session->defaults;
    for (int i = 0; i < setting_count; i++) {
        const struct setting *setting = &setting_table[i];
        if (chosen && !chosen(setting))
            continue;
        write_setting(writer, setting, &usual);
        if (setting->changed && !setting_equal(setting, &writer->session->settings, &usual)) {
            setting_copy(setting, &writer->session->settings, &usual);
            setting->changed(&usual);
        }
    }
}

/* Heads ---------------------------------------------------------------------------------------- */

/* Writes a command for the heads for which `chosen` is true: "NAME SELECTOR ARGUMENTS", one line
 * for each selector needed to name them. */
static bool write_heads(struct script_writer *writer, const char *name, const char *arguments,
                        bool (*chosen)(const struct session *, enum module, int, int, const void *),
                        const void *context, struct status *status)
{
    char *text = describe_chosen(writer->session, chosen, context);
    if (!text)
        return status_no_memory(status);
    char *rest = text, *end;
    for (; *rest; rest = end) {
        size_t length = strcspn(rest, ";");
        fprintf(writer->stream, ":%s %.*s%s\n", name, (int)length, rest, arguments);
        writer->commands++;
        end = rest + length;
        end += strspn(end, "; ");
    }
    free(text);
    return true;
}

static bool changed_to(const struct session *session, enum module module, int layer, int head,
                       const void *context)
{
    return head_changed(session, module, layer, head) &&
           heads_equal(head_settings_head(session->state.head_settings, module, layer, head),
                       context);
}

static struct head own_head(const struct session *session, enum module module, int layer, int head)
{
    return *head_settings_head(model_head_settings(session->state.model), module, layer, head);
}

static bool masked_to(const struct session *session, enum module module, int layer, int head,
                      const void *context)
{
    const struct head *now = context;
    struct head own = own_head(session, module, layer, head);
    own.entmax = now->entmax;
    return changed_to(session, module, layer, head, context) && !heads_equal(&own, now);
}

static bool alpha_changed_to(const struct session *session, enum module module, int layer, int head,
                             const void *context)
{
    const struct head *now = context;
    return changed_to(session, module, layer, head, context) &&
           own_head(session, module, layer, head).entmax != now->entmax;
}

static bool is_off(const struct session *session, enum module module, int layer, int head,
                   const void *context)
{
    (void)context;
    return head_off(session, module, layer, head);
}

static bool write_pattern(struct script_writer *writer, const struct head *head,
                          struct status *status)
{
    char arguments[64], pattern[PATTERN_BYTES];
    snprintf(arguments, sizeof arguments, " %s%s", describe_pattern(head, pattern),
             head->unit == UNIT_WORD ? " word" : "");
    return write_heads(writer, "pattern", arguments, changed_to, head, status);
}

/* Neither of the two commands changes what the other one sets. */
static bool write_learned(struct script_writer *writer, const struct head *head,
                          struct status *status)
{
    char mask[64], alpha[64], number[EXACT_BYTES];
    if (head->mask == MASK_LOCAL)
        snprintf(mask, sizeof mask, " local %d", (int)head->window);
    else
        snprintf(mask, sizeof mask, " %s", mask_names[head->mask]);
    snprintf(alpha, sizeof alpha, " alpha %s", exact_float(head_alpha(head), number));
    return write_heads(writer, "mask", mask, masked_to, head, status) &&
           write_heads(writer, "entmax", alpha, alpha_changed_to, head, status);
}

/* Writes the change of all heads that were changed to the same. */
static bool write_change(struct script_writer *writer, const struct head *head,
                         struct status *status)
{
    return head->energy == ENERGY_FIXED ? write_pattern(writer, head, status)
                                        : write_learned(writer, head, status);
}

static bool write_changes(struct script_writer *writer, struct status *status)
{
    const struct head_settings *head_settings = writer->session->state.head_settings;
    const struct head **seen = NULL; // heads whose changes are written already
    size_t capacity = 0, count = 0, i;
    bool ok = true;
    for (int m = 0; ok && m < MODULE_COUNT; m++)
        for (int place = 0; ok && place < head_settings->layers[m] * head_settings->count[m];
             place++) {
            int layer = place / head_settings->count[m], h = place % head_settings->count[m];
            const struct head *head = head_settings_head(head_settings, m, layer, h);
            if (!head_changed(writer->session, m, layer, h))
                continue;
            for (i = 0; i < count && !heads_equal(seen[i], head); i++)
                continue;
            if (i < count)
                continue;
            ok = memory_grow((void **)&seen, &capacity, count + 1, sizeof *seen, status) &&
                 write_change(writer, head, status);
            if (ok)
                seen[count++] = head;
        }
    free(seen);
    return ok;
}

bool script_write_heads(struct script_writer *writer, struct status *status)
{
    return write_changes(writer, status) &&
           write_heads(writer, "disable", "", is_off, NULL, status);
}

/* The sentence --------------------------------------------------------------------------------- */

/* Quotes a text from which leading or trailing blanks or quotes would otherwise be stripped. */
static void write_text(FILE *stream, const char *text)
{
    size_t length = strlen(text);
    bool bare = length && !is_blank(text[0]) && !is_blank(text[length - 1]) && text[0] != '"' &&
                text[0] != '\'';
    if (bare) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

bool script_write_translation(struct script_writer *writer, const struct sentence_pair *pair,
                              struct status *status)
{
    if (pair->forced && !script_check_line("translation", pair->texts[0], status))
        return false;
    if (pair->chosen > 0) {
        fprintf(writer->stream, ":hypothesis %d\n", pair->chosen + 1);
        writer->commands++;
    }
    if (!pair->forced)
        return true;
    fputs(":force ", writer->stream);
    write_text(writer->stream, pair->texts[0]);
    fputc('\n', writer->stream);
    writer->commands++;
    return true;
}

bool script_write_source(struct script_writer *writer, const char *text, struct status *status)
{
    if (!script_check_line("sentence", text, status))
        return false;
    // A colon after a blank does not begin a command.
    fprintf(writer->stream, "%s%s\n", *text == ':' ? " " : "", text);
    writer->commands++;
    return true;
}
