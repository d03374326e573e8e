/* Commands on golden models, run through the session without the program, for tests. Every function
 * fails the running test if it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_COMMANDS_SUPPORT_H
#define ATTNSCOPE_TESTS_COMMANDS_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "model/formats/safetensors.h"
#include "report/output/sink.h"
#include "tui/command/commands.h"
#include "tui/program/program.h"

/* A session on a golden model, and the reference's results. */
struct bench {
    struct session *session;
    struct sink sink;
    struct program program; // the session's, once bench_connect was called
    char *output;           // what the sink received
    size_t output_size;
    struct safetensors *expected;
    json_t *cases;
};

/* Opens tests/golden/NAME.bin with NAME.expected. */
struct bench bench_open(const char *name);
/* Opens any model, without expectations. */
struct bench bench_open_model(const char *path);
/* Lets the session write to the sink and run scripts. The bench must not move afterwards. */
void bench_connect(struct bench *bench);
void bench_close(struct bench *bench);

/* Runs a line that must work; the caller frees the result with report_free. */
struct report bench_run(struct bench *bench, const char *line);
void bench_run_quietly(struct bench *bench, const char *line);
/* Runs a line that must fail with a message that contains `says`. */
void bench_refuse(struct bench *bench, const char *line, const char *says);

/* Returns the matrix that a view shows. If it shows two states: the matrix of `group`, "a", "b" or
 * "difference"; NULL if there is none. */
const struct matrix *bench_matrix(const struct report *result);
const struct matrix *bench_matrix_of(const struct report *result, const char *group);
/* Returns a member of the result's JSON, or of one of its objects (`group`; NULL: of the result
 * itself). */
const struct value *bench_value(const struct report *result, const char *group, const char *key);
/* Return the table under `key` in JSON, and one of its cells. */
const struct table *bench_table(const struct report *result, const char *key);
const struct value *bench_cell(const struct table *table, int row, const char *key);
/* Averages of gates: their number, and the name, number and mean of one of them. */
int bench_groups(const struct report *result);
const char *bench_group_name(const struct report *result, int group);
const char *bench_group_side(const struct report *result, int group);
int64_t bench_group_count(const struct report *result, int group);
double bench_group_mean(const struct report *result, int group);

/* Sets a case's head settings in the session as a user would. Returns false if some gain cannot be
 * set by a command. */
bool bench_set_head_settings(struct bench *bench, const json_t *given);
/* The same; then translates the case's source and forces its target. */
bool bench_force_case(struct bench *bench, const json_t *given);
/* Returns the source of the first case with that many tokens. */
const char *bench_source(const struct bench *bench, size_t tokens);
/* Returns the reference's tensor of case k, NULL if there is none. */
const float *bench_expected(const struct bench *bench, size_t k, const char *name);

/* Members of a JSON object. */
const char *text_of(const json_t *object, const char *key);
int number_of(const json_t *object, const char *key);

/* NaN is close to nothing. */
void assert_close(const float *is, const float *wanted, size_t count, double bound,
                  const char *what);

/* Writes a new file, which the caller removes; returns `path`. */
char *write_lines(const char *text, char path[64]);

#endif
