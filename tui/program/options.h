/* The options of the command line, in one table. The parser, --help, the manual page and the
 * completions of shells all read it. */
#ifndef ATTNSCOPE_OPTIONS_H
#define ATTNSCOPE_OPTIONS_H

#include <stdio.h>

#include "base/version.h"
#include "gpu/loader.h"
#include "model/checkpoint/checkpoint.h"

#define ATTNSCOPE_DATE "2026-11-21" // date of this version (version.h), for the manual page

/* The arguments besides the options, in the notation of the help. */
#define OPTIONS_OPERANDS "MODEL..."

/* The parts of the manual that --generate can print. */
enum manual_part {
    MANUAL_MAN,
    MANUAL_MARKDOWN,
    MANUAL_BASH,
    MANUAL_ZSH,
    MANUAL_FISH,
    MANUAL_OPTIONS,
    MANUAL_PARTS
};
extern const char *const manual_names[MANUAL_PARTS + 1]; // by part; NULL at the end

enum script_kind { SCRIPT_COMMAND, SCRIPT_FILE };

struct script {
    enum script_kind kind;
    const char *text; // a command, or a path
};

struct options {
    bool json, help, version;
    bool list;            // no model is named: list the models found
    bool keep_files;      // --no-clobber
    bool ascii;           // draw the screen in ASCII only
    bool line;            // use a prompt instead of the screen
    bool quiet;           // only warnings and errors on standard error
    bool gpu_asked;       // --device or --backend was given
    const char *parts;    // a folder for parts of studies; NULL: none
    int part, part_count; // the part of studies to work on, from 1, and the number of parts; 0: all
    const char **merged;  // (merged_count): parts to merge, or their folders
    int merged_count;
    const char *replay;   // an exported file to make again instead of running commands; NULL: none
    const char *convert;  // a file to write the model to, in our own format; NULL: none
    const char *generate; // one of manual_names, to write instead of opening a model; NULL: none
    struct tokenizer_files tokenizers;
    struct device_choice device;
    int threads;         // 0: as many as there are processors
    int dpi;             // of figures; 0: the default
    const char **models; // (model_count) paths or names (model_folders.h), in the order given
    int model_count;
    struct script *scripts; // (count): -e and -f in the order given
    int count;
};

/* How an option may be used: once, repeatedly, or without a model to open. */
enum option_use { OPTION_ONCE, OPTION_REPEATED, OPTION_WITHOUT_MODEL };

/* The kind of value that a shell offers for an option. */
enum option_value { VALUE_OTHER, VALUE_FILE, VALUE_COMMAND, VALUE_CHOICE };

struct program_option {
    char letter;       // 0: the option has a name
    const char *name;  // without the dashes; NULL: the option has a letter
    const char *value; // the name of its value in the help; NULL: takes none
    enum option_value kind;
    const char *const *choices; // of VALUE_CHOICE, NULL at the end; a shell offers them
    enum option_use use;
    const char *summary; // one line
    const char *details; // more for the manual page, or NULL
    /* Takes the value. NULL: stores it at offset `place` of the options, which is a flag or a path
     * that may not be empty. */
    bool (*set)(struct options *options, const char *value, struct status *status);
    size_t place;
};

extern const struct program_option option_table[];
extern const int option_count;

/* Reads argv; texts are borrowed from it. Options and MODELs may come in any order. False: wrong
 * usage. */
bool options_parse(int argc, char **argv, struct options *options, struct status *status);
void options_free(struct options *options);

/* Writes the usage in two lines (options_usage), or all of it (options_help). */
void options_usage(FILE *stream);
void options_help(FILE *stream);

#endif
