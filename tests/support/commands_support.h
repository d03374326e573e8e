/* Commands on golden models, through the session alone, for tests. Every function fails the running
 * test when it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_COMMANDS_SUPPORT_H
#define ATTNSCOPE_TESTS_COMMANDS_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "model/formats/safetensors.h"
#include "report/output/sink.h"
#include "tui/command/commands.h"
#include "tui/program/program.h"

/* A session on a golden model, with what the reference expects. */
struct bench {
    struct session *session;
    struct sink sink;
    struct program program; // of the session, once bench_connect is called
    char *output;           // what the sink got
    size_t output_size;
    struct safetensors *expected;
    json_t *cases;
};

/* On tests/golden/NAME.bin, with NAME.expected. */
struct bench bench_open(const char *name);
/* On any model, without expectations. */
struct bench bench_open_model(const char *path);
/* Lets the session write to the sink and run scripts. The bench's address must be the final one. */
void bench_connect(struct bench *bench);
void bench_close(struct bench *bench);

/* Runs a line that must work; the result is the caller's, report_free frees it. */
struct report bench_run(struct bench *bench, const char *line);
void bench_run_quietly(struct bench *bench, const char *line);
/* Runs a line that must fail with `says` in its message. */
void bench_refuse(struct bench *bench, const char *line, const char *says);

/* The matrix that a view shows; of two states the one of `group`: "a", "b" or "difference" (NULL:
 * there is none). */
const struct matrix *bench_matrix(const struct report *result);
const struct matrix *bench_matrix_of(const struct report *result, const char *group);
/* A member of what it is in JSON, or of one of its objects (`group`; NULL: of itself). */
const struct value *bench_value(const struct report *result, const char *group, const char *key);
/* The table that is `key` in JSON, and one of its cells. */
const struct table *bench_table(const struct report *result, const char *key);
const struct value *bench_cell(const struct table *table, int row, const char *key);
/* Averages of gates: how many there are, and the name, number and mean of one. */
int bench_groups(const struct report *result);
const char *bench_group_name(const struct report *result, int group);
const char *bench_group_side(const struct report *result, int group);
int64_t bench_group_count(const struct report *result, int group);
double bench_group_mean(const struct report *result, int group);

/* Puts a case's head_settings into the session as a user would. False: some gain is one that no
 * command gives. */
bool bench_set_head_settings(struct bench *bench, const json_t *given);
/* The same, and the case's source translated, then its target forced. */
bool bench_force_case(struct bench *bench, const json_t *given);
/* Source of the first case with so many tokens. */
const char *bench_source(const struct bench *bench, size_t tokens);
/* The reference's tensor of case k; NULL where it has none. */
const float *bench_expected(const struct bench *bench, size_t k, const char *name);

/* Members of a JSON object. */
const char *text_of(const json_t *object, const char *key);
int number_of(const json_t *object, const char *key);

/* NaN is never close. */
void assert_close(const float *is, const float *wanted, size_t count, double bound,
                  const char *what);

/* Writes a file of its own, for the caller to unlink; returns `path`. */
char *write_lines(const char *text, char path[64]);

#endif
