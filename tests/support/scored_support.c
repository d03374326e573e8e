#include "tests/support/scored_support.h"
#include "tests/support/test.h"

#include <unistd.h>

#include "tests/support/cli_support.h"

void scored_open(struct scored *scored, const char *model, const char *sources,
                 const char *references)
{
    scored->bench = bench_open(model);
    bench_connect(&scored->bench);
    write_lines(sources, scored->source);
    write_lines(references, scored->reference);
}

void scored_close(struct scored *scored)
{
    unlink(scored->source);
    unlink(scored->reference);
    bench_close(&scored->bench);
}

const char *scored_line(struct scored *scored, const char *command, const char *rest)
{
    snprintf(scored->line, sizeof scored->line, "%s %s %s%s", command, scored->source,
             scored->reference, rest);
    return scored->line;
}

/* Skips all but the last `count` lines: changes of state print lines, too. */
static const char *last_lines(const char *out, int count)
{
    for (int skip = cli_count_lines(out) - count; skip > 0; skip--)
        out = strchr(out, '\n') + 1;
    return out;
}

/* Takes one line of the output for every source that is not empty. */
static void take_lines(const char *out, const char *const *sources, int source_count,
                       char texts[][APART_BYTES])
{
    for (int i = 0; i < source_count; i++) {
        size_t length = *sources[i] ? strcspn(out, "\n") : 0;
        assert_true(length < APART_BYTES);
        snprintf(texts[i], APART_BYTES, "%.*s", (int)length, out);
        out += length + (*sources[i] && out[length] == '\n');
    }
    assert_string_equal(out, "");
}

void scored_apart(const char *model, const char *const *before, int before_count,
                  const char *const *sources, int source_count, char texts[][APART_BYTES])
{
    char path[100], *lines = NULL;
    size_t size;
    FILE *out = open_memstream(&lines, &size);
    assert_non_null(out);
    for (int i = 0; i < before_count; i++)
        fprintf(out, "%s\n", before[i]);
    for (int i = 0; i < source_count; i++)
        fprintf(out, "%s\n", sources[i]);
    fclose(out);
    snprintf(path, sizeof path, "tests/golden/%s.bin", model);
    const char *arguments[] = {CPU, "--threads", "1", "-f", cli_write("apart", lines), path, NULL};
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 0)
        fail_msg("%s", outcome.err);
    int lines_due = 0;
    for (int i = 0; i < source_count; i++)
        lines_due += *sources[i] != '\0';
    take_lines(last_lines(outcome.out, lines_due), sources, source_count, texts);
    outcome_free(&outcome);
    free(lines);
}
