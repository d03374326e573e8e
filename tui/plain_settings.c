#include "tui/plain.h"

#include <stdlib.h>

#include "tui/display.h"

enum { INDENT = 31, ROOMY = 60 }; // columns: of name and value; enough to keep them apart

static void print_value(FILE *stream, const struct setting *setting,
                        const struct settings *settings)
{
    if (setting->type == SETTING_CHOICE)
        fprintf(stream, "%-8s", setting_choice(setting, settings));
    else
        fprintf(stream, "%-8.9g", setting_number(setting, settings));
}

static void write_setting(FILE *stream, const struct session *session,
                          const struct setting *setting)
{
    fprintf(stream, "%-21s ", setting->name);
    print_value(stream, setting, &session->settings);
    fprintf(stream, " %s (", setting->help);
    setting_write_range(setting, stream);
    fputs("; default ", stream);
    if (setting->type == SETTING_CHOICE)
        fprintf(stream, "%s)", setting_choice(setting, &session->defaults));
    else
        fprintf(stream, "%.9g)", setting_number(setting, &session->defaults));
}

static void print_setting(FILE *stream, const struct session *session,
                          const struct setting *setting)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    write_setting(out, session, setting);
    int columns = display_columns(stream);
    if (fclose(out) == 0)
        display_wrapped(stream, text, " ", columns < ROOMY ? 4 : INDENT, columns);
    free(text);
}

void plain_settings(FILE *stream, const struct session *session, const struct setting *one)
{
    for (int i = 0; i < setting_count; i++)
        if (!one || one == &setting_table[i])
            print_setting(stream, session, &setting_table[i]);
}
