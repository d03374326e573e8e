#include "tests/tui/program/identity_support.h"

#include "tests/support/test.h"

char *identity_source, *identity_target, *identity_folder;

void identity_write_texts(void)
{
    cli_write("source", "today never house old sleeps .\nblue likes gives child tree\n");
    cli_write("target", "ein Baum .\ndas Kind\n");
}

int identity_open_files(void **state)
{
    if (cli_open(state) != 0)
        return -1;
    identity_write_texts();
    identity_source = strdup(cli_path("source"));
    identity_target = strdup(cli_path("target"));
    identity_folder = strdup(cli_path("shards"));
    return identity_source && identity_target && identity_folder ? 0 : -1;
}

int identity_close_files(void **state)
{
    free(identity_source);
    free(identity_target);
    free(identity_folder);
    return cli_close(state);
}

/* Expands a command in which @S, @T and @P stand for the files: source, target, parts of speech. */
static char *fill(const char *command)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (; *command; command++) {
        if (*command == '@')
            command++;
        else {
            fputc(*command, out);
            continue;
        }
        fputs(*command == 'S'   ? identity_source
              : *command == 'T' ? identity_target
                                : cli_path("pos"),
              out);
    }
    fclose(out);
    return text;
}

struct outcome identity_start(const struct identity_run *run, const char *const *shard)
{
    const char *arguments[MOST_ARGUMENTS] = {"--quiet"};
    int count = 1;
    char *study = fill(run->study);
    for (int i = 0; run->options[i]; i++)
        arguments[count++] = run->options[i];
    if (!run->options[0] || strcmp(run->options[0], "--device") != 0) {
        arguments[count++] = "--device";
        arguments[count++] = "cpu";
    }
    for (int i = 0; shard[i]; i++)
        arguments[count++] = shard[i];
    arguments[count++] = run->model;
    if (run->before) {
        arguments[count++] = "-e";
        arguments[count++] = run->before;
    }
    arguments[count++] = "-e";
    arguments[count++] = study;
    assert_true(count < MOST_ARGUMENTS);
    struct outcome outcome = cli_run(arguments);
    free(study);
    return outcome;
}

void identity_compute(const struct identity_run *run)
{
    const char *const shard[] = {"--shard", "1/1", "--parts", identity_folder, NULL};
    cli_remove(identity_folder);
    struct outcome outcome = identity_start(run, shard);
    if (outcome.code)
        fail_msg("%s: %s", run->study, outcome.err);
    outcome_free(&outcome);
}

/* True if another run accepts the computed parts. If it does not, its message must say so. */
static bool takes(const struct identity_run *run)
{
    const char *const merge[] = {"--merge", identity_folder, NULL};
    struct outcome outcome = identity_start(run, merge);
    const bool taken = outcome.code == 0;
    if (!taken && !strstr(outcome.err, "the parts lack") && !strstr(outcome.err, "expected cpu") &&
        !strstr(outcome.err, "as in this session"))
        fail_msg("%s; %s: %s", run->before ? run->before : "", run->study, outcome.err);
    outcome_free(&outcome);
    return taken;
}

void identity_expect(const struct identity_run *run, bool taken)
{
    if (takes(run) != taken)
        fail_msg("%s %s; %s: %s", run->options[0] ? run->options[0] : "",
                 run->before ? run->before : "", run->study,
                 taken ? "not taken, expected the same result" : "taken, expected another result");
}
