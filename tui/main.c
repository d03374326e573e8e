/* attnscope: opens a model, runs commands, prints what they find. The only place that decides what goes
 * to standard output and standard error, and what the program ends with. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tui/commands.h"
#include "tui/display.h"
#include "tui/interrupt.h"
#include "tui/lines.h"
#include "tui/manual.h"
#include "tui/options.h"
#include "tui/sink.h"

enum { EXIT_USAGE = 2 };

/* Commands being run, one after the other. */
struct program {
    struct session *session;
    struct sink sink;
    bool prompt; // someone types
    bool stop;   // no further command is run
    int exit_code;
};

static void complain(const char *message)
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
}

/* Standard output that cannot be written ends the program. */
static bool check_output(struct program *program)
{
    struct status status;
    if (sink_written(&program->sink, &status))
        return true;
    if (!program->stop)
        complain(status.message);
    program->stop = true;
    program->exit_code = EXIT_FAILURE;
    return false;
}

/* Ctrl-C stops a command, and a script with it. */
static void check_interrupt(struct program *program)
{
    if (!interrupted())
        return;
    if (program->prompt) {
        interrupt_clear();
        return;
    }
    program->stop = true;
    program->exit_code = EXIT_FAILURE;
}

static void run_line(struct program *program, const char *where, const char *line)
{
    struct result result;
    struct status status;
    char name[64];
    if (command_blank(line))
        return;
    command_name(line, name, sizeof name);
    bool ok = command_run(program->session, line, &result, &status);
    if (check_output(program)) {
        if (ok)
            program->sink.kind->result(&program->sink, program->session, name, &result);
        else
            report(program, where, name, &result, status.message);
        check_output(program);
    }
    result_free(&result);
    check_interrupt(program);
    program->stop |= program->session->quit;
}

static void show_prompt(struct program *program)
{
    if (!program->prompt)
        return;
    display_write(stdout, session_config(program->session)->name);
    fputs("> ", stdout);
    check_output(program);
}

/* Waits for input or for Ctrl-C, which drops the line being typed. */
static void wait_at_prompt(struct program *program)
{
    struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                             {.fd = interrupt_file(), .events = POLLIN}};
    for (;;) {
        int ready = poll(files, 2, -1);
        if (interrupted()) {
            interrupt_clear();
            fputc('\n', stdout);
            show_prompt(program);
        } else if (ready > 0 || errno != EINTR) {
            return;
        }
    }
}

/* A script that waits for its next line is ended by Ctrl-C; false: it was. */
static bool wait_for_line(struct program *program)
{
    if (program->prompt) {
        wait_at_prompt(program);
        return true;
    }
    interrupt_idle(true);
    return !interrupted();
}

/* Reads and runs one line; false: there is none left. */
static bool run_next(struct program *program, FILE *stream, const char *name, struct line *line)
{
    struct result nothing = {.kind = RESULT_NONE};
    struct status status;
    char *where = NULL;
    enum line_result read = wait_for_line(program) ? line_read(stream, line, &status) : LINE_END;
    interrupt_idle(false);
    check_interrupt(program);
    if (read == LINE_END)
        return false;
    bool file_failed = read == LINE_FAILED && status.code == STATUS_IO;
    if ((file_failed ? asprintf(&where, "%s: ", name)
                     : asprintf(&where, "%s:%d: ", name, line->number)) < 0)
        return false;
    const char *place = program->prompt ? "" : where;
    if (read == LINE_READ)
        run_line(program, place, line->text);
    else
        report(program, place, "source", &nothing, status.message);
    check_output(program);
    free(where);
    return read != LINE_FAILED;
}

static void run_stream(struct program *program, FILE *stream, const char *name)
{
    struct line line = {0};
    do
        show_prompt(program);
    while (!program->stop && run_next(program, stream, name, &line) && !program->stop);
    if (program->prompt && !program->stop)
        fputc('\n', stdout);
    free(line.text);
}

/* A session at the keyboard ends well however its commands went. */
static void run_prompt(struct program *program)
{
    int exit_code = program->exit_code;
    program->prompt = program->sink.interactive = true;
    setvbuf(stdin, NULL, _IONBF, 0); // what poll does not see must not lie in a buffer
    printf(":help lists the commands, Ctrl-D ends\n");
    run_stream(program, stdin, "");
    program->prompt = program->sink.interactive = false;
    if (!ferror(stdout))
        program->exit_code = exit_code;
}

/* Someone types where both ends of the program are terminals; JSON is for programs. */
static void run_input(struct program *program)
{
    bool typed = program->sink.kind == &plain_sink && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (typed)
        run_prompt(program);
    else
        run_stream(program, stdin, "standard input");
}

static void run_file(struct program *program, const char *path)
{
    if (strcmp(path, "-") == 0) {
        run_input(program);
        return;
    }
    FILE *stream = fopen(path, "re");
    if (stream) {
        run_stream(program, stream, path);
        fclose(stream);
        return;
    }
    struct result nothing = {.kind = RESULT_NONE};
    struct status status;
    status_fail(&status, STATUS_IO, "%s: %s", path, strerror(errno));
    report(program, "", "source", &nothing, status.message);
    check_output(program);
}

static void run_scripts(struct program *program, const struct options *options)
{
    for (int i = 0; i < options->count && !program->stop; i++) {
        const struct script *script = &options->scripts[i];
        if (script->kind == SCRIPT_COMMAND)
            run_line(program, "", script->text);
        else
            run_file(program, script->text);
    }
}

/* All the models; the first is current. NULL: one of them does not open. */
static struct session *open_session(const struct options *options, struct status *status)
{
    struct session_spec spec = {options->models[0], options->device, options->threads,
                                options->dpi};
    struct session *session = session_open(&spec, status);
    bool ok = session != NULL;
    interrupt_idle(true); // nothing is lost yet: Ctrl-C ends the program
    for (int i = 1; ok && i < options->model_count; i++)
        ok = session_load(session, options->models[i], status);
    interrupt_idle(false);
    if (ok)
        return session;
    session_close(session);
    return NULL;
}

static int run_session(const struct options *options)
{
    struct program program = {
        .sink = {.stream = stdout, .kind = options->json ? &json_sink : &plain_sink}};
    struct status status;
    program.session = open_session(options, &status);
    if (!program.session) {
        // With --json the object is all there is: programs read one stream, and it names the file too.
        struct result nothing = {.kind = RESULT_NONE};
        report(&program, "", "load", &nothing, status.message);
        check_output(&program);
        return program.exit_code;
    }
    if (*program.session->opened.notice)
        complain(program.session->opened.notice);
    program.session->sink = &program.sink;
    if (options->count)
        run_scripts(&program, options);
    else
        run_input(&program);
    session_close(program.session);
    return program.exit_code;
}

static int show_about(const struct options *options)
{
    struct program program = {.sink = {.stream = stdout}};
    if (options->help)
        options_help(stdout);
    else if (options->generate)
        manual_write(options->generate, stdout);
    else
        printf("attnscope %s\n", ATTNSCOPE_VERSION);
    check_output(&program);
    return program.exit_code;
}

int main(int argc, char **argv)
{
    struct options options;
    struct status status;
    interrupt_install();
    if (!options_parse(argc, argv, &options, &status)) {
        complain(status.message);
        options_usage(stderr);
        return EXIT_USAGE;
    }
    bool about = options.help || options.version || options.generate;
    int exit_code = about ? show_about(&options) : run_session(&options);
    options_free(&options);
    return exit_code;
}
