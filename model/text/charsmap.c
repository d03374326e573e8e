#include "model/text/charsmap.h"

#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "model/text/text.h"
#include "model/text/utf8.h"

/* Longer grapheme clusters are replaced character by character. */
enum { CLUSTER_BYTES_MOST = 5 };

/* The limits of libsentencepiece's arrays, and of its recursion, which is as deep as the table. */
enum { RULE_PREFIXES_MOST = 32, RULE_BYTES_MOST = 256, CHARSMAP_BYTES_MOST = 1 << 24 };

struct table {
    const char *units, *replacements;
};

static uint32_t unit_at(const struct table *table, size_t at)
{
    uint32_t unit;
    memcpy(&unit, table->units + 4 * at, 4);
    return unit;
}

static size_t unit_offset(uint32_t unit)
{
    return (size_t)(unit >> 10) << ((unit & 1u << 9) >> 6);
}

/* Checking ------------------------------------------------------------------------------------- */

enum { NODE_OPEN = 255 };

/* Nodes are numbered by where their children begin; leaves are offsets of replacements. */
struct checked {
    struct table table;
    size_t unit_count, replacement_bytes;
    struct checked_unit {
        uint32_t first, next; // 1 + a node's first child; 1 + a child's next sibling; 0: none
        /* Of a node: 1 + the most rules that end on a path down from it; 0: unknown; NODE_OPEN: on
         * the present path. */
        unsigned char matches;
    } * units; // (unit_count)
};

static bool leaf_good(const struct checked *checked, size_t node)
{
    size_t at = unit_at(&checked->table, node) & 0x7FFFFFFFu;
    return at < checked->replacement_bytes && (checked->table.replacements[at] & 0xC0) != 0x80;
}

/* A unit's own index and its byte give its parent. */
static void link_children(struct checked *checked)
{
    for (size_t at = checked->unit_count; at-- > 0;) {
        const uint32_t unit = unit_at(&checked->table, at);
        const size_t node = at ^ (unit & 0xFF);
        if (unit >> 31 || node >= checked->unit_count)
            continue;
        checked->units[at].next = checked->units[node].first;
        checked->units[node].first = (uint32_t)at + 1;
    }
}

/* True if it is safe to walk below `node`: all children are within the array, there is no cycle, it
 * is not too deep, and no path has more rules than libsentencepiece's result has room for. */
static bool node_check(struct checked *checked, size_t node, int depth)
{
    if (depth > RULE_BYTES_MOST || (node | 0xFF) >= checked->unit_count)
        return false;
    struct checked_unit *units = checked->units;
    if (units[node].matches != 0)
        return units[node].matches != NODE_OPEN;
    units[node].matches = NODE_OPEN;
    int most = 0;
    for (size_t place = units[node].first; place != 0; place = units[place - 1].next) {
        const size_t at = place - 1;
        uint32_t unit = unit_at(&checked->table, at);
        size_t child = at ^ unit_offset(unit);
        bool leaf = unit >> 8 & 1;
        if (!node_check(checked, child, depth + 1) || (leaf && !leaf_good(checked, child)))
            return false;
        int below = units[child].matches - 1 + leaf;
        most = below > most ? below : most;
    }
    units[node].matches = (unsigned char)(most + 1);
    return most <= RULE_PREFIXES_MOST;
}

static bool charsmap_good(const char *data, size_t bytes, struct checked_unit *units)
{
    uint32_t trie;
    memcpy(&trie, data, 4);
    if (trie % 4 != 0 || trie == 0 || trie > bytes - 4)
        return false;
    struct checked checked = {{data + 4, data + 4 + trie}, trie / 4, bytes - 4 - trie, units};
    const char *replacements = checked.table.replacements;
    if (checked.replacement_bytes == 0 || replacements[checked.replacement_bytes - 1] != '\0' ||
        utf8_invalid(replacements, checked.replacement_bytes) >= 0)
        return false;
    link_children(&checked);
    return node_check(&checked, unit_offset(unit_at(&checked.table, 0)), 0);
}

bool charsmap_check(const void *table, size_t bytes, struct status *status)
{
    if (bytes == 0)
        return true;
    bool good = bytes > 8 && bytes <= CHARSMAP_BYTES_MOST;
    if (good) {
        struct checked_unit *units = memory_new(bytes / 4, sizeof *units, status);
        if (!units)
            return false;
        good = charsmap_good(table, bytes, units);
        free(units);
    }
    return good || status_fail(status, STATUS_INVALID,
                               "broken table of normalisation rules (precompiled_charsmap)");
}

/* Applying ------------------------------------------------------------------------------------- */

/* Returns the replacement of the shortest rule that matches the beginning of the text; NULL: none.
 * The tokenizers package uses it for the whole text. */
static const char *replacement_of(const struct table *table, const char *text, size_t bytes)
{
    size_t node = unit_offset(unit_at(table, 0));
    for (size_t i = 0; i < bytes; i++) {
        unsigned char byte = (unsigned char)text[i];
        uint32_t unit = unit_at(table, node ^ byte);
        if ((unit & 0x800000FFu) != byte)
            return NULL;
        node ^= byte ^ unit_offset(unit);
        if (unit >> 8 & 1)
            return table->replacements + (unit_at(table, node) & 0x7FFFFFFFu);
    }
    return NULL;
}

static bool apply_to_characters(const struct table *table, const char *text, size_t bytes,
                                struct text_buffer *out, struct status *status)
{
    for (size_t at = 0, length; at < bytes; at += length) {
        length = utf8_length(text[at]);
        const char *other = replacement_of(table, text + at, length);
        if (!(other ? buffer_add_text(out, other, status)
                    : buffer_add(out, text + at, length, status)))
            return false;
    }
    return true;
}

/* Returns the bytes of the grapheme cluster at the beginning of the text. */
static size_t cluster_length(const char *text)
{
    size_t length, next;
    utf8proc_int32_t state = 0;
    uint32_t before = utf8_decode(text, &length);
    while (text[length]) {
        uint32_t after = utf8_decode(text + length, &next);
        if (utf8proc_grapheme_break_stateful((utf8proc_int32_t)before, (utf8proc_int32_t)after,
                                             &state))
            break;
        before = after;
        length += next;
    }
    return length;
}

bool charsmap_apply(const void *data, size_t bytes, const char *text, struct text_buffer *out,
                    struct status *status)
{
    uint32_t trie;
    if (bytes == 0)
        return buffer_add_text(out, text, status);
    memcpy(&trie, data, 4);
    const struct table table = {(const char *)data + 4, (const char *)data + 4 + trie};
    while (*text) {
        size_t length = cluster_length(text);
        const char *other =
            length <= CLUSTER_BYTES_MOST ? replacement_of(&table, text, length) : NULL;
        if (!(other ? buffer_add_text(out, other, status)
                    : apply_to_characters(&table, text, length, out, status)))
            return false;
        text += length;
    }
    return true;
}
