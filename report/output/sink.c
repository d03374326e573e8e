#include "report/output/sink.h"

#include <errno.h>
#include <string.h>

#include "report/output/json_writer.h"
#include "report/output/report_forms.h"
#include "terminal/text/display.h"

/* Text ----------------------------------------------------------------------------------------- */

static void write_line(FILE *stream, const char *text)
{
    display_write(stream, text);
    fputc('\n', stream);
}

static void text_line(struct sink *sink, const char *translation)
{
    write_line(sink->stream, translation);
}

static FILE *messages_of(const struct sink *sink)
{
    return sink->failures ? sink->failures : stderr;
}

static void text_result(struct sink *sink, const char *command, const struct report *report)
{
    bool aside = report->only_says && !sink->interactive;
    FILE *out = aside ? messages_of(sink) : sink->stream;
    if (aside)
        fflush(sink->stream);
    if (!aside || !sink->quiet)
        text_report(out, report, IN_TEXT | (sink->interactive ? IF_WATCHED : 0));
    if (report->warning_count)
        fflush(sink->stream);
    for (int i = 0; i < report->warning_count; i++) {
        fputs("attnscope: ", messages_of(sink));
        display_write(messages_of(sink), sink->where ? sink->where : "");
        fprintf(messages_of(sink), ":%s: warning: ", command);
        write_line(messages_of(sink), report->warnings[i]);
    }
}

/* Flushes earlier results before the message. A message about a command begins with its name. */
static void text_failure(struct sink *sink, const struct failure *failure,
                         const struct report *report)
{
    text_result(sink, failure->name, report);
    fflush(sink->stream);
    FILE *out = messages_of(sink);
    fputs("attnscope: ", out);
    display_write(out, failure->where);
    if (failure->of_command)
        fprintf(out, ":%s: ", failure->name);
    write_line(out, failure->message);
}

const struct sink_kind plain_sink = {text_line, text_result, text_failure};

/* JSON ----------------------------------------------------------------------------------------- */

/* The report already contains all lines. */
static void json_line(struct sink *sink, const char *translation)
{
    (void)sink;
    (void)translation;
}

static void write_object(struct sink *sink, const char *command, const char *error,
                         const struct report *report)
{
    struct json_writer json = {.stream = sink->stream};
    put_object(&json);
    put_member_string(&json, "command", command);
    put_member_bool(&json, "ok", !error);
    if (error)
        put_member_string(&json, "error", error);
    json_report(&json, report);
    put_object_end(&json);
    fputc('\n', sink->stream);
}

static void json_result(struct sink *sink, const char *command, const struct report *report)
{
    write_object(sink, command, NULL, report);
}

static void json_failure(struct sink *sink, const struct failure *failure,
                         const struct report *report)
{
    write_object(sink, failure->name, failure->message, report);
}

const struct sink_kind json_sink = {json_line, json_result, json_failure};

bool sink_written(struct sink *sink, struct status *status)
{
    // An earlier error has most likely left its reason in errno.
    int problem = ferror(sink->stream) ? errno : 0;
    errno = 0;
    if (fflush(sink->stream) == 0 && !ferror(sink->stream))
        return true;
    problem = errno ? errno : problem;
    // The stream keeps its error, but errno will soon hold another.
    sink->problem = sink->problem ? sink->problem : problem;
    sink->reader_gone = sink->problem == EPIPE;
    return status_fail(status, STATUS_IO, "standard output: %s",
                       sink->problem ? strerror(sink->problem) : "write error");
}
