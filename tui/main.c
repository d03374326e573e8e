/* attnscope: opens a model and hands command lines to the program (program.h), from the command line,
 * files, standard input or the keyboard. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tui/commands.h"
#include "tui/history.h"
#include "tui/interrupt.h"
#include "tui/manual.h"
#include "tui/options.h"
#include "tui/program.h"
#include "tui/prompt.h"
#include "tui/screen/screen.h"
#include "tui/screen/surface.h"

enum { EXIT_USAGE = 2 };

/* What is pasted may be several lines. Each is then shown before what it gives, and Ctrl-C drops those
 * that are left. */
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

static void run_typed_lines(struct program *program)
{
    char *text = NULL;
    prompt_open(program->session);
    do {
        free(text);
        interrupt_clear();
        text = prompt_read();
        if (text)
            run_text(program, text);
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
    printf(":help lists the commands, Ctrl-D ends\n");
    run_typed_lines(program);
    program->session->confirm = NULL;
}

/* A session at the keyboard ends well however its commands went. */
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

/* What is wrong with a script as a whole; that Ctrl-C ended it the user knows. */
static void finish_script(struct program *program, bool ok, const struct status *status)
{
    if (!ok && status->code != STATUS_CANCELLED)
        program_fail(program, "", SCRIPT_ITSELF, status->message);
}

/* Someone types where both ends of the program are terminals; JSON is for programs. */
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

static void run_file(struct program *program, const struct options *options, const char *path)
{
    struct script_counts counts;
    struct status status;
    if (strcmp(path, "-") == 0)
        run_input(program, options);
    else
        finish_script(program, program_script(program, path, &counts, &status), &status);
}

static void run_scripts(struct program *program, const struct options *options)
{
    for (int i = 0; i < options->count && !program->stop; i++) {
        const struct script *script = &options->scripts[i];
        if (script->kind == SCRIPT_COMMAND)
            program_line(program, "", script->text);
        else
            run_file(program, options, script->text);
    }
}

static int run_session(const struct options *options)
{
    struct program program = {
        .sink = {.stream = stdout, .kind = options->json ? &json_sink : &plain_sink}};
    struct session_spec spec = {.paths = options->models,
                                .count = options->model_count,
                                .device = options->device,
                                .threads = options->threads,
                                .dpi = options->dpi,
                                .keep_files = options->keep_files};
    struct status status;
    program.session = session_open(&spec, &status);
    if (!program.session) {
        // With --json the object is all there is: programs read one stream, and it names the file too.
        program_fail(&program, "", "load", status.message);
        return program.exit_code;
    }
    if (*program.session->opened.notice)
        program_complain(program.session->opened.notice);
    program.session->program = &program;
    program.session->sink = &program.sink;
    if (options->replay)
        program_replay(&program, options->replay);
    else if (options->count)
        run_scripts(&program, options);
    else
        run_input(&program, options);
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
    program_written(&program);
    return program.exit_code;
}

int main(int argc, char **argv)
{
    struct options options;
    struct status status;
    interrupt_install();
    if (!options_parse(argc, argv, &options, &status)) {
        program_complain(status.message);
        if (status.code == STATUS_MEMORY)
            return EXIT_FAILURE;
        options_usage(stderr);
        return EXIT_USAGE;
    }
    bool about = options.help || options.version || options.generate;
    int exit_code = about ? show_about(&options) : run_session(&options);
    options_free(&options);
    return exit_code;
}
