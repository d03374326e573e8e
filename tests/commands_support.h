/* Commands on golden models, through the session alone, for tests. Every function fails the running
 * test when it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_COMMANDS_SUPPORT_H
#define ATTNSCOPE_TESTS_COMMANDS_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "model/net/safetensors.h"
#include "tui/commands.h"
#include "tui/program.h"
#include "tui/sink.h"

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

/* Runs a line that must work; the result is the caller's, result_free frees it. */
struct result bench_run(struct bench *bench, const char *line);
void bench_run_quietly(struct bench *bench, const char *line);
/* Runs a line that must fail with `says` in its message. */
void bench_refuse(struct bench *bench, const char *line, const char *says);

/* Puts a case's dials into the session as a user would. False: some gain is one that no command
 * gives. */
bool bench_set_dials(struct bench *bench, const json_t *given);
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
