#include "tui/plain.h"

#include <stdlib.h>

#include "tui/display.h"

enum { INDENT = 31, ROOMY = 60 }; // columns: of name and value; enough to keep them apart

/* In `width` columns at least; any text may be in a value. */
static void print_value(FILE *stream, const struct setting *setting,
                        const struct settings *settings, int width)
{
    char *text = NULL;
    size_t size;
    FILE *out = display_have(open_memstream(&text, &size));
    if (!out)
        return;
    const char *quote = setting->type == SETTING_TEXT ? "\"" : "";
    fputs(quote, out);
    setting_write(setting, settings, false, out);
    fputs(quote, out);
    if (fclose(out) == 0) {
        display_write(stream, text);
        fprintf(stream, "%*s", width > (int)size ? width - (int)size : 0, "");
    }
    free(text);
}

static void write_setting(FILE *stream, const struct session *session,
                          const struct setting *setting)
{
    fprintf(stream, "%-21s ", setting->name);
    print_value(stream, setting, &session->settings, 8);
    fprintf(stream, " %s (", setting->help);
    setting_write_range(setting, stream);
    fputs("; default ", stream);
    print_value(stream, setting, &session->defaults, 0);
    fputc(')', stream);
}

static void print_setting(FILE *stream, const struct session *session,
                          const struct setting *setting)
{
    char *text = NULL;
    size_t size;
    FILE *out = display_have(open_memstream(&text, &size));
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
