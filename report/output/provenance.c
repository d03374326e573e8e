#include "report/output/provenance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/strings.h"
#include "base/version.h"
#include "model/text/quote.h"
#include "report/origins.h"
#include "report/output/note_text.h"
#include "report/output/report_forms.h"
#include "session/script.h"
#include "terminal/text/arguments.h"
#include "terminal/text/display.h"

const char *const provenance_sides[] = {"a", "b", "c", "d", "e", "f"};
_Static_assert(sizeof provenance_sides / sizeof *provenance_sides == ORIGINS_MOST,
               "a key for each state");

const struct note_key provenance_keys[] = {
    {"program", false},
    {"date", false},
    {"model", false},
    {"checkpoint", false},
    {"command", false},
    {"view", false},
    {"cross_rows", false},
    {"source", false},
    {"target", false},
    {"forced", true},
    {"hypothesis", true},
    {"disabled", true},
    {"changed", true},
    {"search", true},
    {"session", true},
    {"suite", true},
    {"before", false},
    {"files", true},
    {"checkpoint_sha256", false},
    {"checkpoint_format", false},
    {"checkpoint_conventions", false},
    {"checkpoint_files", true},
    {"checkpoint_origin", true},
    {"precision", false},
    {"device", false},
    {"state", false},
    {NULL, false},
};

#define PROGRAM "attnscope " ATTNSCOPE_VERSION

/* Parts of a session that a note can hold as commands. */
enum { PART_FIGURE = 1, PART_STATE = 2, PART_TRANSLATION = 4, PART_STUDY = 8 };

/* A note that no reader knows is not written. */
static bool is_known(const char *key, bool json)
{
    for (const struct note_key *known = provenance_keys; known->name; known++)
        if (strcmp(known->name, key) == 0)
            return known->json == json;
    for (int i = 0; json && i < ORIGINS_MOST; i++)
        if (strcmp(provenance_sides[i], key) == 0)
            return true;
    return false;
}

/* Takes `text`; NULL is a failure. */
static bool take_note(struct provenance *provenance, const char *key, char *text, bool json,
                      struct status *status)
{
    if (!text)
        return status_no_memory(status);
    if (!is_known(key, json)) {
        free(text);
        return status_fail(status, STATUS_INVALID, "note \"%s\": not one of provenance_keys", key);
    }
    char *written = json ? text : note_write(text);
    provenance->notes[provenance->count++] = (struct note){key, text, written, json};
    return written || status_no_memory(status);
}

static bool add_note(struct provenance *provenance, const char *key, const char *text,
                     struct status *status)
{
    return take_note(provenance, key, strdup(text), false, status);
}

typedef struct value make_value(struct report *report, const struct session *session);

/* Adds the JSON value that `make` makes of the session. */
static bool add_value(struct provenance *provenance, const char *key, make_value *make,
                      const struct session *session, struct status *status)
{
    struct report report = {0};
    struct written written;
    const struct value value = make(&report, session);
    struct json_writer json = {.stream = written_open(&written)};
    if (json.stream)
        json_value(&json, &value);
    char *text = json.stream ? written_close(&written) : NULL;
    bool ok = report_end(&report, status);
    report_free(&report);
    if (ok)
        return take_note(provenance, key, text, true, status);
    free(text);
    return false;
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

static bool add_conventions(struct provenance *provenance, const struct session *session,
                            struct status *status)
{
    struct report report = {0};
    char *text = display_clean(model_conventions(&report, session));
    bool ok = report_end(&report, status);
    report_free(&report);
    if (ok)
        return take_note(provenance, "checkpoint_conventions", text, false, status);
    free(text);
    return false;
}

/* Adds the notes on a model that another toolkit wrote or that was converted. */
static bool add_format(struct provenance *provenance, const struct session *session,
                       struct status *status)
{
    const struct contents *contents = session->loaded->checkpoint->contents;
    if (!model_is_foreign(session))
        return true;
    return (contents->own || add_note(provenance, "checkpoint_format", contents->family, status)) &&
           add_conventions(provenance, session, status) &&
           (contents->own
                ? add_value(provenance, "checkpoint_origin", model_origin_value, session, status)
                : add_value(provenance, "checkpoint_files", model_files_value, session, status));
}

/* Adds the precision of products, unless they are exact and cannot be in 8 bits, and the device,
 * unless it computes the same as all others of its kind. */
static bool add_device(struct provenance *provenance, const struct session *session,
                       struct status *status)
{
    const struct opened_device *opened = &session->opened;
    struct device_info device;
    char text[DEVICE_TEXT];
    const struct checkpoint *checkpoint = session->loaded->checkpoint;
    opened->backend->info(opened->device, &device);
    device.precision = model_precision(checkpoint, &device);
    device_describe(opened->backend, &device, text);
    return ((device.precision == PRECISION_FP32 && !checkpoint_has_integers(checkpoint)) ||
            add_note(provenance, "precision", precision_names[device.precision], status)) &&
           (opened->backend->exact ||
            take_note(provenance, "device", display_clean(text), false, status));
}

static bool add_model(struct provenance *provenance, const struct session *session,
                      struct status *status)
{
    const struct digests *digests = loaded_digests(session->loaded, status);
    return digests && add_note(provenance, "model", session_config(session)->name, status) &&
           // A name may hold any bytes; notes must be UTF-8.
           take_note(provenance, "checkpoint", display_clean(loaded_name(session->loaded)), false,
                     status) &&
           add_note(provenance, "checkpoint_sha256", digests->whole, status) &&
           add_format(provenance, session, status) && add_device(provenance, session, status);
}

/* Adds the translation being looked at. */
static bool add_translation(struct provenance *provenance, const struct sentence_pair *pair,
                            struct status *status)
{
    char *number = NULL;
    if (!add_note(provenance, "target", pair_target(pair), status) ||
        !take_note(provenance, "forced", strdup(pair->forced ? "true" : "false"), true, status))
        return false;
    if (asprintf(&number, "%d", pair->chosen + 1) < 0)
        number = NULL;
    return take_note(provenance, "hypothesis", number, true, status);
}

static bool add_state(struct provenance *provenance, const struct session *session,
                      struct status *status)
{
    return add_value(provenance, "disabled", heads_off_value, session, status) &&
           add_value(provenance, "changed", heads_changed_value, session, status) &&
           add_value(provenance, "search", search_value, session, status);
}

/* Turns the session's commands, written into one string, into a list. */
static char *list_lines(char *script)
{
    struct written written;
    struct json_writer json = {.stream = written_open(&written)};
    if (!json.stream)
        return NULL;
    put_array(&json);
    for (char *line; (line = strsep(&script, "\n"));)
        if (*line)
            put_string(&json, line);
    put_array_end(&json);
    return written_close(&written);
}

static bool of_pictures(const struct setting *setting)
{
    return setting_of_views(setting) || begins_with(setting->name, "figure.");
}

/* Adds the parts of a script as the note `session`. */
static bool add_session(struct provenance *provenance, const struct session *session,
                        const struct sentence_pair *pair, unsigned parts, struct status *status)
{
    char *script = NULL;
    size_t size;
    struct script_writer writer = {session, open_memstream(&script, &size), 0};
    if (!writer.stream)
        return status_no_memory(status);
    bool ok = true;
    if (parts & PART_FIGURE)
        script_write_settings(&writer, of_pictures);
    if (parts & PART_STUDY)
        script_write_settings(&writer, setting_of_study);
    if (parts & PART_STATE) {
        script_write_settings(&writer, setting_of_state);
        ok = script_write_heads(&writer, status);
    }
    ok = ok && (!pair || script_write_source(&writer, pair->text, status)) &&
         (!pair || !(parts & PART_TRANSLATION) || script_write_translation(&writer, pair, status));
    fclose(writer.stream);
    ok = ok && take_note(provenance, "session", list_lines(script), true, status);
    free(script);
    return ok;
}

bool provenance_open(struct provenance *provenance, const struct session *session,
                     const struct sentence_pair *pair, const char *command, struct status *status)
{
    *provenance = (struct provenance){0};
    if (add_note(provenance, "program", PROGRAM, status) && add_date(provenance, status) &&
        add_model(provenance, session, status) &&
        add_note(provenance, "command", command, status) &&
        (!pair || (add_note(provenance, "source", pair->text, status) &&
                   add_translation(provenance, pair, status))) &&
        add_state(provenance, session, status) &&
        add_session(provenance, session, pair, PART_FIGURE | PART_STATE | PART_TRANSLATION, status))
        return true;
    provenance_close(provenance);
    return false;
}

/* Two states ----------------------------------------------------------------------------------- */

/* Returns the notes as text; NULL: out of memory. */
static char *write_notes(const struct provenance *provenance)
{
    struct written written;
    struct json_writer json = {.stream = written_open(&written)};
    if (!json.stream)
        return NULL;
    put_provenance(&json, provenance);
    return written_close(&written);
}

/* Adds one of the states as a note; `other` is the session in that state. */
static bool add_side(struct provenance *provenance, const char *key, const char *name,
                     const struct session *other, const struct sentence_pair *pair,
                     struct status *status)
{
    struct provenance notes = {0};
    bool ok =
        take_note(&notes, "state", display_clean(name), false, status) &&
        add_model(&notes, other, status) && (!pair || add_translation(&notes, pair, status)) &&
        add_state(&notes, other, status) && add_session(&notes, other, NULL, PART_STATE, status) &&
        take_note(provenance, key, write_notes(&notes), true, status);
    provenance_close(&notes);
    return ok;
}

/* Reports -------------------------------------------------------------------------------------- */

static bool add_suite(struct provenance *provenance, const struct strings *files,
                      struct status *status)
{
    struct written written;
    struct json_writer json = {.stream = written_open(&written)};
    if (!json.stream)
        return status_no_memory(status);
    put_strings(&json, (const char *const *)files->text, files->count);
    return take_note(provenance, "suite", written_close(&written), true, status);
}

/* Adds the name and SHA-256 of a file or folder; of anything else, such as a pipe, only the
 * name. */
static bool put_file(struct json_writer *json, const char *path, struct status *status)
{
    const char *slash = strrchr(path, '/');
    char digest[DIGEST_DIGITS + 1];
    struct stat about;
    const bool there = stat(path, &about) == 0;
    const bool folder = there && S_ISDIR(about.st_mode), file = there && S_ISREG(about.st_mode);
    if ((file && !file_digest(path, digest, status)) ||
        (folder && !folder_digest(path, digest, status)))
        return false;
    char *name = display_clean(slash && slash[1] ? slash + 1 : path);
    if (!name)
        return status_no_memory(status);
    put_object(json);
    put_member_string(json, "name", name);
    if (file || folder)
        put_member_string(json, "sha256", digest);
    put_object_end(json);
    free(name);
    return true;
}

static bool add_files(struct provenance *provenance, const char *const *paths, int count,
                      struct status *status)
{
    struct written written;
    struct json_writer json = {.stream = written_open(&written)};
    if (!json.stream)
        return status_no_memory(status);
    bool ok = true;
    put_array(&json);
    for (int i = 0; ok && i < count; i++)
        ok = put_file(&json, paths[i], status);
    put_array_end(&json);
    char *text = written_close(&written);
    if (ok)
        return take_note(provenance, "files", text, true, status);
    free(text);
    return false;
}

/* Adds the files that the command names, or those of the suite that it continues. */
static bool add_studied(struct provenance *provenance, const struct origin *origin,
                        struct status *status)
{
    const struct strings *suite = origin->suite;
    if ((suite && !add_suite(provenance, suite, status)) ||
        (origin->before && !add_note(provenance, "before", origin->before, status)))
        return false;
    if (suite && !origin->file_count)
        return add_files(provenance, (const char *const *)suite->text, suite->count, status);
    return !origin->file_count || add_files(provenance, origin->files, origin->file_count, status);
}

static struct session session_in(const struct session *session, const struct origin_state *one)
{
    return session_under(session, &one->state, (struct sentence_pair *)one->pair);
}

/* With several states, each has notes of its own. */
static bool add_states(struct provenance *provenance, const struct session *session,
                       const struct origin *origin, struct status *status)
{
    for (int i = 0; i < origin->count; i++) {
        struct session other = session_in(session, &origin->states[i]);
        if (!add_side(provenance, provenance_sides[i], origin->states[i].name, &other,
                      origin->states[i].pair, status))
            return false;
    }
    return true;
}

/* Returns the parts of the session that the report can be made again from. */
static unsigned parts_of(const struct origin *origin, bool one)
{
    return (origin->suite ? 0 : PART_FIGURE) | (origin->study ? PART_STUDY : 0) |
           (one ? PART_STATE : 0) | (origin->pair ? PART_TRANSLATION : 0);
}

static bool add_report(struct provenance *provenance, const struct session *session,
                       const struct origin *origin, const char *command, struct status *status)
{
    bool one = origin->count == 0 && origin->state.loaded;
    const struct sentence_pair *pair = origin->pair;
    return add_note(provenance, "program", PROGRAM, status) && add_date(provenance, status) &&
           (!one || add_model(provenance, session, status)) &&
           add_note(provenance, "command", command, status) &&
           (!origin->view || add_note(provenance, "view", origin->view, status)) &&
           (!origin->cross_rows ||
            add_note(provenance, "cross_rows", origin->cross_rows, status)) &&
           add_studied(provenance, origin, status) &&
           (!pair || add_note(provenance, "source", pair->text, status)) &&
           (!pair || !one || add_translation(provenance, pair, status)) &&
           (!one || add_state(provenance, session, status)) &&
           add_states(provenance, session, origin, status) &&
           add_session(provenance, session, pair, parts_of(origin, one), status);
}

bool provenance_of_report(struct provenance *provenance, const struct session *session,
                          const struct report *report, const char *command, struct status *status)
{
    const struct origin *origin = &report->origin;
    struct session other = *session;
    *provenance = (struct provenance){0};
    if (origin->state.loaded)
        other = session_under(session, &origin->state, (struct sentence_pair *)origin->pair);
    if (add_report(provenance, &other, origin, command, status))
        return true;
    provenance_close(provenance);
    return false;
}

void provenance_close(struct provenance *provenance)
{
    for (int i = 0; i < provenance->count; i++) {
        if (!provenance->notes[i].json)
            free(provenance->notes[i].written);
        free(provenance->notes[i].text);
    }
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
        fprintf(stream, "# %s: %s\n", note->key, note->written);
    }
}
