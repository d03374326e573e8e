/* The treatment of the options in a toolkit's files, family by family: a table names every option
 * that the toolkit has, and says if it is obeyed, refused, told to the user, or of no account here.
 * doc/options.md is generated from these tables, and a test holds them against the toolkits' own
 * lists (tests/golden/formats/options).
 *
 * A reader calls options_check when it has read the file with the options, and options_tell when
 * the contents are configured. What is told becomes `left_out` of the configuration
 * (model/checkpoint/config_origin.h).
 */
#ifndef ATTNSCOPE_FORMATS_OPTIONS_H
#define ATTNSCOPE_FORMATS_OPTIONS_H

#include <stdio.h>

#include "model/formats/contents.h"

enum toolkit_use {
    OPTION_OBEYED,
    OPTION_REFUSED,  // if it is on, by its reader or by what the file then holds
    OPTION_REJECTED, // likewise, by options_check
    OPTION_TOLD,     // if it is on: the search here does not have it
    OPTION_IDLE      // it changes neither what is computed nor the search
};

/* An option is off when it is absent, null, false, "", an empty list or object, or the neutral
 * number. */
struct toolkit_option {
    const char *names; // one, or several with a space between
    enum toolkit_use use;
    const char *what;
    double neutral;
    bool or_less;    // numbers below it are neutral, too
    bool by_default; // a flag that is neutral where it is true or absent: it is false that is told
    const char *of;  // another option, without which this one is off; NULL: none
};

struct toolkit_table {
    const char *toolkit, *files;
    const struct toolkit_option *options; // NULL names at the end
};

extern const struct toolkit_table options_transformers, options_ctranslate2, options_marian,
    options_fairseq, options_opennmt, options_joeynmt, options_argos, options_nn_transformer,
    options_sockeye, options_eole;

/* True if none that is rejected is on. `file` begins the message. */
bool options_check(const struct toolkit_table *table, const char *file, const json_t *options,
                   struct status *status);
/* Adds those that are told and on to the configuration of the contents. */
bool options_tell(const struct toolkit_table *table, const json_t *options,
                  struct contents *contents, struct status *status);
/* Adds what else of the toolkit's arithmetic or search is not done here. */
bool options_tell_text(const char *text, struct contents *contents, struct status *status);

/* The next of the names that *names begins with, and moves behind it; false: there is none. */
enum { OPTION_NAME = 64 };
bool options_next_name(const char **names, char name[OPTION_NAME]);
/* The entry of an option, or NULL. */
const struct toolkit_option *options_find(const struct toolkit_table *table, const char *name);
/* All tables, as doc/options.md. Errors stay with the stream. */
void options_write(FILE *stream);

#endif
