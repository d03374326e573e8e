#include "model/text/bpe.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/buffer.h"
#include "model/text/marks.h"
#include "model/text/utf8.h"

/* Codes as tables: symbols by spelling, merges by pair of symbols -------------------------------*/

#define BPE_WORD_END "</w>"

static const char version_mark[] = "#version:";

struct bpe_merge {
    int32_t left, right; // symbols
    int32_t rank;        // lower ranks merge first
    int32_t result;      // the merged symbol; -1 in unused slots of the table
};

enum bpe_word_end {
    WORD_END_ATTACHED, // the last character of a word carries "</w>" (version 0.2, fastBPE)
    WORD_END_APART,    // "</w>" is a separate symbol (version 0.1)
    WORD_END_NONE      // words end without a mark (GPT-2, Hugging Face)
};

struct bpe_codes {
    enum bpe_word_end word_end;
    bool counted; // a third column counts each merge (fastBPE)
    char *text;   // the codes; symbols point into it
    char *joined; // spellings of merged symbols
    struct bpe_symbol {
        const char *name; // not NUL-terminated
        int32_t length;   // 0: unused slot of the table
        int32_t id;
    } * symbols; // (symbols_size)
    size_t symbols_size;
    int32_t symbol_count;
    struct bpe_merge *merges; // (merges_size)
    size_t merges_size;
};

/* A line makes at most 3 symbols, and ids have 32 bits. */
enum { LINES_MOST = 1 << 28 };

static size_t symbol_place(const struct bpe_codes *codes, const char *name, size_t length)
{
    size_t mask = codes->symbols_size - 1;
    size_t place = bytes_hash(name, length) & mask;
    while (codes->symbols[place].length != 0 &&
           ((size_t)codes->symbols[place].length != length ||
            memcmp(codes->symbols[place].name, name, length) != 0))
        place = (place + 1) & mask;
    return place;
}

/* The symbol spelt `name`, or -1. */
static int32_t codes_symbol(const struct bpe_codes *codes, const char *name, size_t length)
{
    const struct bpe_symbol *symbol = &codes->symbols[symbol_place(codes, name, length)];
    return symbol->length != 0 ? symbol->id : -1;
}

/* Returns the id of a spelling, a new one if it had none; `name` must live as long as the codes. */
static int32_t symbol_intern(struct bpe_codes *codes, const char *name, size_t length)
{
    struct bpe_symbol *symbol = &codes->symbols[symbol_place(codes, name, length)];
    if (symbol->length == 0)
        *symbol = (struct bpe_symbol){name, (int32_t)length, codes->symbol_count++};
    return symbol->id;
}

static size_t merge_place(const struct bpe_codes *codes, int32_t left, int32_t right)
{
    size_t mask = codes->merges_size - 1;
    uint64_t pair = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    uint64_t hash = pair * 0x9E3779B97F4A7C15u;
    size_t place = (hash ^ hash >> 32) & mask;
    while (codes->merges[place].result >= 0 &&
           (codes->merges[place].left != left || codes->merges[place].right != right))
        place = (place + 1) & mask;
    return place;
}

/* The merge of two symbols (-1: no symbol), or NULL. */
static const struct bpe_merge *codes_merge(const struct bpe_codes *codes, int32_t left,
                                           int32_t right)
{
    if (left < 0 || right < 0)
        return NULL;
    const struct bpe_merge *merge = &codes->merges[merge_place(codes, left, right)];
    return merge->result >= 0 ? merge : NULL;
}

/* Returns the bytes of a line without its last column. */
static size_t uncounted(const char *line, size_t length)
{
    size_t end = length;
    while (end > 0 && line[end - 1] >= '0' && line[end - 1] <= '9')
        end--;
    return end > 0 && end < length && line[end - 1] == ' ' ? end - 1 : length;
}

/* Reads one "left right" line; `joined` is where the spelling of both together goes. subword-nmt
 * ignores blanks and carriage returns around it. Returns the bytes written to `joined`, 0 on
 * failure. */
static size_t line_read(struct bpe_codes *codes, const char *line, size_t length, int number,
                        int rank, char *joined, struct status *status)
{
    while (length > 0 && strchr("\r\n ", *line))
        line++, length--;
    while (length > 0 && strchr("\r\n ", line[length - 1]))
        length--;
    if (codes->counted)
        length = uncounted(line, length);
    const char *blank = memchr(line, ' ', length);
    if (!blank || memchr(blank + 1, ' ', (size_t)(line + length - blank) - 1)) {
        status_fail(status, STATUS_INVALID,
                    "line %d: \"%.*s\", expected two symbols separated by one blank", number,
                    (int)(length < 80 ? length : 80), line);
        return 0;
    }
    size_t left_length = (size_t)(blank - line), right_length = length - left_length - 1;
    memcpy(joined, line, left_length);
    memcpy(joined + left_length, blank + 1, right_length);
    int32_t left = symbol_intern(codes, line, left_length);
    int32_t right = symbol_intern(codes, blank + 1, right_length);
    int32_t result = symbol_intern(codes, joined, length - 1);
    struct bpe_merge *merge = &codes->merges[merge_place(codes, left, right)];
    if (merge->result < 0)
        *merge = (struct bpe_merge){left, right, rank, result};
    return length - 1;
}

/* True if the first line is fastBPE's, which has no version. */
static bool is_counted(const char *text)
{
    size_t length = strcspn(text, "\r\n"), columns = 1;
    for (size_t i = 0; i < length; i++)
        columns += text[i] == ' ';
    return columns == 3 && uncounted(text, length) < length;
}

/* Reads "#version: X" if it is the first line, and how words end. Sets *length to the line's bytes,
 * 0 if it is a merge. */
static bool version_read(struct bpe_codes *codes, size_t *length, struct status *status)
{
    bool plain = codes->word_end == WORD_END_NONE;
    *length = 0;
    if (strncmp(codes->text, version_mark, strlen(version_mark)) != 0) {
        codes->counted = !plain && is_counted(codes->text);
        if (!plain && !codes->counted)
            codes->word_end = WORD_END_APART;
        return true;
    }
    *length = strcspn(codes->text, "\n");
    const char *version = codes->text + strlen(version_mark);
    const char *end = codes->text + *length;
    while (version < end && strchr(" \t\r", *version))
        version++;
    size_t used = (size_t)(end - version);
    while (used > 0 && strchr(" \t\r", version[used - 1]))
        used--;
    while (used > 2 && memcmp(version + used - 2, ".0", 2) == 0)
        used -= 2;
    bool apart = used == 3 && memcmp(version, "0.1", 3) == 0;
    if (apart && !plain)
        codes->word_end = WORD_END_APART;
    if (!apart && (used != 3 || memcmp(version, "0.2", 3) != 0))
        return status_fail(status, STATUS_INVALID,
                           "line 1: version \"%.*s\" of merge codes, expected 0.1 or 0.2",
                           (int)(used < 40 ? used : 40), version);
    return true;
}

/* Reads lines up to `bytes`, which leave out the line breaks at the end. */
static bool lines_read(struct bpe_codes *codes, size_t bytes, struct status *status)
{
    size_t skip, written = 0;
    if (!version_read(codes, &skip, status))
        return false;
    int number = skip > 0 ? 2 : 1, first = number;
    const char *line = codes->text + skip + (skip > 0), *end = codes->text + bytes;
    if (codes->word_end == WORD_END_NONE && skip > 0 && line >= end)
        return true; // without merges, every character is a piece
    do {
        const char *stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
        size_t length = line < end ? (size_t)((stop ? stop : end) - line) : 0;
        size_t joined =
            line_read(codes, line, length, number, number - first, codes->joined + written, status);
        if (joined == 0)
            return false;
        written += joined;
        number++;
        line += length + 1;
    } while (line < end);
    return true;
}

static bool text_check(const char *text, size_t bytes, size_t *lines, struct status *status)
{
    ptrdiff_t invalid = utf8_invalid(text, bytes);
    const char *nul = bytes > 0 ? memchr(text, '\0', bytes) : NULL;
    if (nul && (invalid < 0 || nul - text < invalid))
        invalid = nul - text;
    size_t number = 1, start = 0;
    for (size_t i = 0; i < (invalid < 0 ? bytes : (size_t)invalid); i++)
        if (text[i] == '\n')
            number++, start = i + 1;
    if (invalid >= 0)
        return status_fail(status, STATUS_INVALID, "line %zu: %s at byte %zu of the line", number,
                           nul && nul - text == invalid ? "NUL" : "invalid UTF-8",
                           (size_t)invalid - start);
    if (number > LINES_MOST || bytes > INT32_MAX)
        return status_fail(status, STATUS_INVALID, "merge codes of %zu bytes, expected at most %d",
                           bytes, INT32_MAX);
    *lines = number;
    return true;
}

static size_t power_of_two(size_t least)
{
    size_t size = 8;
    while (size < least)
        size *= 2;
    return size;
}

static void codes_close(struct bpe_codes *codes)
{
    free(codes->text);
    free(codes->joined);
    free(codes->symbols);
    free(codes->merges);
    *codes = (struct bpe_codes){0};
}

/* `plain`: words end without a mark; otherwise the codes decide. Messages begin with the line
 * ("line 17: …"). On failure *codes is empty again. */
static bool codes_open(struct bpe_codes *codes, bool plain, const char *text, size_t bytes,
                       struct status *status)
{
    size_t lines = 0;
    *codes = (struct bpe_codes){.word_end = plain ? WORD_END_NONE : WORD_END_ATTACHED};
    if (!text_check(text, bytes, &lines, status))
        return false;
    codes->symbols_size = power_of_two(6 * lines);
    codes->merges_size = power_of_two(2 * lines);
    codes->text = memory_new(bytes + 1, 1, status);
    codes->joined = memory_new(bytes + 1, 1, status);
    codes->symbols = memory_new(codes->symbols_size, sizeof *codes->symbols, status);
    codes->merges = memory_new(codes->merges_size, sizeof *codes->merges, status);
    if (codes->text && codes->joined && codes->symbols && codes->merges) {
        for (size_t i = 0; i < codes->merges_size; i++)
            codes->merges[i].result = -1;
        if (bytes > 0)
            memcpy(codes->text, text, bytes);
        while (bytes > 0 && text[bytes - 1] == '\n')
            bytes--;
        if (lines_read(codes, bytes, status))
            return true;
    }
    codes_close(codes);
    return false;
}

/* Words ---------------------------------------------------------------------------------------- */

/* A symbol of the current word: bytes begin … end-1, in a list linked by indices (-1: none). */
struct node {
    int32_t symbol; // -1: not in the codes
    int begin, end;
    int previous, next;
    bool gone; // merged into the one before it
};

/* A possible merge at `node`; it only happens if the pair is still there. */
struct candidate {
    int node;
    const struct bpe_merge *merge;
};

struct bpe {
    struct bpe_codes codes;
    enum bpe_form form;
    struct node *nodes;
    size_t nodes_capacity;
    struct candidate *heap; // lowest rank first, then leftmost
    size_t heap_count, heap_capacity;
    struct candidate *batch; // all of the same rank
    size_t batch_capacity;
    struct text_buffer piece;
};

struct bpe *bpe_open(const char *codes, size_t bytes, enum bpe_form form, struct status *status)
{
    struct bpe *bpe = memory_new(1, sizeof *bpe, status);
    if (!bpe)
        return NULL;
    bpe->form = form;
    if (codes_open(&bpe->codes, form != BPE_CONTINUED, codes, bytes, status))
        return bpe;
    free(bpe);
    return NULL;
}

void bpe_close(struct bpe *bpe)
{
    if (!bpe)
        return;
    codes_close(&bpe->codes);
    free(bpe->nodes);
    free(bpe->heap);
    free(bpe->batch);
    free(bpe->piece.data);
    free(bpe);
}

static bool candidate_before(struct candidate a, struct candidate b)
{
    return a.merge->rank != b.merge->rank ? a.merge->rank < b.merge->rank : a.node < b.node;
}

static bool heap_push(struct bpe *bpe, struct candidate candidate, struct status *status)
{
    if (!memory_grow((void **)&bpe->heap, &bpe->heap_capacity, bpe->heap_count + 1,
                     sizeof *bpe->heap, status))
        return false;
    size_t at = bpe->heap_count++;
    while (at > 0 && candidate_before(candidate, bpe->heap[(at - 1) / 2])) {
        bpe->heap[at] = bpe->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    bpe->heap[at] = candidate;
    return true;
}

static struct candidate heap_pop(struct bpe *bpe)
{
    struct candidate top = bpe->heap[0], last = bpe->heap[--bpe->heap_count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < bpe->heap_count) {
        if (child + 1 < bpe->heap_count && candidate_before(bpe->heap[child + 1], bpe->heap[child]))
            child++;
        if (!candidate_before(bpe->heap[child], last))
            break;
        bpe->heap[at] = bpe->heap[child];
        at = child;
    }
    bpe->heap[at] = last;
    return top;
}

/* Queues the merge of `node` and the one after it, if the codes have one. */
static bool pair_consider(struct bpe *bpe, int node, struct status *status)
{
    if (node < 0 || bpe->nodes[node].next < 0)
        return true;
    const struct bpe_merge *merge =
        codes_merge(&bpe->codes, bpe->nodes[node].symbol, bpe->nodes[bpe->nodes[node].next].symbol);
    return !merge || heap_push(bpe, (struct candidate){node, merge}, status);
}

static bool candidate_holds(const struct bpe *bpe, struct candidate candidate)
{
    const struct node *node = &bpe->nodes[candidate.node];
    return !node->gone && node->symbol == candidate.merge->left && node->next >= 0 &&
           bpe->nodes[node->next].symbol == candidate.merge->right;
}

static bool candidate_apply(struct bpe *bpe, struct candidate candidate, struct status *status)
{
    struct node *node = &bpe->nodes[candidate.node], *right = &bpe->nodes[node->next];
    node->symbol = candidate.merge->result;
    node->end = right->end;
    node->next = right->next;
    right->gone = true;
    if (node->next >= 0)
        bpe->nodes[node->next].previous = candidate.node;
    return pair_consider(bpe, node->previous, status) && pair_consider(bpe, candidate.node, status);
}

/* subword-nmt merges every occurrence of a pair before it looks for the next pair, even if a merge
 * enables a more urgent one; hence one batch per rank. Hugging Face's tokenizers look after each
 * merge. */
static bool merges_apply(struct bpe *bpe, struct status *status)
{
    while (bpe->heap_count > 0) {
        size_t count = 0;
        int32_t rank = bpe->heap[0].merge->rank;
        bool one = bpe->codes.word_end == WORD_END_NONE;
        while (bpe->heap_count > 0 && bpe->heap[0].merge->rank == rank && !(one && count > 0)) {
            if (!memory_grow((void **)&bpe->batch, &bpe->batch_capacity, count + 1,
                             sizeof *bpe->batch, status))
                return false;
            bpe->batch[count++] = heap_pop(bpe);
        }
        for (size_t i = 0; i < count; i++)
            if (candidate_holds(bpe, bpe->batch[i]) && !candidate_apply(bpe, bpe->batch[i], status))
                return false;
    }
    return true;
}

/* Returns the symbol of the word's last character if it carries the end of the word. */
static int32_t last_symbol(const struct bpe *bpe, const char *character, size_t length)
{
    char name[4 + sizeof BPE_WORD_END];
    memcpy(name, character, length);
    memcpy(name + length, BPE_WORD_END, sizeof BPE_WORD_END);
    return codes_symbol(&bpe->codes, name, length + strlen(BPE_WORD_END));
}

/* Makes one node per character, plus one if the word end is separate. Returns how many, or -1. */
static int nodes_begin(struct bpe *bpe, const char *word, size_t bytes, struct status *status)
{
    if (bytes > INT_MAX / 2) {
        status_fail(status, STATUS_INVALID, "a word of %zu bytes, expected at most %d", bytes,
                    INT_MAX / 2);
        return -1;
    }
    if (!memory_grow((void **)&bpe->nodes, &bpe->nodes_capacity, bytes + 1, sizeof *bpe->nodes,
                     status))
        return -1;
    int count = 0, end = (int)bytes;
    bool attached = bpe->codes.word_end == WORD_END_ATTACHED || bpe->form == BPE_ENDED;
    for (int at = 0; at < end; count++) {
        int length = (int)utf8_length(word[at]);
        bool last = at + length == end && attached;
        int32_t symbol = last ? last_symbol(bpe, word + at, (size_t)length)
                              : codes_symbol(&bpe->codes, word + at, (size_t)length);
        bpe->nodes[count] = (struct node){symbol, at, at + length, count - 1, count + 1, false};
        at += length;
    }
    if (bpe->codes.word_end == WORD_END_APART) {
        int32_t symbol = codes_symbol(&bpe->codes, BPE_WORD_END, strlen(BPE_WORD_END));
        bpe->nodes[count] = (struct node){symbol, end, end, count - 1, count + 1, false};
        count++;
    }
    bpe->nodes[count - 1].next = -1;
    return count;
}

static bool nodes_write(struct bpe *bpe, const char *word, size_t bytes, struct strings *pieces,
                        struct status *status)
{
    for (int i = 0; i >= 0; i = bpe->nodes[i].next) {
        const struct node *node = &bpe->nodes[i];
        size_t length = (size_t)(node->end - node->begin);
        if (length == 0) // a lone word end
            continue;
        bool last = (size_t)node->end == bytes;
        const char *mark = bpe->form == BPE_CONTINUED && !last ? CONTINUED
                           : bpe->form == BPE_ENDED && last    ? END_OF_WORD
                                                               : "";
        if (!buffer_clear(&bpe->piece, status) ||
            !buffer_add(&bpe->piece, word + node->begin, length, status) ||
            !buffer_add_text(&bpe->piece, mark, status) ||
            !strings_add(pieces, bpe->piece.data, bpe->piece.count, status))
            return false;
    }
    return true;
}

bool bpe_split(struct bpe *bpe, const char *word, size_t bytes, struct strings *pieces,
               struct status *status)
{
    int count = nodes_begin(bpe, word, bytes, status);
    if (count < 0)
        return false;
    bpe->heap_count = 0;
    for (int i = 0; i + 1 < count; i++)
        if (!pair_consider(bpe, i, status))
            return false;
    return merges_apply(bpe, status) && nodes_write(bpe, word, bytes, pieces, status);
}
