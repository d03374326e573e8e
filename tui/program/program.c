#include "tui/program/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strings.h"
#include "model/checkpoint/convert.h"
#include "model/text/lines.h"
#include "model/text/quote.h"
#include "report/origins.h"
#include "report/output/sink.h"
#include "report/report.h"
#include "session/loaded.h"
#include "session/replace.h"
#include "terminal/graphics.h"
#include "terminal/interrupt.h"
#include "terminal/pager.h"
#include "terminal/progress.h"
#include "terminal/terminal.h"
#include "terminal/text/aligned.h"
#include "terminal/text/display.h"
#include "tui/command/commands.h"

/* A report's picture (`:show`) below what was printed, if results are lines. */

/* True if the sink can show the report's picture, or if it has none. */
static bool picture_possible(const struct sink *sink, const struct report *report,
                             struct status *status)
{
    if (!report->picture.png)
        return true;
    if (sink->kind != &plain_sink)
        return status_fail(status, STATUS_INVALID,
                           "JSON holds no picture: `:export FILE.png` writes it to a file");
    return sink->stream == stdout ||
           status_fail(status, STATUS_INVALID,
                       "the full screen shows no pictures of scripts: type the command instead");
}

/* Asks the terminal and writes the picture, if there is one. */
static bool show_picture(const struct report *report, struct status *status)
{
    const struct terminal_picture *picture = &report->picture;
    struct graphics_terminal terminal;
    if (!picture->png)
        return true;
    fflush(stdout);
    terminal_guard();
    terminal_change(true, false);
    graphics_ask(picture->graphics, &terminal);
    terminal_change(false, false);
    int rows = terminal.rows > 1 ? terminal.rows - 1 : 1;
    return graphics_write(&terminal, rows, picture->png, picture->bytes, stdout, status);
}

/* `--convert FILE`: writes a model of any family in our own format. */

static void tell(struct report *report, const struct loaded *loaded, const char *path)
{
    const struct contents *contents = loaded->checkpoint->contents;
    report->name = "convert";
    report_json(report, "from", value_text(report_copy(report, loaded->path)));
    report_json(report, "format", value_text(contents->family));
    report_json(report, "sha256", value_text(report_copy(report, loaded->digests.whole)));
    report_json(report, "file", value_text(report_copy(report, path)));
    report_line(report, FOR_PEOPLE, "wrote %s: %s, from %d file%s", path, contents->family,
                contents->file_count, contents->file_count == 1 ? "" : "s");
}

/* Opens the model without a device, writes it to `path`, and reports it. keep_files: an existing
 * file is an error. Ctrl-C stops it and leaves no file. Messages begin with a path. */
static bool convert_model(const char *model, const struct tokenizer_files *tokenizers,
                          const char *path, bool keep_files, struct report *report,
                          struct status *status)
{
    // Replacing files follows a rule of the session; nothing else of a session is needed here.
    const struct session rule = {.keep_files = keep_files};
    struct loaded *loaded = NULL;
    *report = (struct report){0};
    interrupt_hold(true);
    bool ok = replace_file(&rule, path, status) &&
              (loaded = loaded_open(model, tokenizers, status)) != NULL &&
              loaded_digests(loaded, status) &&
              checkpoint_convert(loaded->checkpoint, &loaded->digests, path, status);
    interrupt_hold(false);
    if (ok) {
        tell(report, loaded, path);
        ok = report_end(report, status);
    }
    loaded_close(loaded);
    return ok;
}

/* A script, linked to the one that runs it. Files are compared by device and number, whatever their
 * paths. */
struct running_script {
    const char *name;
    bool file; // not a stream, behind which another program may wait for answers
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

void program_warn(struct program *program, const char *message)
{
    char *text = NULL;
    const char *before = program->warnings;
    program_complain(message);
    if (asprintf(&text, "%s%s%s", before ? before : "", before ? "; " : "", message) < 0)
        return;
    free(program->warnings);
    program->warnings = text;
}

static void report(struct program *program, const char *where, const char *command,
                   const struct report *result, const char *message)
{
    // Without a session, the program itself is loading.
    const struct failure failure = {where, command, program->session && command_is(command),
                                    message};
    program->sink.kind->failure(&program->sink, &failure, result);
    program->exit_code = EXIT_FAILURE;
    if (program->script)
        program->script->counts->failed++;
}

void program_fail(struct program *program, const char *where, const char *command,
                  const char *message)
{
    struct report nothing = {0};
    if (program->session)
        report_add_provenance(&nothing, program->session);
    if (nothing.lacking)
        report_free(&nothing);
    report(program, where, command, &nothing, message);
    report_free(&nothing);
    program_written(program);
}

bool program_written(struct program *program)
{
    struct status status;
    if (sink_written(&program->sink, &status))
        return true;
    // A reader that has read enough, such as head, wants no message.
    if (!program->stop && !program->sink.reader_gone)
        program_complain(status.message);
    program->stop = true;
    program->exit_code = EXIT_FAILURE;
    return false;
}

/* Ctrl-C ends everything that is not typed. */
static void check_interrupt(struct program *program)
{
    if (!interrupted() || program->prompt)
        return;
    program->stop = program->interrupted = true;
    program->exit_code = EXIT_FAILURE;
}

/* Returns a result as the sink's terminal shows it, which the caller frees; NULL: out of memory. */
static char *draw(struct program *program, const char *name, const struct report *result)
{
    struct sink *sink = &program->sink;
    FILE *stream = sink->stream;
    struct written written;
    FILE *memory = written_open(&written);
    if (!memory)
        return NULL;
    display_follow(stream);
    display_lacks(); // clears what other code lacked
    sink->stream = memory;
    sink->kind->result(sink, name, result);
    sink->stream = stream;
    display_follow(NULL);
    char *text = written_close(&written);
    if (!display_lacks())
        return text;
    free(text);
    return NULL;
}

/* A typed command's result is shown page by page; output from while it ran (a file's translations)
 * is there already. */
static void show(struct program *program, const char *where, const char *name,
                 const struct report *result)
{
    struct report nothing = {0};
    char *text = draw(program, name, result);
    if (!text)
        report(program, where, name, &nothing, "out of memory: the result cannot be shown");
    else if (program->prompt && !program->script)
        pager_show(program->sink.stream, text);
    else
        aligned_write(program->sink.stream, text);
    free(text);
}

bool program_line(struct program *program, const char *where, const char *line)
{
    struct report result;
    struct status status;
    char name[64];
    const char *outer = program->sink.where;
    if (command_blank(line) || command_comment(line))
        return true;
    const struct command *command = command_of_line(line);
    program->sink.where = where;
    command_name(line, name, sizeof name);
    bool ok = command_run(program->session, line, &result, &status) &&
              picture_possible(&program->sink, &result, &status);
    if (program->script)
        program->script->counts->commands++;
    if (program_written(program)) {
        if (ok)
            show(program, where, name, &result);
        if (!(ok && show_picture(&result, &status)))
            report(program, where, name, &result, status.message);
        program_written(program);
    }
    report_free(&result);
    program->sink.where = outer;
    check_interrupt(program);
    program->stop |= program->session->quit;
    const bool goes_on = ok || !command || !(command->decides || program->lost);
    program->lost &= program->script != NULL;
    return goes_on;
}

void program_replay(struct program *program, const char *path)
{
    static const char name[] = "replay";
    struct report result;
    struct status status;
    bool same;
    if (!replay_file(program->session, path, &result, &same, &status)) {
        report_free(&result);
        program_fail(program, "", name, status.message);
        check_interrupt(program);
        return;
    }
    report_add_provenance(&result, program->session);
    show(program, "", name, &result);
    if (!same)
        program->exit_code = EXIT_FAILURE;
    program_written(program);
    report_free(&result);
}

void program_convert(struct program *program, const char *model,
                     const struct tokenizer_files *tokenizers, const char *path, bool keep_files)
{
    static const char name[] = "convert";
    struct report result;
    struct status status;
    if (convert_model(model, tokenizers, path, keep_files, &result, &status))
        show(program, "", name, &result);
    else
        program_fail(program, "", name, status.message);
    program_written(program);
    report_free(&result);
    check_interrupt(program);
}

/* Scripts -------------------------------------------------------------------------------------- */

/* Ctrl-C while a script waits for its next line ends the program, which has written everything. At
 * the prompt it only ends the script. */
static enum line_result next_line(struct program *program, FILE *stream, struct line *line,
                                  struct status *status)
{
    interrupt_idle(!program->prompt);
    enum line_result read = interrupt_check(status) ? line_read(stream, line, status) : LINE_FAILED;
    interrupt_idle(false);
    return read;
}

/* A user who gives a figure wants its session back. Without this check its bytes would be
 * translated. */
static bool is_figure(const char *first_line)
{
    static const char *const begins[] = {"%PDF-", "\x89PNG", "<?xml", "<svg"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (strncmp(first_line, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
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
        if (line->number == 1 && read == LINE_READ && is_figure(line->text))
            return status_fail(
                status, STATUS_INVALID,
                "%s: a figure, expected a script; attnscope --replay makes a figure again",
                QUOTED_PATH(name));
        if (asprintf(&where, "%s:%d: ", name, line->number) < 0)
            return status_fail(status, STATUS_MEMORY, "%s: out of memory", QUOTED_PATH(name));
        bool goes_on = true;
        if (read == LINE_READ)
            goes_on = program_line(program, where, line->text) || !program->script->file;
        else
            program_fail(program, where, SCRIPT_ITSELF, status->message);
        free(where);
        program->lost |= !goes_on;
        if (!goes_on && !interrupted())
            return status_fail(status, STATUS_INVALID,
                               "%s: stopped: line %d failed, and the lines after it need its model",
                               QUOTED_PATH(name), line->number);
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
    program->session->in_script = true;
    bool ok = run_lines(program, stream, &line, status);
    // This replaces the last command's failure: the user must know that the rest did not run.
    if (ok && interrupted() && !program->session->quit)
        ok = status_fail(status, STATUS_CANCELLED, "%s: interrupted", QUOTED_PATH(script->name));
    program->script = script->outer;
    program->session->in_script = script->outer != NULL;
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

/* A script that runs itself, directly or indirectly, would never end. */
static bool check_outer(const struct program *program, const struct running_script *script,
                        struct status *status)
{
    int depth = 1;
    for (const struct running_script *outer = program->script; outer; outer = outer->outer) {
        depth++;
        if (script->number && outer->number == script->number && outer->device == script->device)
            return status_fail(status, STATUS_INVALID,
                               "%s: already running: a script cannot run itself",
                               QUOTED_PATH(script->name));
    }
    return depth <= MOST_SCRIPTS ||
           status_fail(status, STATUS_INVALID, "%s: too many nested scripts, expected at most %d",
                       QUOTED_PATH(script->name), MOST_SCRIPTS);
}

bool program_script(struct program *program, const char *path, struct script_counts *counts,
                    struct status *status)
{
    struct stat file;
    *counts = (struct script_counts){0};
    FILE *stream = lines_open(path, &silent_watch, status);
    if (!stream)
        return false;
    struct running_script script = {.name = path, .file = true, .counts = counts};
    // Checks the path: streams of lines_open have no descriptor to ask.
    if (stat(path, &file) == 0) {
        script.device = file.st_dev;
        script.number = file.st_ino;
    }
    bool ok = check_outer(program, &script, status) && run_script(program, stream, &script, status);
    fclose(stream);
    return ok;
}

/* Requests of the session ---------------------------------------------------------------------- */

static bool show_lines(void *context, char *const *translations, int count, struct status *status)
{
    struct sink *sink = &((struct program *)context)->sink;
    for (int i = 0; i < count; i++)
        sink->kind->line(sink, translations[i]);
    return sink_written(sink, status);
}

static bool run_file(void *context, const char *path, struct script_counts *counts,
                     struct status *status)
{
    return program_script(context, path, counts, status);
}

void program_connect(struct program *program)
{
    program->session->host = (struct session_host){program, show_lines, run_file};
}
