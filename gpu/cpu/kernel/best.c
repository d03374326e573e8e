#include "gpu/cpu/kernel/best.h"

#include <math.h>

#include "base/minmax.h"

static int whole(int room)
{
    return (room + KERNEL_MERGED - 1) / KERNEL_MERGED * KERNEL_MERGED;
}

int best_stride(int room)
{
    return whole(room) + KERNEL_PADDING;
}

void best_begin(const struct best *best)
{
    for (int i = 0; i < whole(best->list.room); i++)
        best->list.value[i] = -INFINITY;
}

float best_mark(const struct best *best)
{
    return best->list.value[best->list.room - 1];
}

bool best_full(const struct best *best)
{
    return best_mark(best) > -INFINITY;
}

static void take_all(const struct best *best, const float *logit, const int32_t *id, int count)
{
    for (int i = 0; i < count; i += KERNEL_MERGED)
        best->kernels->merge(&best->list, logit + i, id + i, int_min(KERNEL_MERGED, count - i));
}

/* Takes the tokens whose bit is set, but none above `most`. */
static void take_those(const struct best *best, const float *logits, int begin, int columns,
                       const uint64_t *bits, float most)
{
    float logit[BEST_COLUMNS];
    int32_t id[BEST_COLUMNS];
    int count = 0;
    for (int group = 0; group < columns; group += KERNEL_GROUPS)
        for (uint64_t left = bits[group / KERNEL_GROUPS]; left; left &= left - 1) {
            const int column = group + __builtin_ctzll(left), token = begin + column;
            logit[count] = logits[column];
            id[count] = token;
            count += !(best->excluded && best->excluded[token]) && !(logits[column] > most);
        }
    take_all(best, logit, id, count);
}

static void take_above(const struct best *best, const float *logits, int begin, int columns,
                       float threshold, float most)
{
    struct peaks peaks;
    best->kernels->look(logits, (size_t)columns, threshold, peaks.groups, peaks.above);
    take_those(best, logits, begin, columns, peaks.above, most);
}

/* While there is room, the section's groups show where to set the threshold: each group has a token
 * as high as its peak. If too few of those are allowed, lower tokens are taken, too: they may beat
 * those of earlier sections. */
void best_take(const struct best *best, const float *logits, int begin, int columns,
               const struct peaks *peaks)
{
    if (best_full(best)) {
        if (peaks->highest > best_mark(best))
            take_those(best, logits, begin, columns, peaks->above, INFINITY);
        return;
    }
    const float mark = best->kernels->group_mark(peaks->groups, best->list.room);
    const float threshold = nextafterf(mark, -INFINITY);
    take_above(best, logits, begin, columns, threshold, INFINITY);
    if (best_mark(best) < threshold)
        take_above(best, logits, begin, columns, best_mark(best), threshold);
}

void best_join(const struct best *best, const struct best *later)
{
    int count = 0;
    while (count < later->list.room && later->list.value[count] > best_mark(best))
        count++;
    take_all(best, later->list.value, later->list.id, count);
}
