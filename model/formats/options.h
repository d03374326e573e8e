/* How the options in each family's files are treated: a table names every option of the toolkit and
 * says if it is honoured, refused, reported to the user or irrelevant. doc/options.md is generated
 * from these tables, and a test compares them with the toolkits' own lists
 * (tests/golden/formats/options).
 *
 * A reader calls options_check after reading the file with the options, and options_tell once the
 * contents are configured. Reported options become `left_out` of the configuration
 * (model/checkpoint/config_origin.h).
 */
#ifndef ATTNSCOPE_FORMATS_OPTIONS_H
#define ATTNSCOPE_FORMATS_OPTIONS_H

#include <stdio.h>

#include "model/formats/contents.h"

enum toolkit_use {
    OPTION_OBEYED,
    OPTION_REFUSED,  // if on: by the reader, or because of what the file then holds
    OPTION_REJECTED, // if on: by options_check
    OPTION_TOLD,     // if on: reported, because our search lacks it
    OPTION_IDLE      // affects neither the computation nor the search
};

/* An option is off if it is absent, null, false, "", an empty list or object, or the neutral
 * number. */
struct toolkit_option {
    const char *names; // one, or several separated by spaces
    enum toolkit_use use;
    const char *what;
    double neutral;
    bool or_less;    // smaller numbers are also neutral
    bool by_default; // a flag that is neutral if true or absent; false is reported
    const char *of;  // another option, without which this one is off; NULL: none
};

struct toolkit_table {
    const char *toolkit, *files;
    const struct toolkit_option *options; // NULL names at the end
};

extern const struct toolkit_table options_transformers, options_ctranslate2, options_marian,
    options_fairseq, options_opennmt, options_joeynmt, options_argos, options_nn_transformer,
    options_sockeye, options_eole;

/* Fails if a rejected option is on. `file` begins the message. */
bool options_check(const struct toolkit_table *table, const char *file, const json_t *options,
                   struct status *status);
/* Adds the options to report that are on to the contents' configuration. */
bool options_tell(const struct toolkit_table *table, const json_t *options,
                  struct contents *contents, struct status *status);
/* Adds another part of the toolkit's arithmetic or search that we lack. */
bool options_tell_text(const char *text, struct contents *contents, struct status *status);

/* Takes the next name from *names and moves past it; false: none. */
enum { OPTION_NAME = 64 };
bool options_next_name(const char **names, char name[OPTION_NAME]);
/* The entry of an option, or NULL. */
const struct toolkit_option *options_find(const struct toolkit_table *table, const char *name);
/* All tables, as doc/options.md. Errors stay with the stream. */
void options_write(FILE *stream);

#endif
