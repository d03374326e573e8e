/* The program's own command line. */
#ifndef ATTNSCOPE_OPTIONS_H
#define ATTNSCOPE_OPTIONS_H

#include <stdio.h>

#include "gpu/loader.h"

#define ATTNSCOPE_VERSION "0.1.0"

enum script_kind { SCRIPT_COMMAND, SCRIPT_FILE };

struct script {
    enum script_kind kind;
    const char *text; // a command, or a path
};

struct options {
    bool json, help, version;
    struct device_choice device;
    int threads;            // 0: as many as there are processors
    const char *model;      // a path
    struct script *scripts; // (count): -e and -f in the order given
    int count;
};

/* Reads argv; texts are borrowed from it. Options and MODEL may come in any order. False: wrong usage. */
bool options_parse(int argc, char **argv, struct options *options, struct status *status);
void options_free(struct options *options);

/* Two lines of usage, and all of it. */
void options_usage(FILE *stream);
void options_help(FILE *stream);

#endif
