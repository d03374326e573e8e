/* Bit-by-bit comparisons: many jobs over a model's sentences, their results, and what a forced pass
 * captures. Every function fails the running test if something is wrong. */
#ifndef ATTNSCOPE_TESTS_EXACT_SUPPORT_H
#define ATTNSCOPE_TESTS_EXACT_SUPPORT_H

#include "tests/model/net/engine_support.h"

enum { EXACT_JOBS = 64 };

/* Sixty-four jobs over a model's sentences, with the cases' own head settings and with heads
 * switched off. */
struct exact_jobs {
    struct sentence sentences[EXACT_JOBS];
    struct head_settings *head_settings[EXACT_JOBS];
    struct search_job jobs[EXACT_JOBS];
};

struct exact_jobs *exact_jobs_open(const struct golden *golden);
void exact_jobs_close(struct exact_jobs *jobs);

/* Runs the jobs in the order first, first + step, … (modulo 64) and stores the results by job. */
void exact_run(struct golden *golden, struct exact_jobs *jobs, int batch, int first, int step,
               struct translation *results);
void exact_free(struct translation *results);

void exact_same_bits(const char *name, const char *what, const void *a, const void *b,
                     size_t bytes);
/* Compares the results of all jobs. `what` says which comparison failed. */
void exact_same_results(const char *name, const char *what, const struct translation *a,
                        const struct translation *b);

/* True if this machine has the instruction set. Devices with one that it lacks do not open. */
bool exact_has_isa(const char *isa);

/* Calls `check` with the name of each golden model. */
void exact_every_model(void (*check)(const char *name));

/* Everything that a forced pass captures, as bytes; the caller frees `data`. */
struct exact_bytes {
    char *data;
    size_t count, capacity;
    int hypotheses;
};

/* Appends `count` bytes, nothing if data is NULL. */
void exact_add_bytes(struct exact_bytes *bytes, const void *data, size_t count);
/* Appends the bytes of a forced pass. */
void exact_add_forced(struct exact_bytes *bytes, struct golden *golden,
                      const struct sentence *sentence, const struct head_settings *head_settings,
                      const struct hypothesis *target);
/* Returns the bytes of up to five hypotheses that a search finds for a text. */
struct exact_bytes exact_results(struct golden *golden, const char *text);
/* Fails if the results of a text and another model's results of it differ in a bit. `other_text` is
 * the text as the other model writes it. Returns the bytes that were compared, without `data`. */
struct exact_bytes exact_same_text(const char *what, struct golden *golden, const char *text,
                                   struct golden *other, const char *other_text);
/* The same for sentences of a sample that translates from English, five hypotheses each. `spell`
 * returns a text as the other model writes it, to be freed; NULL: unchanged. */
void exact_same_sample(const char *what, struct golden *sample, struct golden *other,
                       char *(*spell)(const struct golden *sample, const char *text));

#endif
