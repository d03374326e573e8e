#include "tests/support/terminal_support.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include "tests/support/cli_support.h"

enum { PATIENCE = 60000 }; // milliseconds: a loaded machine is no failure

struct terminal terminal_run(const char *const *argv, int columns, int rows)
{
    struct terminal terminal = {.capacity = 1 << 24};
    struct winsize window = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    terminal.text = malloc(terminal.capacity);
    terminal.child = forkpty(&terminal.master, NULL, NULL, &window);
    assert_true(terminal.child >= 0);
    if (terminal.child == 0) {
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    fcntl(terminal.master, F_SETFD, FD_CLOEXEC);
    return terminal;
}

struct terminal terminal_open(const char *const *arguments, int columns, int rows)
{
    const char *argv[MOST_ARGUMENTS + 3] = {cli_program(), "--line"};
    for (int i = 0; i < MOST_ARGUMENTS && arguments[i]; i++)
        argv[i + 2] = arguments[i];
    return terminal_run(argv, columns, rows);
}

bool terminal_read(struct terminal *terminal)
{
    struct pollfd input = {.fd = terminal->master, .events = POLLIN};
    assert_true(terminal->bytes + 1 < terminal->capacity);
    if (poll(&input, 1, PATIENCE) != 1)
        fail_msg("nothing comes after \"%.*s\"", (int)terminal->bytes, terminal->text);
    ssize_t count = read(terminal->master, terminal->text + terminal->bytes,
                         terminal->capacity - terminal->bytes - 1);
    if (count > 0)
        terminal->bytes += count;
    terminal->text[terminal->bytes] = '\0';
    return count > 0;
}

static void forget_until(struct terminal *terminal, const char *end)
{
    terminal->bytes -= end - terminal->text;
    memmove(terminal->text, end, terminal->bytes);
    terminal->text[terminal->bytes] = '\0';
}

char *terminal_read_before(struct terminal *terminal, const char *marker, const char *other)
{
    char *found, *end = NULL, *before = NULL;
    terminal->text[terminal->bytes] = '\0';
    while (!(found = strstr(terminal->text, marker)) &&
           !(end = other ? strstr(terminal->text, other) : NULL))
        if (!terminal_read(terminal))
            fail_msg("ends without \"%s\": %s", marker, terminal->text);
    if (found && other) // both may have arrived together
        end = strstr(terminal->text, other);
    if (found && (!end || found < end)) {
        before = strndup(terminal->text, (size_t)(found - terminal->text));
        forget_until(terminal, found + strlen(marker));
    } else if (other) {
        forget_until(terminal, end + strlen(other));
    }
    return before;
}

void terminal_expect(struct terminal *terminal, const char *marker)
{
    free(terminal_read_before(terminal, marker, NULL));
}

void terminal_type(struct terminal *terminal, const char *keys)
{
    assert_int_equal(write(terminal->master, keys, strlen(keys)), strlen(keys));
}

/* Returns how many bytes the program has read so far, from any source. */
static long bytes_read(const struct terminal *terminal)
{
    char path[64];
    long bytes = -1;
    snprintf(path, sizeof path, "/proc/%ld/io", (long)terminal->child);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "rchar: %ld", &bytes), 1);
    fclose(file);
    return bytes;
}

void terminal_type_in(struct terminal *terminal, const char *keys)
{
    const long wanted = bytes_read(terminal) + (long)strlen(keys);
    terminal_type(terminal, keys);
    for (int waited = 0; bytes_read(terminal) < wanted; waited += 10) {
        if (waited > PATIENCE)
            fail_msg("what is typed is not read: %s", keys);
        usleep(10000);
    }
}

bool terminal_is_plain(const struct terminal *terminal)
{
    struct termios modes;
    assert_int_equal(tcgetattr(terminal->master, &modes), 0);
    return (modes.c_lflag & (ECHO | ICANON)) == (ECHO | ICANON);
}

int terminal_close(struct terminal *terminal)
{
    while (terminal_read(terminal))
        continue;
    close(terminal->master);
    return cli_finish(terminal->child);
}
