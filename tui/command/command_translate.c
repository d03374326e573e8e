/* `:translate FILE`: translates a file's lines in order, in chunks. */
#include <math.h>
#include <stdlib.h>

#include "model/study/translating.h"
#include "model/study/walk.h"
#include "model/text/conllu/conllu.h"
#include "terminal/progress.h"
#include "tui/command/command.h"

enum { SRC };
static const struct argument arguments[] = {
    [SRC] = {"FILE", .kind = ARGUMENT_FILE, .required = true, .sources = true},
};

struct file_result {
    const char *path;
    struct lines lines;
    char **translations; // (sentences); NULL: not finished, after an interruption
    bool kept;           // some were made before this command
    bool alone;          // only the report is wanted, which is the same whenever it is made
    int sentences;
    int finished;   // lines from the first on that have been output
    int64_t tokens; // of the translations, end-of-sentence included
    double seconds;
};

static void release_file(void *data)
{
    struct file_result *file = data;
    for (int i = 0; file->translations && i < file->sentences; i++)
        free(file->translations[i]);
    free(file->translations);
    lines_free(&file->lines);
}

struct run {
    const struct session_host *host; // NULL: no translations are shown
    struct file_result *file;
    struct translating lines;
};

/* Outputs all lines up to the first one without a translation. */
static bool emit_lines(void *context, struct status *status)
{
    struct run *run = context;
    struct file_result *file = run->file;
    int first = file->finished;
    if (shards_divided(run->lines.shards))
        return true;
    progress_hide();
    while (file->finished < file->sentences && file->translations[file->finished])
        file->finished++;
    return !run->host || run->host->show_lines(run->host->context, file->translations + first,
                                               file->finished - first, status);
}

static bool translate_lines(struct run *run, struct status *status)
{
    const struct follower chunks = {emit_lines, run};
    const double began = seconds_now();
    const bool ok = translating_all(&run->lines, 1, true, &chunks, status);
    run->file->tokens = run->lines.tokens;
    run->file->seconds = seconds_now() - began;
    return ok;
}

/* After an interruption, lists only the leading finished lines: of later ones only some are
 * done. */
static void report_lines_of(struct report *report, const struct file_result *file)
{
    static const struct column columns[] = {{.all = "line", .type = COLUMN_INT},
                                            {.all = "source", .type = COLUMN_SENTENCE},
                                            {.all = "translation", .type = COLUMN_SENTENCE}};
    struct table *table =
        report_table(report, IN_SCREEN | IN_TABLE | IN_ARRAYS, NULL, columns, COUNT(columns));
    const char *path = report_quoted(report, file->path);
    for (int i = 0; i < file->finished; i++) {
        table_add(table, value_int(i + 1), value_text(file->lines.text[i]),
                  value_text(file->translations[i]));
        table_enter(table, ":open %s\n:goto %d", path, i + 1);
    }
}

/* The translations themselves have been printed already. */
static void report_file(struct report *report, const struct session *session,
                        const struct file_result *file)
{
    struct value *list = report_new(report, (size_t)file->sentences, sizeof *list);
    bool whole = file->finished == file->sentences;
    for (int i = 0; list && i < file->sentences; i++)
        list[i] = value_text(file->translations[i]);
    report_title(report, "translations of %s", file->path);
    report_command(report, "translate %s", report_quoted(report, file->path));
    report->bare = true;
    report->origin.state = states_current(session);
    report_json(report, "file", value_text(report_copy(report, file->path)));
    report_json(report, "sentences", value_int(file->sentences));
    const bool timed = !file->kept && !file->alone;
    report_json(report, "tokens", timed ? value_int(file->tokens) : value_null());
    report_json(report, "seconds", timed ? value_real(file->seconds) : value_null());
    report_json(report, "translations", value_list(list, list ? file->sentences : 0));
    const char *all = whole ? "" : report_format(report, " of %d", file->sentences);
    report_line(report, whole ? FOR_PEOPLE | IF_WATCHED : IN_SCREEN,
                "%d%s lines, %.1f s, %.1f lines a second", file->finished, all, file->seconds,
                file->finished / fmax(file->seconds, 1e-9));
    report_lines_of(report, file);
}

/* If only the report is wanted, as for an export, kept translations are not made again. */
static bool exchange_kept(struct session *session, struct file_result *file, bool take,
                          struct status *status)
{
    struct translated *kept =
        cache_translations(&session->cache, &session->state, &file->lines, status);
    for (int i = 0; kept && i < file->sentences; i++) {
        char **from = take ? &kept->texts[i] : &file->translations[i];
        char **to = take ? &file->translations[i] : &kept->texts[i];
        if (!*from || *to)
            continue;
        file->kept |= take;
        *to = copy_text(*from, status);
        if (!*to)
            return false;
    }
    return kept != NULL;
}

/* Lines finished before a failure are reported, too. */
static bool translate_file(struct session *session, struct file_result *file, bool silent,
                           struct report *report, struct status *status)
{
    const int count = file->lines.count;
    file->translations = memory_new((size_t)count, sizeof(char *), status);
    file->sentences = file->translations ? count : 0;
    file->alone = silent;
    if (!file->translations || (silent && !exchange_kept(session, file, true, status)))
        return false;
    struct run run = {.host = silent ? NULL : &session->host,
                      .file = file,
                      .lines = {.state = &session->state,
                                .path = file->path,
                                .lines = &file->lines,
                                .texts = file->translations,
                                .watch = &progress_watch,
                                .shards = session->shards}};
    bool ok = translate_lines(&run, status) && emit_lines(&run, status) &&
              exchange_kept(session, file, false, status);
    if (shards_divided(session->shards))
        return ok;
    if (!ok && status->code == STATUS_CANCELLED)
        study_interrupted(file->finished, count, "lines", "finished", status);
    if (ok || file->tokens > 0 || file->kept)
        report_file(report, session, file);
    report->of_testset = true;
    return ok && report_end(report, status);
}

static bool run_translate(struct session *session, const struct request *request,
                          struct report *report, struct status *status)
{
    struct file_result *file = report_hold(report, sizeof *file, release_file);
    if (!file)
        return report_end(report, status);
    file->path = argument_text(request->given, SRC);
    return sentences_read(file->path, &progress_watch, &file->lines, NULL, status) &&
           lines_check_any(file->path, &file->lines, status) &&
           translate_file(session, file, request->silent, report, status);
}

static const char *const notes[] = {
    "Translations appear in the order of the lines. Ctrl-C stops; the lines finished by then are "
    "kept. "
    "A translation is one line: line breaks, tabs and separators in it become blanks, other "
    "control characters their pictures. :bleu scores the same text.",
    NULL,
};

const struct command command_translate = {
    .name = "translate",
    .summary = "translate a file, one sentence a line",
    .arguments = ARGUMENT_LIST(arguments),
    .notes = notes,
    .examples = (const char *const[]){":translate samples/sentences.en",
                                      ":translate samples/sentences-ja.en", NULL},
    .run = run_translate,
    .group = GROUP_SENTENCES,
    .view = true,
};
