#include "report/comparison.h"
#include "tui/screen/frame/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "report/output/report_forms.h"
#include "terminal/text/display.h"
#include "tui/command/commands.h"

static void say(struct reply *out, bool failed, const char *message)
{
    free(out->message);
    out->message = strdup(message);
    out->failed = failed;
}

/* Printing ------------------------------------------------------------------------------------- */

static FILE *begin_text(struct program *program, char **text, size_t *size)
{
    *text = NULL;
    FILE *stream = open_memstream(text, size);
    if (stream)
        program->sink.stream = program->sink.failures = stream; // also those of a script's lines
    return stream;
}

/* `before`: where results went until now. */
static void end_text(struct program *program, const struct sink *before, FILE *stream)
{
    program->sink.stream = before->stream;
    program->sink.failures = before->failures;
    if (stream)
        fclose(stream);
}

/* Prints the result as the prompt does. */
static bool print_result(struct program *program, const struct report *result,
                         struct status *status)
{
    display_lacks(); // clears what other code lacked
    text_report(program->sink.stream, result, IN_SCREEN);
    return !display_lacks() ||
           status_fail(status, STATUS_MEMORY, "out of memory: the result cannot be shown");
}

/* Changes -------------------------------------------------------------------------------------- */

static void say_change(const struct frame *frame, struct reply *out)
{
    char text[COMPARISON_BYTES];
    comparison_describe(&frame->changed, text);
    say(out, false, text);
}

/* True if a heatmap over words has more than one word on both sides, besides the end of the
 * sentence. This is false for languages without blanks. */
static bool has_words(const struct report *view)
{
    const struct axis *rows = view->navigation.row_axis, *columns = view->navigation.column_axis;
    return rows && columns && rows->count > 2 && columns->count > 2;
}

/* Shows a picture to check at a glance: the source words behind each word of the translation, as
 * the last layer's heads see them together. An overview of all heads has no words in it, and no
 * single head is better than another. */
static bool show_first(struct session *session, struct report *view, struct status *status)
{
    const struct view mean = {.module = MODULE_CROSS,
                              .layer = module_layers(session_config(session), MODULE_CROSS) - 1,
                              .head = VIEW_MEAN};
    if (attention_of_sentence(session, &mean, true, view, status) && has_words(view))
        return true;
    report_free(view);
    return attention_of_sentence(session, &mean, false, view, status);
}

/* Repeats the last view of the current sentence. Shows the first view if the last one does not
 * exist here, as another model may lack its module: `*stands_in`. */
static bool show_again(struct session *session, struct report *view, bool *stands_in,
                       struct status *status)
{
    *stands_in = false;
    if (!session->current)
        return true;
    if (session->looked_at && command_view(session, session->looked_at, view, status))
        return true;
    if (session->looked_at)
        report_free(view);
    *stands_in = !session->looked_at || status->code == STATUS_INVALID;
    return *stands_in && show_first(session, view, status);
}

static void refresh(struct program *program, const struct sentence_pair *before, struct reply *out)
{
    struct report view = {0};
    struct status status;
    bool stands_in;
    if (show_again(program->session, &view, &stands_in, &status))
        out->frame = frame_make(program->session, &view, NULL, before, &status);
    report_free(&view);
    out->refreshed = out->frame != NULL;
    out->stale = !out->frame;
    out->busy = !out->frame && status.code == STATUS_BUSY;
    if (out->frame) {
        out->frame->stands_in = stands_in;
        session_take_view(program->session, out->frame->command, false);
    }
    if (!out->frame)
        say(out, true, status.message);
    else if (before && program->session->current)
        say_change(out->frame, out);
}

/* Results -------------------------------------------------------------------------------------- */

static void show_text(struct program *program, const char *text, struct reply *out)
{
    struct report nothing = {0};
    struct status status;
    frame_free(out->frame);
    out->refreshed = false;
    out->frame = frame_make(program->session, &nothing, text, NULL, &status);
    if (!out->frame)
        say(out, true, status.message);
}

static void tell_line(const char *text, struct reply *out)
{
    text += strspn(text, " ");
    char *line = strndup(text, strcspn(text, "\n"));
    if (line && *line)
        say(out, false, line);
    free(line);
}

/* One line becomes a message, several lines become a page. */
static void tell(struct program *program, const char *text, struct reply *out)
{
    const char *end = strchr(text, '\n');
    if (end && end[1])
        show_text(program, text, out);
    else
        tell_line(text, out);
}

/* Pictures, sheets and single lines have no place for warnings: they follow the message, if any. */
static void say_warnings(const struct report *result, struct reply *out)
{
    struct written written;
    FILE *stream = result->warning_count ? written_open(&written) : NULL;
    if (!stream)
        return;
    if (out->message)
        fprintf(stream, "%s; ", out->message);
    for (int i = 0; i < result->warning_count; i++)
        fprintf(stream, "%s%s", i ? "; " : "warning: ", result->warnings[i]);
    char *text = written_close(&written);
    if (text)
        say(out, out->failed, text);
    free(text);
}

/* A picture has no place for the line that stands beneath it in text. */
static void say_line(const struct report *result, struct reply *out)
{
    const struct block *line = report_find(result, BLOCK_LINE, IN_SCREEN);
    if (report_pictured(result) && line && !result->warning_count)
        tell_line(line->remark.text, out);
}

/* Warnings are lines of the text, too. */
static bool begins_with_warning(const char *text, const struct report *result)
{
    const char *warning = result->warning_count ? result->warnings[0] : NULL;
    return warning && strncmp(text, warning, strlen(warning)) == 0;
}

static void show_result(struct program *program, struct report *result, const char *text,
                        struct reply *out)
{
    struct status status;
    if (result->effect == EFFECT_SENTENCE) {
        refresh(program, result->before, out);
        if (!out->message && !begins_with_warning(text, result))
            tell_line(text, out);
        say_warnings(result, out);
    } else if (frame_can(result)) {
        say_line(result, out); // the frame takes the report
        say_warnings(result, out);
        out->frame = frame_make(program->session, result, NULL, NULL, &status);
        if (!out->frame)
            say(out, true, status.message);
    } else {
        // A script may have passed through several states; a model may have been loaded.
        if (result->effect == EFFECT_SESSION)
            refresh(program, NULL, out);
        tell(program, text, out);
    }
}

/* Copies the report's picture, which does not live long enough. */
static bool take_picture(const struct report *result, struct reply *out, struct status *status)
{
    const struct terminal_picture *picture = &result->picture;
    if (!picture->png)
        return true;
    char *copy = malloc(picture->bytes);
    out->picture = *picture;
    out->picture.png = copy;
    if (copy)
        memcpy(copy, picture->png, picture->bytes);
    return copy || status_no_memory(status);
}

/* Returns false if the user stopped it. */
static bool run_line(struct program *program, const char *line, struct reply *out)
{
    struct report result = {0};
    struct status status;
    char *text;
    size_t size;
    const struct sink before = program->sink;
    FILE *stream = begin_text(program, &text, &size);
    bool ok =
        stream ? command_run(program->session, line, &result, &status) : status_no_memory(&status);
    if (ok && !frame_can(&result)) {
        ok = print_result(program, &result, &status);
        out->stale = !ok; // the change must be shown
        ok = ok && take_picture(&result, out, &status);
    }
    end_text(program, &before, stream);
    bool found = ok || frame_can(&result); // true: part of it was finished before Ctrl-C
    if (found && text && !program->session->quit)
        show_result(program, &result, text, out);
    else if (text)
        tell(program, text, out);
    if (!ok) {
        out->stale |=
            status.code == STATUS_MEMORY; // the session may have changed before its report failed
        out->busy |= status.code == STATUS_BUSY;
        say(out, true, status.message);
    }
    // A frame without a title of its own takes the line typed.
    if (out->frame && !out->frame->title && !out->refreshed)
        out->frame->title = strdup(line);
    report_free(&result);
    free(text);
    out->quit = program->session->quit;
    out->cancelled |= !ok && status.code == STATUS_CANCELLED;
    return ok || status.code != STATUS_CANCELLED;
}

/* Keeps the frame of an earlier line unless this line makes one, and an earlier line's failure
 * unless this one fails, too. Returns false if the user stopped it. */
static bool run_next(struct program *program, const char *line, struct reply *out)
{
    struct reply next = {0};
    bool go_on = run_line(program, line, &next);
    if (!next.frame) {
        next.frame = out->frame;
        next.refreshed = out->refreshed;
        next.stale |= out->stale;
        out->frame = NULL;
    }
    if (out->failed && !next.failed) {
        free(next.message);
        next.message = out->message;
        next.failed = true;
        out->message = NULL;
    }
    reply_free(out);
    *out = next;
    return go_on;
}

/* Only the result of the last of several pasted lines is shown. */
static void tell_count(struct reply *out, int count, bool sentences)
{
    char text[200];
    snprintf(text, sizeof text, "%d lines run, the last one is shown%s%s%s", count,
             sentences ? "; in the view [ ] show the others" : "", out->message ? "; " : "",
             out->message ? out->message : "");
    say(out, false, text);
}

void reply_make(struct program *program, const struct worker_lines *lines, struct reply *out)
{
    *out = (struct reply){0};
    if (lines->visits)
        session_leave(program->session);
    session_take_view(program->session, lines->visible, lines->of_sentence);
    char *copy = strdup(lines->lines), *rest = copy;
    int count = 0, sentences = 0;
    bool go_on = copy != NULL;
    const int before = display_assume(lines->columns);
    for (char *line; go_on && !out->quit && (line = strsep(&rest, "\n"));) {
        if (command_blank(line) || command_comment(line))
            continue;
        go_on = run_next(program, line, out);
        sentences += *line != ':';
        count++;
    }
    if (count == 0)
        refresh(program, NULL, out);
    if (lines->typed && count > 1 && go_on && !out->failed)
        tell_count(out, count, sentences > 1);
    display_assume(before);
    free(copy);
}

void reply_free(struct reply *reply)
{
    free((char *)reply->picture.png);
    frame_free(reply->frame);
    free(reply->message);
    free(reply->dropped);
    *reply = (struct reply){0};
}
