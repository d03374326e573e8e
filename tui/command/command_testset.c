/* Walks through a test set, or the sentences that were typed: `:open`, `:next`, `:prev`, `:goto`,
 * `:back`. */
#include "model/text/quote.h"
#include "session/testset.h"
#include "terminal/text/arguments.h"
#include "tui/command/command.h"

enum { SRC, REF };
static const struct argument files[] = {
    [SRC] = {"SRC", .kind = ARGUMENT_FILE, .required = true},
    [REF] = {"REF", .kind = ARGUMENT_FILE},
};
enum { NUMBER };
static const struct argument number_of_sentence[] = {
    // The session checks the range.
    [NUMBER] = {"N", .kind = ARGUMENT_TEXT, .required = true,
                .expected = "the number of a sentence"},
};

/* Reports where the walk is; the screen shows all of this anyway. */
static bool tell(const struct session *session, struct report *report, struct status *status)
{
    const struct testset *testset = session_walk(session);
    const char *reference = testset_reference(testset), *number;
    int count = testset->sources.count;
    report->effect = EFFECT_SENTENCE;
    report_json(report, "number", value_int(testset->current + 1));
    report_json(report, "sentences", value_int(count));
    report_json(report, "reference", value_text(reference));
    report_sentence(report, session);
    number = report_format(report, "%d/%d", testset->current + 1, count);
    report_line(report, IN_TEXT, "%-11s%s", number,
                session->current ? testset_source(testset) : "(blank: nothing to translate)");
    if (session->current)
        report_line(report, IN_TEXT, "output     %s", session->current->texts[0]);
    if (reference)
        report_line(report, IN_TEXT, "reference  %s", reference);
    if (session->current)
        report_unknown(report, session->current);
    return report_end(report, status);
}

/* Translates sentence `index`; *pair NULL: its line is blank. */
static bool translate(const struct session *session, const struct testset *testset, int index,
                      struct sentence_pair **pair, struct status *status)
{
    const char *source = testset->sources.text[index];
    *pair = NULL;
    if (command_blank(source))
        return true;
    *pair = pair_translate(&session->state, source, status);
    if (*pair || !testset->path)
        return *pair != NULL;
    return status_prefix(status, "%s:%d", QUOTED_PATH(testset->path),
                         lines_number(&testset->sources, index));
}

/* Makes it the current sentence; on a blank line there is none. */
static void take(struct session *session, struct testset *testset, int index,
                 struct sentence_pair *pair)
{
    session_take(session, pair);
    session->among_typed = testset == session->typed;
    testset->current = index;
}

static bool go_to(struct session *session, struct testset *testset, int index,
                  struct status *status)
{
    struct sentence_pair *pair;
    const bool ok = translate(session, testset, index, &pair, status);
    if (ok)
        take(session, testset, index, pair);
    return ok;
}

static bool run_open(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    struct testset *testset = testset_open(argument_text(request->given, SRC),
                                           argument_text(request->given, REF), status);
    if (!testset)
        return false;
    struct sentence_pair *pair;
    if (!translate(session, testset, 0, &pair, status)) {
        testset_close(testset);
        return false;
    }
    if (session_walk(session) == session->typed)
        session_leave(session);
    take(session, testset, 0, pair);
    session_take_testset(session, testset);
    return tell(session, report, status);
}

/* Returns NULL if there is nothing to walk through. */
static struct testset *walk_of(const struct session *session, struct status *status)
{
    struct testset *walk = session_walk(session);
    if (!walk)
        status_fail(status, STATUS_INVALID,
                    "no sentence yet: type some, or open a test set with :open SRC [REF]");
    return walk;
}

/* Runs `:next` and `:prev`. */
static bool run_step(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    struct testset *walk = walk_of(session, status);
    if (!walk)
        return false;
    const int by = request->command->which;
    int index = walk->current + by;
    if (walk == session->typed && session->testset && (index < 0 || index >= walk->sources.count)) {
        walk = session->testset; // continues where it was left
        index = walk->current + by;
    }
    const int count = walk->sources.count;
    if (index < 0 || index >= count)
        return status_fail(status, STATUS_INVALID, "sentence %d of %d is the %s", walk->current + 1,
                           count, by < 0 ? "first" : "last");
    return go_to(session, walk, index, status) && tell(session, report, status);
}

static bool run_goto(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    int number;
    struct testset *walk = session->testset ? session->testset : walk_of(session, status);
    return walk &&
           argument_within(request->given, NUMBER, "sentence", 1, walk->sources.count, &number,
                           status) &&
           go_to(session, walk, number - 1, status) && tell(session, report, status);
}

static bool run_back(struct session *session, const struct request *request, struct report *report,
                     struct status *status)
{
    (void)request;
    return session_back(session, status) && tell(session, report, status);
}

static const struct help_item meanings_of_open[] = {
    {"SRC", "one sentence a line"},
    {"REF", "the reference of each, which :force takes by default"},
    {NULL, NULL}};

const struct command command_open = {
    .name = "open",
    .summary = "walk through a test set, beginning with its first sentence",
    .arguments = ARGUMENT_LIST(files),
    .meanings = meanings_of_open,
    .examples = (const char *const[]){":open " TESTSET, ":open samples/sentences.en", NULL},
    .run = run_open,
    .group = GROUP_SENTENCES,
};

static const char *const notes_of_walk[] = {
    "Sentences that were typed or pasted (the last 200) are walked through while one of them is "
    "shown; without a test set, :goto counts them, and :save writes them. Beyond the last one, "
    "and before the first, the test set goes on where it was left.",
    "A blank line cannot be translated; :next moves past it.", NULL};

const struct command command_next = {
    .name = "next",
    .summary = "go to the next sentence, of the test set or of those typed",
    .notes = notes_of_walk,
    .examples = (const char *const[]){":open " TESTSET, ":next", ":next", NULL},
    .run = run_step,
    .which = 1,
    .group = GROUP_SENTENCES,
};

const struct command command_prev = {
    .name = "prev",
    .summary = "go to the previous sentence, of the test set or of those typed",
    .notes = notes_of_walk,
    .examples =
        (const char *const[]){DOGS, STARS, ":prev", ":open " TESTSET, ":goto 10", ":prev", NULL},
    .run = run_step,
    .which = -1,
    .group = GROUP_SENTENCES,
};

const struct command command_goto = {
    .name = "goto",
    .summary = "go to sentence N, of the test set or of those typed",
    .arguments = ARGUMENT_LIST(number_of_sentence),
    .notes = notes_of_walk,
    .examples = (const char *const[]){":open " TESTSET, ":goto 10", ":goto 20", NULL},
    .run = run_goto,
    .group = GROUP_SENTENCES,
};

const struct command command_back = {
    .name = "back",
    .summary = "go back to the sentence before a test set was opened",
    .notes = (const char *const[]){"On the screen it also returns from a sentence that Enter on a "
                                   "row of a table opened; `q` in that table does the same.",
                                   NULL},
    .examples = (const char *const[]){DOGS, ":open " TESTSET, ":back", STARS,
                                      ":open samples/sentences.en", ":goto 5", ":back", NULL},
    .run = run_back,
    .group = GROUP_SENTENCES,
};
