#include "tests/support/answering_terminal.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <unistd.h>

#include "tests/support/cli_support.h"

enum { PATIENCE = 60000, CAPACITY = 1 << 24, ANSWER_BYTES = 128 };

struct answering answering_open(const struct answering_spec *spec)
{
    struct answering terminal = {.spec = *spec, .capacity = CAPACITY};
    struct winsize window = {.ws_row = (unsigned short)spec->rows,
                             .ws_col = (unsigned short)spec->columns,
                             .ws_xpixel = (unsigned short)(spec->columns * spec->cell_width),
                             .ws_ypixel = (unsigned short)(spec->rows * spec->cell_height)};
    terminal.text = malloc(CAPACITY);
    assert_non_null(terminal.text);
    *terminal.text = '\0';
    terminal.child = forkpty(&terminal.master, NULL, NULL, &window);
    assert_true(terminal.child >= 0);
    if (terminal.child == 0) {
        execvp(spec->argv[0], (char *const *)spec->argv);
        _exit(127);
    }
    fcntl(terminal.master, F_SETFD, FD_CLOEXEC);
    return terminal;
}

void answering_type(struct answering *terminal, const char *keys)
{
    assert_int_equal(write(terminal->master, keys, strlen(keys)), strlen(keys));
}

/* Queries -------------------------------------------------------------------------------------- */

static void answer_version(const struct answering *terminal, char *answer)
{
    if (terminal->spec.version)
        snprintf(answer, ANSWER_BYTES, "\033P>|%s\033\\", terminal->spec.version);
}

static void answer_attributes(const struct answering *terminal, char *answer)
{
    if (terminal->spec.attributes)
        snprintf(answer, ANSWER_BYTES, "\033[?%sc", terminal->spec.attributes);
}

/* Terminals with sixel also answer XTSMGRAPHICS. */
static void answer_registers(const struct answering *terminal, char *answer)
{
    if (terminal->spec.attributes && strstr(terminal->spec.attributes, ";4;"))
        snprintf(answer, ANSWER_BYTES, "\033[?1;0;256S");
}

/* A terminal that does not answer DA1 does not answer this either. */
static void answer_status(const struct answering *terminal, char *answer)
{
    if (terminal->spec.attributes)
        snprintf(answer, ANSWER_BYTES, "\033[0n");
}

static void answer_kitty(const struct answering *terminal, char *answer)
{
    if (terminal->spec.kitty)
        snprintf(answer, ANSWER_BYTES, "\033_Gi=31;OK\033\\");
}

static void answer_iterm(const struct answering *terminal, char *answer)
{
    if (terminal->spec.iterm)
        snprintf(answer, ANSWER_BYTES, "\033[ITERM2 3.5.0n");
}

static const struct {
    const char *question;
    void (*answer)(const struct answering *terminal, char *answer);
} answers[] = {
    {"\033[>q", answer_version},
    {"\033[c", answer_attributes},
    {"\033[?1;1;0S", answer_registers},
    {"\033[5n", answer_status},
    {"\033_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\033\\", answer_kitty},
    {"\033[1337n", answer_iterm},
};
enum { ANSWERS = sizeof answers / sizeof *answers };

/* Answers the first unanswered query; returns false if there is none. */
static bool answer_next(struct answering *terminal)
{
    const char *first = NULL;
    int which = 0;
    for (int i = 0; i < ANSWERS; i++) {
        const char *found = strstr(terminal->text + terminal->answered, answers[i].question);
        if (found && (!first || found < first)) {
            first = found;
            which = i;
        }
    }
    if (!first)
        return false;
    terminal->answered = (size_t)(first - terminal->text) + strlen(answers[which].question);
    if (terminal->spec.typed && !terminal->has_typed)
        answering_type(terminal, terminal->spec.typed);
    terminal->has_typed = true;
    char answer[ANSWER_BYTES] = "";
    answers[which].answer(terminal, answer);
    answering_type(terminal, answer);
    return true;
}

/* Reading -------------------------------------------------------------------------------------- */

/* Returns false at the end of the program. */
static bool take(struct answering *terminal)
{
    struct pollfd input = {.fd = terminal->master, .events = POLLIN};
    assert_true(terminal->bytes + 1 < terminal->capacity);
    if (poll(&input, 1, PATIENCE) != 1)
        fail_msg("nothing comes after \"%s\"", terminal->text + terminal->seen);
    ssize_t count = read(terminal->master, terminal->text + terminal->bytes,
                         terminal->capacity - terminal->bytes - 1);
    if (count <= 0)
        return false;
    terminal->bytes += (size_t)count;
    terminal->text[terminal->bytes] = '\0';
    assert_int_equal(strlen(terminal->text), terminal->bytes); // searching needs a text without NUL
    while (answer_next(terminal))
        continue;
    return true;
}

size_t answering_expect(struct answering *terminal, const char *marker)
{
    char *found;
    while (!(found = strstr(terminal->text + terminal->seen, marker)))
        if (!take(terminal))
            fail_msg("ends without \"%s\": %s", marker, terminal->text + terminal->seen);
    terminal->seen = (size_t)(found - terminal->text) + strlen(marker);
    return (size_t)(found - terminal->text);
}

int answering_close(struct answering *terminal)
{
    while (take(terminal))
        continue;
    close(terminal->master);
    free(terminal->text);
    return cli_finish(terminal->child);
}

void answering_kill(struct answering *terminal)
{
    kill(terminal->child, SIGKILL);
    cli_finish(terminal->child);
    close(terminal->master);
    free(terminal->text);
}
