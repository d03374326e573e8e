#include "gpu/cpu/best.h"

#include <math.h>

static int least(int a, int b)
{
    return a < b ? a : b;
}

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

static float last_logit(const struct best *best)
{
    return best->list.value[best->list.room - 1];
}

bool best_full(const struct best *best)
{
    return last_logit(best) > -INFINITY;
}

static void take_all(const struct best *best, const float *logit, const int32_t *id, int count)
{
    for (int i = 0; i < count; i += KERNEL_MERGED)
        best->kernels->merge(&best->list, logit + i, id + i, least(KERNEL_MERGED, count - i));
}

/* Takes the tokens above `threshold`, but no higher than `most`. */
static void take_between(const struct best *best, const float *logits, int begin, int columns,
                         float threshold, float most)
{
    float logit[BEST_COLUMNS + KERNEL_PADDING];
    int32_t id[BEST_COLUMNS + KERNEL_PADDING];
    int found = best->kernels->above(logit, id, logits, (size_t)columns, threshold), count = 0;
    for (int i = 0; i < found; i++) {
        const int token = begin + id[i];
        logit[count] = logit[i];
        id[count] = token;
        count += !(best->excluded && best->excluded[token]) && !(logit[i] > most);
    }
    take_all(best, logit, id, count);
}

/* As long as there is room, the section's groups tell how low to look: each has one token that is as high as its
 * highest. Where too few of these are allowed, others are looked at, too: they may be better than what earlier
 * sections had to offer. */
void best_take(const struct best *best, const float *logits, int begin, int columns,
               const struct peaks *peaks)
{
    if (best_full(best)) {
        if (peaks->highest > last_logit(best))
            take_between(best, logits, begin, columns, last_logit(best), INFINITY);
        return;
    }
    const float mark = best->kernels->group_mark(peaks->groups, best->list.room);
    const float threshold = nextafterf(mark, -INFINITY);
    take_between(best, logits, begin, columns, threshold, INFINITY);
    if (last_logit(best) < threshold)
        take_between(best, logits, begin, columns, last_logit(best), threshold);
}

void best_join(const struct best *best, const struct best *later)
{
    int count = 0;
    while (count < later->list.room && later->list.value[count] > last_logit(best))
        count++;
    take_all(best, later->list.value, later->list.id, count);
}
