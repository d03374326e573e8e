/* Models of other toolkits with a file damaged: they open or are refused in one line, and nothing
 * else happens. Most of use under AddressSanitizer. `test_damaged COUNT SEED` damages others. */
#include <dirent.h>
#include <unistd.h>

#include "model/checkpoint/checkpoint.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

static const char folder[] = "tests/golden/formats";

static unsigned damages; // of each model
static uint64_t seed = 20261123;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 11) % below);
}

struct file {
    char name[64];
    unsigned char *bytes;
    size_t count;
};

/* A model's files. */
struct files {
    struct file files[16];
    int count;
};

static void read_file(struct file *file, const char *path)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    file->count = (size_t)ftell(in);
    rewind(in);
    file->bytes = malloc(file->count + 1);
    assert_int_equal(fread(file->bytes, 1, file->count, in), file->count);
    fclose(in);
}

static void read_files(struct files *files, const char *path)
{
    DIR *listing = opendir(path);
    assert_non_null(listing);
    files->count = 0;
    for (struct dirent *entry; (entry = readdir(listing));) {
        char full[700];
        if (entry->d_name[0] == '.')
            continue;
        assert_true(files->count < 16);
        struct file *file = &files->files[files->count++];
        snprintf(file->name, sizeof file->name, "%.60s", entry->d_name);
        snprintf(full, sizeof full, "%s/%s", path, file->name);
        read_file(file, full);
    }
    closedir(listing);
}

static void write_file(const char *path, const struct file *file, const void *bytes, size_t count)
{
    char full[512];
    snprintf(full, sizeof full, "%s/%s", path, file->name);
    FILE *out = fopen(full, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    assert_int_equal(fclose(out), 0);
}

/* Another byte, a number of all ones or zeros, an end in the middle, bytes twice. Beginnings are
 * hit more often, as weights may be anything. */
static size_t damage(unsigned char *bytes, size_t count)
{
    size_t place = draw((uint32_t)(draw(2) && count > 400 ? 400 : count));
    switch (draw(5)) {
    case 0:
        bytes[place] = (unsigned char)draw(256);
        return count;
    case 1:
        memset(bytes + place, draw(2) ? 0xFF : 0, count - place < 4 ? count - place : 4);
        return count;
    case 2:
        return place;
    case 3:
        memmove(bytes, bytes + place, count - place);
        return count - place;
    default:
        bytes[place] ^= (unsigned char)(1u << draw(8));
        return count;
    }
}

static void open_damaged(const char *path)
{
    struct status status = {0};
    struct checkpoint *checkpoint = checkpoint_open(path, &status);
    if (!checkpoint) {
        assert_non_null(strstr(status.message, path));
        assert_null(strchr(status.message, '\n'));
        assert_true(strlen(status.message) > strlen(path) + 10);
    }
    checkpoint_close(checkpoint);
}

static void damage_model(const char *name)
{
    char from[600], to[] = "/tmp/attnscope-damaged-XXXXXX", full[512];
    struct files files;
    snprintf(from, sizeof from, "%s/%s", folder, name);
    read_files(&files, from);
    assert_non_null(mkdtemp(to));
    for (int i = 0; i < files.count; i++)
        write_file(to, &files.files[i], files.files[i].bytes, files.files[i].count);
    for (unsigned i = 0; i < damages; i++) {
        const struct file *file = &files.files[draw((uint32_t)files.count)];
        unsigned char *copy = malloc(file->count + 1);
        memcpy(copy, file->bytes, file->count);
        write_file(to, file, copy, damage(copy, file->count));
        open_damaged(to);
        write_file(to, file, file->bytes, file->count);
        free(copy);
    }
    for (int i = 0; i < files.count; i++) {
        snprintf(full, sizeof full, "%s/%s", to, files.files[i].name);
        unlink(full);
        free(files.files[i].bytes);
    }
    assert_int_equal(rmdir(to), 0);
}

static void damaged_models_open_or_are_refused_in_one_line(void **state)
{
    int models = 0;
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry; (entry = readdir(listing));)
        if (entry->d_name[0] != '.' && !strstr(entry->d_name, ".expected")) {
            char packed[512], inner[600];
            snprintf(packed, sizeof packed, "%.200s/model", entry->d_name);
            snprintf(inner, sizeof inner, "%s/%s", folder, packed);
            damage_model(access(inner, F_OK) == 0 ? packed : entry->d_name); // of a package
            models++;
        }
    closedir(listing);
    assert_true(models >= 8);
}

/* A folder's contents decide what is expected, and the message says what that is. */
static void a_folder_without_a_model_is_refused(void **state)
{
    struct status status = {0};
    assert_null(checkpoint_open("samples/papers", &status));
    assert_string_equal(
        status.message,
        "samples/papers: no model in this folder, expected config.json and "
        "model.safetensors (Hugging Face), model.bin (CTranslate2), checkpoint_best.pt (fairseq), "
        "one *.pt (OpenNMT-py), model.00.safetensors (Eole), *.ckpt (JoeyNMT), params.best "
        "(Sockeye), or model.npz (Marian), with its vocabularies; or weights and attnscope.json "
        "(with a model open, :help nn.Transformer)");
}

/* A file of a folder stands for the folder, with and without a slash. */
static void a_file_stands_for_its_folder(void **state)
{
    static const char *const paths[] = {"tests/golden/formats/hf-marian",
                                        "tests/golden/formats/hf-marian/",
                                        "tests/golden/formats/hf-marian/model.safetensors",
                                        "tests/golden/formats/hf-marian-pytorch/pytorch_model.bin",
                                        "tests/golden/formats/ct2-marian/model.bin"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct status status = {0};
        struct checkpoint *checkpoint = checkpoint_open(paths[i], &status);
        if (!checkpoint)
            fail_msg("%s", status.message);
        assert_string_equal(checkpoint->contents->family, i < 4 ? "Hugging Face" : "CTranslate2");
        assert_non_null(strstr(paths[i], checkpoint->config->name));
        checkpoint_close(checkpoint);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_models_open_or_are_refused_in_one_line),
        cmocka_unit_test(a_folder_without_a_model_is_refused),
        cmocka_unit_test(a_file_stands_for_its_folder),
    };
    damages = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : (unsigned)rounds_of(80, 200);
    if (count > 2)
        seed = strtoull(arguments[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
