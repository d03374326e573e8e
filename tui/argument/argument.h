/* The arguments of a command, as data.
 *
 * A command declares an array of arguments: which words may follow its name, in which places and
 * combinations. Everything else is derived from this declaration: the parsed values, usage and
 * messages, and what may be typed next, for completion.
 *
 * Words are assigned from left to right:
 *   1. The first word goes to the `verbatim` argument, whatever the word is.
 *   2. A keyword goes to its argument, and the words after it are that argument's values. It closes
 *      the places before it. A file named like a keyword is written ./by.
 *   3. Parts of a SELECTOR go to the selector, wherever they stand.
 *   4. Any other word goes to the next argument without a keyword that accepts it.
 *
 * Order of calls: arguments_parse; arguments_given, argument_text, ...; arguments_free, also after
 * a failure.
 */
#ifndef ATTNSCOPE_ARGUMENT_H
#define ATTNSCOPE_ARGUMENT_H

#include <stdio.h>

#include "session/selector.h"

enum argument_kind {
    ARGUMENT_FLAG,      // a keyword without values
    ARGUMENT_FILE,      // a path
    ARGUMENT_MODEL,     // the path or the name of a model
    ARGUMENT_STATE,     // the name of a state, or of a model
    ARGUMENT_CHOICE,    // one of `choices`
    ARGUMENT_INTEGER,   // a whole number from `from` to `to`, or one of `choices`
    ARGUMENT_NUMBER,    // a number from `from` to `to`
    ARGUMENT_NUMBERS,   // comma-separated numbers: 8,10,12
    ARGUMENT_TOKEN,     // a word or a token of the current sentence, or its number
    ARGUMENT_SELECTOR,  // a SELECTOR (selector.h); `heads` says what it may contain
    ARGUMENT_SELECTORS, // SELECTOR [or SELECTOR]...
    ARGUMENT_SETTING,   // the name of a setting
    ARGUMENT_VALUE,     // a value of that setting: all remaining words
    ARGUMENT_COMMAND,   // the name of a command, a setting or a topic of :help
    ARGUMENT_VIEW,      // a command that shows something, without its colon: all remaining words
    ARGUMENT_TEXT,      // any word
    ARGUMENT_PAIRS,     // two numbers: 3-4
    ARGUMENT_SENTENCE   // text as typed, up to a bar (|||) or the end
};
enum { ARGUMENT_KINDS = ARGUMENT_SENTENCE + 1 };

enum { ARGUMENT_MANY = 1000000, ARGUMENTS_MOST = 16 };

/* One argument. Omitted fields are 0: one optional positional value, compatible with every other
 * argument. */
struct argument {
    const char *name;    // of its value in the usage: "SRC"; NULL: its choices, or its keyword
    const char *keyword; // "by": precedes its values; NULL: positional
    enum argument_kind kind;
    bool required;              // once the arguments that it needs are given
    bool verbatim;              // the first word is its value, whatever it is
    bool anywhere;              // its keyword closes no places
    bool bar;                   // follows a bar (|||)
    bool hidden;                // omitted from the usage and completion
    bool value_optional;        // its keyword needs no value
    bool sources;               // its first file has source sentences, or its files are a suite of
                                // them
    int least, most;            // number of values; 0: one
    const char *const *choices; // NULL at the end
    int aliases;     // the last `aliases` choices are accepted, but neither written nor offered
    double from, to; // both 0: no limits but those of int
    enum heads_allowed heads; // of a selector
    unsigned needs;           // ARG(…): all must be given before it
    unsigned without;         // ARG(…): any of them excludes it
    const char *expected;     // in messages, instead of the values derived from the above
};

/* The set of one argument, by its index in the array. */
#define ARG(index) (1U << (index))

/* Arguments of one command, a constant array of known size. */
struct argument_list {
    const struct argument *each; // (count), at most ARGUMENTS_MOST
    int count;
};
#define ARGUMENT_LIST(array)                                                                       \
    {                                                                                              \
        array, (int)(sizeof(array) / sizeof *(array))                                              \
    }

/* The words given for one argument. */
struct argument_value {
    bool given;         // its keyword or its first value is there
    const char **words; // (count): values in order; for a selector all of its words
    int count;
    size_t capacity;
    int choice;    // index in its choices; -1: none of them
    double number; // of an integer or a number
};

struct argument_values {
    const struct argument_list *list;
    struct argument_value each[ARGUMENTS_MOST];
    struct selector selector;   // of ARGUMENT_SELECTOR
    struct selectors selectors; // of ARGUMENT_SELECTORS
    struct strings own;         // words not owned by the caller
    int wrong; // after a failure: the faulty word, from 0; the number of words: one is missing
    /* The position after the words, for arguments_next. */
    int closed;              // positional arguments before this one take no more words
    int pending;             // the argument whose keyword is the last word, or -1
    const char *in_selector; // the last word if it begins a part of a selector ("layer"), or NULL
};

/* Reads `words`, which must live as long as the values. Messages name the faulty word and what was
 * expected. */
bool arguments_parse(const struct argument_list *list, const struct strings *words,
                     struct argument_values *values, struct status *status);
/* Reads text whose first arguments are sentences. A sentence that is the only argument extends to
 * the end of the text; otherwise words follow after bars. Quotes around a sentence are removed. */
bool arguments_parse_text(const struct argument_list *list, const char *text,
                          struct argument_values *values, struct status *status);
/* Reads words still being typed: missing arguments are no error. */
bool arguments_parse_typed(const struct argument_list *list, const struct strings *words,
                           struct argument_values *values, struct status *status);
void arguments_free(struct argument_values *values);

/* argument_is_selector: true if it takes parts of selectors. argument_is_placed: true if it is
 * positional. */
static inline bool argument_is_selector(const struct argument *argument)
{
    return argument->kind == ARGUMENT_SELECTOR || argument->kind == ARGUMENT_SELECTORS;
}
static inline bool argument_is_placed(const struct argument *argument)
{
    return !argument->keyword && !argument_is_selector(argument);
}
/* True if all arguments that `index` needs are given, and none that excludes it. */
bool argument_allowed(const struct argument_values *values, int index);
/* True if a word has the form of a value of the argument. */
bool argument_takes(const struct argument *argument, const char *word);
/* The least and greatest number of values of an argument that is given. */
int argument_least(const struct argument *argument);
int argument_most(const struct argument *argument);
bool argument_full(const struct argument *argument, const struct argument_value *value);
/* The index of a word among the choices, or -1. */
int argument_choice_of(const struct argument *argument, const char *word);
/* The number of choices that are written and offered. */
int argument_choices(const struct argument *argument);

static inline bool argument_given(const struct argument_values *values, int index)
{
    return values->each[index].given;
}

/* The first value of an argument; NULL: none. */
static inline const char *argument_text(const struct argument_values *values, int index)
{
    return values->each[index].count ? values->each[index].words[0] : NULL;
}

/* The whole number or the choice given; `otherwise` if none. */
static inline int argument_integer(const struct argument_values *values, int index, int otherwise)
{
    const struct argument_value *value = &values->each[index];
    return value->count && value->choice < 0 ? (int)value->number : otherwise;
}
static inline int argument_choice(const struct argument_values *values, int index, int otherwise)
{
    return values->each[index].choice >= 0 ? values->each[index].choice : otherwise;
}

/* Reads the first value as a whole number, within limits known only when the command runs. Messages
 * begin with `what`. */
bool argument_within(const struct argument_values *values, int index, const char *what, int least,
                     int most, int *out, struct status *status);
/* The two numbers of value `i` of ARGUMENT_PAIRS; false: one of them is 0, or greater than an
 * int. */
bool argument_pair(const struct argument_values *values, int index, int i, int pair[2]);

/* Adds copies of the values of arguments `first` to `last` to a list. */
bool arguments_copy(const struct argument_values *values, int first, int last, struct strings *out,
                    struct status *status);

/* The values of an argument as a list, which borrows them. */
static inline struct strings argument_texts(const struct argument_values *values, int index)
{
    const struct argument_value *value = &values->each[index];
    return (struct strings){.text = (char **)value->words, .count = value->count};
}

/* What may be typed next, after words read by arguments_parse_typed ---------------------------- */

/* One thing that may come next. */
struct argument_next {
    const struct argument *argument;
    bool keyword; // its keyword; else a value
};

/* Fills in what may come next, in order of declaration, without hidden arguments. Returns the
 * number. */
int arguments_next(const struct argument_values *values,
                   struct argument_next next[2 * ARGUMENTS_MOST]);

/* Usage and messages --------------------------------------------------------------------------- */

/* Room for a message's description of one argument. */
enum { ARGUMENT_EXPECTED_BYTES = 200 };

/* Writes the usage: "SRC REF... [by head|layer] [SELECTOR [or SELECTOR]...]"; nothing if there are
 * no arguments. */
void arguments_usage(const struct argument_list *list, FILE *out);
/* The same for one argument: "by head|layer", "SRC". Truncated to fit. */
void argument_usage_one(const struct argument *argument, char *text, size_t size);
/* Writes the values expected, as in "expected head, layer or gradient". Truncated to fit. */
void argument_expected(const struct argument *argument, char *text, size_t size);

/* Messages about a word that has no place, and about a missing argument. All return false. */
bool argument_fail_unexpected(const struct argument_list *list, const char *word,
                              struct status *status);
bool argument_fail_bar(const struct argument_list *list, struct status *status); // a bar too many
bool argument_fail_missing(const struct argument_list *list, int index, struct status *status);

#endif
