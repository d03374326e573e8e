#include "tests/session_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

char *session_print(const char *const *arguments)
{
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 0 || *outcome.err)
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
        if (*in != '[' && *in != ']')
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
