/* Completions from a command's arguments. Private to complete.c. */
#ifndef ATTNSCOPE_COMPLETE_ARGUMENTS_H
#define ATTNSCOPE_COMPLETE_ARGUMENTS_H

#include "tui/command/commands.h"

/* A word being completed. */
struct typing {
    const struct session *session;
    const struct command *command;
    const char *const *before; // (count): the words of the command before this one
    int count;
    const char *word; // the part typed so far, without quotes
    struct strings *out;
    struct status *status;
};

/* Offers what may come next in typing->command. False: out of memory. */
bool offer_arguments(struct typing *typing);
/* Offers the names of commands. */
bool offer_command(struct typing *typing);

#endif
