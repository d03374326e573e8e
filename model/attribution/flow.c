/* Maximum flow through the matrices of a model (mixing.h), by Dinic 1970, in double precision. */
#include <stdlib.h>
#include <string.h>

#include "model/attribution/mixing.h"

/* A capacity below this is rounding error. */
static const double LEAST = 1e-13;

/* Edges are stored in pairs: edge ^ 1 is the reverse. */
struct edge {
    int to, next; // next: the next edge of the same node, -1: none
    double capacity, left;
};

struct network {
    struct edge *edges; // (count)
    size_t capacity;
    int count, nodes;
    int *first;   // (nodes) the first edge of a node, -1: none
    int *current; // (nodes) the next edge to try
    int *level;   // (nodes) steps from the beginning, -1: not reached
    int *queue;   // (nodes)
};

static bool add_edge(struct network *network, int from, int to, double capacity,
                     struct status *status)
{
    if (!(capacity > 0))
        return true;
    if (!memory_grow((void **)&network->edges, &network->capacity, (size_t)network->count + 2,
                     sizeof *network->edges, status))
        return false;
    network->edges[network->count] = (struct edge){to, network->first[from], capacity, 0};
    network->first[from] = network->count++;
    network->edges[network->count] = (struct edge){from, network->first[to], 0, 0};
    network->first[to] = network->count++;
    return true;
}

/* Adds edges from rows, node `above` on, to columns, node `below` on. */
static bool add_matrix(struct network *network, const double *matrix, int ld, int rows, int columns,
                       int above, int below, struct status *status)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            if (!add_edge(network, above + i, below + j, matrix[(size_t)i * (size_t)ld + (size_t)j],
                          status))
                return false;
    return true;
}

/* Nodes are numbered level by level: first n for each level of the encoder, from the bottom, then m
 * for each level of the decoder. A decoder layer has two levels: above its self-attention and above
 * its cross-attention. */
static int encoder_node(const struct mixing *mixing, int level)
{
    return level * mixing->sources;
}

static int decoder_node(const struct mixing *mixing, int level)
{
    return encoder_node(mixing, mixing->encoder_layers + 1) + level * mixing->targets;
}

static bool add_decoder_layer(const struct mixing *mixing, int layer, struct network *network,
                              struct status *status)
{
    int n = mixing->sources, m = mixing->targets;
    int below = decoder_node(mixing, 2 * layer), middle = below + m, above = middle + m;
    const double *cross = mixing->cross[layer];
    bool ok = add_matrix(network, mixing->self[layer], m, m, m, middle, below, status) &&
              add_matrix(network, cross, n + 1, m, n, above,
                         encoder_node(mixing, mixing->encoder_layers), status);
    for (int i = 0; ok && i < m; i++)
        ok = add_edge(network, above + i, middle + i,
                      cross[(size_t)i * (size_t)(n + 1) + (size_t)n], status);
    return ok;
}

static void network_close(struct network *network)
{
    free(network->edges);
    free(network->first);
    free(network->current);
    free(network->level);
    free(network->queue);
}

static bool network_open(const struct mixing *mixing, struct network *network,
                         struct status *status)
{
    int n = mixing->sources, nodes = decoder_node(mixing, 2 * mixing->decoder_layers + 1);
    *network = (struct network){.nodes = nodes,
                                .first = memory_new((size_t)nodes, sizeof(int), status),
                                .current = memory_new((size_t)nodes, sizeof(int), status),
                                .level = memory_new((size_t)nodes, sizeof(int), status),
                                .queue = memory_new((size_t)nodes, sizeof(int), status)};
    bool ok = network->first && network->current && network->level && network->queue;
    for (int i = 0; ok && i < nodes; i++)
        network->first[i] = -1;
    for (int l = 0; ok && l < mixing->encoder_layers; l++)
        ok = add_matrix(network, mixing->encoder[l], n, n, n, encoder_node(mixing, l + 1),
                        encoder_node(mixing, l), status);
    for (int l = 0; ok && l < mixing->decoder_layers; l++)
        ok = add_decoder_layer(mixing, l, network, status);
    if (!ok)
        network_close(network);
    return ok;
}

/* Sets the levels of all nodes that can be reached. Returns true if `to` is among them. */
static bool find_levels(struct network *network, int from, int to)
{
    int head = 0, tail = 0;
    for (int i = 0; i < network->nodes; i++)
        network->level[i] = -1;
    network->level[from] = 0;
    network->queue[tail++] = from;
    while (head < tail) {
        int node = network->queue[head++];
        for (int e = network->first[node]; e >= 0; e = network->edges[e].next) {
            const struct edge *edge = &network->edges[e];
            if (edge->left <= LEAST || network->level[edge->to] >= 0)
                continue;
            network->level[edge->to] = network->level[node] + 1;
            network->queue[tail++] = edge->to;
        }
    }
    return network->level[to] >= 0;
}

/* Pushes up to `most` from a node to `to`, along rising levels. The recursion is as deep as the
 * model. */
static double push(struct network *network, int node, int to, double most)
{
    double pushed = 0;
    if (node == to)
        return most;
    for (int *e = &network->current[node]; *e >= 0; *e = network->edges[*e].next) {
        struct edge *edge = &network->edges[*e];
        if (edge->left <= LEAST || network->level[edge->to] != network->level[node] + 1)
            continue;
        double room = most - pushed < edge->left ? most - pushed : edge->left;
        double more = push(network, edge->to, to, room);
        edge->left -= more;
        network->edges[*e ^ 1].left += more;
        pushed += more;
        if (most - pushed <= LEAST)
            break;
    }
    return pushed;
}

static double greatest_flow(struct network *network, int from, int to)
{
    double flow = 0;
    for (int e = 0; e < network->count; e++)
        network->edges[e].left = network->edges[e].capacity;
    while (find_levels(network, from, to)) {
        memcpy(network->current, network->first, (size_t)network->nodes * sizeof(int));
        double more = push(network, from, to, 1e9);
        if (more <= LEAST)
            break;
        flow += more;
    }
    return flow;
}

/* Computes the flows of one row, as shares. */
static void flow_row(const struct mixing *mixing, struct network *network, int row, double *out)
{
    int n = mixing->sources, columns = mixing_columns(mixing);
    int top = mixing->decoder_layers ? decoder_node(mixing, 2 * mixing->decoder_layers)
                                     : encoder_node(mixing, mixing->encoder_layers);
    double sum = 0;
    for (int j = 0; j < columns; j++) {
        int bottom = j < n ? encoder_node(mixing, 0) + j : decoder_node(mixing, 0) + j - n;
        out[j] = greatest_flow(network, top + row, bottom);
        sum += out[j];
    }
    for (int j = 0; sum > 0 && j < columns; j++)
        out[j] /= sum;
}

bool mixing_flow(const struct mixing *mixing, const struct watch *watch, double *out,
                 struct status *status)
{
    static const char what[] = "computing flow";
    int rows = mixing_rows(mixing), columns = mixing_columns(mixing);
    struct network network;
    if (!network_open(mixing, &network, status))
        return false;
    bool ok = true;
    for (int i = 0; ok && i < rows; i++) {
        flow_row(mixing, &network, i, out + (size_t)i * (size_t)columns);
        ok = watch_proceed(watch, what, i + 1, rows, status);
    }
    network_close(&network);
    return ok || watch_fail(watch, what, rows);
}
