/* The provenance of an exported file, for its readers: model, command, sentence, heads, search.
 *
 *     if (!provenance_open(&provenance, session, pair, ":attn cross layer 1 head 2", status)) ...
 *     provenance.notes[0 … count-1]; put_provenance(&json, &provenance); provenance_write(stream,
 *     &provenance); provenance_close(&provenance);
 */
#ifndef ATTNSCOPE_PROVENANCE_H
#define ATTNSCOPE_PROVENANCE_H

#include <jansson.h>

#include "base/status.h"
#include "report/output/json_writer.h"
#include "report/report.h"

struct report;
enum { PROVENANCE_MOST = 26 };

/* The keys of all notes except those of states; `json`: the note's text is JSON. */
struct note_key {
    const char *name;
    bool json;
};
extern const struct note_key provenance_keys[]; // the name of the last one is NULL

/* Keys for several states. */
extern const char *const provenance_sides[]; // (ORIGINS_MOST): a, b, …

struct note {
    const char *key;
    char *text;    // UTF-8
    char *written; // for formats without their own escapes
    bool json;     // the text is JSON: a list or an object
};

struct provenance {
    struct note notes[PROVENANCE_MOST]; // (count)
    int count;
};

/* Makes these notes: program; date, if SOURCE_DATE_EPOCH is set (the time of day would make every
 * file differ); model (its name); checkpoint (its file's name); checkpoint_sha256; if another
 * toolkit wrote the checkpoint, checkpoint_format, checkpoint_conventions and checkpoint_files
 * (names and SHA-256, as JSON); if it was converted, checkpoint_conventions and checkpoint_origin
 * (format and files, as JSON); precision of products, unless it is fp32 of a model without
 * integers; device, unless all of its kind compute the same; command; files (names and SHA-256 of
 * what is studied, as JSON); for `pair`, unless NULL, source, target, forced (as JSON) and
 * hypothesis (the number of the one shown, from 1, as JSON); disabled, changed and search, as JSON;
 * session, a JSON list of commands after which `command` shows the same. On failure nothing needs
 * to be closed. */
bool provenance_open(struct provenance *provenance, const struct session *session,
                     const struct sentence_pair *pair, const char *command, struct status *status);
/* The same for everything that a report depends on. */
bool provenance_of_report(struct provenance *provenance, const struct session *session,
                          const struct report *report, const char *command, struct status *status);
void provenance_close(struct provenance *provenance);

/* Writes comments, one line each: "# KEY: TEXT". */
void provenance_write(FILE *stream, const struct provenance *provenance);

/* Writes an object with the notes as members; JSON stays JSON. */
void put_provenance(struct json_writer *json, const struct provenance *provenance);

/* Reads the provenance (provenance.h) of an exported file back, from any format that has it. Files
 * are untrusted input. */

/* Returns an object of notes: strings, or JSON where the note is. The caller releases it
 * (json_decref). NULL: the file cannot be read, has another format, or holds no notes; messages
 * begin with the path. */
json_t *notes_read(const char *path, struct status *status);

#endif
