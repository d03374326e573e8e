/* The program's own command line: one table of options, from which reading it, --help, the manual page and the
 * shells' completions come. */
#ifndef ATTNSCOPE_OPTIONS_H
#define ATTNSCOPE_OPTIONS_H

#include <stdio.h>

#include "gpu/loader.h"

#define ATTNSCOPE_VERSION "0.1.0"
#define ATTNSCOPE_DATE "2026-11-21" // of this version; the manual page carries it

/* What stands beside the options, in the help's notation. */
#define OPTIONS_OPERANDS "MODEL..."

enum script_kind { SCRIPT_COMMAND, SCRIPT_FILE };

struct script {
    enum script_kind kind;
    const char *text; // a command, or a path
};

struct options {
    bool json, help, version;
    bool keep_files;      // --no-clobber
    bool ascii;           // the screen is drawn with ASCII alone
    bool line;            // who types gets a prompt, not the screen
    const char *replay;   // an exported file, to make again instead of running commands; NULL: none
    const char *generate; // one of manual_names, to write instead of opening a model; NULL: none
    struct device_choice device;
    int threads;         // 0: as many as there are processors
    int dpi;             // of figures; 0: the default
    const char **models; // (model_count) paths, in the order given
    int model_count;
    struct script *scripts; // (count): -e and -f in the order given
    int count;
};

/* How often an option is given, and whether the program then opens a model at all. */
enum option_use { OPTION_ONCE, OPTION_REPEATED, OPTION_WITHOUT_MODEL };

/* What a shell offers as an option's value. */
enum option_value { VALUE_OTHER, VALUE_FILE, VALUE_COMMAND, VALUE_CHOICE };

struct program_option {
    char letter;       // 0: the option has a name
    const char *name;  // without the dashes; NULL: the option has a letter
    const char *value; // what it takes, as help names it; NULL: nothing
    enum option_value kind;
    const char *const *choices; // of VALUE_CHOICE, NULL at the end; a shell offers them
    enum option_use use;
    const char *summary; // one line
    const char *details; // more for the manual page, or NULL
    bool (*set)(struct options *options, const char *value, struct status *status);
};

extern const struct program_option option_table[];
extern const int option_count;

/* Reads argv; texts are borrowed from it. Options and MODELs may come in any order. False: wrong usage. */
bool options_parse(int argc, char **argv, struct options *options, struct status *status);
void options_free(struct options *options);

/* Two lines of usage, and all of it. */
void options_usage(FILE *stream);
void options_help(FILE *stream);

#endif
