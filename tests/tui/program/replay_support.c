#include "tests/tui/program/replay_support.h"

#include <string.h>

#include "tests/support/test.h"

void replay_write(const char *path, const char *text, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

void replay_export(const char *script, const char *path, const char *view)
{
    char text[3000];
    snprintf(text, sizeof text, "%s\n:export %s %s\n", script, path, view);
    const char *const arguments[] = {CPU, "-f", "-", MODEL, OTHER, NULL};
    struct outcome outcome = cli_run_with(arguments, text, strlen(text));
    if (outcome.code != 0)
        fail_msg("%s: %s", text, outcome.err);
    outcome_free(&outcome);
}

struct outcome replay_run(const char *path)
{
    const char *const arguments[] = {CPU, "--json", "--replay", path, MODEL, OTHER, NULL};
    return cli_run(arguments);
}

json_t *replay_object(const char *path, int code)
{
    const char *const arguments[] = {CPU, "--replay", path, NULL};
    struct outcome outcome = replay_run(path);
    if (outcome.code != code)
        fail_msg("%s: %d: %s", path, outcome.code, outcome.out);
    json_t *object = cli_object(arguments, outcome.out, 0);
    outcome_free(&outcome);
    return object;
}
