/* Colours of values as a terminal gets them: the lightness (CIE L*) of what is sent, at every
 * depth. What is driven is this program itself, on a pseudo-terminal; the bytes are read as xterm
 * reads them. */
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "render/colormap.h"
#include "tests/support/test.h"
#include "tui/screen/canvas/surface.h"

#include <pty.h> // after the keys' names: both define CTRL

enum { VALUES = 64, ROWS = 24, COLUMNS = 80, MAP_ROW = 1, NEAR = 3, BYTES = 1 << 16 };

/* The program that is driven ------------------------------------------------------------------- */

/* Differences of -1 ... 1 by steps of 1/32, so that 0 is among them, at column VALUES / 2. */
static double position_of(const struct colormap *map, int column)
{
    return map->diverging ? (double)column / VALUES : (column + 0.5) / VALUES;
}

/* Row MAP_ROW + i has map i, one value in each column; below them differences next to nothing. */
static int drive(void)
{
    static const double near[NEAR] = {-0.0001, 0, 0.0001};
    struct screen_style style;
    struct canvas canvas = {0};
    struct status status;
    if (!surface_open(&(struct surface_spec){0}, &style, &status) ||
        !canvas_resize(&canvas, ROWS, COLUMNS, &status))
        return 8;
    for (int m = 0; m < colormap_count; m++)
        for (int i = 0; i < VALUES; i++)
            style_value(&style, &canvas, MAP_ROW + m, i, 1, &colormap_table[m],
                        position_of(&colormap_table[m], i), false);
    for (int i = 0; i < NEAR; i++)
        style_value(&style, &canvas, MAP_ROW + colormap_count, i, 1, colormap_find("bluered"),
                    0.5 + near[i] / 2, false);
    surface_show(&canvas, -1, 0);
    surface_close();
    return 0;
}

/* A terminal ----------------------------------------------------------------------------------- */

/* Linear light, 0 ... 1. */
struct light {
    double red, green, blue;
};

struct pen {
    int row, column;
    uint32_t ink, ground;
    double share; // of the last character's cell that it covers
};

struct seen {
    struct light cells[ROWS][COLUMNS];
};

/* The 16 colours of xterm as it comes (XTerm-col.ad), then the cube and the greys
 * (256colres.pl). */
static uint32_t xterm_colour(int index)
{
    static const uint32_t named[] = {0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd,
                                     0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
                                     0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff};
    if (index < 16)
        return named[index];
    if (index >= 232)
        return (uint32_t)(8 + 10 * (index - 232)) * 0x010101;
    int levels[] = {(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6};
    uint32_t colour = 0;
    for (int i = 0; i < 3; i++)
        colour = colour << 8 | (uint32_t)(levels[i] ? 55 + 40 * levels[i] : 0);
    return colour;
}

static double to_linear(uint32_t value)
{
    double v = (value & 0xFF) / 255.0;
    return v > 0.04045 ? pow((v + 0.055) / 1.055, 2.4) : v / 12.92;
}

static struct light light_of(uint32_t colour)
{
    return (struct light){to_linear(colour >> 16), to_linear(colour >> 8), to_linear(colour)};
}

/* Of sRGB's white D65 (IEC 61966-2-1), then CIE 15 with kappa and epsilon. */
static double lightness(struct light light)
{
    double y = 0.2126729 * light.red + 0.7151522 * light.green + 0.0721750 * light.blue;
    return y > 216.0 / 24389 ? 116 * cbrt(y) - 16 : y * 24389 / 27;
}

/* True if the three are near enough to each other to be a grey. */
static bool is_neutral(struct light light)
{
    double least = fmin(light.red, fmin(light.green, light.blue));
    return fmax(light.red, fmax(light.green, light.blue)) - least < 0.02;
}

/* How much of a cell its character covers; a blank covers nothing. */
static struct light mix(const struct pen *pen, double share)
{
    struct light ink = light_of(pen->ink), ground = light_of(pen->ground);
    return (struct light){share * ink.red + (1 - share) * ground.red,
                          share * ink.green + (1 - share) * ground.green,
                          share * ink.blue + (1 - share) * ground.blue};
}

enum { XTERM_INK = 0x000000, XTERM_GROUND = 0xffffff }; // of xterm's defaults: black on white

/* 38;5;N, 38;2;R;G;B and 38:2::R:G:B (48: the ground); returns how many numbers that took. */
static int take_long_colour(const int *numbers, int count, uint32_t *colour)
{
    if (count >= 3 && numbers[1] == 5) {
        *colour = xterm_colour(numbers[2]);
        return 3;
    }
    assert_true(count >= 5 && numbers[1] == 2);
    int first = count >= 6 && numbers[2] < 0 ? 3 : 2;
    *colour = (uint32_t)(numbers[first] << 16 | numbers[first + 1] << 8 | numbers[first + 2]);
    return first + 3;
}

static void set_pen(struct pen *pen, const int *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        int n = numbers[i] < 0 ? 0 : numbers[i];
        if (n == 0 || n == 39)
            pen->ink = XTERM_INK;
        if (n == 0 || n == 49)
            pen->ground = XTERM_GROUND;
        if ((n >= 30 && n <= 37) || (n >= 90 && n <= 97))
            pen->ink = xterm_colour(n < 90 ? n - 30 : n - 82);
        if ((n >= 40 && n <= 47) || (n >= 100 && n <= 107))
            pen->ground = xterm_colour(n < 100 ? n - 40 : n - 92);
        if (n == 38 || n == 48)
            i += take_long_colour(numbers + i, count - i, n == 38 ? &pen->ink : &pen->ground) - 1;
    }
}

/* A control sequence from behind "ESC [": its numbers (-1: left out), and its end. */
static const char *read_sequence(const char *at, int numbers[32], int *count, char *last)
{
    numbers[0] = -1;
    *count = 1;
    for (; *at && !(*at >= '@' && *at <= '~'); at++)
        if (*at == ';' || *at == ':')
            numbers[(*count)++ % 32] = -1;
        else if (*at >= '0' && *at <= '9')
            numbers[*count - 1] =
                (numbers[*count - 1] < 0 ? 0 : 10 * numbers[*count - 1]) + *at - '0';
    *last = *at;
    return *at ? at + 1 : at;
}

static void put_cells(struct seen *seen, struct pen *pen, double share, int count)
{
    for (int i = 0; i < count; i++, pen->column++)
        if (pen->row < ROWS && pen->column < COLUMNS)
            seen->cells[pen->row][pen->column] = mix(pen, share);
}

static void obey(struct seen *seen, struct pen *pen, const int *numbers, int count, char last)
{
    int first = numbers[0] < 1 ? 1 : numbers[0];
    if (last == 'm')
        set_pen(pen, numbers, count);
    else if (last == 'H' || last == 'f') {
        pen->row = first - 1;
        pen->column = count > 1 && numbers[1] > 0 ? numbers[1] - 1 : 0;
    } else if (last == 'd')
        pen->row = first - 1;
    else if (last == 'G')
        pen->column = first - 1;
    else if (last == 'C')
        pen->column += first;
    else if (last == 'X') { // erases without moving
        struct pen here = *pen;
        put_cells(seen, &here, 0, first);
    } else if (last == 'K') { // with the ground of the pen, as terminals with "bce" do
        struct pen here = *pen;
        here.column = numbers[0] > 0 ? 0 : pen->column;
        put_cells(seen, &here, 0, (numbers[0] == 1 ? pen->column + 1 : COLUMNS) - here.column);
    } else if (last == 'b') {
        put_cells(seen, pen, pen->share, first);
    }
}

static double share_of(const char *text)
{
    static const char *const shades[] = {"░", "▒", "▓", "█"};
    for (int i = 0; i < 4; i++)
        if (strncmp(text, shades[i], strlen(shades[i])) == 0)
            return 0.25 * (i + 1);
    return 0;
}

static void read_screen(const char *text, struct seen *seen)
{
    struct pen pen = {.ink = XTERM_INK, .ground = XTERM_GROUND};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        seen->cells[i / COLUMNS][i % COLUMNS] = light_of(XTERM_GROUND);
    while (*text) {
        int numbers[32], count;
        char last;
        if (strncmp(text, "\033[", 2) == 0) {
            text = read_sequence(text + 2, numbers, &count, &last);
            obey(seen, &pen, numbers, count, last);
        } else if (*text == '\033') {
            text += text[1] == '(' || text[1] == ')' ? 3 : 2;
        } else if (*text == '\r' || *text == '\n' || *text == '\b') {
            pen.column = *text == '\r' ? 0 : pen.column - (*text == '\b');
            pen.row += *text++ == '\n';
        } else if ((unsigned char)*text < ' ') {
            text++;
        } else {
            pen.share = share_of(text);
            put_cells(seen, &pen, pen.share, 1);
            for (text++; ((unsigned char)*text & 0xC0) == 0x80; text++)
                continue;
        }
    }
}

/* Running it ----------------------------------------------------------------------------------- */

static void run(const char *term, const char *colorterm, char text[BYTES])
{
    struct winsize window = {.ws_row = ROWS, .ws_col = COLUMNS};
    int master;
    size_t bytes = 0;
    pid_t child = forkpty(&master, NULL, NULL, &window);
    assert_true(child >= 0);
    if (child == 0) {
        setenv("TERM", term, 1);
        setenv("COLORTERM", colorterm, 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        unsetenv("NO_COLOR");
        _exit(drive());
    }
    for (ssize_t count;
         bytes + 1 < BYTES && (count = read(master, text + bytes, BYTES - 1 - bytes)) > 0;)
        bytes += (size_t)count;
    text[bytes] = '\0';
    int status;
    waitpid(child, &status, 0);
    close(master);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    char *leave = strstr(text, "\033[?1049l");
    if (leave)
        *leave = '\0';
}

static const struct {
    const char *term, *colorterm;
    int steps;    // distinct values in a row that must differ strictly
    double apart; // L* between the same difference up and down
} cases[] = {
    {"tmux-256color", "truecolor", 64, 6},
    {"tmux-256color", "", 16, 5},
    {"xterm-16color", "", 13, 12},
    {"screen", "", 13, 14},
};
enum { CASES = sizeof cases / sizeof *cases };

static double row_lightness(const struct seen *seen, int row, int column)
{
    return lightness(seen->cells[row][column]);
}

/* What weights look like ----------------------------------------------------------------------- */

/* Lightness goes one way over a whole map, and as often as there are steps. Maps that begin with
 * white fall where they are fills; shades rise for every map. */
static void check_map(const struct seen *seen, int which, int map)
{
    int row = MAP_ROW + map, changes = 0;
    double first = row_lightness(seen, row, 0), last = row_lightness(seen, row, VALUES - 1);
    bool fills = cases[which].steps != 13, white = colormap_table[map].colours[0] >= 0xF00000;
    double way = fills && white ? -1 : 1;
    for (int i = 1; i < VALUES; i++) {
        double change = way * (row_lightness(seen, row, i) - row_lightness(seen, row, i - 1));
        if (change < 0)
            fail_msg("%s %s: %s goes from L* %.2f to %.2f at %d", cases[which].term,
                     cases[which].colorterm, colormap_table[map].name,
                     row_lightness(seen, row, i - 1), row_lightness(seen, row, i), i);
        changes += change > 0;
    }
    if (changes != cases[which].steps - 1)
        fail_msg("%s %s: %s has %d steps, expected %d", cases[which].term, cases[which].colorterm,
                 colormap_table[map].name, changes + 1, cases[which].steps);
    assert_true(way * (last - first) > 60); // enough of the scale is used to be read
}

static void more_weight_is_lighter(void **state)
{
    char text[BYTES];
    for (int i = 0; i < CASES; i++) {
        struct seen seen;
        run(cases[i].term, cases[i].colorterm, text);
        read_screen(text, &seen);
        for (int m = 0; m < colormap_count; m++)
            if (!colormap_table[m].diverging)
                check_map(&seen, i, m);
    }
}

/* What differences look like ------------------------------------------------------------------- */

static void check_differences(const struct seen *seen, int which, int row)
{
    int zero = VALUES / 2;
    assert_true(is_neutral(seen->cells[row][zero]));
    double light = row_lightness(seen, row, zero), outwards = light > 50 ? -1 : 1;
    for (int i = 1; i < zero; i++) {
        double rise = row_lightness(seen, row, zero + i), fall = row_lightness(seen, row, zero - i);
        double nearer_rise = row_lightness(seen, row, zero + i - 1),
               nearer_fall = row_lightness(seen, row, zero - i + 1);
        if (fabs(rise - fall) > cases[which].apart)
            fail_msg("%s %s: +%d/32 has L* %.1f, -%d/32 %.1f", cases[which].term,
                     cases[which].colorterm, i, rise, i, fall);
        if (outwards * (rise - nearer_rise) < 0 || outwards * (fall - nearer_fall) < 0)
            fail_msg("%s %s: at %d/32, L* from %.2f to %.2f up, from %.2f to %.2f down",
                     cases[which].term, cases[which].colorterm, i, nearer_rise, rise, nearer_fall,
                     fall);
    }
    assert_false(is_neutral(seen->cells[row][1]));
    assert_false(is_neutral(seen->cells[row][VALUES - 1]));
}

static void differences_are_neutral_at_zero_and_symmetric(void **state)
{
    char text[BYTES];
    for (int i = 0; i < CASES; i++) {
        struct seen seen;
        run(cases[i].term, cases[i].colorterm, text);
        read_screen(text, &seen);
        for (int m = 0; m < colormap_count; m++)
            if (colormap_table[m].diverging)
                check_differences(&seen, i, MAP_ROW + m);
        for (int n = 0; n < NEAR; n++) {
            struct light near = seen.cells[MAP_ROW + colormap_count][n];
            assert_true(is_neutral(near));
            assert_true(fabs(lightness(near) - row_lightness(&seen, MAP_ROW + colormap_count, 1)) <
                        0.5);
        }
    }
}

/* Lindbloom's calculator: L* of sRGB's red, green, blue and mid grey. */
static void the_tests_own_lightness_is_that_of_cielab(void **state)
{
    static const struct {
        uint32_t colour;
        double lightness;
    } known[] = {{0xffffff, 100},   {0xff0000, 53.24}, {0x00ff00, 87.73},
                 {0x0000ff, 32.30}, {0x777777, 50.03}, {0x000000, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(fabs(lightness(light_of(known[i].colour)) - known[i].lightness) < 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tests_own_lightness_is_that_of_cielab),
        cmocka_unit_test(more_weight_is_lighter),
        cmocka_unit_test(differences_are_neutral_at_zero_and_symmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
