#include "tests/support/sent_support.h"
#include "tests/support/test.h"

#include <utf8proc.h>

enum { ESCAPE = 27, LONGEST = 64, BAD = 0, CUT = -1 };

/* Readers return the number of bytes that they understood, BAD, or CUT if the input ends too
 * early. */

static bool is_one_of(const char *parameters, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(*list, parameters) == 0)
            return true;
    return false;
}

/* Modes: alternate screen, cursor, application keys, wrapping, blinking, mouse (pressed buttons, in
 * numbers), bracketed paste; ANSI's insertion, and tmux's own for the cursor. */
static bool is_mode(const char *parameters)
{
    static const char *const modes[] = {"?1049", "?25",   "?1", "?7", "?12", "?1000",
                                        "?1006", "?2004", "4",  "34", NULL};
    return is_one_of(parameters, modes);
}

/* Renditions: inks and fills, bold, faint, underline, reverse, and their ends. */
static bool is_rendition(const char *parameters)
{
    for (const char *p = parameters; *p; p++)
        if (!strchr("0123456789;:", *p))
            return false;
    return true;
}

static bool is_control(const char *parameters, char final)
{
    bool numbers = strspn(parameters, "0123456789;") == strlen(parameters);
    if (final == 'm')
        return is_rendition(parameters);
    if (final == 'h' || final == 'l')
        return is_mode(parameters);
    if (final == 'q') // the cursor's shape: a bar, and the terminal's own
        return strcmp(parameters, "6 ") == 0 || strcmp(parameters, "0 ") == 0;
    if (final == 't') // saves and restores xterm's title while another screen is shown
        return strcmp(parameters, "22;0;0") == 0 || strcmp(parameters, "23;0;0") == 0;
    return numbers && final && strchr("ABCDGHJKLMPSTXZ@dbr", final);
}

static int read_control(const char *bytes, size_t count)
{
    char parameters[LONGEST];
    size_t length = 2;
    while (length < count && length < LONGEST && bytes[length] >= 0x20 && bytes[length] < 0x40)
        length++;
    if (length == count)
        return CUT;
    snprintf(parameters, sizeof parameters, "%.*s", (int)(length - 2), bytes + 2);
    return is_control(parameters, bytes[length]) ? (int)length + 1 : BAD;
}

/* Reads a copy to the clipboard: base64, up to the bell. */
static int read_copy(const char *bytes, size_t count)
{
    static const char begin[] = "\033]52;c;";
    size_t length = sizeof begin - 1;
    if (count < length)
        return memcmp(bytes, begin, count) == 0 ? CUT : BAD;
    if (memcmp(bytes, begin, length) != 0)
        return BAD;
    while (length < count && bytes[length] &&
           strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr"
                  "stuvwxyz0123456789+/=",
                  bytes[length]))
        length++;
    return length == count ? CUT : bytes[length] == '\a' ? (int)length + 1 : BAD;
}

static int read_escape(const char *bytes, size_t count)
{
    if (count < 2)
        return CUT;
    switch (bytes[1]) {
    case '[':
        return read_control(bytes, count);
    case ']':
        return read_copy(bytes, count);
    case '(': // character sets: ASCII, line drawing
    case ')':
        return count < 3 ? CUT : bytes[2] == 'B' || bytes[2] == '0' ? 3 : BAD;
    default: // save and restore the cursor, keypad modes, reverse index
        return bytes[1] && strchr("78=>M", bytes[1]) ? 2 : BAD;
    }
}

static int read_character(const char *bytes, size_t count)
{
    utf8proc_int32_t character;
    unsigned char first = (unsigned char)*bytes;
    if (first < 0x20)
        return first == '\r' || first == '\n' || first == '\b' || first == '\t' || first == 0x0E ||
               first == 0x0F;
    int length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if ((size_t)length > count)
        return CUT;
    if (first == 0x7F ||
        utf8proc_iterate((const utf8proc_uint8_t *)bytes, length, &character) != length)
        return BAD;
    return character >= 0x80 && character < 0xA0 ? BAD : length;
}

static void complain(const char *bytes, size_t at, size_t count)
{
    enum { AROUND = 60 };
    char text[8 * AROUND] = "";
    size_t from = at > AROUND ? at - AROUND : 0, to = at + AROUND < count ? at + AROUND : count;
    for (size_t i = from; i < to; i++) {
        const char *mark = i == at ? " >>> " : "";
        unsigned char byte = (unsigned char)bytes[i];
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 byte < 0x20 || byte == 0x7F ? "%s\\x%02x" : "%s%c", mark, byte);
    }
    fail_msg("byte %zu: the terminal was sent what no screen needs: %s", at, text);
}

void sent_check(const char *bytes, size_t count)
{
    for (size_t at = 0; at < count;) {
        int length = bytes[at] == ESCAPE ? read_escape(bytes + at, count - at)
                                         : read_character(bytes + at, count - at);
        if (length == CUT)
            return;
        if (length == BAD)
            complain(bytes, at, count);
        at += (size_t)length;
    }
}
