/* What each kind of argument offers; for complete.c alone. */
#ifndef ATTNSCOPE_COMPLETE_KINDS_H
#define ATTNSCOPE_COMPLETE_KINDS_H

#include "tui/commands.h"

/* A word being completed. */
struct typing {
    const struct session *session;
    const struct command *command;
    unsigned kinds;            // of what may stand here
    const char *const *before; // (count): the command's words before it
    int count;
    const char *word; // what is typed of it, without quotes
    struct pieces *out;
    struct status *status;
};

/* Takes `text` into account if it begins with what is typed. What cannot be typed is not offered. */
bool offer(struct typing *typing, const char *text);

/* What the kinds in typing->kinds offer. False: out of memory. */
bool offer_kinds(struct typing *typing);

bool offer_command(struct typing *typing);

/* The word before the one being typed; "": none. */
const char *word_before(const struct typing *typing);

#endif
