#include "model/study/sweep.h"

#include <stdlib.h>

/* The states that differ, and their translations. */
struct work {
    struct state *each;         // (count)
    struct translating *states; // (count)
    int count;
};

static bool is_new(const struct sweep *sweep, int index)
{
    for (int i = 0; i < index; i++)
        if (sweep->made[i] == sweep->made[index])
            return false;
    return true;
}

bool sweep_open(const struct study_context *context, struct sweep *sweep, struct status *status)
{
    struct state state = context->state;
    sweep->made = memory_new((size_t)sweep->count, sizeof(struct translated *), status);
    if (!sweep->made)
        return false;
    cache_want(context->cache, sweep->count + sweep->kept);
    for (int i = 0; i < sweep->count; i++) {
        state.head_settings = sweep->head_settings[i];
        sweep->made[i] = cache_translations(context->cache, &state, sweep->sources, status);
        if (!sweep->made[i])
            return false;
    }
    return true;
}

void sweep_free(struct sweep *sweep)
{
    free(sweep->made);
    sweep->made = NULL;
}

static bool open_states(const struct study_context *context, const struct sweep *sweep,
                        struct work *work, struct status *status)
{
    size_t count = (size_t)sweep->count;
    work->each = memory_new(count, sizeof *work->each, status);
    work->states = memory_new(count, sizeof *work->states, status);
    for (int i = 0; work->each && work->states && i < sweep->count; i++) {
        if (!is_new(sweep, i))
            continue;
        work->each[work->count] = context->state;
        work->each[work->count].head_settings = sweep->head_settings[i];
        work->states[work->count] = (struct translating){.state = &work->each[work->count],
                                                         .path = sweep->path,
                                                         .lines = sweep->sources,
                                                         .texts = sweep->made[i]->texts};
        work->count++;
    }
    return work->each && work->states;
}

bool sweep_translate(const struct study_context *context, struct sweep *sweep,
                     const struct follower *follower, struct status *status)
{
    struct work work = {0};
    bool ok = open_states(context, sweep, &work, status);
    if (ok) {
        work.states[0].watch = context->watch;
        work.states[0].follower = follower;
        work.states[0].shards = context->shards;
        ok = translating_all(work.states, work.count, true, NULL, status);
    }
    for (int i = 0; i < work.count; i++)
        sweep->tokens += work.states[i].tokens;
    free(work.each);
    free(work.states);
    return ok;
}

const char *const **sweep_texts(const struct sweep *sweep, struct status *status)
{
    const char *const **texts =
        memory_new((size_t)sweep->count, sizeof(const char *const *), status);
    for (int i = 0; texts && i < sweep->count; i++)
        texts[i] = (const char *const *)sweep->made[i]->texts;
    return texts;
}

void sweep_leave(const struct study_context *context, const struct sweep *sweep)
{
    int most = SWEEP_TEXTS_KEPT / (sweep->sources->count + 1);
    struct state state = context->state;
    if (sweep->count <= most)
        return;
    state.head_settings = sweep->head_settings[0];
    cache_touch_translations(context->cache, &state, sweep->sources);
    cache_want(context->cache, most);
}
