#include "model/search/search_run.h"

#include <math.h>

int maximum_length(const struct run *run, const struct sentence *source)
{
    const struct config *config = run->model->config;
    double wanted = floor(run->options->factor * source->count) + run->options->plus;
    double most = (double)config->max_positions - config->start.count + 1;
    double length = fmin(wanted, run->options->most ? fmin(run->options->most, most) : most);
    return length >= 1 ? (int)length : 1;
}

int ranked_rows(const struct run *run)
{
    int beam = run->options->beam, most = run->model->backend->logit_rows;
    if (run->model->backend->streams)
        return run->sentences * beam;
    return most > beam ? most / beam * beam : beam;
}

void put_at(const struct run *run, struct tensor tensor, size_t index, const void *values,
            size_t count)
{
    run->model->backend->put(run->model->device, tensor_at(tensor, index * 4), values, count * 4);
}
