#include "tui/screen/action/letters.h"

#include <ctype.h>
#include <string.h>

#include <utf8proc.h>

#include "model/checkpoint/checkpoint.h"
#include "terminal/key_codes.h"
#include "tui/manual/key_table.h"
#include "tui/screen/action/act.h"
#include "tui/screen/action/typing.h"
#include "tui/screen/line/line.h"

/* Letters that are text ------------------------------------------------------------------------ */

static bool is_small(int c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_capital(int c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_letter(int c)
{
    return is_small(c) || is_capital(c);
}

static bool is_move(int c)
{
    return strchr("hjklgGnN", c) != NULL;
}

/* Counts the letters at the end. */
static size_t word_length(const char *letters, size_t count)
{
    size_t length = 0;
    while (length < count && is_letter((unsigned char)letters[count - 1 - length]))
        length++;
    return length;
}

/* True if the word at the end has at least so many letters and does not consist of moves. */
static bool ends_in_word(const char *letters, size_t count, size_t least)
{
    size_t length = word_length(letters, count);
    bool moves = true;
    for (size_t i = count - length; i < count; i++)
        moves = moves && is_move((unsigned char)letters[i]);
    return length >= least && !moves;
}

/* True for "Th", whose next letter would open a line: a capital, then small letters that do not
 * only move up and down. */
static bool is_begun_word(const char *letters, size_t count)
{
    size_t length = word_length(letters, count);
    const char *word = letters + count - length;
    bool moves = true;
    if (length < 2 || !is_capital((unsigned char)*word))
        return false;
    for (size_t i = 1; i < length; i++) {
        if (!is_small((unsigned char)word[i]))
            return false;
        moves = moves && strchr("jkl", word[i]);
    }
    return !moves;
}

static bool is_key(int c)
{
    return c < 0x80 && key_anywhere(c);
}

/* True for a letter that no Latin word has. */
static bool is_of_other_script(int c)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
    bool latin = c < 0x250 || (c >= 0x1E00 && c < 0x1F00);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO && !latin;
}

bool letters_are_other_word(const char *letters, size_t count, int next)
{
    bool capital = utf8proc_category((utf8proc_int32_t)next) == UTF8PROC_CATEGORY_LU;
    return count &&
           ((capital && is_small((unsigned char)letters[count - 1])) || is_of_other_script(next));
}

bool letters_are_text(const char *letters, size_t count, int next)
{
    int last = count ? (unsigned char)letters[count - 1] : 0;
    bool first_z = last == 'Z' && (count < 2 || letters[count - 2] != 'Z');
    if (next >= 0x80 || (is_letter(next) && !is_key(next)))
        return !(last == 'Z' && next == 'Q');
    if (first_z && is_letter(next) && next != 'Z')
        return true;
    if (next == 'e' || next == 'i')
        return last != 'q' && is_begun_word(letters, count); // no word begins with "Sqi"
    if (next == ' ')
        return ends_in_word(letters, count, 2);
    return !is_letter(next) && !is_key(next) && !(next >= '0' && next <= '9') &&
           ends_in_word(letters, count, 1);
}

static bool are_words(const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!is_letter((unsigned char)text[i]) && !strchr("'-,", text[i]))
            return false;
    return true;
}

/* True for a first byte in UTF-8 of other letters than Latin: Greek to Indic ones, Kana to Hangul.
 */
static bool begins_other_script(int byte)
{
    return (byte >= 0xCE && byte <= 0xE0) || (byte >= 0xE3 && byte <= 0xED);
}

/* Decides about the line of `e`, which already has a file's name: letters before and after it, or a
 * blank in the name, make it a letter of a sentence. */
static bool is_no_export(const char *letters, size_t count, size_t opened, int next)
{
    bool sentence = memchr(letters, ' ', opened - 1) != NULL;
    if (next == ' ')
        return are_words(letters + opened, count - opened);
    if (next == '\r')
        return sentence;
    if (next >= 0x80)
        return !begins_other_script(next);
    return is_letter(next) && ends_in_word(letters, opened - 1, sentence ? 1 : 2);
}

/* True if no word begins like this: with a single consonant, or with two as in "qui-ck". */
static bool is_rest_of_word(const char *text, size_t count)
{
    static const char pairs[] = "ck dd ft gg gs ld ll lt mm mp nd ng nk nn ns nt pp rd rr rs ss tt";
    char pair[3] = {text[0], count > 1 ? text[1] : '\0', '\0'};
    return count == 1 ? !strchr("aeiouy", *text) : strstr(pairs, pair) != NULL;
}

/* Decides about the line of `i`: "it", "this" and "quick" continue as no word begins; "Time"
 * continues in small letters. */
static bool is_no_prompt(const char *letters, size_t count, size_t opened, int next)
{
    bool ends = next == ' ' || next == '\'', capital = opened == 2 && is_capital(*letters);
    if (!ends || count == opened || !is_small((unsigned char)letters[opened]))
        return false;
    return capital || is_rest_of_word(letters + opened, count - opened);
}

bool letters_in_line_are_text(const char *letters, size_t count, size_t opened, int next)
{
    switch (letters[opened - 1]) {
    case 'e':
        return is_no_export(letters, count, opened, next);
    case 'i':
        return is_no_prompt(letters, count, opened, next);
    case ':':
        return next == ' ' && count == opened && ends_in_word(letters, opened - 1, 1);
    case '/':
        return next == ' ' && ends_in_word(letters, opened - 1, 3);
    default:
        return false;
    }
}

/* The words of a model ------------------------------------------------------------------------- */

/* True if the word that `next` ends began in the view, continued in the line of its e or i, and is
 * known to the model: in "ti-me", the line would only get "me". */
static bool is_known_word(const struct screen *screen, int next)
{
    const struct letters *letters = &screen->letters;
    const size_t length = word_length(letters->text, letters->count);
    const size_t begin = letters->count - length, opened = letters->opened - 1;
    char word[LETTERS_MOST + 1] = "", *first = word;
    bool ends = next == ' ' || next == '\r' || (next < 0x80 && ispunct(next));
    if (!ends || !strchr("ei", letters->text[opened]) || begin >= opened ||
        opened + 1 == letters->count)
        return false;
    memcpy(word, letters->text + begin, length);
    word[length] = '\0';
    const struct checkpoint *checkpoint = screen->frame->checkpoint;
    const struct vocabulary *vocabulary = checkpoint->vocabulary[SIDE_SOURCE];
    const enum piece_marks marks = tokenizer_marks(checkpoint->tokenizer[SIDE_SOURCE]);
    if (vocabulary_has_word(vocabulary, marks, word))
        return true;
    *first = (char)tolower((unsigned char)*first);
    return vocabulary_has_word(vocabulary, marks, word);
}

/* What is kept of them ------------------------------------------------------------------------- */

void letters_end(struct screen *screen)
{
    struct letters *letters = &screen->letters;
    shown_mark_free(&letters->mark);
    letters->count = letters->opened = 0;
    letters->asked = false;
}

static void begin(struct screen *screen)
{
    struct letters *letters = &screen->letters;
    letters_end(screen);
    if (++letters->id == 0)
        letters->id = 1;
    shown_mark_set(screen, &letters->mark);
}

static void keep(struct screen *screen, int key)
{
    struct letters *letters = &screen->letters;
    letters->text[letters->count++] = (char)key;
}

/* Puts the letters into the prompt and undoes what they did. */
static void to_prompt(struct screen *screen)
{
    struct letters *letters = &screen->letters;
    char text[LETTERS_MOST + 1];
    memcpy(text, letters->text, letters->count);
    text[letters->count] = '\0';
    if (letters->asked && worker_return(screen->worker, letters->id))
        letters->dropped = letters->id;
    if (letters->count) {
        shown_mark_return(screen, &letters->mark);
        pending_clear(&screen->pending);
    }
    screen->prefix = (struct key_prefix){0};
    if (screen->typing != TYPING_NOTHING)
        line_drop();
    typing_begin_with(screen, text);
    screen_say(screen, false,
               letters->count ? "taken as text: what its letters did as keys is undone"
                              : "taken as text: this letter is no key");
    letters_end(screen);
}

static bool is_printable(int key)
{
    return key >= ' ' && key != 127 && key < KEY_BASE;
}

/* Steps to other sentences and hypotheses are not undone. */
static bool is_step(int key)
{
    return key == '[' || key == ']' || key == '+' || key == '-';
}

void letters_press(struct screen *screen, const struct event *event)
{
    struct letters *letters = &screen->letters;
    int key = event->key;
    if (!is_printable(key) || is_step(key)) {
        letters_end(screen);
        act_press(screen, key);
        return;
    }
    if (letters_are_other_word(letters->text, letters->count, key))
        letters_end(screen);
    if (letters_are_text(letters->text, letters->count, key)) {
        to_prompt(screen);
        line_feed(event->bytes, event->count);
        return;
    }
    if (letters->count == 0 || letters->count == LETTERS_MOST)
        begin(screen);
    keep(screen, key);
    act_press(screen, key);
    letters->opened = screen->typing != TYPING_NOTHING ? letters->count : 0;
}

bool letters_take_line(struct screen *screen, const struct event *event, int *used)
{
    struct letters *letters = &screen->letters;
    for (int i = 0; letters->opened && i < event->count; i++) {
        int byte = event->bytes[i];
        if (letters_in_line_are_text(letters->text, letters->count, letters->opened, byte) ||
            is_known_word(screen, byte)) {
            *used = i;
            to_prompt(screen);
            return true;
        }
        if (!is_printable(byte) || byte >= 0x80 || letters->count == LETTERS_MOST)
            letters_end(screen);
        else
            keep(screen, byte);
    }
    return false;
}

/* Replies -------------------------------------------------------------------------------------- */

bool letters_drop(struct screen *screen, const struct reply *reply)
{
    struct letters *letters = &screen->letters;
    if (!letters->dropped || reply->letters != letters->dropped)
        return false;
    if (reply->returned)
        letters->dropped = 0;
    if (reply->returned && reply->failed)
        screen_say(screen, true, "%s", reply->message);
    return true;
}

void letters_follow(struct screen *screen, const struct reply *reply)
{
    struct letters *letters = &screen->letters;
    if (letters->count && reply->letters != letters->id)
        shown_mark_set(screen, &letters->mark);
}
