#include "model/text/bpe.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/bpe_codes.h"
#include "model/text/buffer.h"
#include "model/text/marks.h"
#include "model/text/utf8.h"

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
    if (bpe_codes_open(&bpe->codes, form != BPE_CONTINUED, codes, bytes, status))
        return bpe;
    free(bpe);
    return NULL;
}

void bpe_close(struct bpe *bpe)
{
    if (!bpe)
        return;
    bpe_codes_close(&bpe->codes);
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
    const struct bpe_merge *merge = bpe_codes_merge(&bpe->codes, bpe->nodes[node].symbol,
                                                    bpe->nodes[bpe->nodes[node].next].symbol);
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
    return bpe_codes_symbol(&bpe->codes, name, length + strlen(BPE_WORD_END));
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
                              : bpe_codes_symbol(&bpe->codes, word + at, (size_t)length);
        bpe->nodes[count] = (struct node){symbol, at, at + length, count - 1, count + 1, false};
        at += length;
    }
    if (bpe->codes.word_end == WORD_END_APART) {
        int32_t symbol = bpe_codes_symbol(&bpe->codes, BPE_WORD_END, strlen(BPE_WORD_END));
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
