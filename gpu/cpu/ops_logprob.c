/* Log-probabilities and the best of them.
 *
 * A row of logits is read section by section, from memory or while it is being computed. Each
 * section leaves only its part of the normaliser and those of its tokens that are among the best so
 * far. */
#include <float.h>
#include <math.h>

#include "base/minmax.h"
#include "gpu/cpu/blocks.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/kernel/best.h"
#include "gpu/cpu/kernel/kernels.h"
#include "gpu/cpu/ops.h"
#include "gpu/cpu/sections.h"
#include "gpu/cpu/weight.h"

_Static_assert((int)SECTION_MOST <= (int)BEST_COLUMNS, "a section is looked at as a whole");

/* Spare places for tokens with the same log-probability as the last one wanted. If they are too
 * few, which is very rare, the row is ranked again. But every place costs time, as it lets in more
 * tokens. */
enum { SPARE = 2 };

struct logprob_job {
    const struct logprob_args *args;
    const struct kernels *kernels;
    struct device *device;
    bool streamed; // sections come from the product, not from memory
    struct sections sections;
    int room;           // places for the best of a range
    double *sum;        // (M, sections) Σ e^(logit - highest)
    double *normaliser; // (M)
    float *highest;     // (M, sections)
    float *target;      // (M) its logit
    float *logit;       // (M, ranges, stride of the room): the best
    int32_t *id;        // likewise
    int32_t *unsure;    // (M) true if one of the best may be missing
    float *row;         // (V) of logits, computed again
};

/* ln x of a positive number, within 1e-15; libm's may differ from machine to machine. With x = m
 * 2^e, 1/sqrt(2) <= m < sqrt(2), and s = (m - 1) / (m + 1), ln m = 2 (s + s³/3 + s⁵/5 + …). */
static double natural_log(double x)
{
    int exponent;
    double m = frexp(x, &exponent);
    if (!(x > 0) || isinf(x))
        return x > 0 ? x : NAN;
    if (m < 0.70710678118654752) {
        m *= 2;
        exponent--;
    }
    const double s = (m - 1) / (m + 1), square = s * s;
    double series = 0;
    for (int odd = 23; odd > 0; odd -= 2)
        series = series * square + 1.0 / odd;
    return exponent * 0.69314718055994531 + 2 * s * series;
}

/* True if no hypothesis may end with this row's token. */
static bool row_bars_ends(const struct logprob_args *args, int m)
{
    const struct search_state *search = args->search;
    const int lane = search ? tensor_ints(args->row_lane)[m] : -1;
    if (lane < 0)
        return false;
    const int position = tensor_ints(search->lane)[(size_t)lane * LANE_FIELDS + LANE_POS];
    return search_bars_ends(search, position, tensor_ints(search->limit)[lane / search->beam]);
}

/* Makes the ending tokens impossible in part of a row: logits of `columns` tokens from `begin`
 * on. */
static void row_bar_ends(const struct logprob_args *args, int m, float *logits, int begin,
                         int columns)
{
    if (!row_bars_ends(args, m))
        return;
    for (int i = 0; i < args->search->end_count; i++) {
        const int id = args->search->ends[i] - begin;
        if (id >= 0 && id < columns)
            logits[id] = -INFINITY;
    }
}

/* Reading */

static struct best best_of(const struct logprob_job *job, int m, int range)
{
    const size_t place = (size_t)m * (size_t)job->sections.ranges + (size_t)range;
    const size_t stride = (size_t)best_stride(job->room);
    return (struct best){.list = {job->logit + place * stride, job->id + place * stride, job->room},
                         .kernels = job->kernels,
                         .excluded = tensor_bytes(job->args->excluded)};
}

/* Takes tokens of a section that are among the row's best so far. Returns the highest logit. */
static float row_rank_section(const struct logprob_job *job, int m, const struct section *section,
                              const float *logits)
{
    const struct best best = best_of(job, m, section->range);
    struct peaks peaks;
    if (section->index == section->begin)
        best_begin(&best);
    peaks.highest = job->kernels->look(logits, (size_t)section->columns, best_mark(&best),
                                       peaks.groups, peaks.above);
    best_take(&best, logits, section->index * job->sections.columns, section->columns, &peaks);
    return peaks.highest;
}

static void row_take(const struct logprob_job *job, int m, const struct section *section,
                     float *logits)
{
    const struct logprob_args *args = job->args;
    const int begin = section->index * job->sections.columns;
    const size_t columns = (size_t)section->columns;
    row_bar_ends(args, m, logits, begin, section->columns);
    const size_t at = (size_t)m * (size_t)job->sections.count + (size_t)section->index;
    job->highest[at] = args->tops > 0 ? row_rank_section(job, m, section, logits)
                                      : job->kernels->max(logits, columns);
    // If all are -inf, the sum does not matter, unless one is NaN.
    job->sum[at] = job->kernels->exp_sum(logits, fmaxf(job->highest[at], -FLT_MAX), columns);
    if (tensor_present(args->target)) {
        const int target = tensor_ints(args->target)[m] - begin;
        if (target >= 0 && target < section->columns)
            job->target[m] = logits[target];
    }
}

static void section_read(void *context, const struct section *section)
{
    for (int r = 0; r < section->rows; r++)
        row_take(context, section->row + r, section, section->y + (size_t)r * SECTION_MOST);
}

/* Reads a row of logits from memory. */
static void row_read(const struct logprob_job *job, int m)
{
    const int vocabulary = job->args->vocabulary;
    float *logits = tensor_floats(job->args->logits) + (size_t)m * (size_t)vocabulary;
    for (int index = 0; index < job->sections.count; index++) {
        const int most = job->sections.columns, begin = index * most, left = vocabulary - begin;
        struct section section = {.index = index, .columns = int_min(left, most)};
        row_take(job, m, &section, logits + begin);
    }
}

/* Results */

/* Returns ln Σ e^logit. Sections are added in double, in order. */
static double row_normaliser(const struct logprob_job *job, int m)
{
    enum { TOGETHER = 64 };
    const size_t count = (size_t)job->sections.count;
    const float *highest = job->highest + (size_t)m * count;
    const double *sum = job->sum + (size_t)m * count;
    const float most = job->kernels->max(highest, count);
    float share[TOGETHER];
    double total = 0;
    for (size_t begin = 0; begin < count; begin += TOGETHER) {
        const size_t left = count - begin, length = size_min(left, TOGETHER);
        for (size_t i = 0; i < length; i++)
            share[i] = highest[begin + i] - most;
        job->kernels->exp(share, length);
        for (size_t i = 0; i < length; i++)
            total += (double)share[i] * sum[begin + i];
    }
    return most + natural_log(total);
}

/* Returns the log-probability of a logit, which rises with it. */
static float log_probability(double normaliser, float logit)
{
    return (float)((double)logit - normaliser);
}

/* The results wanted for a row, and where they go. */
struct ranking {
    int32_t *id; // (tops)
    float *lp;   // (tops)
    int count, tops;
};

static struct ranking ranking_of(const struct logprob_job *job, int m)
{
    const size_t first = (size_t)m * (size_t)job->args->tops;
    return (struct ranking){tensor_ints(job->args->top_id) + first,
                            tensor_floats(job->args->top_lp) + first, 0, job->args->tops};
}

/* Different logits may have the same log-probability; then the lower id is better. Impossible
 * tokens (-inf, NaN) are never ranked. */
static void ranking_insert(struct ranking *ranking, int id, float lp)
{
    int place = ranking->count;
    if (!(lp > -INFINITY))
        return;
    while (place > 0 && (ranking->lp[place - 1] < lp ||
                         (ranking->lp[place - 1] == lp && ranking->id[place - 1] > id)))
        place--;
    if (place == ranking->tops)
        return;
    if (ranking->count < ranking->tops)
        ranking->count++;
    for (int i = ranking->count - 1; i > place; i--) {
        ranking->id[i] = ranking->id[i - 1];
        ranking->lp[i] = ranking->lp[i - 1];
    }
    ranking->id[place] = id;
    ranking->lp[place] = lp;
}

static void ranking_finish(struct ranking *ranking)
{
    for (int rank = ranking->count; rank < ranking->tops; rank++) {
        ranking->id[rank] = -1;
        ranking->lp[rank] = -INFINITY;
    }
}

/* If the last token kept ties with the last one wanted, a token that was not kept may tie, too, and
 * have a lower id. */
static void row_rank(const struct logprob_job *job, int m, double normaliser)
{
    const struct best best = best_of(job, m, 0);
    struct ranking ranking = ranking_of(job, m);
    for (int range = 1; range < job->sections.ranges; range++) {
        const struct best later = best_of(job, m, range);
        best_join(&best, &later);
    }
    for (int i = 0; i < job->room && best.list.value[i] > -INFINITY; i++)
        ranking_insert(&ranking, best.list.id[i], log_probability(normaliser, best.list.value[i]));
    job->unsure[m] = best_full(&best) && ranking.count == ranking.tops &&
                     !(log_probability(normaliser, best.list.value[job->room - 1]) <
                       ranking.lp[ranking.tops - 1]);
    ranking_finish(&ranking);
}

static void row_finish(const struct logprob_job *job, int m)
{
    const struct logprob_args *args = job->args;
    const double normaliser = row_normaliser(job, m);
    job->normaliser[m] = normaliser;
    if (args->tops > 0)
        row_rank(job, m, normaliser);
    if (tensor_present(args->target))
        tensor_floats(args->target_lp)[m] =
            tensor_ints(args->target)[m] < 0 ? 0 : log_probability(normaliser, job->target[m]);
}

static void rows_block(void *context, int task, int begin, int end)
{
    const struct logprob_job *job = context;
    (void)task;
    for (int m = begin; m < end; m++) {
        if (!job->streamed)
            row_read(job, m);
        row_finish(job, m);
    }
}

/* Returns a row of logits. If they were not kept, they are computed again: a row computed alone has
 * the same bits. */
static const float *row_logits(const struct logprob_job *job, int m)
{
    struct buffer buffer = {job->row, (size_t)job->args->vocabulary * sizeof(float)};
    if (!job->streamed)
        return tensor_floats(job->args->logits) + (size_t)m * (size_t)job->args->vocabulary;
    struct linear_args row = job->args->product;
    row.rows = 1;
    row.x = tensor_at(row.x, (size_t)m * (size_t)row.ldx * sizeof(float));
    row.y = (struct tensor){.buffer = &buffer};
    cpu_linear(job->device, &row, 1);
    row_bar_ends(job->args, m, job->row, 0, job->args->vocabulary);
    return job->row;
}

/* Ranks every token of a row by its log-probability. */
static void row_rank_all(const struct logprob_job *job, int m)
{
    const uint8_t *excluded = tensor_bytes(job->args->excluded);
    const float *logits = row_logits(job, m);
    struct ranking ranking = ranking_of(job, m);
    for (int id = 0; id < job->args->vocabulary; id++)
        if (!(excluded && excluded[id]))
            ranking_insert(&ranking, id, log_probability(job->normaliser[m], logits[id]));
    ranking_finish(&ranking);
}

static void rank_all_block(void *context, int task, int begin, int end)
{
    const struct logprob_job *job = context;
    (void)task;
    for (int m = begin; m < end; m++)
        if (job->unsure[m])
            row_rank_all(job, m);
}

/* Products divide their own columns among threads, so rows are taken one by one. */
static void rank_unsure(const struct logprob_job *job)
{
    struct row_blocks blocks =
        blocks_of(job->device, job->args->rows, 4 * (size_t)job->args->vocabulary);
    if (!job->streamed)
        blocks_run(job->device, &blocks, rank_all_block, (void *)job);
    for (int m = 0; m < job->args->rows && job->streamed && !cancelled(job->device); m++)
        rank_all_block((void *)job, 0, m, m + 1);
}

/* Runs last, because its result may replace the logits. */
static void all_block(void *context, int task, int begin, int end)
{
    const struct logprob_job *job = context;
    const size_t vocabulary = (size_t)job->args->vocabulary;
    (void)task;
    for (int m = begin; m < end; m++) {
        const float *logits = tensor_floats(job->args->logits) + (size_t)m * vocabulary;
        float *all = tensor_floats(job->args->all) + (size_t)m * vocabulary;
        for (size_t i = 0; i < vocabulary; i++)
            all[i] = log_probability(job->normaliser[m], logits[i]);
    }
}

/* Divides the scratch memory, or measures how large it must be. */
struct layout {
    unsigned char *base; // NULL: measures only
    size_t bytes;        // SIZE_MAX: too large
};

static void *layout_take(struct layout *layout, size_t count, size_t size)
{
    const size_t at = layout->bytes, line = 64;
    size_t bytes;
    if (at > SIZE_MAX - line || !size_multiply(count, size, &bytes) ||
        bytes > SIZE_MAX - line - at) {
        layout->bytes = SIZE_MAX;
        return NULL;
    }
    layout->bytes = at + (bytes + line - 1) / line * line;
    return layout->base ? layout->base + at : NULL;
}

/* The product's memory comes first, so that linear does no harm when a row is computed again. */
static void *job_lay_out(struct logprob_job *job, struct layout *layout)
{
    const struct logprob_args *args = job->args;
    const size_t rows = (size_t)args->rows, sections = (size_t)job->sections.count;
    const size_t ranges = job->room ? rows * (size_t)job->sections.ranges : 0;
    const size_t places = ranges * (size_t)best_stride(job->room);
    void *product =
        layout_take(layout, job->streamed ? sections_scratch(job->device, &args->product) : 0, 1);
    job->sum = layout_take(layout, rows * sections, sizeof *job->sum);
    job->normaliser = layout_take(layout, rows, sizeof *job->normaliser);
    job->highest = layout_take(layout, rows * sections, sizeof *job->highest);
    job->target = layout_take(layout, rows, sizeof *job->target);
    job->logit = layout_take(layout, places, sizeof *job->logit);
    job->id = layout_take(layout, places, sizeof *job->id);
    job->unsure = layout_take(layout, rows, sizeof *job->unsure);
    job->row = layout_take(layout, job->streamed ? (size_t)args->vocabulary : 0, sizeof *job->row);
    return product;
}

static void job_run(struct logprob_job *job, void *scratch)
{
    const struct logprob_args *args = job->args;
    struct device *device = job->device;
    const size_t sections = (size_t)job->sections.count, vocabulary = (size_t)args->vocabulary;
    if (job->streamed)
        sections_run(device, &args->product, &job->sections, scratch, section_read, job);
    struct row_blocks blocks =
        blocks_of(device, args->rows, job->streamed ? 16 * sections : 4 * vocabulary);
    blocks_run(device, &blocks, rows_block, job);
    if (args->tops > 0)
        rank_unsure(job);
    blocks = blocks_of(device, args->rows, vocabulary);
    if (tensor_present(args->all))
        blocks_run(device, &blocks, all_block, job);
}

static struct tensor rows_from(struct tensor tensor, int row, int elements)
{
    const size_t bytes = (size_t)row * (size_t)elements * sizeof(float);
    return tensor_present(tensor) ? tensor_at(tensor, bytes) : tensor;
}

struct logprob_args logprob_rows(const struct logprob_args *args, int row, int rows)
{
    struct logprob_args part = *args;
    part.rows = part.product.rows = rows;
    part.product.y = rows_from(args->product.y, row, args->product.ldy);
    part.product.x = rows_from(args->product.x, row, args->product.ldx);
    part.logits = rows_from(args->logits, row, args->vocabulary);
    part.top_id = rows_from(args->top_id, row, args->tops);
    part.top_lp = rows_from(args->top_lp, row, args->tops);
    part.target = rows_from(args->target, row, 1);
    part.target_lp = rows_from(args->target_lp, row, 1);
    part.all = rows_from(args->all, row, args->vocabulary);
    part.row_lane = rows_from(args->row_lane, row, 1);
    return part;
}

static struct logprob_job job_of(struct device *device, const struct logprob_args *args)
{
    struct logprob_job job = {.args = args, .kernels = device->kernels, .device = device};
    job.streamed = args->product.weight && !tensor_present(args->all);
    job.sections =
        job.streamed ? sections_of(device, &args->product) : sections_in_memory(args->vocabulary);
    job.room = args->tops > 0 ? args->tops + SPARE : 0;
    return job;
}

/* Returns how many rows fit into a modest amount of scratch memory: all, except for the widest
 * beams. */
static int rows_at_once(struct device *device, const struct logprob_args *args)
{
    const size_t most = (size_t)64 << 20;
    const struct logprob_job job = job_of(device, args);
    const size_t lists = (size_t)job.sections.ranges * (size_t)best_stride(job.room);
    const size_t row = lists * (sizeof *job.logit + sizeof *job.id) +
                       (size_t)job.sections.count * (sizeof *job.sum + sizeof *job.highest) +
                       (job.streamed ? (size_t)args->product.weight->k * sizeof(float) : 0);
    return (size_t)args->rows <= most / row ? args->rows : most / row > 0 ? (int)(most / row) : 1;
}

void cpu_logprob(struct device *device, const struct logprob_args *args)
{
    if (args->rows < 1)
        return;
    const int most = rows_at_once(device, args);
    for (int row = 0; row < args->rows && !cancelled(device); row += most) {
        const int left = args->rows - row;
        const struct logprob_args part = logprob_rows(args, row, int_min(left, most));
        struct logprob_job job = job_of(device, &part);
        struct layout layout = {0};
        if (part.product.weight && !job.streamed)
            cpu_linear(device, &part.product, 1);
        job_lay_out(&job, &layout);
        layout.base = device_scratch(device, layout.bytes);
        layout.bytes = 0;
        if (!layout.base)
            return;
        job_run(&job, job_lay_out(&job, &layout));
    }
}
