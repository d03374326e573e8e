#include "tests/gpu/search_scene.h"
#include "tests/support/test.h"

#include <math.h>

#include "tests/gpu/ops_support.h"

/* The tensors of a state, read back in the order of struct search_memory. */
#define EACH_FIELD(DO)                                                                             \
    DO(lane)                                                                                       \
    DO(path)                                                                                       \
    DO(score)                                                                                      \
    DO(token)                                                                                      \
    DO(token_lp)                                                                                   \
    DO(limit)                                                                                      \
    DO(penalty)                                                                                    \
    DO(done)                                                                                       \
    DO(count)                                                                                      \
    DO(finished_score)                                                                             \
    DO(finished_length)                                                                            \
    DO(finished_token)                                                                             \
    DO(finished_lp)

/* If the step reads `done` back, it must be that of the step's sentences. */
static void check_told(const struct search_memory *memory, const struct search_step *step,
                       const int32_t *told)
{
    for (int row = 0; row < step->rows; row += step->width)
        if (step->row_lane[row] >= 0)
            assert_int_equal(told[step->row_lane[row] / B], memory->done[step->row_lane[row] / B]);
}

void search_advance(struct search_memory *memory, const struct search_step *step, int starts)
{
    struct ops ops;
    ops_open(&ops, NULL, 1);
    struct search_state state = {.sentences = S,
                                 .beam = B,
                                 .positions = T,
                                 .starts = starts,
                                 .eos = EOS,
                                 .ends = {EOS, step->other_end},
                                 .end_count = step->other_end ? 2 : 1,
                                 .at_limit = step->at_limit,
                                 .min_length = step->min_length,
                                 .endings = step->endings};
#define PUT_FIELD(field) state.field = ops_put(&ops, memory->field, sizeof memory->field);
    EACH_FIELD(PUT_FIELD)
#undef PUT_FIELD
    struct advance_args args = {
        .state = &state,
        .row_lane = ops_put(&ops, step->row_lane, sizeof step->row_lane),
        .top_id = ops_put(&ops, step->id, sizeof step->id),
        .top_lp = ops_put(&ops, step->lp, sizeof step->lp),
        .eos_lp = ops_put(&ops, step->eos_lp, sizeof step->eos_lp),
        .rows = step->rows,
        .width = step->width,
        .tops = TOPS,
    };
    ops.backend->advance(ops.device, &args);
    int32_t told[S];
    ops.backend->ask(ops.device, state.done, sizeof told);
#define GET_FIELD(field) ops_get(&ops, memory->field, state.field, sizeof memory->field);
    EACH_FIELD(GET_FIELD)
#undef GET_FIELD
    assert_true(ops.backend->answer(ops.device, told, sizeof told));
    check_told(memory, step, told);
    ops_close(&ops);
}

void search_begin(struct search_memory *memory, int starts, int limit)
{
    memset(memory, 0, sizeof *memory);
    for (int lane = 0; lane < LANES; lane++) {
        const int32_t record[LANE_FIELDS] = {40 + starts - 1, starts - 1, 10 * lane, 10 * lane + 5,
                                             lane / B % 2};
        memcpy(memory->lane[lane], record, sizeof record);
        memory->score[lane] = lane % B ? -INFINITY : 0;
        for (int p = 0; p < starts; p++) {
            memory->path[lane][p] = p * LANES + (lane + p) % LANES;
            memory->token[memory->path[lane][p]] = 40 + p;
        }
    }
    for (int s = 0; s < S; s++)
        memory->limit[s] = limit;
}

void search_offer(struct search_step *step, int beam, int rank, int id, float lp)
{
    step->id[beam][rank] = id;
    step->lp[beam][rank] = lp;
}
