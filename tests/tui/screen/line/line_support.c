#include "tests/tui/screen/line/line_support.h"
#include "tests/support/test.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/commands_support.h"

char line_folder[] = "/tmp/attnscope-line-XXXXXX";
struct canvas line_canvas;

/* Completes words after a blank from a list. In lines that begin with "off" completion is not
 * available. */
static bool complete_test(void *context, const char *line, size_t cursor,
                          struct completions *completions)
{
    static const char *const words[] = {"decoder", "decoration", "dedicated", "encoder"};
    struct status status;
    size_t start = cursor;
    (void)context;
    while (start > 0 && line[start - 1] != ' ')
        start--;
    completions->start = start;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(words[i], line + start, cursor - start) == 0)
            assert_true(strings_add(&completions->words, words[i], strlen(words[i]), &status));
    return strncmp(line, "off", 3) != 0;
}

int open_lines(void **state)
{
    struct status status;
    return line_open(complete_test, NULL, &status) ? 0 : -1;
}

int close_lines(void **state)
{
    line_close();
    canvas_free(&line_canvas);
    return 0;
}

int feed(const char *bytes)
{
    return line_feed((const unsigned char *)bytes, (int)strlen(bytes));
}

const char *drawn(int rows, int columns, int *row, int *column)
{
    static char text[20000];
    struct status status;
    size_t used = 0;
    assert_true(canvas_resize(&line_canvas, rows, columns, &status));
    for (int i = 0; i < rows; i++) // must be overwritten
        canvas_repeat(&line_canvas, i, 0, columns, (struct style){0}, "#");
    line_draw(&line_canvas, (struct area){0, 0, rows, columns}, row, column);
    for (int i = 0; i < rows; i++) {
        size_t kept = used;
        for (int j = 0; j < columns; j++) {
            const char *cell = canvas_cell(&line_canvas, i, j)->text;
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", cell);
            if (strcmp(cell, " ") != 0)
                kept = used;
        }
        used = kept;
        used += (size_t)snprintf(text + used, sizeof text - used, i + 1 < rows ? "|" : "");
    }
    text[used] = '\0';
    return text;
}

void assert_drawn(int rows, int columns, const char *wanted, int wanted_row, int wanted_column)
{
    int row, column;
    assert_string_equal(drawn(rows, columns, &row, &column), wanted);
    assert_int_equal(row, wanted_row);
    assert_int_equal(column, wanted_column);
}

void assert_entered(const char *wanted)
{
    char *text;
    feed("\r");
    assert_int_equal(line_state(&text), LINE_ENTERED);
    assert_string_equal(text, wanted);
    free(text);
    assert_int_equal(line_state(&text), LINE_ENTERED);
    assert_null(text);
}

enum line_end line_ended(void)
{
    char *text;
    enum line_end end = line_state(&text);
    free(text);
    return end;
}

void begin_line(void)
{
    line_begin(": ", "", -1);
}

int line_tests_with(const char *inputrc, int (*run)(void))
{
    char path[64];
    int code = -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("INPUTRC", write_lines(inputrc, path), 1);
        alarm(120); // readline has loops that may never end
        code = run();
        unlink(path);
        fflush(stdout);
        exit(code);
    }
    return waitpid(child, &code, 0) == child && WIFEXITED(code) ? WEXITSTATUS(code) : 1;
}

int line_tests_begin(void)
{
    return mkdtemp(line_folder) ? setenv("XDG_STATE_HOME", line_folder, 1) : -1;
}

int line_tests_end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", line_folder);
    return system(command);
}
