#include "model/score/mecab/dictionary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/text/lines.h"
#include "model/text/quote.h"

enum {
    HEADER_BYTES = 72, // ten numbers and the name of an encoding
    ENCODING_AT = 40,
    ENCODING_BYTES = 32,
    VERSION = 102,
    UNIT_BYTES = 8, // of the double array: base, check
    TOKEN_BYTES = 16,
    NAME_BYTES = 32, // of a category
    KINDS = 0xFFFF   // characters that char.bin knows
};
#define MAGIC 0xEF718F77u

static uint32_t read_32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint16_t read_16(const unsigned char *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

/* Opening -------------------------------------------------------------------------------------- */

static struct mapped_file *open_file(const char *folder, const char *name, struct status *status)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0) {
        status_no_memory(status);
        return NULL;
    }
    struct mapped_file *file = mapped_file_open(path, status);
    if (!file)
        status_prefix(status, "%s", QUOTED_PATH(path));
    free(path);
    return file;
}

static bool fail(const struct mapped_file *file, const char *what, struct status *status)
{
    return status_fail(status, STATUS_INVALID, "%s: %s", QUOTED_PATH(file->path), what);
}

/* Reads magic, version, type, words, lefts, rights, and the bytes of the array, of the tokens and
 * of the texts about them. */
static bool read_words(struct mecab_words *words, struct status *status)
{
    const struct mapped_file *file = words->file;
    const unsigned char *data = file->data;
    if (file->bytes < HEADER_BYTES || (read_32(data) ^ MAGIC) != (uint32_t)file->bytes)
        return fail(file, "not a whole dictionary of MeCab", status);
    if (read_32(data + 4) != VERSION)
        return fail(file, "another version, expected a dictionary of MeCab 0.996", status);
    const char *encoding = (const char *)data + ENCODING_AT;
    if (strncasecmp(encoding, "utf-8", ENCODING_BYTES) != 0 &&
        strncasecmp(encoding, "utf8", ENCODING_BYTES) != 0)
        return fail(file, "another encoding, expected UTF-8", status);
    size_t array = read_32(data + 24), tokens = read_32(data + 28),
           room = file->bytes - HEADER_BYTES;
    if (array > room || tokens > room - array)
        return fail(file, "tables end after the file", status);
    words->size = read_32(data + 12);
    words->units = data + HEADER_BYTES;
    words->unit_count = array / UNIT_BYTES;
    words->tokens = words->units + array;
    words->token_count = tokens / TOKEN_BYTES;
    return true;
}

static bool read_matrix(struct mecab *mecab, struct status *status)
{
    const struct mapped_file *file = mecab->matrix;
    if (file->bytes < 4)
        return fail(file, "no matrix of costs", status);
    mecab->lefts = read_16(file->data);
    mecab->rights = read_16(file->data + 2);
    mecab->costs = file->data + 4;
    if (!mecab->lefts || !mecab->rights ||
        file->bytes != 4 + 2 * (size_t)mecab->lefts * mecab->rights)
        return fail(file, "not as many costs as its size says", status);
    return true;
}

static bool keep_word(void *context, const struct mecab_word *word, struct status *status)
{
    (void)status;
    *(struct mecab_word *)context = *word;
    return true;
}

/* Reads the categories; each has unknown words under its name. */
static bool read_kinds(struct mecab *mecab, struct status *status)
{
    const struct mapped_file *file = mecab->kinds;
    size_t count = file->bytes >= 4 ? read_32(file->data) : 0;
    if (!count || count > MECAB_CATEGORIES_MOST ||
        file->bytes != 4 + NAME_BYTES * count + 4 * (size_t)KINDS)
        return fail(file, "not a table of characters of MeCab", status);
    for (size_t i = 0; i < count; i++) {
        const char *name = (const char *)file->data + 4 + NAME_BYTES * i;
        size_t bytes = strnlen(name, NAME_BYTES);
        struct mecab_word word = {0};
        if (!mecab_find(&mecab->unknown, name, bytes, keep_word, &word, status))
            return false;
        if (word.bytes != bytes || !word.count)
            return fail(file, "a category that unk.dic does not have", status);
        mecab->of_category[i] = word;
    }
    mecab->kind_of = file->data + 4 + NAME_BYTES * count;
    return true;
}

/* Parses "PART,COST,PART,COST...". */
static void read_penalties(struct mecab *mecab, const char *text)
{
    int part, cost, used;
    while (mecab->penalty_count < MECAB_PENALTIES_MOST &&
           sscanf(text, " %d , %d%n", &part, &cost, &used) == 2) {
        mecab->penalties[mecab->penalty_count].part = part;
        mecab->penalties[mecab->penalty_count++].cost = cost;
        text += used + (text[used] == ',');
    }
}

static bool take_option(void *context, const char *text, int *number, struct status *status)
{
    static const char key[] = "left-space-penalty-factor";
    (void)number;
    (void)status;
    if (text && strncmp(text, key, strlen(key)) == 0) {
        text += strlen(key);
        text += strspn(text, " \t");
        if (*text == '=')
            read_penalties(context, text + 1);
    }
    return true;
}

static bool read_options(struct mecab *mecab, const char *folder, struct status *status)
{
    char *path = NULL;
    if (asprintf(&path, "%s/dicrc", folder) < 0)
        return status_no_memory(status);
    bool ok = lines_each(path, NULL, take_option, mecab, status);
    free(path);
    return ok;
}

struct mecab *mecab_open(const char *folder, struct status *status)
{
    struct mecab *mecab = memory_new(1, sizeof *mecab, status);
    if (mecab && (mecab->known.file = open_file(folder, "sys.dic", status)) &&
        (mecab->unknown.file = open_file(folder, "unk.dic", status)) &&
        (mecab->matrix = open_file(folder, "matrix.bin", status)) &&
        (mecab->kinds = open_file(folder, "char.bin", status)) &&
        read_words(&mecab->known, status) && read_words(&mecab->unknown, status) &&
        read_matrix(mecab, status) && read_kinds(mecab, status) &&
        read_options(mecab, folder, status))
        return mecab;
    mecab_close(mecab);
    return NULL;
}

void mecab_close(struct mecab *mecab)
{
    if (!mecab)
        return;
    mapped_file_close(mecab->known.file);
    mapped_file_close(mecab->unknown.file);
    mapped_file_close(mecab->matrix);
    mapped_file_close(mecab->kinds);
    free(mecab);
}

uint32_t mecab_size(const struct mecab *mecab)
{
    return mecab->known.size;
}

/* Words ---------------------------------------------------------------------------------------- */

/* Reads a unit of the array whose check is `wanted`; returns false if there is none. */
static bool read_unit(const struct mecab_words *words, uint32_t at, uint32_t wanted, int32_t *base)
{
    if (at >= words->unit_count)
        return false;
    const unsigned char *unit = words->units + (size_t)at * UNIT_BYTES;
    *base = (int32_t)read_32(unit);
    return read_32(unit + 4) == wanted;
}

bool mecab_find(const struct mecab_words *words, const char *text, size_t bytes,
                bool (*found)(void *context, const struct mecab_word *word, struct status *status),
                void *context, struct status *status)
{
    int32_t base, value;
    if (!words->unit_count)
        return true;
    base = (int32_t)read_32(words->units);
    for (size_t i = 0;; i++) {
        uint32_t node = (uint32_t)base;
        // A value below 0 ends a word: it holds 256 times the word's first token, plus their
        // number.
        if (read_unit(words, node, node, &value) && value < 0) {
            uint32_t place = (uint32_t)(-(int64_t)value - 1);
            const struct mecab_word word = {place >> 8, place & 0xFF, i};
            if (!found(context, &word, status))
                return false;
        }
        if (i == bytes || !read_unit(words, node + (unsigned char)text[i] + 1, node, &base))
            return true;
    }
}

bool mecab_token(const struct mecab *mecab, const struct mecab_words *words, size_t index,
                 struct mecab_token *out)
{
    if (index >= words->token_count)
        return false;
    const unsigned char *at = words->tokens + index * TOKEN_BYTES;
    *out = (struct mecab_token){read_16(at), read_16(at + 2), read_16(at + 4),
                                (int16_t)read_16(at + 6)};
    return out->left < mecab->rights && out->right < mecab->lefts;
}

/* Characters ----------------------------------------------------------------------------------- */

/* Characters beyond the 16 bits of the table count as U+0000. */
static uint32_t decode(const unsigned char *text, size_t bytes, size_t *length)
{
    unsigned lead = text[0];
    *length = lead < 0x80                           ? 1
              : bytes >= 2 && (lead & 0xE0) == 0xC0 ? 2
              : bytes >= 3 && (lead & 0xF0) == 0xE0 ? 3
              : bytes >= 4 && (lead & 0xF8) == 0xF0 ? 4
                                                    : 1;
    switch (*length) {
    case 1:
        return lead < 0x80 ? lead : 0;
    case 2:
        return (lead & 0x1F) << 6 | (text[1] & 0x3F);
    case 3:
        return (lead & 0x0F) << 12 | (text[1] & 0x3F) << 6 | (text[2] & 0x3F);
    default:
        return 0;
    }
}

struct mecab_kind mecab_kind_at(const struct mecab *mecab, const char *text, const char *end,
                                size_t *bytes)
{
    uint32_t character = decode((const unsigned char *)text, (size_t)(end - text), bytes);
    uint32_t bits = read_32(mecab->kind_of + 4 * (size_t)(character < KINDS ? character : 0));
    return (struct mecab_kind){.kinds = bits & 0x3FFFF,
                               .category = bits >> 18 & 0xFF,
                               .length = bits >> 26 & 0xF,
                               .group = bits >> 30 & 1,
                               .invoke = bits >> 31};
}

int mecab_connect(const struct mecab *mecab, uint16_t right, uint16_t left)
{
    return (int16_t)read_16(mecab->costs + 2 * (right + (size_t)mecab->lefts * left));
}
