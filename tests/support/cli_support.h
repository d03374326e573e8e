/* The program as a user runs it, for tests: its output and exit code. The binary is $ATTNSCOPE, or
 * attnscope in the folder above the test's own.
 *
 * cli_open and cli_close are a group's set-up and tear-down. Arguments are a list that ends with
 * NULL. Every function fails the running test if it cannot do its work.
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
#define STUDENT "tests/golden/formats/marian-student" // from Marian, in 8 bits
#define SENTENCE "the dog sees a cat"
enum { MOST_ARGUMENTS = 24 };

struct outcome {
    int code; // exit code, or 256 + signal
    char *out, *err;
};

/* Set-up and tear-down: cli_open finds the program and makes a folder for files, including its
 * history; cli_close removes the folder with all its contents. They return 0, or -1 on failure.
 * cli_enter also changes to that folder, in which paths of tests/ and samples/ still work. */
int cli_open(void **state);
int cli_enter(void **state);
int cli_close(void **state);
/* Removes a folder with its contents. Returns 0 or -1. */
int cli_remove(const char *path);

/* Runs the program to its end, with `input` on its standard input; outcome_free frees the
 * result. */
struct outcome cli_run(const char *const *arguments);
struct outcome cli_run_with(const char *const *arguments, const char *input, size_t bytes);
void outcome_free(struct outcome *outcome);

/* Returns the program's path, for tests that start it themselves. */
const char *cli_program(void);

/* cli_start starts the program with these standard streams. cli_finish waits for its end and
 * returns its exit code. */
pid_t cli_start(const char *const *arguments, int in, int out, int err);
int cli_finish(pid_t child);

/* Returns an unlinked file to write to. */
int cli_scratch(void);
/* Returns the rest of a file as text; freed with free(). */
char *cli_read_all(int file);

/* The folder, and the path of a file in it with this text; valid until the next call. */
const char *cli_folder(void);
const char *cli_write(const char *name, const char *text);

/* Returns the path of a file in it, which need not exist; valid until the next four calls. */
const char *cli_path(const char *name);
/* Returns a whole file, with a NUL after it; freed with free(). `bytes` may be NULL. */
char *cli_read(const char *path, size_t *bytes);

int cli_count_lines(const char *text);
/* Counts the errors and warnings on standard error, without those of unknown words, as golden
 * models know few. */
int cli_count_messages(const char *err);
/* Returns the arguments as a line for messages; valid until the next call. */
const char *cli_command_line(const char *const *arguments);

/* Checks that standard error holds a message that contains `says`: 1 to `most` lines without
 * control characters. */
void cli_check_message(const char *const *arguments, const struct outcome *outcome, int most,
                       const char *says);

/* Returns the object on a line (from 0) of the output; fails the test if there is none. */
json_t *cli_object(const char *const *arguments, const char *out, int line);
/* Returns a model's answer to one command on the CPU, as an object; fails the test if the command
 * is refused. */
json_t *cli_answer(const char *model, const char *command);

/* The object has members "name:t", separated by blanks, where t is s string, n number, i integer, o
 * object, a array, m matrix of numbers, 0 null, b true or false; messages name `command`. */
void cli_check_fields(const char *command, const json_t *object, const char *fields);

#endif
