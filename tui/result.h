/* What a command found out, apart from how it is shown. The sinks (sink.h) present it.
 *
 * A result owns what its struct holds by pointer, unless a comment says "borrowed": then it lives in the
 * session until the next command.
 */
#ifndef ATTNSCOPE_RESULT_H
#define ATTNSCOPE_RESULT_H

#include "tui/across.h"
#include "tui/contrast.h"
#include "tui/contrast_ablate.h"
#include "tui/prune.h"
#include "tui/session.h"
#include "tui/study.h"

struct command;

enum result_kind {
    RESULT_NONE,            // nothing to say but that it worked
    RESULT_SENTENCE,        // the sentence at hand and its translations
    RESULT_FILE,            // a file's translations
    RESULT_ATTENTION,       // one matrix of weights
    RESULT_ALIGNMENT,       // the same, of the translation's tokens and the source's
    RESULT_IMPORTANCE,      // rows by heads
    RESULT_GATES,           // gates of each layer by rows
    RESULT_GATE_GROUPS,     // averages of gates
    RESULT_SCORE,           // log-probabilities of a pair
    RESULT_DIALS,           // what heads do now
    RESULT_SETTINGS,        // one setting or all
    RESULT_INFO,            // model and device
    RESULT_HELP,            // one command or all
    RESULT_EXPORT,          // a file was written
    RESULT_TESTSET,         // the sentence at hand is the test set's current one, or that is blank
    RESULT_HYPOTHESIS,      // another hypothesis of the sentence at hand is looked at
    RESULT_HYPOTHESES,      // all of them
    RESULT_STATE,           // a state was named, or gone to
    RESULT_STATES,          // all of them
    RESULT_BESIDE,          // two states side by side
    RESULT_HEADS,           // weights of several heads
    RESULT_TOKEN,           // where heads look from one token, and who looks at it
    RESULT_SOURCE,          // a script has run
    RESULT_SAVE,            // a script was written
    RESULT_REPLAY,          // an exported file was made again
    RESULT_BLEU,            // a file's translations were scored
    RESULT_COMPARE,         // those of two states
    RESULT_ABLATE,          // those with heads off
    RESULT_PRUNE,           // those with ever fewer heads
    RESULT_CONTRAST,        // decisions in a contrastive suite
    RESULT_FLIPS,           // those that two states make differently
    RESULT_CONTRAST_ABLATE, // those that heads decide
    RESULT_BLEU_ACROSS,     // a file's translations in several states
    RESULT_CONTRAST_ACROSS, // decisions in several states
    RESULT_KINDS
};

/* A head of a layer; 0-based. */
struct place {
    enum module module;
    int layer, head;
};

/* Names along a matrix. */
struct labels {
    int side; // whose tokens they are: SIDE_SOURCE or SIDE_TARGET
    struct pieces texts;
};

struct file_result {
    char *path;
    char **translations; // (sentences); NULL: not finished, after an interruption
    int sentences;
    int finished;   // lines from the first on that have been handed to the sink
    int64_t tokens; // of the translations, end-of-sentence included
    double seconds;
};

struct attention_result {
    struct view view;
    bool words; // rows and columns are words
    struct labels rows, columns;
    float *weights;   // (rows, columns)
    struct head head; // how the head attends; of one head only
    bool off;         // likewise
};

/* Heads of several layers of a module. */
struct head_grid {
    enum module module;
    int *layers, *heads; // (layer_count), (head_count): 0-based, rising
    int layer_count, head_count;
    bool *off; // (layer_count, head_count)
};

struct heads_result {
    struct head_grid grid;
    bool words; // rows and columns are words
    struct labels rows, columns;
    float *weights; // (layers, heads, rows, columns)
};

/* One token, or the tokens of one word: rows are averaged, columns summed. */
struct token_result {
    struct head_grid grid;
    char *text;       // as the sentence has it
    int first, count; // its tokens among the rows, or (`side` tells) the columns; 0-based
    int side;         // whose token it is: SIDE_SOURCE or SIDE_TARGET
    struct labels rows, columns;
    float *from; // (layers, heads, columns); NULL: the module does not look from this side
    float *to;   // (layers, heads, rows); NULL: the module does not look at this side
};

struct importance_result {
    enum module module;
    int layer, heads;
    struct labels rows;
    float *weights; // (rows, heads)
};

struct gate_layer {
    float *values; // (rows, columns), NULL: the layer has no gate
    int columns;   // 1, or learned heads
    bool by_head;  // columns are learned heads
};

struct gates_result {
    enum module module;
    int side; // SIDE_Q or SIDE_K
    struct labels rows;
    struct gate_layer *layer; // (layers)
    int layers;
};

enum gate_grouping { BY_LAYER, BY_POSITION, BY_LENGTH };
extern const char *const gate_grouping_names[]; // layer, pos, length; NULL at the end

/* In place of a side: queries, then keys. */
enum { GATES_BOTH = SIDE_COUNT };
/* "q", "k" or "qk". */
const char *gates_side_name(int side);

struct gate_group {
    int side;  // SIDE_Q or SIDE_K
    int place; // its layer, position, ... counted from 0, the same for both sides
    char name[24];
    int64_t count; // gates averaged
    double sum;
};

struct gate_groups_result {
    char *path;
    enum module module;
    int side; // SIDE_Q, SIDE_K or GATES_BOTH
    enum gate_grouping by;
    int sentences, lines;      // those averaged, the first of the file's
    struct gate_group *groups; // (count): those of queries, then those of keys
    int count;
    size_t capacity;
};
/* Whether sentences were left out. */
bool gate_groups_partial(const struct gate_groups_result *groups);

struct score_result {
    int *ids;            // (count)
    const char **tokens; // (count), each borrowed from the vocabulary
    float *logprobs;     // (count)
    int count;
    double logprob, score;
};

struct dials_result {
    struct place *changed; // (count): what the command was about
    int count;
    struct subject *before; // the sentence at hand until now, NULL: none
    bool asked;             // nothing was changed: the user wants to know
};

struct state_result {
    char *name;
    struct subject *before; // the sentence at hand until now; NULL: none, or it is the same
};

/* The sentence at hand in one state. */
struct beside_side {
    char *name;                        // the state's
    struct loaded *loaded;             // borrowed: stays as long as the session
    struct subject *subject;           // its dials and search are the state's
    struct attention_result attention; // over its own translation, or over the given one
};

/* Two states side by side: a is side[0], b side[1]; all views are the session's current one. */
struct beside_result {
    struct beside_side side[2];
    struct attention_result difference; // b - a, in a's tokens; weights NULL: none
    bool forced;                        // it is over a's translation, forced in b
    char *note;                         // one line on the difference; NULL: nothing to say
};
/* Whether a and b are over the same rows. */
bool beside_same_rows(const struct beside_result *beside);
/* The session as it is in a side's state, for functions that only read. */
struct session beside_session(const struct session *session, const struct beside_side *side);

struct settings_result {
    const struct setting *setting; // NULL: all
    bool assigned;
    struct subject *before; // the sentence at hand until now; NULL: none, or nothing to do again
};

struct info_result {
    struct device_info device;
    const char *digest; // borrowed
};

struct help_result {
    const struct command *command; // NULL: all
};

struct export_result {
    char *path;
    const char *format; // "png"; borrowed for good
    char *view;  // the command that shows what was written; NULL: everything captured, or a folder
    int tensors; // likewise
    int files;   // of a folder; 0: one file was written
};

struct source_result {
    char *path;
    int commands, failed; // of them
};

struct save_result {
    char *path;
    int commands;
};

struct replay_result {
    char *path;
    char *redrawn;     // the new file; gone where `same`
    char *differences; // notes that are others now, "program, search"; "": none; NULL: the same
    bool same;         // byte for byte
};

/* Whether two matrices have the same names along a side. */
bool labels_equal(const struct labels *a, const struct labels *b);

struct result {
    enum result_kind kind;
    union {
        struct file_result file;
        struct attention_result attention; // RESULT_ATTENTION, RESULT_ALIGNMENT
        struct importance_result importance;
        struct gates_result gates;
        struct gate_groups_result gate_groups;
        struct score_result score;
        struct dials_result dials;
        struct settings_result settings;
        struct info_result info;
        struct help_result help;
        struct export_result exported;
        struct state_result state;
        struct beside_result beside;
        struct heads_result heads;
        struct token_result token;
        struct source_result source;
        struct save_result save;
        struct replay_result replay;
        struct study_result study; // RESULT_BLEU, RESULT_COMPARE
        struct ablate_result ablate;
        struct prune_result prune;
        struct contrast_result contrast;
        struct flips_result flips;
        struct contrast_ablate_result contrast_ablate;
        struct across_result across; // RESULT_BLEU_ACROSS, RESULT_CONTRAST_ACROSS
    };
};

void result_free(struct result *result); // leaves it empty

/* Whether it is scores of a test set: result->study. */
bool result_is_study(const struct result *result);
/* Whether they are those of several states: result->across. */
bool result_is_across(const struct result *result);
/* Whether it is numbers of a test set: those, ablations, a pruning, decisions. */
bool result_is_scores(const struct result *result);
void attention_result_free(struct attention_result *attention);

#endif
