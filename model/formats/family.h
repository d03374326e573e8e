/* A family of models: files with the layout of one toolkit. Private to model/formats.
 *
 * A reader fills contents from a path, with our names. It checks everything it relies on, and
 * refuses unsupported models in one line, in the terms of the family's users. Messages about a file
 * in the folder begin with its name, not with the path.
 */
#ifndef ATTNSCOPE_FAMILY_H
#define ATTNSCOPE_FAMILY_H

#include "model/formats/contents.h"

/* The PyTorch file read last to recognise a family; the next family reuses it. */
struct recognised_torch {
    struct mapped_file *file; // NULL: none
    struct torch_file *torch; // NULL: not a PyTorch file, or unreadable
};

/* A path whose family is not yet known. */
struct candidate {
    const char *path;
    const char *folder; // the path itself, or the file's folder
    char name[256];     // name_of_folder of the requested folder, which may contain this one
    bool is_folder;
    unsigned char head[16]; // the first bytes of the file; zero beyond its end, or for a folder
    struct recognised_torch *torch; // for family_is_torch; closed once a family is chosen
};

struct family {
    const char *name;
    bool (*recognise)(const struct candidate *candidate);
    bool (*read)(struct contents *contents, const struct candidate *candidate,
                 struct status *status);
};

extern const struct family family_own;            // a safetensors file with its configuration
extern const struct family family_ctranslate2;    // folder: model.bin, config.json, vocabularies
extern const struct family family_marian;         // folder: model.npz or model.bin, vocabularies
extern const struct family family_hugging_face;   // folder: config.json, weights
extern const struct family family_fairseq;        // one file of PyTorch, dictionaries
extern const struct family family_opennmt;        // one file of PyTorch
extern const struct family family_joeynmt;        // folder: *.ckpt, config.yaml, vocabularies
extern const struct family family_sockeye;        // folder: params.best, config, vocabularies
extern const struct family family_eole;           // folder: config.json, vocab.json, weights
extern const struct family family_nn_transformer; // folder: weights, attnscope.json, vocabularies
extern const struct family family_torch_unknown;  // any other PyTorch file, which it refuses

/* Fills in the head from the path; leaves it empty unless this is a readable regular file. */
void candidate_head(struct candidate *candidate);

/* Returns the part after the last slash of a path. */
const char *name_in_path(const char *path);
/* The name of a model's folder: its own, or NAME of models--ORG--NAME/snapshots/HASH, as in the
 * cache of the Hugging Face hub. */
void name_of_folder(const char *path, char *name, size_t bytes);
/* True if something precedes this ending in a name. */
bool name_ends(const char *name, const char *ending);

/* "FOLDER/NAME"; the caller frees it. NULL: out of memory. */
char *family_path(const char *folder, const char *name, struct status *status);
/* True if the folder holds a file of this name. */
bool family_has(const char *folder, const char *name);
/* The file NAME of the folder, as from contents_file; messages begin with the name. */
const struct mapped_file *family_file(struct contents *contents, const char *folder,
                                      const char *name, struct status *status);
/* The same for a text file, neither an archive nor a binary file. */
const struct mapped_file *family_text(struct contents *contents, const char *folder,
                                      const char *name, struct status *status);
/* The file of the folder with the base name of a path: options name files by their paths on the
 * training machine. *file: NULL if none. */
bool family_file_of_path(struct contents *contents, const char *folder, const char *path,
                         const struct mapped_file **file, struct status *status);
/* True if the file NAME of the candidate's folder is a PyTorch file whose value satisfies
 * `holds`. */
bool family_is_torch(const struct candidate *candidate, const char *name,
                     bool (*holds)(const struct pickle_value *root));
void recognised_torch_close(struct recognised_torch *recognised); // leaves it empty
/* Fails if a JSON file is there and cannot be parsed; messages begin with its name. */
bool family_json_check(const char *folder, const char *name, struct status *status);
/* A JSON file of the folder, of at most `most` bytes; the caller calls json_decref. Messages begin
 * with the file's name. */
json_t *family_json(struct contents *contents, const char *folder, const char *name, size_t most,
                    struct status *status);
/* The same for a YAML file. */
json_t *family_yaml(struct contents *contents, const char *folder, const char *name, size_t most,
                    struct status *status);
/* Members of such a file: an integer, a number; `otherwise` if absent or null. */
int64_t family_integer(const json_t *object, const char *key, int64_t otherwise);
double family_number(const json_t *object, const char *key, double otherwise);

#endif
