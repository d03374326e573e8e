/* attnscope: opens a model and passes command lines to the program (program.h), from the command
 * line, files, standard input or the keyboard. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "model/text/quote.h"
#include "render/figure.h"
#include "session/model_folders.h"
#include "session/session.h"
#include "terminal/interrupt.h"
#include "terminal/progress.h"
#include "tui/command/commands.h"
#include "tui/manual/manual.h"
#include "tui/program/options.h"
#include "tui/program/program.h"
#include "tui/prompt/history.h"
#include "tui/prompt/meant.h"
#include "tui/prompt/prompt.h"
#include "tui/screen/canvas/surface.h"
#include "tui/screen/screen.h"

enum { EXIT_USAGE = 2 };

/* A paste may have several lines. Then each is shown before its result, and Ctrl-C drops the
 * rest. */
static void run_text(struct program *program, char *text)
{
    bool several = strchr(text, '\n') != NULL;
    for (char *line; !program->stop && !interrupted() && (line = strsep(&text, "\n"));) {
        if (command_blank(line))
            continue;
        history_keep(line);
        if (several)
            prompt_echo(line);
        program_line(program, "", line);
    }
}

/* A line contains a command: nothing of it is translated without asking. */
static void run_doubtful(struct program *program, const char *text, const char *command)
{
    char *question = NULL;
    if (!strchr(text, '\n'))
        history_keep(text);
    if (asprintf(&question, "meant %.200s? y runs that, t translates the line, else nothing: ",
                 QUOTED(command)) < 0)
        return;
    char answer = prompt_choose(question);
    char *lines = answer == 'y' ? strdup(command) : answer == 't' ? strdup(text) : NULL;
    if (lines)
        run_text(program, lines);
    free(lines);
    free(question);
}

/* A typed line may not be the sentence that it looks like. */
static void run_typed(struct program *program, char *text)
{
    char *command;
    switch (line_meant(text, false, &command)) {
    case MEANT_QUIT:
        program_line(program, "", ":quit");
        break;
    case MEANT_HELP:
        program_line(program, "", ":help");
        break;
    case MEANT_REST:
    case MEANT_COMMAND:
        run_doubtful(program, text, command);
        break;
    default:
        run_text(program, text);
    }
    free(command);
}

static void run_typed_lines(struct program *program)
{
    char *text = NULL;
    prompt_open(program->session);
    do {
        free(text);
        interrupt_clear();
        text = prompt_read();
        if (text)
            run_typed(program, text);
    } while (text && !program->stop);
    if (!text)
        fputc('\n', stdout);
    free(text);
    interrupt_clear();
    prompt_close();
}

static void run_prompt(struct program *program)
{
    program->session->confirm = prompt_confirm;
    printf(":help lists the commands, :quit or Ctrl-D ends\n");
    run_typed_lines(program);
    program->session->confirm = NULL;
}

/* A session at the keyboard succeeds whatever its commands did. */
static void run_keyboard(struct program *program, const struct options *options)
{
    struct status status;
    int exit_code = program->exit_code;
    program->prompt = program->sink.interactive = true;
    if (options->line || !surface_possible(&status)) {
        if (!options->line && *status.message)
            program_complain(status.message);
        run_prompt(program);
    } else if (!screen_run(program, options->ascii, &status)) {
        program_complain(status.message);
        exit_code = EXIT_FAILURE; // it never began
    }
    program->prompt = program->sink.interactive = false;
    if (!ferror(stdout))
        program->exit_code = exit_code;
}

/* Reports the failure of a script as a whole; the user knows about Ctrl-C. */
static bool finish_script(struct program *program, bool ok, const struct status *status)
{
    if (!ok && status->code != STATUS_CANCELLED)
        program_fail(program, "", SCRIPT_ITSELF, status->message);
    return ok;
}

/* If both ends are terminals, someone is typing; JSON is for programs. */
static void run_input(struct program *program, const struct options *options)
{
    bool typed = program->sink.kind == &plain_sink && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    struct script_counts counts;
    struct status status;
    if (typed)
        run_keyboard(program, options);
    else
        finish_script(program, program_stream(program, stdin, "standard input", &counts, &status),
                      &status);
}

static bool run_file(struct program *program, const char *path)
{
    struct script_counts counts;
    struct status status;
    const bool ok = program_script(program, path, &counts, &status);
    program->lost = false;
    return finish_script(program, ok, &status);
}

/* What follows a script that stopped does not run either, except what is typed or piped. */
static void run_scripts(struct program *program, const struct options *options)
{
    bool goes_on = true, skipped = false;
    for (int i = 0; i < options->count && !program->stop; i++) {
        const struct script *script = &options->scripts[i];
        if (script->kind == SCRIPT_FILE && strcmp(script->text, "-") == 0)
            run_input(program, options);
        else if (goes_on)
            goes_on = script->kind == SCRIPT_COMMAND ? program_line(program, "", script->text)
                                                     : run_file(program, script->text);
        else
            skipped = true;
    }
    if (skipped)
        program_complain("the rest of the command line did not run");
}

/* Returns the exit status. If the reader of standard output is gone, or Ctrl-C ended a script, the
 * program ends as if killed by the signal, so that shells can tell this from a failure and stop
 * their loops. Until now the signal was handled, and unfinished files have been removed. */
static int finish(struct program *program)
{
    free(program->warnings);
    if (program->interrupted)
        interrupt_die();
    if (program->sink.reader_gone) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return program->exit_code;
}

/* Without a GPU, a warning only concerns users who asked for one; `:info` says it, too. A GPU that
 * exists but is too small always deserves a warning. */
static void say_device(struct program *program, const struct options *options)
{
    const struct opened_device *opened = &program->session->opened;
    if (*opened->notice && (opened->short_of_memory || (options->gpu_asked && !options->quiet)))
        program_warn(program, opened->notice);
}

static void say_models(struct program *program)
{
    const struct session *session = program->session;
    char text[NOTICE_BYTES];
    for (int i = 0; i < session->model_count; i++)
        for (int n = 0; loaded_notice(session->models[i], n, text); n++)
            program_warn(program, text);
}

/* Divides studies over files into parts, as the command line says. */
static bool divide(struct program *program, const struct options *options)
{
    struct session *session = program->session;
    struct status status;
    bool ok = true;
    if (options->part_count)
        ok = session_take_shard(session, options->parts, options->part, options->part_count,
                                &status);
    else if (options->merged_count)
        ok = session_merge(session, options->merged, options->merged_count, &status);
    if (!ok)
        program_fail(program, "", options->part_count ? "shard" : "merge", status.message);
    for (int i = 0; ok && session->shards && i < shards_notices(session->shards)->count; i++)
        program_warn(program, shards_notices(session->shards)->text[i]);
    return ok;
}

static int run_session(const struct options *options, const char *const *paths)
{
    struct program program = {.sink = {.stream = stdout,
                                       .kind = options->json ? &json_sink : &plain_sink,
                                       .quiet = options->quiet}};
    struct session_spec spec = {.paths = paths,
                                .count = options->model_count,
                                .device = options->device,
                                .threads = options->threads,
                                .dpi = options->dpi,
                                .keep_files = options->keep_files,
                                .tokenizers = options->tokenizers};
    struct status status;
    if (options->quiet)
        progress_never();
    if (options->convert) {
        program_convert(&program, paths[0], &options->tokenizers, options->convert,
                        options->keep_files);
        return finish(&program);
    }
    program.session = session_open(&spec, &status);
    if (!program.session) {
        // With --json, this object is the only output: programs read one stream, and the object
        // also names the file.
        program_fail(&program, "", "load", status.message);
        return finish(&program);
    }
    say_device(&program, options);
    say_models(&program);
    program_connect(&program);
    if (!divide(&program, options)) {
        session_close(program.session);
        return finish(&program);
    }
    if (options->replay)
        program_replay(&program, options->replay);
    else if (options->count)
        run_scripts(&program, options);
    else
        run_input(&program, options);
    session_close(program.session);
    return finish(&program);
}

/* Turns names of models into paths first. */
static int open_session(const struct options *options)
{
    struct status status;
    char **paths = memory_new((size_t)options->model_count, sizeof *paths, &status);
    bool ok = paths != NULL;
    for (int i = 0; ok && i < options->model_count; i++)
        ok = (paths[i] = model_find_path(options->models[i], &status)) != NULL;
    int exit_code = EXIT_FAILURE;
    if (ok)
        exit_code = run_session(options, (const char *const *)paths);
    else
        program_complain(status.message);
    for (int i = 0; paths && i < options->model_count; i++)
        free(paths[i]);
    free(paths);
    return exit_code;
}

static int show_models(void)
{
    struct program program = {.sink = {.stream = stdout}};
    struct status status;
    if (models_write_list(stdout, &status)) {
        program_written(&program);
        return finish(&program);
    }
    program_complain(status.message);
    if (status.code == STATUS_MEMORY)
        return EXIT_FAILURE;
    options_usage(stderr);
    return EXIT_USAGE;
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
    program_written(&program);
    return finish(&program);
}

int main(int argc, char **argv)
{
    struct options options;
    struct status status;
    interrupt_install();
    if (!figure_language_settle(&status)) {
        program_complain(status.message);
        return EXIT_FAILURE;
    }
    if (!options_parse(argc, argv, &options, &status)) {
        program_complain(status.message);
        if (status.code == STATUS_MEMORY)
            return EXIT_FAILURE;
        options_usage(stderr);
        return EXIT_USAGE;
    }
    bool about = options.help || options.version || options.generate;
    int exit_code = about          ? show_about(&options)
                    : options.list ? show_models()
                                   : open_session(&options);
    options_free(&options);
    return exit_code;
}
