/* Reads JoeyNMT's vocabularies: special pieces, language tags, then the lines of a file, each only
 * once. Sources: joeynmt/vocabulary.py and joeynmt/config.py. */
#include <stdio.h>
#include <string.h>

#include "model/formats/opennmt/joeynmt.h"
#include "model/formats/yaml/yaml.h"

/* The vocabulary of one side while it is being read. */
struct growing {
    struct joey_reader *reader;
    struct piece_list *list;
    json_t *ids; // {piece: id}
};

static bool add(struct growing *growing, const char *piece, size_t bytes)
{
    struct status *status = growing->reader->status;
    if (json_object_getn(growing->ids, piece, bytes))
        return true;
    int id = growing->list->count;
    if (json_object_setn_new_nocheck(growing->ids, piece, bytes, json_integer(id)) != 0)
        return status_no_memory(status);
    return bytes ? piece_list_add(growing->list, piece, bytes, status)
                 : piece_list_add_number(growing->list, status);
}

/* Kinds of line breaks: those of Python's text files, which version 1 reads line by line, and those
 * of str.splitlines. */
enum { OF_FILES = 3, OF_SPLITLINES = 11 };

/* Returns the length of the line break here; 0: none. */
static size_t line_end(const char *at, size_t left, int kinds)
{
    static const char *const ends[OF_SPLITLINES] = {
        "\r\n", "\n",   "\r",       "\v",           "\f",          "\x1C",
        "\x1D", "\x1E", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"};
    const unsigned char first = (unsigned char)*at;
    if (first > 0x1E && first != 0xC2 && first != 0xE2) // nearly every byte
        return 0;
    for (int i = 0; i < kinds; i++) {
        size_t bytes = strlen(ends[i]);
        if (bytes <= left && memcmp(at, ends[i], bytes) == 0)
            return bytes;
    }
    return 0;
}

static bool add_lines(struct growing *growing, const struct mapped_file *file)
{
    const char *at = (const char *)file->data, *end = at + file->bytes;
    int kinds = joey_is_version_1(growing->reader) ? OF_FILES : OF_SPLITLINES;
    while (at < end) {
        const char *line = at;
        size_t ending = 0;
        while (at < end && !(ending = line_end(at, (size_t)(end - at), kinds)))
            at++;
        if (!add(growing, line, (size_t)(at - line)))
            return false;
        at += ending;
    }
    return true;
}

static const char *special(const struct joey_reader *reader, const char *key, const char *otherwise)
{
    char path[64];
    snprintf(path, sizeof path, "data.special_symbols.%s", key);
    const char *piece = json_string_value(joey_get(reader, path));
    return piece ? piece : otherwise;
}

static bool add_specials(struct growing *growing)
{
    static const char *const names[][2] = {{"unk_token", "<unk>"},
                                           {"pad_token", "<pad>"},
                                           {"bos_token", "<s>"},
                                           {"eos_token", "</s>"},
                                           {"sep_token", ""}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *piece = special(growing->reader, names[i][0], names[i][1]);
        if (*piece && !add(growing, piece, strlen(piece)))
            return false;
    }
    const json_t *tags = joey_get(growing->reader, "data.special_symbols.lang_tags");
    for (size_t i = 0; i < json_array_size(tags); i++) {
        const char *tag = json_string_value(json_array_get(tags, i));
        if (tag && !add(growing, tag, strlen(tag)))
            return false;
    }
    return true;
}

static int64_t id_of(const struct growing *growing, const char *key, const char *otherwise)
{
    return json_integer_value(
        json_object_get(growing->ids, special(growing->reader, key, otherwise)));
}

/* Special pieces come first on both sides, so they have the same ids. */
static void read_tokens(const struct growing *growing)
{
    struct plain_config *plain = &growing->reader->plain;
    plain->unk = id_of(growing, "unk_token", "<unk>");
    plain->pad = id_of(growing, "pad_token", "<pad>");
    plain->eos_source = plain->eos_target = id_of(growing, "eos_token", "</s>");
    plain->suffix[0] = plain->eos_source;
    plain->start[0] = id_of(growing, "bos_token", "<s>");
    plain->suffix_count = plain->start_count = 1;
}

/* Translations never contain <s>, separators or language tags, and contain <unk> only if allowed.
 * Only the beam search excludes padding, not the greedy search (search.py, beam_search and
 * transformer_greedy). Version 1 excludes nothing. */
static bool read_excluded(const struct growing *growing)
{
    struct joey_reader *reader = growing->reader;
    bool searches = family_integer(joey_get(reader, "testing"), "beam_size", 1) > 1;
    const json_t *tags = joey_get(reader, "data.special_symbols.lang_tags");
    const char *separator = special(reader, "sep_token", "");
    json_t *excluded = json_array();
    reader->excluded = excluded;
    reader->plain.specials_allowed = true;
    if (!joey_is_version_1(reader)) {
        json_array_append_new(excluded, json_integer(reader->plain.start[0]));
        if (searches)
            json_array_append_new(excluded, json_integer(reader->plain.pad));
    }
    if (!yaml_flag(joey_get(reader, "testing"), "generate_unk", true))
        json_array_append_new(excluded, json_integer(reader->plain.unk));
    if (*separator)
        json_array_append_new(excluded, json_integer(id_of(growing, "sep_token", "")));
    for (size_t i = 0; i < json_array_size(tags); i++) {
        const char *tag = json_string_value(json_array_get(tags, i));
        if (tag)
            json_array_append(excluded, json_object_get(growing->ids, tag));
    }
    if (json_array_size(excluded) > 0)
        reader->plain.excluded = excluded;
    return excluded || status_no_memory(reader->status);
}

static bool read_side(struct joey_reader *reader, int side)
{
    static const char *const files[2] = {"src_vocab.txt", "trg_vocab.txt"};
    const struct mapped_file *file =
        family_text(reader->contents, reader->folder, files[side], reader->status);
    struct growing growing = {
        .reader = reader, .list = &reader->pieces[side], .ids = json_object()};
    bool good = file && (growing.ids || status_no_memory(reader->status));
    if (good) {
        good = (add_specials(&growing) && add_lines(&growing, file)) ||
               status_prefix(reader->status, "%s", files[side]);
        read_tokens(&growing);
        if (good && side == 1)
            good = read_excluded(&growing);
    }
    json_decref(growing.ids);
    return good;
}

bool joey_read_vocabularies(struct joey_reader *reader)
{
    return read_side(reader, 0) && read_side(reader, 1);
}
