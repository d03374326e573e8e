#include "tui/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "model/net/quote.h"
#include "tui/commands.h"
#include "tui/display.h"
#include "tui/interrupt.h"
#include "tui/lines.h"
#include "tui/pager.h"
#include "tui/replay.h"

/* A script, linked to the one that runs it. Files are known by device and number, whatever their paths. */
struct running_script {
    const char *name;
    dev_t device;
    ino_t number;
    struct script_counts *counts;
    const struct running_script *outer;
};

void program_complain(const char *message)
{
    fputs("attnscope: ", stderr);
    display_write(stderr, message);
    fputc('\n', stderr);
}

static void report(struct program *program, const char *where, const char *command,
                   const struct result *result, const char *message)
{
    program->sink.kind->failure(&program->sink, program->session, where, command, result, message);
    program->exit_code = EXIT_FAILURE;
    if (program->script)
        program->script->counts->failed++;
}

void program_fail(struct program *program, const char *where, const char *command,
                  const char *message)
{
    struct result nothing = {.kind = RESULT_NONE};
    report(program, where, command, &nothing, message);
    program_written(program);
}

bool program_written(struct program *program)
{
    struct status status;
    if (sink_written(&program->sink, &status))
        return true;
    if (!program->stop)
        program_complain(status.message);
    program->stop = true;
    program->exit_code = EXIT_FAILURE;
    return false;
}

/* Ctrl-C ends what is not typed. */
static void check_interrupt(struct program *program)
{
    if (!interrupted() || program->prompt)
        return;
    program->stop = true;
    program->exit_code = EXIT_FAILURE;
}

/* What a result looks like on the sink's terminal; NULL: no memory for all of it. The caller frees it. */
static char *draw(struct program *program, const char *name, const struct result *result)
{
    struct sink *sink = &program->sink;
    FILE *stream = sink->stream;
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return NULL;
    display_follow(stream);
    display_lacks(); // before this: somebody else's
    sink->stream = memory;
    sink->kind->result(sink, program->session, name, result);
    sink->stream = stream;
    display_follow(NULL);
    if (fclose(memory) == 0 && !display_lacks())
        return text;
    free(text);
    return NULL;
}

/* What is typed is answered page by page; what a command had before it was done (a file's translations) is
 * out already. */
static void show(struct program *program, const char *where, const char *name,
                 const struct result *result)
{
    struct result nothing = {.kind = RESULT_NONE};
    char *text = draw(program, name, result);
    if (!text)
        report(program, where, name, &nothing, "out of memory: the result cannot be shown");
    else if (program->prompt && !program->script)
        pager_show(program->sink.stream, text);
    else
        fputs(text, program->sink.stream);
    free(text);
}

void program_line(struct program *program, const char *where, const char *line)
{
    struct result result;
    struct status status;
    char name[64];
    if (command_blank(line) || command_comment(line))
        return;
    command_name(line, name, sizeof name);
    bool ok = command_run(program->session, line, &result, &status);
    if (program->script)
        program->script->counts->commands++;
    if (program_written(program)) {
        if (ok)
            show(program, where, name, &result);
        else
            report(program, where, name, &result, status.message);
        program_written(program);
    }
    result_free(&result);
    check_interrupt(program);
    program->stop |= program->session->quit;
}

void program_replay(struct program *program, const char *path)
{
    static const char name[] = "replay";
    struct result result;
    struct status status;
    if (!replay_file(program->session, path, &result, &status)) {
        result_free(&result);
        program_fail(program, "", name, status.message);
        return;
    }
    show(program, "", name, &result);
    if (!result.replay.same)
        program->exit_code = EXIT_FAILURE;
    program_written(program);
    result_free(&result);
}

/* Scripts ----------------------------------------------------------------------------------------- */

/* Ctrl-C while a script waits for its next line ends the program, which has written all it has; at the
 * prompt the script alone. */
static enum line_result next_line(struct program *program, FILE *stream, struct line *line,
                                  struct status *status)
{
    interrupt_idle(!program->prompt);
    enum line_result read = interrupt_check(status) ? line_read(stream, line, status) : LINE_FAILED;
    interrupt_idle(false);
    return read;
}

static bool run_lines(struct program *program, FILE *stream, struct line *line,
                      struct status *status)
{
    const char *name = program->script->name;
    while (!program->stop) {
        char *where = NULL;
        enum line_result read = next_line(program, stream, line, status);
        if (read == LINE_END)
            return true;
        if (read == LINE_FAILED)
            return status->code == STATUS_INVALID
                       ? status_prefix(status, "%s:%d", QUOTED_PATH(name), line->number)
                       : status_prefix(status, "%s", QUOTED_PATH(name));
        if (asprintf(&where, "%s:%d: ", name, line->number) < 0)
            return status_fail(status, STATUS_MEMORY, "%s: out of memory", QUOTED_PATH(name));
        if (read == LINE_READ)
            program_line(program, where, line->text);
        else
            program_fail(program, where, SCRIPT_ITSELF, status->message);
        free(where);
    }
    return true;
}

static bool run_script(struct program *program, FILE *stream, struct running_script *script,
                       struct status *status)
{
    struct line line = {0};
    *script->counts = (struct script_counts){0};
    script->outer = program->script;
    program->script = script;
    bool ok = run_lines(program, stream, &line, status);
    // Not what its last command was: the user is to know that the rest did not run.
    if (ok && interrupted() && !program->session->quit)
        ok = status_fail(status, STATUS_CANCELLED, "%s: interrupted", QUOTED_PATH(script->name));
    program->script = script->outer;
    check_interrupt(program);
    free(line.text);
    return ok;
}

bool program_stream(struct program *program, FILE *stream, const char *name,
                    struct script_counts *counts, struct status *status)
{
    struct running_script script = {.name = name, .counts = counts};
    return run_script(program, stream, &script, status);
}

/* A script that runs itself, directly or not, would never end. */
static bool check_outer(const struct program *program, const struct running_script *script,
                        struct status *status)
{
    int depth = 1;
    for (const struct running_script *outer = program->script; outer; outer = outer->outer) {
        depth++;
        if (script->number && outer->number == script->number && outer->device == script->device)
            return status_fail(status, STATUS_INVALID,
                               "%s: runs already: a script cannot run itself",
                               QUOTED_PATH(script->name));
    }
    return depth <= MOST_SCRIPTS ||
           status_fail(status, STATUS_INVALID,
                       "%s: scripts that run scripts, expected at most %d of them",
                       QUOTED_PATH(script->name), MOST_SCRIPTS);
}

bool program_script(struct program *program, const char *path, struct script_counts *counts,
                    struct status *status)
{
    struct stat file;
    *counts = (struct script_counts){0};
    FILE *stream = lines_open(path, status);
    if (!stream)
        return false;
    struct running_script script = {.name = path, .counts = counts};
    // By the path: streams of lines_open have no descriptor to ask.
    if (stat(path, &file) == 0) {
        script.device = file.st_dev;
        script.number = file.st_ino;
    }
    bool ok = check_outer(program, &script, status) && run_script(program, stream, &script, status);
    fclose(stream);
    return ok;
}
