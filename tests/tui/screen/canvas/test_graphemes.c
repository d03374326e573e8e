/* Text of all scripts in a real terminal (tmux), against what that terminal does by itself: how
 * many columns it moves, and which characters it keeps. What is driven is this program itself, with
 * the argument below. */
#include <locale.h>
#include <poll.h>
#include <unistd.h>
#include <wchar.h>

#include <utf8proc.h>

#include "terminal/text/display.h"
#include "tests/support/cli_support.h"
#include "tests/support/random_lines.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"
#include "tests/support/tmux_support.h"
#include "tui/screen/canvas/surface.h"

#define DRIVEN "--lines"
#define BAR "|"
#define JOINER_TEXT "\u200D"
enum { ROWS = 40, COLUMNS = 100, BAR_COLUMN = 60, LINES = ROWS - 1, LINE_BYTES = 256 };

/* The program that is driven ------------------------------------------------------------------- */

/* Line i of the file on row (i + shift) of the screen, with a bar at the same column of each
 * row. */
static void draw(struct canvas *canvas, char lines[LINES][LINE_BYTES], int shift)
{
    struct status status;
    const struct style plain = {0};
    if (!canvas_resize(canvas, ROWS, COLUMNS, &status))
        exit(9);
    for (int i = 0; i < LINES; i++) {
        int row = (i + shift) % LINES;
        canvas_put(canvas, row, 0, BAR_COLUMN, plain, lines[i]);
        canvas_put(canvas, row, BAR_COLUMN, 1, plain, BAR);
    }
    canvas_put(canvas, LINES, 0, COLUMNS, plain, shift ? "second end" : "first end");
    surface_show(canvas, -1, 0);
}

static int drive(const char *path)
{
    static char lines[LINES][LINE_BYTES];
    struct screen_style style;
    struct canvas canvas = {0};
    struct status status;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    FILE *file = fopen(path, "r");
    for (int i = 0; file && i < LINES && fgets(lines[i], LINE_BYTES, file); i++)
        lines[i][strcspn(lines[i], "\n")] = '\0';
    if (!file || !surface_open(&(struct surface_spec){0}, &style, &status))
        return 8;
    draw(&canvas, lines, 0);
    poll(&input, 1, -1);
    draw(&canvas, lines, 1); // every row changes into another one
    for (;;)
        pause();
}

static const char *own_program(void)
{
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    assert_true(length > 0);
    path[length] = '\0';
    return path;
}

/* Random texts --------------------------------------------------------------------------------- */

enum { JOINER = 0x200D, EMOJI_SELECTOR = 0xFE0F };

/* Assigned, known to the C library and no control: what it does not know, tmux drops. Words are
 * written from left to right here, as terminals without Unicode's bidirectional algorithm do. */
static bool is_usable(uint32_t c)
{
    bool turns = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
    return c > ' ' && !(c >= 0xD800 && c < 0xE000) && !turns && category != UTF8PROC_CATEGORY_CN &&
           category != UTF8PROC_CATEGORY_CO && category != UTF8PROC_CATEGORY_CC &&
           wcwidth((wchar_t)c) >= 0;
}

/* A category by itself and then one of its characters: of each there are as many. Most of them are
 * in the first two planes. */
static uint32_t random_character(void)
{
    utf8proc_category_t wanted = (utf8proc_category_t)(1 + random_below(29));
    for (int tries = 0; tries < 4000; tries++) {
        uint32_t c = (uint32_t)(random_below(4) ? random_below(0x3000) : random_below(0x20000));
        if (is_usable(c) && utf8proc_category((utf8proc_int32_t)c) == wanted)
            return c;
    }
    return 'x';
}

/* A base with what follows it in scripts and emoji; tmux keeps 21 bytes of a cell. */
static int random_cluster(uint32_t *characters)
{
    static const uint32_t begins[] = {'e',    0x915,   0x995,   0xBA4, 0xE01,  0x1019,
                                      0x1780, 0x1100,  0x5D0,   0x628, 0x65E5, 0x1F44D,
                                      0x2764, 0x1F1E9, 0x1F468, '1',   0xF40,  0xDC3};
    static const uint32_t follows[] = {0x301,   0x93F,   0x93E,  0x94D,   0x9BE,          0xBBF,
                                       0xE33,   0x103C,  0x17C2, 0x1161,  0x11A8,         0x5B8,
                                       0x64E,   0x1F3FD, JOINER, 0x1F469, EMOJI_SELECTOR, 0x20E3,
                                       0x1F1EA, 0xF7C,   0xDD2,  0x200B,  0xAD,           0x200C};
    int count = 0, more = (int)random_below(4);
    characters[count++] = begins[random_below(sizeof begins / sizeof *begins)];
    while (count <= more)
        characters[count++] = follows[random_below(sizeof follows / sizeof *follows)];
    return count;
}

/* What tmux and the C library agree about: neither is known to both of them as a part of what
 * precedes. */
static bool is_agreed(const uint32_t *characters, int count)
{
    for (int i = 0; i < count; i++)
        if (characters[i] == JOINER || characters[i] == EMOJI_SELECTOR)
            return false;
    return true;
}

static bool is_regional(uint32_t c)
{
    return c >= 0x1F1E6 && c <= 0x1F1FF;
}

static bool is_emoji(uint32_t c)
{
    return c == '1' || utf8proc_get_property((utf8proc_int32_t)c)->boundclass ==
                           UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

/* False if a text has meaningless characters that tmux 3.4 and later widen: U+FE0F after something
 * other than an emoji, or half of a flag. The last character is a letter. */
static bool is_meant(const uint32_t *characters, int count)
{
    for (int i = 0; i < count; i++) {
        if (characters[i] == EMOJI_SELECTOR && !is_emoji(characters[i - 1]))
            return false;
        if (is_regional(characters[i]) && !is_regional(characters[++i]))
            return false;
    }
    return true;
}

/* A line of text that begins and ends with a letter. *agreed: the columns that the C library
 * counts; -1: no two programs count alike. */
static void random_text(char text[LINE_BYTES], int *agreed, bool *meant)
{
    uint32_t characters[32] = {'a'};
    int count = 1, clusters = 1 + (int)random_below(5);
    for (int i = 0; i < clusters; i++)
        if (random_below(2))
            count += random_cluster(characters + count);
        else
            characters[count++] = random_character();
    characters[count++] = 'z';
    size_t bytes = 0;
    *agreed = is_agreed(characters, count) ? 0 : -1;
    *meant = is_meant(characters, count);
    for (int i = 0; i < count; i++) {
        bytes += (size_t)utf8proc_encode_char((utf8proc_int32_t)characters[i],
                                              (utf8proc_uint8_t *)text + bytes);
        *agreed += *agreed >= 0 ? wcwidth((wchar_t)characters[i]) : 0;
    }
    text[bytes] = '\0';
}

struct texts {
    char lines[LINES][LINE_BYTES];
    int agreed[LINES];
    bool meant[LINES];
};

/* The same lines as a file that a terminal shows by itself, and as one for the driven program. */
static void write_texts(const struct texts *texts, const char *path, bool bar)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < LINES; i++)
        fprintf(file, bar ? "%s\033[%dG" BAR "\n" : "%s\n", texts->lines[i], BAR_COLUMN + 1);
    fprintf(file, bar ? "end" : "");
    assert_int_equal(fclose(file), 0);
}

static const char *line_of(const struct tmux_screen *screen, int row)
{
    static char line[16 * LINE_BYTES];
    const char *at = screen->text;
    for (int i = 0; i < row; i++)
        at = strchr(at, '\n') + 1;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    return line;
}

/* Blanks between text and bar are what the terminal has not moved over. */
static int moved(const char *line, const char *text)
{
    size_t length = strlen(text), blanks = strspn(line + length, " ");
    if (strncmp(line, text, length) != 0 || strcmp(line + length + blanks, BAR) != 0)
        return -1;
    return BAR_COLUMN - (int)blanks;
}

/* The tests ------------------------------------------------------------------------------------ */

static void check_moves(const struct texts *texts)
{
    const char *path = cli_path("shown.txt");
    write_texts(texts, path, true);
    struct tmux tmux = tmux_open(&(struct tmux_spec){
        .columns = COLUMNS,
        .rows = ROWS,
        .arguments = (const char *const[]){"sh", "-c", "cat \"$0\"; read stop", path, NULL}});
    tmux_expect(&tmux, "end");
    struct tmux_screen screen = tmux_capture(&tmux);
    for (int i = 0; i < LINES; i++) {
        const char *line = line_of(&screen, i);
        int columns = moved(line, texts->lines[i]), width = display_width(texts->lines[i]);
        if (columns >= 0 && columns == texts->agreed[i] && width != columns)
            fail_msg("\"%s\" takes %d columns, tmux moves %d", texts->lines[i], width, columns);
        if (columns >= 0 && width < columns && (texts->meant[i] || !screen.joins) &&
            !strstr(texts->lines[i], JOINER_TEXT))
            fail_msg("\"%s\" has room for %d columns, tmux moves %d", texts->lines[i], width,
                     columns);
    }
    tmux_screen_free(&screen);
    tmux_close(&tmux);
}

/* True if the line begins with the characters of the text, some of them with blanks behind. tmux
 * itself loses a U+200D before ASCII. */
static bool has_text(const char *line, const char *text)
{
    size_t joiner = strlen(JOINER_TEXT);
    while (*text) {
        if (strncmp(text, JOINER_TEXT, joiner) == 0 && strncmp(line, JOINER_TEXT, joiner) != 0)
            text += joiner;
        else if (*line != *text && *line != ' ')
            return false;
        else
            text += *line++ == *text;
    }
    return true;
}

/* The bar stands where it was put, too. */
static void check_screen(const struct tmux_screen *screen, const struct texts *texts, int shift)
{
    for (int i = 0; i < LINES; i++) {
        int row = (i + shift) % LINES;
        const char *line = line_of(screen, row);
        if (strcmp(tmux_cell(screen, row, BAR_COLUMN)->text, BAR) != 0)
            fail_msg("no bar at column %d of \"%s\"", BAR_COLUMN, line);
        if ((texts->meant[i] || !screen->joins) && !has_text(line, texts->lines[i]))
            fail_msg("\"%s\" became \"%s\"", texts->lines[i], line);
    }
}

static void check_shown(const struct texts *texts)
{
    const char *path = cli_path("lines.txt");
    write_texts(texts, path, false);
    struct tmux tmux = tmux_open(
        &(struct tmux_spec){.columns = COLUMNS,
                            .rows = ROWS,
                            .arguments = (const char *const[]){own_program(), DRIVEN, path, NULL}});
    tmux_expect(&tmux, "first end");
    struct tmux_screen screen = tmux_capture(&tmux);
    check_screen(&screen, texts, 0);
    tmux_screen_free(&screen);
    tmux_press(&tmux, "x");
    tmux_expect(&tmux, "second end");
    screen = tmux_capture(&tmux);
    check_screen(&screen, texts, 1);
    tmux_screen_free(&screen);
    tmux_close(&tmux);
}

static void random_texts_take_their_columns_and_lose_nothing(void **state)
{
    static struct texts texts;
    for (int round = 0; round < rounds_of(4, 100); round++) {
        random_seed((uint64_t)round);
        for (int i = 0; i < LINES; i++)
            random_text(texts.lines[i], &texts.agreed[i], &texts.meant[i]);
        check_moves(&texts);
        check_shown(&texts);
    }
}

/* Returns the width in glibc 2.36 (Unicode 15) or 2.41 (Unicode 16), whichever is greater. */
static int greater_width(uint32_t c)
{
    static const struct {
        uint32_t first, last;
        int width;
    } changed[] = {{0x2630, 0x2637, 2},   {0x268A, 0x268F, 2},   {0x3164, 0x3164, 2},
                   {0xFFA0, 0xFFA0, 1},   {0xFFF9, 0xFFFB, 1},   {0x1171E, 0x1171E, 1},
                   {0x13430, 0x1343F, 1}, {0x1D300, 0x1D356, 2}, {0x1D360, 0x1D376, 2}};
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        if (c >= changed[i].first && c <= changed[i].last)
            return changed[i].width;
    return wcwidth((wchar_t)c);
}

/* All that the C library knows, one by one: what has a width there has it here, except for what
 * begins a letter that goes on. */
static void characters_have_the_widths_of_the_c_library(void **state)
{
    int checked = 0;
    for (uint32_t c = ' ' + 1; c < 0x110000; c++) {
        utf8proc_uint8_t text[8];
        if (!is_usable(c))
            continue;
        text[utf8proc_encode_char((utf8proc_int32_t)c, text)] = '\0';
        int width = display_width((char *)text), expected = greater_width(c);
        if (width != expected)
            fail_msg("U+%04X takes %d columns, expected %d", c, width, expected);
        checked++;
    }
    assert_true(checked > 100000);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_have_the_widths_of_the_c_library),
        cmocka_unit_test(random_texts_take_their_columns_and_lose_nothing),
    };
    if (argc > 2 && strcmp(argv[1], DRIVEN) == 0)
        return drive(argv[2]);
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
