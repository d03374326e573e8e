#include "tests/support/session_support.h"
#include "tests/support/test.h"

char *session_print(const char *const *arguments)
{
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 0 || cli_count_messages(outcome.err))
        fail_msg("%s: ends with %d: %s", cli_command_line(arguments), outcome.code, outcome.err);
    free(outcome.err);
    return outcome.out;
}

char *session_translate(const char *model, const char *before, const char *sentence)
{
    const char *const plain[] = {CPU, model, "-e", sentence, NULL};
    const char *const changed[] = {CPU, model, "-e", before, "-e", sentence, NULL};
    return session_print(before ? changed : plain);
}

char *session_take_line(char **text, const char *start)
{
    size_t length = strcspn(*text, "\n");
    if (strncmp(*text, start, strlen(start)) != 0)
        fail_msg("\"%.*s\" does not begin with \"%s\"", (int)length, *text, start);
    char *line = calloc(1, length + 2), *out = line;
    for (const char *in = *text + strlen(start); in <= *text + length && *in; in++)
        *out++ = *in;
    *text += length + ((*text)[length] == '\n');
    return line;
}

void session_line(char **text, const char *start, const char *rest)
{
    char *is = session_take_line(text, start);
    assert_string_equal(is, rest);
    free(is);
}

/* Appends the words of a line to a text that is empty or ends in a line break, without the marks of
 * changes. */
static void add_words(char *text, const char *line)
{
    static const char *const marks[] = {"[-", "-]", "{+", "+}", "[", "]", NULL};
    char *out = text + strcspn(text, "\n");
    while (*line) {
        size_t bytes = 0;
        for (int i = 0; marks[i] && !bytes; i++)
            bytes = strncmp(line, marks[i], strlen(marks[i])) == 0 ? strlen(marks[i]) : 0;
        bool blank = *line == ' ' || *line == '\n';
        if (!bytes && !(blank && (out == text || out[-1] == ' ')))
            *out++ = blank ? ' ' : *line;
        line += bytes ? bytes : 1;
    }
    if (out > text && out[-1] == ' ')
        out--;
    strcpy(out, "\n");
}

void session_comparison(char **text, const char *const titles[2], const char *const texts[2])
{
    char *words[2] = {calloc(1, strlen(*text) + 2), calloc(1, strlen(*text) + 2)};
    assert_true(words[0] && words[1]);
    do
        for (int side = 0; side < 2; side++) {
            char *line = session_take_line(text, titles[side]);
            size_t end = strcspn(words[side], "\n");
            if (end)
                strcpy(words[side] + end, " \n");
            add_words(words[side], line);
            free(line);
        }
    while (strncmp(*text, titles[0], strlen(titles[0])) == 0);
    for (int side = 0; side < 2; side++) {
        assert_string_equal(words[side], texts[side]);
        free(words[side]);
    }
    char *counts = session_take_line(text, "");
    assert_true(strstr(counts, " word") || strstr(counts, "translation"));
    free(counts);
}
