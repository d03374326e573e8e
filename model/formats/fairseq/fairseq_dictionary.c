/* Reads fairseq's dictionaries: dict.LANGUAGE.txt with a symbol and its count in each line
 * (fairseq/data/dictionary.py), and the symbols that a task adds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "model/formats/fairseq/fairseq.h"
#include "model/text/quote.h"

enum { MAX_DICTIONARY = 1 << 28 };

/* Symbols -------------------------------------------------------------------------------------- */

int64_t fs_id(const struct fs_reader *reader, int side, const char *piece)
{
    return piece_list_find(&reader->pieces[side], piece);
}

static bool add_text(struct fs_reader *reader, int side, const char *text, size_t bytes)
{
    if (memchr(text, 0, bytes))
        return fs_fail(reader, "a dictionary with a zero byte, expected text");
    return piece_list_add(&reader->pieces[side], text, bytes, reader->status);
}

/* Like Dictionary.add_symbol: a symbol that is already there keeps its id. */
static bool add_symbol(struct fs_reader *reader, int side, const char *symbol)
{
    return fs_id(reader, side, symbol) >= 0 || add_text(reader, side, symbol, strlen(symbol));
}

/* Adds "SYMBOL COUNT", possibly followed by "#fairseq:overwrite". */
static bool add_line(struct fs_reader *reader, int side, const char *line, size_t length)
{
    static const char mark[] = " #fairseq:overwrite";
    size_t marked = sizeof mark - 1;
    while (length > 0 && strchr(" \t\r\f\v", line[length - 1]))
        length--;
    if (length > marked && memcmp(line + length - marked, mark, marked) == 0)
        length -= marked;
    const char *blank = memory_find_last(line, ' ', length);
    size_t symbol = blank ? (size_t)(blank - line) : 0, digits = blank ? length - symbol - 1 : 0;
    for (size_t i = 0; i < digits; i++)
        if (blank[1 + i] < '0' || blank[1 + i] > '9')
            digits = 0;
    if (!digits)
        return status_fail(reader->status, STATUS_INVALID,
                           "line %d: expected a symbol and its count",
                           reader->pieces[side].count - FS_UNK);
    return add_text(reader, side, line, symbol);
}

static bool read_lines(struct fs_reader *reader, int side, const struct mapped_file *file)
{
    static const char *const special[] = {"<s>", "<pad>", "</s>", "<unk>"};
    const char *at = (const char *)file->data, *end = at + file->bytes;
    if (file->bytes > MAX_DICTIONARY)
        return status_fail(reader->status, STATUS_INVALID, "%zu bytes, expected at most %d",
                           file->bytes, MAX_DICTIONARY);
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (!add_text(reader, side, special[i], strlen(special[i])))
            return false;
    while (at && at < end) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((next ? next : end) - at);
        if (!add_line(reader, side, at, length))
            return false;
        at = next ? next + 1 : end;
    }
    return true;
}

static bool read_file(struct fs_reader *reader, int side, const char *place)
{
    const struct mapped_file *file =
        family_text(reader->contents, reader->folder, place, reader->status);
    return file &&
           (read_lines(reader, side, file) || status_prefix(reader->status, "%s", QUOTED(place)));
}

/* Additions of tasks --------------------------------------------------------------------------- */

/* Adds the languages of multilingual models in the order of --langs; BART's pretraining also has a
 * mask. */
static bool add_task_symbols(struct fs_reader *reader, int side)
{
    const char *name;
    json_t *id;
    bool mask = fs_masked(reader);
    json_object_foreach(reader->languages, name, id)
    {
        char token[FS_NAME];
        fs_language_token(reader, name, token, sizeof token);
        if (!add_symbol(reader, side, token))
            return false;
    }
    if (!mask)
        mask = reader->pieces[side].count + 1 == fs_rows(reader, side);
    return !mask || add_symbol(reader, side, "<mask>");
}

static bool check_rows(struct fs_reader *reader, int side, const char *name)
{
    int64_t rows = fs_rows(reader, side);
    return rows < 0 || rows == reader->pieces[side].count ||
           fs_fail(reader, "%s: %lld rows, expected %d (the symbols of %s)",
                   side ? "decoder.embed_tokens.weight" : "encoder.embed_tokens.weight",
                   (long long)rows, reader->pieces[side].count, QUOTED(name));
}

/* Both sides ----------------------------------------------------------------------------------- */

/* Reads a dictionary by one of its possible names; the task's options may name it. */
static bool read_side(struct fs_reader *reader, int side)
{
    static const char *const own[] = {"source_dict", "target_dict"};
    char by_language[FS_NAME], by_first[FS_NAME];
    const char *first = json_object_iter_key(json_object_iter(reader->languages));
    snprintf(by_language, sizeof by_language, "dict.%.100s.txt",
             fs_language(reader, side, first ? first : ""));
    snprintf(by_first, sizeof by_first, "dict.%.100s.txt", first ? first : "");
    const char *const names[] = {name_in_path(fs_text(reader, "fixed_dictionary", "")),
                                 name_in_path(fs_text(reader, own[side], "")), by_language,
                                 by_first, "dict.txt"};
    const bool unnamed = strcmp(by_language, "dict..txt") == 0;
    char place[FS_PLACE];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fs_find_file(reader, names[i], place))
            return read_file(reader, side, place) && add_task_symbols(reader, side) &&
                   check_rows(reader, side, names[i]);
    return fs_fail(reader,
                   "%s: missing beside it and in data-bin or data, expected the dictionar%s that "
                   "fairseq-preprocess wrote",
                   unnamed ? "dict.*.txt of two languages" : QUOTED(by_language),
                   unnamed ? "ies" : "y");
}

/* True if the options omit a language and name no dictionary instead. */
static bool lacks_pair(const struct fs_reader *reader)
{
    static const char *const dictionaries[] = {"source_dict", "target_dict", "fixed_dictionary"};
    for (size_t i = 0; i < sizeof dictionaries / sizeof *dictionaries; i++)
        if (*fs_text(reader, dictionaries[i], ""))
            return false;
    bool pair = *fs_text(reader, "source_lang", "") && *fs_text(reader, "target_lang", "");
    return !pair && json_object_size(reader->languages) == 0;
}

bool fs_read_dictionaries(struct fs_reader *reader)
{
    return (!lacks_pair(reader) || fs_infer_pair(reader)) && read_side(reader, 0) &&
           read_side(reader, 1);
}

void fs_free_dictionaries(struct fs_reader *reader)
{
    for (int side = 0; side < 2; side++)
        piece_list_free(&reader->pieces[side]);
}

bool fs_put_dictionaries(struct fs_reader *reader)
{
    const struct piece_list *pieces = reader->pieces;
    bool shared = piece_list_equal(&pieces[0], &pieces[1]);
    return contents_vocabularies(reader->contents, &pieces[0], &pieces[!shared], reader->status);
}
