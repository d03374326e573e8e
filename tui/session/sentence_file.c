#include "tui/session/sentence_file.h"

#include "model/text/conllu/conllu.h"
#include "model/text/quote.h"
#include "tui/terminal/interrupt.h"
#include "tui/terminal/progress.h"
#include "tui/text/arguments.h"

/* What the encoder does depends on the source alone: any target serves, an empty one is the cheapest. The
 * decoder is looked at while it writes the model's own translation. */
static struct sentence_pair *read_sentence(const struct session *session,
                                           const struct sentence_file *file, const char *line,
                                           const char *target, struct status *status)
{
    if (target)
        return pair_force(&session->state, line, target, status);
    return file->encoder ? pair_force(&session->state, line, "", status)
                         : pair_translate(&session->state, line, status);
}

static bool take_line(const struct session *session, struct sentence_file *file, const char *line,
                      const char *target, take_sentence_of_file *take, void *context,
                      struct status *status)
{
    if (!*skip_blanks(line))
        return true;
    file->words = file->conllu.count ? &file->conllu.sentences[file->sentences] : NULL;
    struct sentence_pair *pair = read_sentence(session, file, line, target, status);
    bool ok = pair && take(&session->state, pair, context, status);
    pair_free(pair);
    file->taken += ok;
    return ok;
}

/* The line of progress is one of its own: the work on each sentence has the shared one. */
static bool take_lines(const struct session *session, struct sentence_file *file,
                       const struct lines *lines, const struct lines *targets,
                       take_sentence_of_file *take, void *context, struct status *status)
{
    struct progress progress;
    bool ok = true;
    progress_begin(&progress, file->what, "sentences", lines->count);
    for (int i = 0; ok && i < lines->count; i++) {
        ok = take_line(session, file, lines->text[i], file->targets ? targets->text[i] : NULL, take,
                       context, status);
        if (!ok && status->code != STATUS_CANCELLED)
            status_prefix(status, "%s:%d", QUOTED_PATH(file->path), lines_number(lines, i));
        progress.count = file->sentences +=
            ok; // a sentence that was added counts, even if Ctrl-C came meanwhile
        progress.done = (double)progress.count;
        progress_draw(&progress);
        ok = ok && (file->sentences == lines->count || interrupt_check(status));
    }
    progress_end(&progress);
    return ok && (file->taken > 0 ||
                  status_fail(status, STATUS_INVALID, "%s: blank lines alone, expected a sentence",
                              QUOTED_PATH(file->path)));
}

static bool read_targets(const struct sentence_file *file, const struct lines *lines,
                         struct lines *targets, struct status *status)
{
    return !file->targets ||
           (sentences_read(file->targets, &progress_watch, targets, NULL, status) &&
            lines_check_match(file->path, lines, file->targets, targets, status));
}

bool sentence_file_walk(const struct session *session, struct sentence_file *file,
                        take_sentence_of_file *take, void *context, struct status *status)
{
    struct lines lines, targets = {0};
    if (!sentences_read(file->path, &progress_watch, &lines, file->words_for ? &file->conllu : NULL,
                        status)) {
        conllu_free(&file->conllu);
        return false;
    }
    file->lines = lines.count;
    bool ok =
        lines_check_any(file->path, &lines, status) &&
        (!file->words_for || conllu_check(file->path, file->words_for, &file->conllu, status)) &&
        read_targets(file, &lines, &targets, status) &&
        take_lines(session, file, &lines, &targets, take, context, status);
    lines_free(&lines);
    lines_free(&targets);
    conllu_free(&file->conllu);
    if (!ok && status->code == STATUS_CANCELLED && file->taken > 0)
        status_fail(status, STATUS_CANCELLED,
                    "interrupted: the first %d of %d sentences are averaged", file->sentences,
                    file->lines);
    return ok;
}
