/* The program as a user runs it, for tests: what it prints where, and what it ends with. The binary
 * is $ATTNSCOPE, or attnscope in the folder above the test's own.
 *
 * cli_open and cli_close go around a group's tests. Arguments are a list that ends with NULL. Every
 * function fails the running test when it cannot do its work.
 */
#ifndef ATTNSCOPE_TESTS_CLI_SUPPORT_H
#define ATTNSCOPE_TESTS_CLI_SUPPORT_H

#include <stddef.h>
#include <sys/types.h>

#include <jansson.h>

#define MODEL "tests/golden/vanilla_post.bin"
#define FIXED "tests/golden/fixed_7f1l.bin"
#define GATES "tests/golden/mixture_decoder.bin"
#define CPU "--device", "cpu"
#define STUDENT "tests/golden/formats/marian-student" // of Marian, in 8 bits
#define SENTENCE "the dog sees a cat"
enum { MOST_ARGUMENTS = 24 };

struct outcome {
    int code; // exit code, or 256 + signal
    char *out, *err;
};

/* Finds the program and makes a folder for files, where its history goes as well; removes the
 * folder with all in it. 0, or -1 where that fails. cli_enter also goes there: paths of tests/ and
 * samples/ hold. */
int cli_open(void **state);
int cli_enter(void **state);
int cli_close(void **state);
/* A folder with all that is in it. 0, or -1. */
int cli_remove(const char *path);

/* Runs the program to its end, with `input` on its standard input; outcome_free frees. */
struct outcome cli_run(const char *const *arguments);
struct outcome cli_run_with(const char *const *arguments, const char *input, size_t bytes);
void outcome_free(struct outcome *outcome);

/* The program's path, for those who start it themselves. */
const char *cli_program(void);

/* Starts the program, its standard streams as given; waits for its end and returns its code. */
pid_t cli_start(const char *const *arguments, int in, int out, int err);
int cli_finish(pid_t child);

/* An unlinked file to write to. */
int cli_scratch(void);
/* What is left to read of a file, as text; freed with free(). */
char *cli_read_all(int file);

/* The folder, and the path of a file in it with this text, until the next call. */
const char *cli_folder(void);
const char *cli_write(const char *name, const char *text);

/* The path of a file in it that need not be there, until the next four calls. */
const char *cli_path(const char *name);
/* A whole file, with a NUL after it; freed with free(). `bytes` may be NULL. */
char *cli_read(const char *path, size_t *bytes);

int cli_count_lines(const char *text);
/* The arguments as a line for messages, until the next call. */
const char *cli_command_line(const char *const *arguments);

/* Standard error holds a message with `says` in it: 1 to `most` lines, no control characters. */
void cli_check_message(const char *const *arguments, const struct outcome *outcome, int most,
                       const char *says);

/* The object on a line (from 0) of output; fails the test where it is none. */
json_t *cli_object(const char *const *arguments, const char *out, int line);
/* What a model answers to one command on the CPU, as an object; fails the test where it is
 * refused. */
json_t *cli_answer(const char *model, const char *command);

/* The object has members "name:t", separated by blanks, where t is s string, n number, i integer, o
 * object, a array, m matrix of numbers, 0 null, b true or false; messages name `command`. */
void cli_check_fields(const char *command, const json_t *object, const char *fields);

#endif
