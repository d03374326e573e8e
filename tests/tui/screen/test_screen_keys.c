/* Random keys, in sessions on golden models and samples: whatever is pressed, typed, pasted or
 * clicked, and however large the window is, the program goes on, nothing but what a screen needs is
 * sent to the terminal, and what stands on the screen is what would be drawn on an empty one.
 *
 * ATTNSCOPE_TEST_KEYS in the environment says how many keys (default: a few thousand),
 * ATTNSCOPE_TEST_SEED which session is the first.
 */
#include <glob.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/random_lines.h"
#include "tests/support/sent_support.h"
#include "tests/support/test.h"
#include "tests/support/tmux_support.h"
#include "tui/manual/key_table.h"
#include "tui/screen/canvas/surface.h"

enum { USUAL_KEYS = 3000, KEYS_OF_SESSION = 1000, KEYS_OF_BATCH = 100, MOST_BYTES = 1 << 16 };

/* Keys ----------------------------------------------------------------------------------------- */

struct keys_sent {
    char bytes[MOST_BYTES];
    size_t count;
    int keys;
};

static void add(struct keys_sent *sent, const char *bytes, size_t count)
{
    assert_true(sent->count + count <= sizeof sent->bytes);
    memcpy(sent->bytes + sent->count, bytes, count);
    sent->count += count;
    sent->keys++;
}

static void add_key(struct keys_sent *sent, const char *bytes)
{
    add(sent, bytes, strlen(bytes));
}

static void add_text(struct keys_sent *sent, const char *text)
{
    for (; *text; text++)
        add(sent, text, 1);
}

static const char *pick(const char *const *list, size_t count)
{
    return list[random_below(count)];
}
#define PICK(list) pick(list, sizeof list / sizeof *list)

/* A key of the table, as a terminal sends it. Ctrl-D would end the session. */
static void add_bound(struct keys_sent *sent)
{
    static const char *const arrows[] = {"\033OA",  "\033OB",  "\033OD",  "\033OC", "\033[5~",
                                         "\033[6~", "\033[1~", "\033[4~", "\033[Z"};
    const struct key_entry *entry = &key_table[random_below((size_t)key_count)];
    int key = entry->keys[random_below(3)];
    char one = (char)key;
    if (key > KEY_BASE)
        add_key(sent, arrows[key - KEY_ARROW_UP]);
    else if (key && key != 4)
        add(sent, &one, 1);
}

static void add_mouse(struct keys_sent *sent)
{
    static const int buttons[] = {0, 0, 0, 0, 1, 2, 4, 32, 64, 65, 66, 67, 68, 99999};
    char text[80];
    int button = buttons[random_below(sizeof buttons / sizeof *buttons)];
    int column = (int)random_below(130), row = (int)random_below(50);
    if (random_below(20) == 0)
        snprintf(text, sizeof text, "\033[<%d;999999999999;%dM", button, row);
    else if (random_below(20) == 0)
        snprintf(text, sizeof text, "\033[M%c%c%c", 32 + button % 90, 33 + column % 90, 33 + row);
    else
        snprintf(text, sizeof text, "\033[<%d;%d;%dM\033[<%d;%d;%dm", button, column, row, button,
                 column, row);
    add_key(sent, text);
}

/* Sequences that a terminal must not be sent: they stand for what a text could bring. */
static const char *const texts[] = {
    "the dog sees a cat",
    "\033[6n the\033]0;title\a dog\033c",
    "\xc2\x9b"
    "6n \xc2\x90 cat \xe2\x80\xa8 a\x7f",
    "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e e\xcc\x81 the",
    "\xe7\x8a\xac\xe3\x81\x8c\xe9\x96\x80\xe3\x81\xae\xe5\xa4\x96\xe3\x81\xa7"
    "\xe5\xbe\x85\xe3\x81\xa3\xe3\x81\xa6\xe3\x81\x84\xe3\x82\x8b\xe3\x80\x82",
    "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7 \xf0\x9f\x87\xa9"
    "\xf0\x9f\x87\xaa dog",
    "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xe2\x80\xae the \xe2\x80\xac",
    "\xff\xfe\x80 the",
    "the dog\n:disable enc head 2\n:attn dec\nzzz"};

static void add_paste(struct keys_sent *sent)
{
    add_key(sent, "i\033[200~");
    add_key(sent, PICK(texts));
    if (random_below(8) > 0)
        add_key(sent, "\033[201~");
    if (random_below(4) > 0)
        add_key(sent, "\r");
}

static void add_line(struct keys_sent *sent)
{
    char line[RANDOM_LINE_MOST];
    random_line(line);
    add_key(sent, "i");
    add_text(sent, line);
    if (random_below(8) > 0)
        add_key(sent, "\r");
}

/* Views that few keys lead to: of words, the map of heads that are off, masked or fixed, matrices
 * of tokens and heads, gates, two states. What a model lacks is refused. */
static void add_view(struct keys_sent *sent)
{
    static const char *const views[] = {"w",
                                        "ow",
                                        "o5jldw",
                                        "ojjdd\r",
                                        ":mask enc head 1-3 local 1\ro",
                                        ":mask dec layer 1 head 2 backward\r\tow",
                                        ":mask cross head 1 forward\r\t\tb",
                                        ":pattern enc head 2 previous word\row",
                                        ":pattern cross layer 2 head 3 last\ro\t\t",
                                        ":disable enc head 2\r:mask head 1 backward\r:heads\r",
                                        ":heads enc word\r",
                                        "m:importance dec layer 2\r2d",
                                        ":importance layer 1\r3dD",
                                        "L:gates dec k\r",
                                        "db:beside before\rww",
                                        ":reset\ro"};
    add_key(sent, "\007");
    add_text(sent, PICK(views));
}

/* What readline knows, or half of a key. */
static void add_odd(struct keys_sent *sent)
{
    static const char *const odd[] = {
        "\t",    "\t\t",   "\001",   "\005",    "\025",      "\022",     "\022th", "\023",
        "\027",  "\031",   "\037",   "\016",    "\020",      "\026",     "\030",   "\007",
        "\177",  "\024",   "\003",   "\003",    "\032",      "\f",       "\033",   "\033",
        "\033b", "\033f",  "\033d",  "\033*",   "\033?",     "\0331",    "\033[",  "\033[<1",
        "\033O", "\033[A", "\033[B", "\033[3~", "\033[M",    "\xe6",     "\xff",   "\xc2",
        "\0339", "y\r",    "n\r",    "/the\r",  "\\.\r",     "/a",       ":",      "i",
        "g",     "gg",     "999G",   "9999999", "\033[200~", "\033[201~"};
    add_key(sent, PICK(odd));
}

static void add_random(struct keys_sent *sent)
{
    char digit = (char)('0' + random_below(10));
    size_t which = random_below(100);
    if (which < 60)
        add_bound(sent);
    else if (which < 62)
        add_view(sent);
    else if (which < 70)
        add(sent, &digit, 1);
    else if (which < 80)
        add_mouse(sent);
    else if (which < 93)
        add_odd(sent);
    else if (which < 95)
        add_paste(sent);
    else
        add_line(sent);
}

/* A session ------------------------------------------------------------------------------------ */

struct trial {
    struct tmux tmux;
    size_t seed;
    int columns, rows;
    int done;              // keys
    struct keys_sent sent; // of the batch at hand
};

static const char *show_sent(const struct keys_sent *sent)
{
    static char text[4 * MOST_BYTES];
    size_t used = 0;
    for (size_t i = 0; i < sent->count && used + 5 < sizeof text; i++) {
        unsigned char byte = (unsigned char)sent->bytes[i];
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 byte < 0x20 || byte > 0x7E ? "\\x%02x" : "%c", byte);
    }
    text[used] = '\0';
    return text;
}

/* What a sanitizer wrote, which has no other place than files. */
static const char *reports(void)
{
    static char text[20000];
    glob_t found;
    *text = '\0';
    if (glob(cli_path("report*"), 0, NULL, &found) != 0)
        return text;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *report = cli_read(found.gl_pathv[i], NULL);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s", report);
        free(report);
    }
    globfree(&found);
    return text;
}

/* To be printed before the test fails. */
static void explain(const struct trial *trial)
{
    fprintf(stderr, "seed %zu, after %d keys, %dx%d, of which the last were: %s\n%s\n", trial->seed,
            trial->done, trial->columns, trial->rows, show_sent(&trial->sent), reports());
}

static struct tmux open_session(const struct trial *trial)
{
    static const char *const terms[] = {"tmux-256color", "tmux-256color", "screen",
                                        "tmux-256color"};
    static const char *const models[] = {MODEL,
                                         "samples/en-de-dhicm.bin",
                                         FIXED,
                                         "samples/en-de-mma.bin",
                                         GATES,
                                         "samples/ja-en-mma.bin",
                                         "tests/golden/dhicm_last_layers.bin",
                                         "samples/en-de.bin",
                                         "samples/en-de-context.bin"};
    char asan[PATH_MAX + 80], ubsan[PATH_MAX + 80], tsan[PATH_MAX + 80];
    size_t kind = trial->seed % 4;
    snprintf(asan, sizeof asan, "ASAN_OPTIONS=allocator_may_return_null=1:log_path=%s",
             cli_path("report"));
    snprintf(ubsan, sizeof ubsan, "UBSAN_OPTIONS=print_stacktrace=1:log_path=%s",
             cli_path("report"));
    snprintf(tsan, sizeof tsan, "TSAN_OPTIONS=halt_on_error=1:log_path=%s", cli_path("report"));
    const char *const environment[] = {kind == 0   ? "COLORTERM=truecolor"
                                       : kind == 3 ? "NO_COLOR=1"
                                                   : "UNUSED=1",
                                       asan, ubsan, tsan, NULL};
    // Nine models and four kinds of terminal: every pair of them comes.
    const char *model = models[trial->seed % (sizeof models / sizeof *models)];
    const char *const arguments[] = {CPU, "--threads", "2", model, kind == 3 ? "--ascii" : NULL,
                                     NULL};
    return tmux_open_program(&(struct tmux_spec){.columns = trial->columns,
                                                 .rows = trial->rows,
                                                 .term = terms[kind],
                                                 .environment = environment,
                                                 .arguments = arguments,
                                                 .record = cli_path("sent")});
}

static struct trial open_trial(size_t seed)
{
    struct trial trial = {.seed = seed};
    random_seed(seed);
    trial.columns = 80 + (int)random_below(60);
    trial.rows = 12 + (int)random_below(40);
    trial.tmux = open_session(&trial);
    tmux_expect(&trial.tmux, "Type a sentence");
    return trial;
}

static bool is_dead(const struct trial *trial)
{
    return strcmp(tmux_format(&trial->tmux, "#{pane_dead}"), "1") == 0;
}

/* What to wait for: the answer to a line of its own, or why there is none. */
struct answer {
    const struct trial *trial;
    char says[32];
};

static bool has_answer(const struct tmux_screen *screen, const void *context)
{
    const struct answer *answer = context;
    return strstr(screen->text, answer->says) || strstr(screen->text, "too many commands queued") ||
           strstr(screen->text, "Replace? [y/N]") || is_dead(answer->trial);
}

/* Ends what is typed, in every state (half a character, a question, its line), and waits until all
 * that was asked for is done: commands are done in their order. False: the session has ended. */
static bool settle(const struct trial *trial)
{
    static int asked;
    for (;;) {
        char line[64];
        struct answer answer = {.trial = trial};
        snprintf(answer.says, sizeof answer.says, "unknown state \"zq%d\":", ++asked);
        snprintf(line, sizeof line, "\033[201~\007\007\007\f:model zq%d\r", asked);
        tmux_type(&trial->tmux, line);
        tmux_expect_that(&trial->tmux, has_answer, &answer, answer.says);
        struct tmux_screen screen = tmux_capture(&trial->tmux);
        bool done = strstr(screen.text, answer.says);
        tmux_screen_free(&screen);
        if (done || is_dead(trial))
            return done;
    }
}

static void compare_cells(const struct tmux_screen *now, const struct tmux_screen *fresh)
{
    assert_int_equal(now->rows, fresh->rows);
    assert_int_equal(now->columns, fresh->columns);
    for (int i = 0; i < now->rows * now->columns; i++) {
        const struct tmux_cell *a = &now->cells[i], *b = &fresh->cells[i];
        if (strcmp(a->text, b->text) != 0 || a->ink != b->ink || a->fill != b->fill ||
            a->reverse != b->reverse) {
            fprintf(stderr, "%s\nafresh:\n%s", now->text, fresh->text);
            fail_msg("row %d, column %d: \"%s\" on %x, drawn afresh \"%s\" on %x", i / now->columns,
                     i % now->columns, a->text, a->fill, b->text, b->fill);
        }
    }
}

/* The line of keys is drawn last; without it the message is. */
static void press_unbound(const struct trial *trial, const char *message)
{
    enum { LEAST_WITH_KEYS = 13 };
    tmux_press(&trial->tmux, "F5");
    tmux_expect(&trial->tmux, message);
    if (trial->rows >= LEAST_WITH_KEYS)
        tmux_expect(&trial->tmux, "\n view  i ");
}

/* What was drawn piece by piece is what is drawn at once. */
static void check_screen(const struct trial *trial)
{
    static const char message[] = "key not bound in this view";
    tmux_press(&trial->tmux, "C-g"); // to the view, after keys that choose vi's keys, too
    press_unbound(trial, message);
    struct tmux_screen before = tmux_capture(&trial->tmux);
    tmux_press(&trial->tmux, "C-l");
    tmux_expect_gone(&trial->tmux, message);
    press_unbound(trial, message);
    struct tmux_screen after = tmux_capture(&trial->tmux);
    compare_cells(&before, &after);
    tmux_screen_free(&before);
    tmux_screen_free(&after);
}

/* Also to sizes at which nothing can be read; what is looked at later needs some room. */
static void resize(struct trial *trial, bool readable)
{
    trial->columns = readable ? 80 + (int)random_below(60) : 1 + (int)random_below(150);
    trial->rows = readable ? 12 + (int)random_below(40) : 1 + (int)random_below(60);
    tmux_resize(&trial->tmux, trial->columns, trial->rows);
}

/* False: the session has ended. */
static bool run_batch(struct trial *trial)
{
    trial->sent.count = 0;
    trial->sent.keys = 0;
    while (trial->sent.keys < KEYS_OF_BATCH)
        add_random(&trial->sent);
    bool resizes = random_below(3) == 0;
    if (resizes)
        resize(trial, false);
    tmux_send(&trial->tmux, trial->sent.bytes, trial->sent.count);
    if (resizes)
        resize(trial, true);
    trial->done += trial->sent.keys;
    if (!settle(trial))
        return false;
    check_screen(trial);
    return true;
}

/* A line that was typed may have ended it as well. */
static void end_session(struct trial *trial, bool alive)
{
    size_t count;
    if (alive)
        tmux_press(&trial->tmux, "C-d");
    assert_int_equal(tmux_finish(&trial->tmux), 0);
    assert_string_equal(reports(), "");
    tmux_expect_format(&trial->tmux, "#{alternate_on} #{mouse_any_flag}", "0 0");
    char *sent = cli_read(cli_path("sent"), &count);
    sent_check(sent, count);
    free(sent);
    unlink(cli_path("sent"));
    tmux_close(&trial->tmux);
}

static long number_of(const char *name, long usual)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : usual;
}

/* The session that is under way, for what is said when the test fails. */
static struct trial trial;

static void random_keys_do_no_harm(void **state)
{
    long keys = number_of("ATTNSCOPE_TEST_KEYS", USUAL_KEYS);
    long seed = number_of("ATTNSCOPE_TEST_SEED", 1);
    for (long done = 0; done < keys; done += trial.done) {
        bool alive = true;
        trial = open_trial((size_t)seed++);
        while (alive && trial.done < KEYS_OF_SESSION)
            alive = run_batch(&trial);
        end_session(&trial, alive);
    }
    trial.seed = 0;
}

static int explain_failure(void **state)
{
    if (trial.seed)
        explain(&trial);
    return 0;
}

/* The files ------------------------------------------------------------------------------------ */

/* A folder of our own in which the models' paths hold: keys write where they are pressed. */
static bool link_models(const char *root, const char *folder)
{
    char source[PATH_MAX], link[PATH_MAX];
    glob_t models;
    snprintf(source, sizeof source, "%s/%s/*.bin", root, folder);
    bool ok = mkdir(folder, 0700) == 0 && glob(source, 0, NULL, &models) == 0;
    for (size_t i = 0; ok && i < models.gl_pathc; i++) {
        snprintf(link, sizeof link, "%s%s", folder, strrchr(models.gl_pathv[i], '/'));
        ok = symlink(models.gl_pathv[i], link) == 0;
    }
    if (ok)
        globfree(&models);
    return ok;
}

static int open_folder(void **state)
{
    char *root = getcwd(NULL, 0);
    bool ok = root && cli_enter(state) == 0 && unlink("tests") == 0 && unlink("samples") == 0 &&
              mkdir("tests", 0700) == 0 && link_models(root, "tests/golden") &&
              link_models(root, "samples");
    free(root);
    return ok ? random_lines_open() : -1;
}

static int close_folder(void **state)
{
    return random_lines_close() | cli_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(random_keys_do_no_harm, explain_failure),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
