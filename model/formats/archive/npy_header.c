#include "model/formats/archive/npy_header.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Reads the dictionary, a Python literal: "{'descr': '<f4', 'fortran_order': False, 'shape': (2,
 * 3), }". */
struct literal {
    const char *at, *end;
};

static bool fail(struct status *status, const char *what)
{
    return status_fail(status, STATUS_INVALID, "header: %s, expected that of a .npy array", what);
}

static void skip_blanks(struct literal *text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\n'))
        text->at++;
}

static bool accept(struct literal *text, char c)
{
    skip_blanks(text);
    if (text->at == text->end || *text->at != c)
        return false;
    text->at++;
    return true;
}

static bool accept_word(struct literal *text, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(text);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
        return false;
    text->at += length;
    return true;
}

/* Reads a quoted text without escapes. Returns false if it does not fit. */
static bool take_text(struct literal *text, char *out, size_t size)
{
    skip_blanks(text);
    if (text->at == text->end || (*text->at != '\'' && *text->at != '"'))
        return false;
    char quote = *text->at++;
    const char *close = memchr(text->at, quote, (size_t)(text->end - text->at));
    if (!close || (size_t)(close - text->at) >= size)
        return false;
    memcpy(out, text->at, (size_t)(close - text->at));
    out[close - text->at] = '\0';
    text->at = close + 1;
    return true;
}

static bool take_number(struct literal *text, int64_t *number)
{
    skip_blanks(text);
    const char *begin = text->at;
    for (*number = 0; text->at < text->end && isdigit((unsigned char)*text->at); text->at++)
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, *text->at - '0', number))
            return false;
    return text->at > begin;
}

static bool take_shape(struct literal *text, struct npy_header *header)
{
    if (!accept(text, '('))
        return false;
    header->dimensions = 0;
    while (!accept(text, ')')) {
        if (header->dimensions == NPY_RANK_MOST ||
            !take_number(text, &header->shape[header->dimensions]))
            return false;
        header->dimensions++;
        accept_word(text, "L"); // the suffix of Python 2's long integers
        if (!accept(text, ',') && (text->at == text->end || *text->at != ')'))
            return false;
    }
    return true;
}

static bool take_member(struct literal *text, struct npy_header *header)
{
    char key[16];
    if (!take_text(text, key, sizeof key) || !accept(text, ':'))
        return false;
    if (strcmp(key, "descr") == 0)
        return take_text(text, header->type, sizeof header->type);
    if (strcmp(key, "shape") == 0)
        return take_shape(text, header);
    if (strcmp(key, "fortran_order") != 0)
        return false;
    header->fortran = accept_word(text, "True");
    return header->fortran || accept_word(text, "False");
}

static bool take_dictionary(struct literal *text, struct npy_header *header)
{
    if (!accept(text, '{'))
        return false;
    while (!accept(text, '}'))
        if (!take_member(text, header) ||
            (!accept(text, ',') && (text->at == text->end || *text->at != '}')))
            return false;
    return true;
}

/* Parses "<f4", "|i1": byte order, kind and size of an element. */
static bool set_bytes(struct npy_header *header)
{
    const char *type = header->type;
    if (strlen(type) < 3 || !strchr("<|=", type[0]) || !isdigit((unsigned char)type[2]))
        return false;
    header->bytes = (size_t)strtoul(type + 2, NULL, 10);
    return header->bytes >= 1 && header->bytes <= 16;
}

bool npy_header_read(struct npy_header *header, const unsigned char *data, size_t bytes,
                     struct status *status)
{
    *header = (struct npy_header){.dimensions = -1};
    if (bytes < 10 || memcmp(data, "\x93NUMPY", 6) != 0 || data[6] < 1 || data[6] > 3)
        return fail(status, "not one");
    size_t begin = data[6] == 1 ? 10 : 12;
    if (bytes < begin)
        return fail(status, "cut off");
    size_t length = data[8] | (size_t)data[9] << 8;
    if (data[6] > 1)
        length |= (size_t)data[10] << 16 | (size_t)data[11] << 24;
    if (length > bytes - begin)
        return fail(status, "cut off");
    struct literal text = {(const char *)data + begin, (const char *)data + begin + length};
    if (!take_dictionary(&text, header) || header->dimensions < 0)
        return fail(status, "not understood");
    header->length = begin + length;
    return set_bytes(header) || fail(status, "a type that is not known here");
}
