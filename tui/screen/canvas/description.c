#include "tui/screen/canvas/description.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NCURSES_NOMACROS
#include <ncurses.h>
#include <term.h>

enum { DIRECT_COLOURS = 1 << 24 };

#define MOUSE_ON "\033[?1000h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1000l"
#define BRACKETS_ON "\033[?2004h"
#define BRACKETS_OFF "\033[?2004l"
#define CURSOR_BAR "\033[6 q"
#define CURSOR_OWN "\033[0 q"
#define WRAP_OFF "\033[?7l"
#define WRAP_ON "\033[?7h"
#define REGION_WHOLE "\033[r"

static const struct {
    const char *capability;
    int key;
} named[] = {
    {"kcuu1", KEY_ARROW_UP},    {"kcud1", KEY_ARROW_DOWN}, {"kcub1", KEY_ARROW_LEFT},
    {"kcuf1", KEY_ARROW_RIGHT}, {"kpp", KEY_PAGE_UP},      {"knp", KEY_PAGE_DOWN},
    {"khome", KEY_FIRST},       {"kend", KEY_LAST},        {"kcbt", KEY_TAB_BACK},
};
enum { NAMED_COUNT = sizeof named / sizeof *named };

static const char *string_of(const char *capability)
{
    const char *text = tigetstr(capability);
    return text && text != (const char *)-1 ? text : "";
}

/* Copies without delays such as "$<5>", which terminals no longer need. A text that does not fit is
 * left out as a whole. */
static void copy(char *to, size_t size, const char *from)
{
    size_t bytes = 0;
    while (*from && bytes + 1 < size) {
        const char *end = strncmp(from, "$<", 2) == 0 ? strchr(from, '>') : NULL;
        if (end)
            from = end + 1;
        else
            to[bytes++] = *from++;
    }
    to[*from ? 0 : bytes] = '\0';
}

static void join(char *to, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void join(char *to, size_t size, const char *format, ...)
{
    char text[8 * DESCRIPTION_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    copy(to, size, text);
}

/* Reads terminfo; returns false if the terminal is unknown. Call del_curterm afterwards. */
static bool load(const char *name)
{
    int error;
    return strlen(name) < DESCRIPTION_BYTES && setupterm(name, STDOUT_FILENO, &error) == OK;
}

static void unload(void)
{
    del_curterm(cur_term);
}

/* True if a colour is a number made of three components of 8 bits. */
static bool is_direct(void)
{
    const char *bits = string_of("RGB");
    return tigetnum("colors") >= DIRECT_COLOURS &&
           (tigetflag("RGB") > 0 || tigetnum("RGB") == 8 || strcmp(bits, "8/8/8") == 0);
}

static bool try_direct(const char *name)
{
    bool direct = load(name) && is_direct() && *string_of("cup");
    if (direct)
        unload();
    return direct;
}

static bool says_truecolor(void)
{
    const char *says = getenv("COLORTERM");
    return says && (strcmp(says, "truecolor") == 0 || strcmp(says, "24bit") == 0);
}

/* Writes the name of the direct description of `term` if there is one. */
static bool find_direct(const char *term, char *name, size_t size)
{
    static const char many[] = "-256color", family[] = "xterm-";
    size_t length = strlen(term), tail = sizeof many - 1;
    const char *own = strncmp(term, family, sizeof family - 1) == 0 ? term + sizeof family - 1 : "";
    snprintf(name, size, "%s", term);
    if (strstr(term, "-direct"))
        return try_direct(name);
    if (!says_truecolor())
        return false;
    snprintf(name, size, "%s-direct", term);
    if (try_direct(name))
        return true;
    if (length > tail && strcmp(term + length - tail, many) == 0) {
        snprintf(name, size, "%.*s-direct", (int)(length - tail), term);
        return try_direct(name);
    }
    snprintf(name, size, "%s-direct", own); // xterm-kitty is kitty-direct
    return *own && try_direct(name);
}

/* Terminals whose cursor is moved by "ESC [" know xterm's modes or ignore them. The cursor's shape
 * is set if terminfo has Ss; its Se is a block in most descriptions, whatever cursor the user has
 * chosen. */
static void read_modes(struct description *description)
{
    bool ansi = strncmp(string_of("cup"), "\033[", 2) == 0;
    bool mouse = ansi && *string_of("kmous"), shape = ansi && *string_of("Ss");
    const char *mouse_on = mouse ? MOUSE_ON : "", *mouse_off = mouse ? MOUSE_OFF : "";
    const char *brackets_on = ansi ? BRACKETS_ON : "", *brackets_off = ansi ? BRACKETS_OFF : "";
    const char *bar = shape ? CURSOR_BAR : "", *own = shape ? CURSOR_OWN : "";
    join(description->keys_on, sizeof description->keys_on, "%s%s%s%s", brackets_on,
         string_of("smkx"), mouse_on, own);
    join(description->line_on, sizeof description->line_on, "%s%s%s%s", brackets_on,
         string_of("rmkx"), mouse_on, bar);
    join(description->modes_off, sizeof description->modes_off, "%s%s%s%s", mouse_off, brackets_off,
         string_of("rmkx"), own);
}

/* The descriptions of tmux and screen lack what both can do. */
static void read_wrapping(struct description *description)
{
    bool ansi = strncmp(string_of("cup"), "\033[", 2) == 0;
    bool both = *string_of("rmam") && *string_of("smam");
    copy(description->wrap_off, sizeof description->wrap_off,
         both   ? string_of("rmam")
         : ansi ? WRAP_OFF
                : "");
    copy(description->wrap_on, sizeof description->wrap_on,
         both   ? string_of("smam")
         : ansi ? WRAP_ON
                : "");
}

static void read_description(struct description *description)
{
    copy(description->enter, sizeof description->enter, string_of("smcup"));
    copy(description->leave, sizeof description->leave, string_of("rmcup"));
    copy(description->clear, sizeof description->clear, string_of("clear"));
    read_wrapping(description);
    join(description->plain, sizeof description->plain, "%s%s%s%s", string_of("sgr0"),
         string_of("op"), string_of("cnorm"), description->wrap_on);
    copy(description->region, sizeof description->region, string_of("csr"));
    copy(description->bottom, sizeof description->bottom, string_of("cup"));
    copy(description->erase, sizeof description->erase, string_of("el"));
    copy(description->hidden, sizeof description->hidden, string_of("civis"));
    read_modes(description);
    for (int i = 0; i < NAMED_COUNT; i++)
        copy(description->keys[i], sizeof description->keys[i], string_of(named[i].capability));
}

bool description_find(struct description *description)
{
    const char *term = getenv("TERM");
    *description = (struct description){0};
    if (!term || !*term || strlen(term) + sizeof "-direct" > DESCRIPTION_BYTES)
        return false;
    description->direct = find_direct(term, description->name, sizeof description->name);
    if (!description->direct)
        snprintf(description->name, sizeof description->name, "%s", term);
    if (!load(description->name))
        return false;
    bool able = *string_of("cup") && *string_of("clear") && tigetflag("hc") <= 0;
    read_description(description);
    unload();
    return able;
}

void description_keys(const struct description *description, struct key_reader *keys)
{
    int count = 0;
    for (int i = 0; i < NAMED_COUNT; i++)
        if (*description->keys[i] == '\033') {
            keys->named[count].sequence = description->keys[i];
            keys->named[count++].key = named[i].key;
        }
}

const char *description_modes(const struct description *description, bool line)
{
    return line ? description->line_on : description->keys_on;
}

void description_enter(const struct description *description, bool line, char *text, size_t size)
{
    join(text, size, "%s%s%s", description->enter, description->hidden,
         description_modes(description, line));
}

/* Without numbers, the region follows the window's size; csr's would stay after the window has
 * grown. */
void description_whole_region(const struct description *description, int rows, char *text,
                              size_t size)
{
    const char *region = description->region;
    if (strncmp(region, "\033[", 2) == 0)
        region = REGION_WHOLE;
    else if (*region)
        region = tparm(region, 0L, rows - 1L);
    join(text, size, "%s", region ? region : "");
}

void description_leave(const struct description *description, int rows, char *text, size_t size)
{
    char region[DESCRIPTION_BYTES];
    const char *bottom = tparm(description->bottom, rows - 1L, 0L);
    description_whole_region(description, rows, region, sizeof region); // this moves the cursor
    join(text, size, "%s%s%s%s%s%s%s", region, description->plain, description->modes_off,
         bottom ? bottom : "", description->erase, description->leave,
         *description->leave ? "" : "\r\n");
}
