/* The parameters of a Marian model, as model.npz and model.bin hold them.
 *
 *     struct marian_items *items = marian_items_open(file, status);
 *     struct marian_item *weights = marian_items_find(items, "encoder_l1_self_Wq");
 *     ...
 *     marian_items_close(items);
 *
 * An .npz is a zip archive of NumPy arrays, as src/3rd_party/cnpy of Marian writes it, or NumPy. A
 * .bin is (src/common/binary.cpp):
 *
 *     u64 version (1), u64 count; count × { u64 bytes of the name with its \0, u64 type, u64 rank,
 *     u64 bytes of the data }; names; i32 dimensions; u64 gap; gap bytes; data of every item
 *
 * where everything is little-endian. The configuration is an item, too: special:model.yml, a YAML
 * text.
 */
#ifndef ATTNSCOPE_MARIAN_ITEMS_H
#define ATTNSCOPE_MARIAN_ITEMS_H

#include "model/formats/contents.h"

/* MARIAN_INT8, MARIAN_INT16: quantised, without the layout of any processor: (elements) integers
 * and the float that they were multiplied with. Matrices are stored transposed, embeddings are
 * not. */
enum marian_type { MARIAN_FLOAT32, MARIAN_FLOAT16, MARIAN_INT8, MARIAN_INT16, MARIAN_TEXT };

struct marian_item {
    char *name;
    enum marian_type type;
    int dimensions;
    int64_t shape[8];
    int64_t elements;
    const unsigned char *data; // in the file, or memory of the items; may be unaligned
    size_t bytes;              // that the elements take
    bool used;                 // by a reader; items that stay unused are refused
};

struct marian_items {
    struct marian_item *items; // (count), by name
    int count;
    bool integers;  // some are MARIAN_INT8
    bool browsermt; // by the numbers that browsermt's Marian gives such types

    /* Inside the reader of items. */
    size_t capacity;
    struct zip_reader *zip;
};

/* True if a file that begins so may be a .bin, an .npz. */
bool marian_bin_begins(const unsigned char head[16]);
bool marian_npz_begins(const unsigned char head[16]);
/* True if it is an .npz with a configuration of Marian in it. */
bool marian_npz_recognise(const char *path);

/* The items may point into the file, which must outlive them. NULL on failure; messages do not name
 * the path. */
struct marian_items *marian_items_open(const struct mapped_file *file, struct status *status);
void marian_items_close(struct marian_items *items); // NULL: nothing
struct marian_item *marian_items_find(const struct marian_items *items,
                                      const char *name); // or NULL
bool marian_is_quantised(const struct marian_item *item);

/* Inside the reader of items. ------------------------------------------------------------------ */

bool marian_read_bin(struct marian_items *items, const struct mapped_file *file,
                     struct status *status);
bool marian_read_npz(struct marian_items *items, const struct mapped_file *file,
                     struct status *status);
/* The next item, with a copy of its name (`length` bytes); NULL: out of memory. */
struct marian_item *marian_items_next(struct marian_items *items, const char *name, size_t length,
                                      struct status *status);
/* Computes the elements from the shape. False: negative, or more than memory can hold. */
bool marian_item_count(struct marian_item *item, struct status *status);

#endif
