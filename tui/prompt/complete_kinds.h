/* The words that each kind of argument offers. Only complete.c uses this. */
#ifndef ATTNSCOPE_COMPLETE_KINDS_H
#define ATTNSCOPE_COMPLETE_KINDS_H

#include "tui/command/commands.h"

/* A word being completed. */
struct typing {
    const struct session *session;
    const struct command *command;
    unsigned kinds;            // kinds of argument that are possible here
    const char *const *before; // (count): the words of the command before this one
    int count;
    const char *word; // the part typed so far, without quotes
    struct pieces *out;
    struct status *status;
};

/* Offers `text` if it begins with what is typed and can itself be typed. */
bool offer(struct typing *typing, const char *text);

/* Offers the words of all kinds in typing->kinds. False: out of memory. */
bool offer_kinds(struct typing *typing);

bool offer_command(struct typing *typing);

/* The word before the one being typed; "" if there is none. */
const char *word_before(const struct typing *typing);

#endif
