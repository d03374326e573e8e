/* The parameters of a Marian model, from model.npz or model.bin.
 *
 *     struct marian_items *items = marian_items_open(file, status);
 *     struct marian_item *weights = marian_items_find(items, "encoder_l1_self_Wq");
 *     ...
 *     marian_items_close(items);
 *
 * An .npz is a zip archive of NumPy arrays, written by Marian's src/3rd_party/cnpy or by NumPy. A
 * .bin is (src/common/binary.cpp):
 *
 *     u64 version (1), u64 count; count × { u64 bytes of the name with its \0, u64 type, u64 rank,
 *     u64 bytes of the data }; names; i32 dimensions; u64 gap; gap bytes; data of every item
 *
 * all little-endian. The configuration is also an item: special:model.yml, a YAML text.
 */
#ifndef ATTNSCOPE_MARIAN_ITEMS_H
#define ATTNSCOPE_MARIAN_ITEMS_H

#include "model/formats/contents.h"

/* MARIAN_INT8, MARIAN_INT16: quantised, in a processor-independent layout: (elements) integers and
 * the float that they were multiplied by. Matrices are stored transposed, embeddings are not. */
enum marian_type { MARIAN_FLOAT32, MARIAN_FLOAT16, MARIAN_INT8, MARIAN_INT16, MARIAN_TEXT };

struct marian_item {
    char *name;
    enum marian_type type;
    int dimensions;
    int64_t shape[8];
    int64_t elements;
    const unsigned char *data; // in the file, or in the items' memory; may be unaligned
    size_t bytes;              // of the elements
    bool used;                 // by a reader; unused items are refused
};

struct marian_items {
    struct marian_item *items; // (count), by name
    int count;
    bool integers;  // some are MARIAN_INT8
    bool browsermt; // numbered as in browsermt's Marian

    /* Private to the reader of items. */
    size_t capacity;
    struct zip_reader *zip;
};

/* True if a file that begins with `head` may be a .bin or an .npz. */
bool marian_bin_begins(const unsigned char head[16]);
bool marian_npz_begins(const unsigned char head[16]);
/* True if the file is an .npz with a Marian configuration. */
bool marian_npz_recognise(const char *path);

/* The items may point into the file, which must outlive them. NULL on failure; messages do not name
 * the path. */
struct marian_items *marian_items_open(const struct mapped_file *file, struct status *status);
void marian_items_close(struct marian_items *items); // NULL: nothing
struct marian_item *marian_items_find(const struct marian_items *items,
                                      const char *name); // or NULL
bool marian_is_quantised(const struct marian_item *item);

/* Private to the reader of items -------------------------------------------------------------- */

bool marian_read_bin(struct marian_items *items, const struct mapped_file *file,
                     struct status *status);
bool marian_read_npz(struct marian_items *items, const struct mapped_file *file,
                     struct status *status);
/* The next item, with a copy of its name (`length` bytes); NULL: out of memory. */
struct marian_item *marian_items_next(struct marian_items *items, const char *name, size_t length,
                                      struct status *status);
/* Computes the number of elements from the shape. False: negative, or more than memory can hold. */
bool marian_item_count(struct marian_item *item, struct status *status);

#endif
