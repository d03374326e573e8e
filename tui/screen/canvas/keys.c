#include "tui/screen/canvas/keys.h"

#include <string.h>
#include <utf8proc.h>

#include "base/system.h"
#include "terminal/key_codes.h"

enum { ESCAPE = 27, BAD = -1, MORE = 0, LONGEST = 64 };

int keys_room(const struct key_reader *keys)
{
    return KEYS_BYTES - keys->count;
}

void keys_add(struct key_reader *keys, const unsigned char *bytes, int count)
{
    memcpy(keys->bytes + keys->count, bytes, (size_t)count);
    keys->count += count;
}

static void drop(struct key_reader *keys, int count)
{
    keys->count -= count;
    memmove(keys->bytes, keys->bytes + count, (size_t)keys->count);
}

void keys_give_back(struct key_reader *keys, const struct event *event, int count)
{
    memmove(keys->bytes + count, keys->bytes, (size_t)keys->count);
    memcpy(keys->bytes, event->bytes + event->count - count, (size_t)count);
    keys->count += count;
}

static void set_key(struct event *event, int key)
{
    event->kind = EVENT_KEY;
    event->key = key;
}

/* Each reader below returns how many bytes it understood; MORE if they may be the beginning of a
 * sequence; or BAD. */
static int read_named(const struct key_reader *keys, struct event *event)
{
    int result = BAD;
    for (int i = 0; i < KEYS_NAMED && keys->named[i].sequence; i++) {
        const char *sequence = keys->named[i].sequence;
        int length = (int)strlen(sequence);
        int common = length < keys->count ? length : keys->count;
        if (length == 0 || memcmp(sequence, keys->bytes, (size_t)common) != 0)
            continue;
        if (common == length) {
            set_key(event, keys->named[i].key);
            return length;
        }
        result = MORE;
    }
    return result;
}

static int final_key(unsigned char final)
{
    switch (final) {
    case 'A':
        return KEY_ARROW_UP;
    case 'B':
        return KEY_ARROW_DOWN;
    case 'C':
        return KEY_ARROW_RIGHT;
    case 'D':
        return KEY_ARROW_LEFT;
    case 'H':
        return KEY_FIRST;
    case 'F':
        return KEY_LAST;
    case 'Z':
        return KEY_TAB_BACK;
    default:
        return KEY_OTHER;
    }
}

static int numbered_key(int number)
{
    switch (number) {
    case 1:
    case 7:
        return KEY_FIRST;
    case 4:
    case 8:
        return KEY_LAST;
    case 5:
        return KEY_PAGE_UP;
    case 6:
        return KEY_PAGE_DOWN;
    default:
        return KEY_OTHER;
    }
}

/* Reads numbers between semicolons. A missing one is 0; one that is too large becomes some large
 * number. */
static void read_numbers(const unsigned char *text, int bytes, int *numbers, int count)
{
    int at = 0;
    memset(numbers, 0, (size_t)count * sizeof *numbers);
    for (int i = 0; i < bytes && at < count; i++)
        if (text[i] == ';')
            at++;
        else if (text[i] >= '0' && text[i] <= '9' && numbers[at] < 100000)
            numbers[at] = 10 * numbers[at] + (text[i] - '0');
}

/* Buttons are numbered as in xterm: 0 to 2, wheels 64 to 67; 4, 8 and 16 are Shift, Meta and
 * Control, 32 is movement. */
static void set_mouse(struct key_reader *keys, int button, int column, int row, bool pressed,
                      long now, struct event *event)
{
    static const enum mouse wheels[] = {MOUSE_UP, MOUSE_DOWN, MOUSE_LEFT, MOUSE_RIGHT};
    bool shift = button & 4, wheel = button & 64;
    event->kind = EVENT_NONE;
    event->row = row - 1;
    event->column = column - 1;
    if (!pressed || (button & 32) || (!wheel && (button & 3) != 0) || row < 1 || column < 1)
        return;
    event->kind = EVENT_MOUSE;
    event->mouse = wheel ? wheels[(button & 3) | (shift ? 2 : 0)] : MOUSE_CLICK;
    if (wheel)
        return;
    bool again = keys->clicked && now - keys->clicked <= KEYS_DOUBLE && keys->row == event->row &&
                 keys->column == event->column;
    event->mouse = again ? MOUSE_DOUBLE : MOUSE_CLICK;
    keys->clicked = again ? 0 : now;
    keys->row = event->row;
    keys->column = event->column;
}

/* Reads ESC [ M and three bytes, each offset by 32: the form of terminals without the newer one. */
static int read_old_mouse(struct key_reader *keys, long now, struct event *event)
{
    if (keys->count < 6)
        return MORE;
    int button = keys->bytes[3] - 32;
    set_mouse(keys, button, keys->bytes[4] - 32, keys->bytes[5] - 32,
              (button & 3) != 3 || button & 64, now, event);
    return 6;
}

static void understand(struct key_reader *keys, int length, long now, struct event *event)
{
    const unsigned char *text = keys->bytes + 2;
    unsigned char final = keys->bytes[length - 1];
    int numbers[3], inside = length - 3;
    if (*text == '<' && (final == 'M' || final == 'm')) {
        read_numbers(text + 1, inside - 1, numbers, 3);
        set_mouse(keys, numbers[0], numbers[1], numbers[2], final == 'M', now, event);
        return;
    }
    read_numbers(text, inside, numbers, 3);
    bool brackets = final == '~' && (numbers[0] == 200 || numbers[0] == 201);
    bool focus = inside == 0 && (final == 'I' || final == 'O');
    set_key(event, final == '~' ? numbered_key(numbers[0]) : final_key(final));
    if (brackets || focus)
        event->kind = EVENT_NONE; // the end of a paste that never began
}

/* Reads ESC [ [ and a letter: the Linux console's first function keys. */
static int read_console(const struct key_reader *keys, struct event *event)
{
    if (keys->count < 4)
        return MORE;
    set_key(event, KEY_OTHER);
    return 4;
}

/* Reads ESC [ parameters, intermediates, final byte (ECMA-48). */
static int read_control(struct key_reader *keys, long now, struct event *event)
{
    int at = 2;
    if (keys->count > 2 && keys->bytes[2] == 'M')
        return read_old_mouse(keys, now, event);
    if (keys->count > 2 && keys->bytes[2] == '[')
        return read_console(keys, event);
    while (at < keys->count && keys->bytes[at] >= 0x20 && keys->bytes[at] < 0x40 && at < LONGEST)
        at++;
    if (at == keys->count)
        return MORE;
    if (keys->bytes[at] < 0x40 || keys->bytes[at] > 0x7E)
        return BAD;
    understand(keys, at + 1, now, event);
    return at + 1;
}

static int read_application(const struct key_reader *keys, struct event *event)
{
    if (keys->count < 3)
        return MORE;
    unsigned char final = keys->bytes[2];
    if (!strchr("ABCDFHMPQRS", final) || !final)
        return BAD;
    set_key(event, final == 'M' ? '\r' : final_key(final));
    return 3;
}

static int read_escape(struct key_reader *keys, long now, struct event *event)
{
    int length = read_named(keys, event);
    if (length != BAD)
        return length;
    if (keys->count < 2)
        return MORE;
    if (keys->bytes[1] == '[')
        return read_control(keys, now, event);
    return keys->bytes[1] == 'O' ? read_application(keys, event) : BAD;
}

static int character_bytes(unsigned char first)
{
    return first < 0x80   ? 1
           : first < 0xC2 ? BAD
           : first < 0xE0 ? 2
           : first < 0xF0 ? 3
           : first < 0xF5 ? 4
                          : BAD;
}

static int read_character(const struct key_reader *keys, struct event *event)
{
    utf8proc_int32_t character;
    int length = character_bytes(keys->bytes[0]);
    if (length > keys->count)
        return MORE;
    if (length == BAD || utf8proc_iterate(keys->bytes, length, &character) != length)
        return BAD;
    set_key(event, character == 8 ? 127 : character); // some terminals' Backspace
    return length;
}

/* Takes the first byte as a separate key: Esc, or a byte that is not text. */
static int read_byte(const struct key_reader *keys, struct event *event)
{
    set_key(event, keys->bytes[0] == ESCAPE ? ESCAPE : KEY_OTHER);
    return 1;
}

/* True if a paste begins here. */
static bool begins_paste(const struct key_reader *keys)
{
    return keys->count >= PASTE_MARK && memcmp(keys->bytes, PASTE_BEGINS, PASTE_MARK) == 0;
}

/* True if these may be the first bytes of a paste, beyond Esc and "[", which are also keys. */
static bool may_begin_paste(const struct key_reader *keys)
{
    return keys->count > 2 && keys->count < PASTE_MARK &&
           memcmp(keys->bytes, PASTE_BEGINS, (size_t)keys->count) == 0;
}

/* Moves bytes into the event, as many as it holds. */
static void take(struct key_reader *keys, int count, struct event *event)
{
    event->count = count < (int)sizeof event->bytes ? count : (int)sizeof event->bytes;
    memcpy(event->bytes, keys->bytes, (size_t)event->count);
    drop(keys, event->count);
}

bool keys_next(struct key_reader *keys, bool whole, long now, struct event *event)
{
    event->kind = EVENT_NONE;
    while (keys->count > 0 && event->kind == EVENT_NONE) {
        if (begins_paste(keys)) {
            event->kind = EVENT_PASTE;
            break;
        }
        int length =
            keys->bytes[0] == ESCAPE ? read_escape(keys, now, event) : read_character(keys, event);
        if (length == MORE && keys->count < LONGEST && (!whole || may_begin_paste(keys)))
            break;
        if (length == MORE || length == BAD)
            length = read_byte(keys, event);
        take(keys, length, event);
    }
    return event->kind != EVENT_NONE;
}

/* For a line ----------------------------------------------------------------------------------- */

static void take_text(struct key_reader *keys, int count, struct event *event)
{
    event->kind = EVENT_TEXT;
    take(keys, count, event);
}

/* Returns how many bytes at the end may begin the mark that ends a paste. */
static int half_mark(const unsigned char *bytes, int count)
{
    int length = count < PASTE_MARK - 1 ? count : PASTE_MARK - 1;
    while (length > 0 && memcmp(bytes + count - length, PASTE_ENDS, (size_t)length) != 0)
        length--;
    return length;
}

/* Takes as much of a paste as has arrived and an event holds; the mark at its end is never cut.
 * Returns false if more must arrive. */
static bool take_paste(struct key_reader *keys, struct event *event)
{
    int first = begins_paste(keys) ? PASTE_MARK : 0, room = sizeof event->bytes;
    const unsigned char *begin = keys->bytes + first;
    const unsigned char *end =
        memory_find(begin, (size_t)(keys->count - first), PASTE_ENDS, PASTE_MARK);
    int length = end ? (int)(end - keys->bytes) + PASTE_MARK
                     : keys->count - half_mark(begin, keys->count - first);
    if (end && length > room && length - PASTE_MARK < room)
        length -= PASTE_MARK;
    if (length > 0)
        take_text(keys, length, event);
    return length > 0;
}

/* Takes Esc and what it begins. Returns false if more must arrive. */
static bool take_escape(struct key_reader *keys, bool whole, long now, struct event *event)
{
    if (keys->count == 1 && !whole)
        return false;
    int second = keys->count > 1 ? keys->bytes[1] : ESCAPE;
    if (second != '[' && second != 'O') { // alone, or with Alt
        take_text(keys, second == ESCAPE ? 1 : 2, event);
        return true;
    }
    int length = read_escape(keys, now, event);
    if (length == MORE && keys->count < LONGEST)
        return false;
    if (length == MORE || length == BAD) { // unless another sequence begins
        bool third = second == 'O' && keys->bytes[2] != ESCAPE;
        length = length == MORE ? LONGEST : third ? 3 : 2;
        set_key(event, KEY_OTHER);
    }
    if (event->kind == EVENT_KEY)
        take(keys, length, event);
    else
        drop(keys, length);
    return true;
}

/* Takes what comes before the next Esc or Tab. */
static void take_characters(struct key_reader *keys, struct event *event)
{
    int count = 1;
    while (count < keys->count && keys->bytes[count] != ESCAPE && keys->bytes[count] != '\t')
        count++;
    take_text(keys, count, event);
}

bool keys_take(struct key_reader *keys, bool pasting, bool whole, long now, struct event *event)
{
    bool more = true;
    event->kind = EVENT_NONE;
    event->count = 0;
    while (keys->count > 0 && event->kind == EVENT_NONE && more) {
        if (pasting || begins_paste(keys)) {
            more = take_paste(keys, event);
        } else if (keys->bytes[0] == ESCAPE) {
            more = take_escape(keys, whole, now, event);
        } else if (keys->bytes[0] == '\t') {
            set_key(event, '\t');
            take(keys, 1, event);
        } else {
            take_characters(keys, event);
        }
    }
    return event->kind != EVENT_NONE;
}
