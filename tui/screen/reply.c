#include "tui/screen/reply.h"

#include <stdlib.h>
#include <string.h>

#include "tui/commands.h"
#include "tui/display.h"

#define FIRST_VIEW "attn"

static void say(struct reply *out, bool failed, const char *message)
{
    free(out->message);
    out->message = strdup(message);
    out->failed = failed;
}

/* Printing ----------------------------------------------------------------------------------------- */

static FILE *begin_text(struct program *program, char **text, size_t *size)
{
    *text = NULL;
    FILE *stream = open_memstream(text, size);
    if (stream)
        program->sink.stream = program->sink.failures = stream; // of a script's lines
    return stream;
}

static void end_text(struct program *program, FILE *stream)
{
    program->sink.stream = stdout;
    program->sink.failures = NULL;
    if (stream)
        fclose(stream);
}

/* Results in the same words as at the prompt. */
static bool print_result(struct program *program, const char *line, const struct result *result,
                         struct status *status)
{
    char name[64];
    command_name(line, name, sizeof name);
    display_lacks(); // before this: somebody else's
    program->sink.kind->result(&program->sink, program->session, name, result);
    return !display_lacks() ||
           status_fail(status, STATUS_MEMORY, "out of memory: the result cannot be shown");
}

/* Changes ------------------------------------------------------------------------------------------ */

/* Whether the command was about what is translated, or how: the view follows. */
static bool changes_subject(const struct result *result)
{
    switch (result->kind) {
    case RESULT_SENTENCE:
    case RESULT_HYPOTHESIS:
    case RESULT_STATE:
    case RESULT_TESTSET:
        return true;
    case RESULT_DIALS:
        return !result->dials.asked;
    case RESULT_SETTINGS:
        return result->settings.assigned;
    default:
        return false;
    }
}

static const struct subject *subject_before(const struct result *result)
{
    return result->kind == RESULT_DIALS      ? result->dials.before
           : result->kind == RESULT_STATE    ? result->state.before
           : result->kind == RESULT_SETTINGS ? result->settings.before
                                             : NULL;
}

static int words_in(const char *text, const struct changed *changed)
{
    int count = 0;
    for (int i = 0; i < changed->count; i++) {
        bool inside = false;
        for (size_t at = changed->spans[i].begin; at < changed->spans[i].end; at++) {
            bool blank = text[at] == ' ';
            count += !blank && !inside;
            inside = !blank;
        }
    }
    return count;
}

static void say_change(const struct session *session, const struct subject *before,
                       const struct frame *frame, struct reply *out)
{
    char text[120];
    const struct subject *now = session->subject;
    double score = subject_hypothesis(now)->score, was = subject_hypothesis(before)->score;
    if (strcmp(subject_target(before), subject_target(now)) == 0)
        snprintf(text, sizeof text, "the translation stays; score %.4f, was %.4f", score, was);
    else if (frame->changed.count == 0) // words that are gone cannot be marked
        snprintf(text, sizeof text, "the translation is shorter; score %.4f, was %.4f", score, was);
    else
        snprintf(text, sizeof text, "%d changed word%s; score %.4f, was %.4f",
                 words_in(frame->target, &frame->changed),
                 words_in(frame->target, &frame->changed) == 1 ? "" : "s", score, was);
    say(out, false, text);
}

/* The last view of the sentence at hand, or the first where that cannot be: other models have other modules. */
static bool show_again(struct session *session, struct result *view, struct status *status)
{
    if (!session->subject)
        return true;
    const char *shown = session->looked_at ? session->looked_at : FIRST_VIEW;
    if (command_view(session, shown, view, status))
        return true;
    result_free(view);
    return status->code == STATUS_INVALID && command_view(session, FIRST_VIEW, view, status);
}

static void refresh(struct program *program, const struct subject *before, struct reply *out)
{
    struct result view = {.kind = RESULT_NONE};
    struct status status;
    if (show_again(program->session, &view, &status))
        out->frame = frame_make(program->session, &view, NULL, before, &status);
    result_free(&view);
    out->refreshed = out->frame != NULL;
    out->stale = !out->frame;
    if (!out->frame)
        say(out, true, status.message);
    else if (before && program->session->subject)
        say_change(program->session, before, out->frame, out);
}

/* Results ------------------------------------------------------------------------------------------ */

static void show_text(struct program *program, const char *text, struct reply *out)
{
    struct result nothing = {.kind = RESULT_NONE};
    struct status status;
    frame_free(out->frame);
    out->refreshed = false;
    out->frame = frame_make(program->session, &nothing, text, NULL, &status);
    if (!out->frame)
        say(out, true, status.message);
}

static void tell_line(const char *text, struct reply *out)
{
    char *line = strndup(text, strcspn(text, "\n"));
    if (line && *line)
        say(out, false, line);
    free(line);
}

/* What was printed about a change, but the translation, which the screen shows, and what is of the test set. */
static void tell_change(const struct session *session, const struct result *result,
                        const char *text, struct reply *out)
{
    bool translation = result->kind == RESULT_HYPOTHESIS ||
                       (result->kind == RESULT_SENTENCE && !session->subject->forced);
    const char *end = strchr(text, '\n');
    if (result->kind != RESULT_TESTSET)
        tell_line(!translation ? text : end ? end + 1 : "", out);
}

/* One line is news, more are a page. */
static void tell(struct program *program, const char *text, struct reply *out)
{
    const char *end = strchr(text, '\n');
    if (end && end[1])
        show_text(program, text, out);
    else
        tell_line(text, out);
}

static void show_result(struct program *program, struct result *result, const char *text,
                        struct reply *out)
{
    struct status status;
    if (changes_subject(result)) {
        refresh(program, subject_before(result), out);
        if (!out->message)
            tell_change(program->session, result, text, out);
    } else if (frame_can(result)) {
        out->frame = frame_make(program->session, result, NULL, NULL, &status);
        if (!out->frame)
            say(out, true, status.message);
    } else {
        // A script may have passed through several states; a model may have been loaded.
        if (result->kind == RESULT_SOURCE || result->kind == RESULT_NONE)
            refresh(program, NULL, out);
        tell(program, text, out);
    }
}

static bool run_line(struct program *program, const char *line, struct reply *out)
{
    struct result result = {.kind = RESULT_NONE};
    struct status status;
    char *text;
    size_t size;
    FILE *stream = begin_text(program, &text, &size);
    bool ok = stream ? command_run(program->session, line, &result, &status)
                     : status_fail(&status, STATUS_MEMORY, "out of memory");
    if (ok && !frame_can(&result)) {
        ok = print_result(program, line, &result, &status);
        out->stale = !ok; // what it changed is to be seen
    }
    end_text(program, stream);
    bool found = ok || frame_can(&result); // what was finished before Ctrl-C
    if (found && text && !program->session->quit)
        show_result(program, &result, text, out);
    else if (text)
        tell(program, text, out);
    if (!ok)
        say(out, true, status.message);
    // What has no title of its own is called what was typed.
    if (out->frame && !out->frame->title && !out->refreshed)
        out->frame->title = strdup(line);
    result_free(&result);
    free(text);
    out->quit = program->session->quit;
    return ok;
}

/* What earlier lines showed stays, unless this one shows something. */
static bool run_next(struct program *program, const char *line, struct reply *out)
{
    struct reply next = {0};
    bool ok = run_line(program, line, &next);
    if (!next.frame) {
        next.frame = out->frame;
        next.refreshed = out->refreshed;
        next.stale |= out->stale;
        out->frame = NULL;
    }
    reply_free(out);
    *out = next;
    return ok;
}

void reply_make(struct program *program, const char *lines, int columns, struct reply *out)
{
    *out = (struct reply){0};
    char *copy = strdup(lines), *rest = copy;
    bool any = false, ok = copy != NULL;
    display_assume(columns);
    for (char *line; ok && !out->quit && (line = strsep(&rest, "\n"));) {
        if (command_blank(line) || command_comment(line))
            continue;
        ok = run_next(program, line, out);
        any = true;
    }
    if (!any)
        refresh(program, NULL, out);
    display_assume(0);
    free(copy);
}

void reply_free(struct reply *reply)
{
    frame_free(reply->frame);
    free(reply->message);
    *reply = (struct reply){0};
}
