#include "tui/provenance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/net/quote.h"
#include "tui/arguments.h"
#include "tui/describe.h"
#include "tui/display.h"
#include "tui/options.h"
#include "tui/script.h"
#include "tui/titles.h"

const char *const provenance_sides[] = {"a", "b", "c", "d", "e", "f"};
_Static_assert(sizeof provenance_sides / sizeof *provenance_sides == ACROSS_MOST,
               "a key for each state");

#define PROGRAM "attnscope " ATTNSCOPE_VERSION

/* Parts of a session that a note can hold as commands. */
enum { PART_FIGURE = 1, PART_STATE = 2, PART_TRANSLATION = 4, PART_STUDY = 8 };

/* Takes `text`; NULL is a failure. */
static bool take_note(struct provenance *provenance, const char *key, char *text, bool json,
                      struct status *status)
{
    if (!text)
        return status_fail(status, STATUS_MEMORY, "out of memory");
    provenance->notes[provenance->count++] = (struct note){key, text, json};
    return true;
}

static bool add_note(struct provenance *provenance, const char *key, const char *text,
                     struct status *status)
{
    return take_note(provenance, key, strdup(text), false, status);
}

static void write_search(struct json_writer *json, const struct session *session)
{
    put_search(json, &session->state.search);
}

/* What `write` writes. */
static bool add_json(struct provenance *provenance, const char *key,
                     void (*write)(struct json_writer *, const struct session *),
                     const struct session *session, struct status *status)
{
    char *text = NULL;
    size_t size;
    struct json_writer json = {.stream = open_memstream(&text, &size)};
    if (json.stream) {
        write(&json, session);
        fclose(json.stream);
    }
    return take_note(provenance, key, text, true, status);
}

static bool add_date(struct provenance *provenance, struct status *status)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    char *end, date[40];
    if (!text || !*text)
        return true;
    errno = 0;
    long long seconds = strtoll(text, &end, 10);
    time_t moment = (time_t)seconds;
    struct tm parts;
    if (*end || errno || seconds < 0 || !gmtime_r(&moment, &parts) ||
        !strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts))
        return status_fail(status, STATUS_INVALID,
                           "SOURCE_DATE_EPOCH is \"%s\": expected seconds since 1970",
                           QUOTED(text));
    return add_note(provenance, "date", date, status);
}

static bool add_model(struct provenance *provenance, const struct session *session,
                      struct status *status)
{
    const char *digest = loaded_digest(session->loaded, status);
    return digest && add_note(provenance, "model", session_config(session)->name, status) &&
           // A name may hold any bytes; notes must be UTF-8.
           take_note(provenance, "checkpoint", display_clean(loaded_name(session->loaded)), false,
                     status) &&
           add_note(provenance, "checkpoint_sha256", digest, status);
}

/* The translation that is looked at. */
static bool add_translation(struct provenance *provenance, const struct subject *subject,
                            struct status *status)
{
    char *number = NULL;
    if (!add_note(provenance, "target", subject_target(subject), status) ||
        !add_note(provenance, "forced", subject->forced ? "true" : "false", status))
        return false;
    if (asprintf(&number, "%d", subject->chosen + 1) < 0)
        number = NULL;
    return take_note(provenance, "hypothesis", number, true, status);
}

static bool add_state(struct provenance *provenance, const struct session *session,
                      struct status *status)
{
    return add_json(provenance, "disabled", put_heads_off, session, status) &&
           add_json(provenance, "changed", put_heads_changed, session, status) &&
           add_json(provenance, "search", write_search, session, status);
}

/* The session as commands, which are written into one string, as a list of them. */
static char *list_lines(char *script)
{
    char *text = NULL;
    size_t size;
    struct json_writer json = {.stream = open_memstream(&text, &size)};
    if (!json.stream)
        return NULL;
    put_array(&json);
    for (char *line; (line = strsep(&script, "\n"));)
        if (*line)
            put_string(&json, line);
    put_array_end(&json);
    fclose(json.stream);
    return text;
}

static bool of_figures(const struct setting *setting)
{
    return begins_with(setting->name, "figure.");
}

/* What the parts of a script write, as the note `session`. */
static bool add_session(struct provenance *provenance, const struct session *session,
                        const struct subject *subject, unsigned parts, struct status *status)
{
    char *script = NULL;
    size_t size;
    struct script_writer writer = {session, open_memstream(&script, &size), 0};
    if (!writer.stream)
        return status_fail(status, STATUS_MEMORY, "out of memory");
    bool ok = true;
    if (parts & PART_FIGURE)
        script_write_settings(&writer, of_figures);
    if (parts & PART_STUDY)
        script_write_settings(&writer, setting_of_study);
    if (parts & PART_STATE) {
        script_write_settings(&writer, setting_of_state);
        ok = script_write_heads(&writer, status);
    }
    ok = ok && (!subject || script_write_source(&writer, subject, status)) &&
         (!subject || !(parts & PART_TRANSLATION) ||
          script_write_translation(&writer, subject, status));
    fclose(writer.stream);
    ok = ok && take_note(provenance, "session", list_lines(script), true, status);
    free(script);
    return ok;
}

bool provenance_open(struct provenance *provenance, const struct session *session,
                     const struct subject *subject, const char *command, struct status *status)
{
    *provenance = (struct provenance){0};
    if (add_note(provenance, "program", PROGRAM, status) && add_date(provenance, status) &&
        add_model(provenance, session, status) &&
        add_note(provenance, "command", command, status) &&
        (!subject || (add_note(provenance, "source", subject->text, status) &&
                      add_translation(provenance, subject, status))) &&
        add_state(provenance, session, status) &&
        add_session(provenance, session, subject, PART_FIGURE | PART_STATE | PART_TRANSLATION,
                    status))
        return true;
    provenance_close(provenance);
    return false;
}

/* Two states ------------------------------------------------------------------------------------- */

/* The notes as text; NULL: out of memory. */
static char *write_notes(const struct provenance *provenance)
{
    char *text = NULL;
    size_t size;
    struct json_writer json = {.stream = open_memstream(&text, &size)};
    if (json.stream) {
        put_provenance(&json, provenance);
        fclose(json.stream);
    }
    return text;
}

/* One of the states, as a note; `other` is the session in it. */
static bool add_side(struct provenance *provenance, const char *key, const char *name,
                     const struct session *other, const struct subject *subject,
                     struct status *status)
{
    struct provenance notes = {0};
    bool ok = take_note(&notes, "state", display_clean(name), false, status) &&
              add_model(&notes, other, status) &&
              (!subject || add_translation(&notes, subject, status)) &&
              add_state(&notes, other, status) &&
              add_session(&notes, other, NULL, PART_STATE, status) &&
              take_note(provenance, key, write_notes(&notes), true, status);
    provenance_close(&notes);
    return ok;
}

static bool add_beside(struct provenance *provenance, const char *key,
                       const struct session *session, const struct beside_side *side,
                       struct status *status)
{
    struct session other = beside_session(session, side);
    return add_side(provenance, key, side->name, &other, side->subject, status);
}

/* The head is not among the command's words. */
static bool add_view(struct provenance *provenance, const struct beside_result *beside,
                     struct status *status)
{
    const struct result head = {.kind = RESULT_ATTENTION, .attention = beside->side[0].attention};
    return take_note(provenance, "view", view_command(&head, status), false, status);
}

bool provenance_open_beside(struct provenance *provenance, const struct session *session,
                            const struct beside_result *beside, const char *command,
                            struct status *status)
{
    *provenance = (struct provenance){0};
    const struct subject *subject = session->subject;
    if (add_note(provenance, "program", PROGRAM, status) && add_date(provenance, status) &&
        add_note(provenance, "command", command, status) && add_view(provenance, beside, status) &&
        add_note(provenance, "source", subject->text, status) &&
        add_beside(provenance, "a", session, &beside->side[0], status) &&
        add_beside(provenance, "b", session, &beside->side[1], status) &&
        add_session(provenance, session, subject, PART_FIGURE | PART_TRANSLATION, status))
        return true;
    provenance_close(provenance);
    return false;
}

/* Scores ----------------------------------------------------------------------------------------- */

static bool add_named(struct provenance *provenance, const char *key, const struct session *session,
                      const char *name, struct status *status)
{
    struct saved_state state;
    if (!states_find(session, name, &state, status))
        return false;
    struct session other = session_under(session, &state, NULL);
    return add_side(provenance, key, name, &other, NULL, status);
}

static bool add_study(struct provenance *provenance, const struct session *session,
                      const struct study_request *study, const char *command, struct status *status)
{
    bool one = study->systems == 1 && !study->scored, two = study->systems > 1;
    return add_note(provenance, "program", PROGRAM, status) && add_date(provenance, status) &&
           (!one || add_model(provenance, session, status)) &&
           add_note(provenance, "command", command, status) &&
           (!one || add_state(provenance, session, status)) &&
           (!two || (add_named(provenance, "a", session, study->names[0], status) &&
                     add_named(provenance, "b", session, study->names[1], status))) &&
           add_session(provenance, session, NULL, PART_STUDY | PART_FIGURE | (one ? PART_STATE : 0),
                       status);
}

bool provenance_open_study(struct provenance *provenance, const struct session *session,
                           const struct study_request *study, const char *command,
                           struct status *status)
{
    *provenance = (struct provenance){0};
    if (add_study(provenance, session, study, command, status))
        return true;
    provenance_close(provenance);
    return false;
}

static bool add_across(struct provenance *provenance, const struct session *session,
                       const struct across_result *across, const char *command,
                       struct status *status)
{
    if (!add_note(provenance, "program", PROGRAM, status) || !add_date(provenance, status) ||
        !add_note(provenance, "command", command, status))
        return false;
    for (int s = 0; s < across->names.count; s++)
        if (!add_named(provenance, provenance_sides[s], session, across->names.text[s], status))
            return false;
    return add_session(provenance, session, NULL, PART_STUDY | PART_FIGURE, status);
}

bool provenance_open_across(struct provenance *provenance, const struct session *session,
                            const struct across_result *across, const char *command,
                            struct status *status)
{
    *provenance = (struct provenance){0};
    if (add_across(provenance, session, across, command, status))
        return true;
    provenance_close(provenance);
    return false;
}

/* The session in the state of a run. */
static struct session session_of_run(const struct session *session, const struct contrasted *run)
{
    struct saved_state state = {
        .loaded = run->loaded, .dials = run->dials, .search = session->state.search};
    return session_under(session, &state, NULL);
}

static bool add_run(struct provenance *provenance, const char *key, const char *name,
                    const struct session *session, const struct contrasted *run,
                    struct status *status)
{
    struct session other = session_of_run(session, run);
    return add_side(provenance, key, name, &other, NULL, status);
}

static bool add_suite(struct provenance *provenance, const struct contrasted *run,
                      struct status *status)
{
    char *text = NULL;
    size_t size;
    struct json_writer json = {.stream = open_memstream(&text, &size)};
    if (json.stream) {
        put_strings(&json, (const char *const *)run->files.text, run->files.count);
        fclose(json.stream);
    }
    return take_note(provenance, "suite", text, true, status);
}

static bool add_flips(struct provenance *provenance, const struct session *session,
                      const struct contrasted *before, const struct contrasted *after,
                      const char *command, struct status *status)
{
    return add_note(provenance, "program", PROGRAM, status) && add_date(provenance, status) &&
           add_note(provenance, "command", command, status) &&
           add_suite(provenance, after, status) &&
           add_run(provenance, "a", "before", session, before, status) &&
           add_run(provenance, "b", "after", session, after, status) &&
           add_session(provenance, session, NULL, PART_STUDY, status);
}

bool provenance_open_contrast(struct provenance *provenance, const struct session *session,
                              const struct contrasted *before, const struct contrasted *after,
                              const char *command, struct status *status)
{
    static const struct study_request one = {.systems = 1};
    *provenance = (struct provenance){0};
    struct session other = session_of_run(session, after);
    if (before ? add_flips(provenance, session, before, after, command, status)
               : add_study(provenance, &other, &one, command, status))
        return true;
    provenance_close(provenance);
    return false;
}

void provenance_close(struct provenance *provenance)
{
    for (int i = 0; i < provenance->count; i++)
        free(provenance->notes[i].text);
    *provenance = (struct provenance){0};
}

void put_provenance(struct json_writer *json, const struct provenance *provenance)
{
    put_object(json);
    for (int i = 0; i < provenance->count; i++) {
        const struct note *note = &provenance->notes[i];
        put_key(json, note->key);
        if (note->json)
            put_json(json, note->text);
        else
            put_string(json, note->text);
    }
    put_object_end(json);
}

void provenance_write(FILE *stream, const struct provenance *provenance)
{
    for (int i = 0; i < provenance->count; i++) {
        const struct note *note = &provenance->notes[i];
        fprintf(stream, "# %s: ", note->key);
        for (const char *c = note->text; *c; c++)
            fputc(*c == '\n' || *c == '\r' ? ' ' : *c, stream);
        fputc('\n', stream);
    }
}
