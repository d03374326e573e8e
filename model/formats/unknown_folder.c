#include "model/formats/unknown_folder.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "model/formats/family.h"
#include "model/formats/file_list.h"
#include "model/text/file_kind.h"
#include "model/text/quote.h"

static const struct kind {
    const char *pattern, *what;
} kinds[] = {
    {"params.best", "of Sockeye, which is not read here"},
    {"*.gz", "packed, expected its content (gunzip)"},
    {"*.zst", "packed, expected its content (unzstd)"},
    {"*.xz", "packed, expected its content (unxz)"},
    {"*.bz2", "packed, expected its content (bunzip2)"},
    {"*.tar", "an archive, expected its content (tar -xf)"},
    {"*.tgz", "an archive, expected its content (tar -xzf)"},
    {"*.zip", "an archive, expected its content (unzip)"},
    {"*.argosmodel", "a package of Argos Translate, expected its content (unzip)"},
    {"saved_model.pb", "of TensorFlow, which is not read here"},
    {"*.index", "of TensorFlow, which is not read here"},
    {"*.h5", "of TensorFlow, which is not read here"},
    {"*.msgpack", "of Flax, which is not read here"},
    {"*.onnx", "of ONNX, which has no layers that could be shown"},
    {"*.gguf", "of llama.cpp, which is not read here"},
    {"*.safetensors", "weights without their config.json, expected both"},
    {"*.npz", "arrays that are no model of Marian"},
};

static bool is_weights(const char *folder, const char *name)
{
    static const char *const endings[] = {".bin", ".npz", ".pt", ".pth", ".ckpt", ".safetensors"};
    (void)folder;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (name_ends(name, endings[i]))
            return true;
    return false;
}

/* True if a file with the name of weights is something else; the message is about it. */
static bool is_other(const char *folder, const char *name, struct status *status)
{
    struct status unread;
    char *path = family_has(folder, name) ? family_path(folder, name, &unread) : NULL;
    struct mapped_file *file = path ? mapped_file_open(path, &unread) : NULL;
    bool other = file && !file_kind_check(file->data, file->bytes, FILE_OF_MODEL, status);
    mapped_file_close(file);
    free(path);
    return other && (status_prefix(status, "%s", QUOTED(name)), true);
}

/* Perhaps weights were not downloaded. In a package of Argos Translate they are in the folder `model`. */
static bool tell_other(const char *folder, struct status *status)
{
    struct file_list weights;
    struct status unread;
    bool told = is_other(folder, "model/model.bin", status);
    if (file_list_read(folder, is_weights, &weights, &unread))
        for (size_t i = 0; !told && i < weights.count; i++)
            told = is_other(folder, weights.names[i], status);
    file_list_free(&weights);
    return told;
}

static bool is_known(const char *folder, const char *name)
{
    (void)folder;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (fnmatch(kinds[i].pattern, name, 0) == 0)
            return true;
    return false;
}

/* The first file by the order of the kinds. */
static const char *find_file(const struct file_list *files, const char **what)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < files->count; i++)
            if (fnmatch(kinds[k].pattern, files->names[i], 0) == 0) {
                *what = kinds[k].what;
                return files->names[i];
            }
    return NULL;
}

bool unknown_folder_fail(const char *folder, struct status *status)
{
    struct file_list files;
    const char *what = "";
    if (tell_other(folder, status))
        return false;
    if (file_list_read(folder, is_known, &files, status)) {
        const char *name = find_file(&files, &what);
        if (name)
            status_fail(status, STATUS_INVALID, "no model in this folder; %s: %s", QUOTED(name),
                        what);
        else
            status_fail(status, STATUS_INVALID,
                        "no model in this folder, expected config.json and model.safetensors "
                        "(Hugging Face), model.bin and vocabularies (CTranslate2), "
                        "checkpoint_best.pt and dict.*.txt (fairseq), one *.pt (OpenNMT-py), "
                        "config.yaml and *.ckpt (JoeyNMT), or model.npz and "
                        "vocabularies (Marian)");
    }
    file_list_free(&files);
    return false;
}
