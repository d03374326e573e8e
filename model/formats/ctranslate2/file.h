/* The variables of a CTranslate2 model.bin, versions 1 to 6 (src/models/model.cc of CTranslate2):
 *
 *     u32 version; from 2 on: string specification, u32 revision
 *     u32 count; count × { string name, u8 rank, u32 dimension[rank],
 *                          from 4 on: u8 type, u32 bytes; before: u8 bytes of an element, u32
 *                          elements; data }
 *     from 3 on: u32 count; count × { string alias, string variable }
 *
 * where a string is a u16 length, its \0 included, and the bytes; everything is little-endian.
 * Variables of the first revision have the names that OpenNMT-tf gave them; they are renamed while
 * the file is read (old_names.h).
 */
#ifndef ATTNSCOPE_CTRANSLATE2_FILE_H
#define ATTNSCOPE_CTRANSLATE2_FILE_H

#include "model/formats/contents.h"

enum ct2_type { CT2_FLOAT32, CT2_INT8, CT2_INT16, CT2_INT32, CT2_FLOAT16, CT2_BFLOAT16, CT2_TYPES };

struct ct2_variable {
    char *name;
    enum ct2_type type;
    int dimensions;
    int64_t shape[8];
    int64_t elements;
    const unsigned char *data; // in the file; may be unaligned
    size_t bytes;
    bool used; // by a reader: what is left at the end is not known here
};

struct ct2_file {
    unsigned version;
    char *specification; // "TransformerSpec"; of version 1 ""
    unsigned revision;   // of the specification; of version 1: 1
    struct ct2_variable
        *variables; // (count), by name; an alias is a variable of its own with the same data
    int count;
};

/* True if a file that begins so may be a model.bin. */
bool ct2_begins(const unsigned char head[16]);
/* The variables point into the file, which must outlive them. NULL on failure. */
struct ct2_file *ct2_open(const struct mapped_file *file, struct status *status);
void ct2_close(struct ct2_file *file);                                        // NULL: nothing
struct ct2_variable *ct2_find(const struct ct2_file *file, const char *name); // or NULL

#endif
