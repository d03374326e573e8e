/* The tables of embeddings and of the output, which a file may hold once, twice or three times. */
#include <stdio.h>
#include <string.h>

#include "model/formats/hugging_face/reader.h"

/* The tables that a file may hold, under the model type's prefix. */
enum table { SHARED, SOURCE, TARGET, OUTPUT, TABLES };
static const char *const names[TABLES] = {"shared.weight", "encoder.embed_tokens.weight",
                                          "decoder.embed_tokens.weight", "lm_head.weight"};

static void name_table(const struct hf_reader *reader, enum table table, const char *prefix,
                       char *name, size_t size)
{
    if (table == OUTPUT && reader->type->fsmt)
        snprintf(name, size, "%sdecoder.output_projection.weight", prefix);
    else if (table == OUTPUT && reader->type->t5gemma)
        snprintf(name, size, "lm_head.out_proj.weight");
    else
        snprintf(name, size, "%s%s", table == OUTPUT ? "" : prefix, names[table]);
}

static bool same(const struct stored_tensor *a, const struct stored_tensor *b)
{
    return a->dtype == b->dtype && a->bytes == b->bytes &&
           (a->data == b->data || memcmp(a->data, b->data, a->bytes) == 0);
}

/* Returns a side's or the output's table: its own if the file holds one, else the one it is tied
 * to. Since version 5 of the package a table is not tied if the file holds different weights for
 * it, whatever the configuration says. */
static const struct stored_tensor *own_or(const struct stored_tensor *own,
                                          const struct stored_tensor *tied_to)
{
    return own && !(tied_to && same(own, tied_to)) ? own : tied_to;
}

/* Returns the table that both sides are tied to. A file may store it under the name of a side. */
static const struct stored_tensor *shared_table(const struct stored_tensor *const found[TABLES])
{
    const struct stored_tensor *source = found[SOURCE], *target = found[TARGET];
    if (found[SHARED] || (source && target && !same(source, target)))
        return found[SHARED];
    return source ? source : target;
}

static void find_tables(struct hf_reader *reader, const char *prefix,
                        const struct stored_tensor *found[TABLES])
{
    char name[64];
    for (enum table table = reader->separate_vocabularies ? SOURCE : SHARED; table < TABLES;
         table++) {
        name_table(reader, table, prefix, name, sizeof name);
        found[table] = hf_find(reader, name);
    }
}

static bool put_tables(struct hf_reader *reader, const char *prefix,
                       const struct stored_tensor *const tables[TABLES])
{
    static const char *const ours[TABLES] = {NULL, "source_embedding.weight",
                                             "target_embedding.weight", "output.weight"};
    const bool tied[TABLES] = {false, false, reader->plain.tied_target, reader->plain.tied_output};
    for (enum table table = SOURCE; table < TABLES; table++) {
        char name[64];
        bool shared = table != OUTPUT && !reader->separate_vocabularies;
        name_table(reader, shared ? SHARED : table, prefix, name, sizeof name);
        if (!tables[table])
            return hf_missing(reader, name);
        if (!tied[table] &&
            !contents_add(reader->contents, ours[table], tables[table], reader->status))
            return false;
    }
    return true;
}

/* True if two vocabularies share one table, as FSMT's do if fairseq had share_all_embeddings. */
static bool sides_tied(const struct hf_reader *reader)
{
    return reader->type->fsmt &&
           json_is_true(json_object_get(reader->config, "tie_word_embeddings"));
}

/* If the configuration ties nothing, version 4 of the package still uses one table for both sides,
 * and writes it once. */
bool hf_put_embeddings(struct hf_reader *reader, const char *prefix, bool tied)
{
    const struct stored_tensor *found[TABLES] = {NULL}, *tables[TABLES] = {NULL};
    find_tables(reader, prefix, found);
    bool separate = reader->separate_vocabularies;
    if (reader->type->fsmt && !found[TARGET])
        found[TARGET] = found[OUTPUT]; // they are the same table
    const struct stored_tensor *shared =
        separate && !sides_tied(reader) ? NULL : shared_table(found);
    tables[SOURCE] = own_or(found[SOURCE], shared);
    tables[TARGET] = own_or(found[TARGET], shared);
    const struct stored_tensor *output =
        separate || reader->type->t5gemma ? tables[TARGET] : shared;
    tables[OUTPUT] = own_or(found[OUTPUT], tied ? output : NULL);
    reader->plain.tied_target = tables[TARGET] == tables[SOURCE];
    reader->plain.tied_output = tables[OUTPUT] == tables[TARGET];
    return put_tables(reader, prefix, tables);
}
