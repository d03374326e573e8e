/* A family of models: files of one layout, as a toolkit writes them. Inside model/formats.
 *
 * A reader fills contents from a path, in our words. It checks whatever it relies on, and refuses
 * in one line what cannot be computed here, by the name that the family's users know it by.
 * Messages begin with the name of a file of the folder where it is about one, and not with the
 * path.
 */
#ifndef ATTNSCOPE_FAMILY_H
#define ATTNSCOPE_FAMILY_H

#include "model/formats/contents.h"

/* The file of PyTorch that was read last to recognise a family: the next family looks at the same
 * one. */
struct recognised_torch {
    struct mapped_file *file; // NULL: none
    struct torch_file *torch; // NULL: it is none, or cannot be read
};

/* A path before a family is chosen for it. */
struct candidate {
    const char *path;
    const char *folder; // the path itself, or the folder of the file
    char name
        [256]; // name_of_folder of the folder that was asked for, of which this one may be a part
    bool is_folder;
    unsigned char head[16]; // the first bytes of the file; zero where it is shorter, or a folder
    struct recognised_torch *torch; // for family_is_torch; closed when a family has been chosen
};

struct family {
    const char *name;
    bool (*recognise)(const struct candidate *candidate);
    bool (*read)(struct contents *contents, const struct candidate *candidate,
                 struct status *status);
};

extern const struct family family_own;          // one safetensors file with the configuration in it
extern const struct family family_ctranslate2;  // folder: model.bin, config.json, vocabularies
extern const struct family family_marian;       // folder: model.npz or model.bin, vocabularies
extern const struct family family_hugging_face; // folder: config.json, weights
extern const struct family family_fairseq;      // one file of PyTorch, dictionaries
extern const struct family family_opennmt;      // one file of PyTorch
extern const struct family family_joeynmt;      // folder: *.ckpt, config.yaml, vocabularies
extern const struct family family_sockeye;      // folder: params.best, config, vocabularies
extern const struct family family_eole;         // folder: config.json, vocab.json, weights
extern const struct family family_nn_transformer; // folder: weights, attnscope.json, vocabularies
extern const struct family family_torch_unknown;  // any other file of PyTorch, which it refuses

/* Fills in the head from the path; of what is no regular file, or cannot be read, nothing is
 * known. */
void candidate_head(struct candidate *candidate);

/* Returns the part after the last slash of a path. */
const char *name_in_path(const char *path);
/* The name of a folder with a model: its own; NAME of models--ORG--NAME/snapshots/HASH, as the
 * client of the Hugging Face hub keeps models. */
void name_of_folder(const char *path, char *name, size_t bytes);
/* True if something precedes this ending in a name. */
bool name_ends(const char *name, const char *ending);

/* "FOLDER/NAME"; the caller frees it. NULL: out of memory. */
char *family_path(const char *folder, const char *name, struct status *status);
/* True if the folder holds a file of this name. */
bool family_has(const char *folder, const char *name);
/* The file NAME of the folder, as contents_file; messages begin with the name. */
const struct mapped_file *family_file(struct contents *contents, const char *folder,
                                      const char *name, struct status *status);
/* That of text, which is no archive and no binary file. */
const struct mapped_file *family_text(struct contents *contents, const char *folder,
                                      const char *name, struct status *status);
/* The file of the folder with the last name of a path: options name files by their paths where the
 * model was trained. *file: NULL where there is none. */
bool family_file_of_path(struct contents *contents, const char *folder, const char *path,
                         const struct mapped_file **file, struct status *status);
/* True if the file NAME of the candidate's folder is one of PyTorch whose value is one that `holds`
 * knows. */
bool family_is_torch(const struct candidate *candidate, const char *name,
                     bool (*holds)(const struct pickle_value *root));
void recognised_torch_close(struct recognised_torch *recognised); // leaves it empty
/* A JSON file of the folder, at most `most` bytes; the caller has json_decref it. Messages begin
 * with the file's name. */
json_t *family_json(struct contents *contents, const char *folder, const char *name, size_t most,
                    struct status *status);
/* A YAML file, likewise. */
json_t *family_yaml(struct contents *contents, const char *folder, const char *name, size_t most,
                    struct status *status);
/* Members of such a file: an integer, a number; `otherwise` where it is absent or null. */
int64_t family_integer(const json_t *object, const char *key, int64_t otherwise);
double family_number(const json_t *object, const char *key, double otherwise);

#endif
