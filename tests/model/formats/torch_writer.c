#include "tests/model/formats/torch_writer.h"
#include "tests/support/test.h"

#include <zip.h>

enum { MOST = 1000 };

struct torch_writer {
    FILE *pickle;
    char *bytes;
    size_t count;
    struct {
        const void *data;
        size_t bytes;
    } storages[MOST];
    int storage_count;
};

/* Opcodes are those of Python's pickletools, protocol 2. */
static void put(struct torch_writer *writer, const char *text)
{
    assert_true(fputs(text, writer->pickle) >= 0);
}

static void put_bytes(struct torch_writer *writer, char opcode, uint32_t number)
{
    fputc(opcode, writer->pickle);
    for (int i = 0; i < 4; i++)
        fputc((int)(number >> (8 * i) & 0xFF), writer->pickle);
}

struct torch_writer *torch_writer_open(void)
{
    struct torch_writer *writer = calloc(1, sizeof *writer);
    assert_non_null(writer);
    writer->pickle = open_memstream(&writer->bytes, &writer->count);
    assert_non_null(writer->pickle);
    put(writer, "\x80\x02");
    return writer;
}

void torch_text(struct torch_writer *writer, const char *text)
{
    put_bytes(writer, 'X', (uint32_t)strlen(text));
    put(writer, text);
}

void torch_integer(struct torch_writer *writer, int value)
{
    put_bytes(writer, 'J', (uint32_t)value);
}

void torch_real(struct torch_writer *writer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    fputc('G', writer->pickle);
    for (int i = 7; i >= 0; i--)
        fputc((int)(bits >> (8 * i) & 0xFF), writer->pickle);
}

void torch_flag(struct torch_writer *writer, bool value)
{
    put(writer, value ? "\x88" : "\x89");
}

void torch_begin_list(struct torch_writer *writer)
{
    put(writer, "](");
}

void torch_end_list(struct torch_writer *writer)
{
    put(writer, "e");
}

void torch_begin_dict(struct torch_writer *writer)
{
    put(writer, "}(");
}

void torch_end_dict(struct torch_writer *writer)
{
    put(writer, "u");
}

void torch_begin_namespace(struct torch_writer *writer)
{
    put(writer, "cargparse\nNamespace\n)\x81}(");
}

void torch_end_namespace(struct torch_writer *writer)
{
    put(writer, "ub");
}

static void put_storage(struct torch_writer *writer, const struct stored_tensor *tensor)
{
    char key[16];
    assert_true(writer->storage_count < MOST);
    snprintf(key, sizeof key, "%d", writer->storage_count);
    writer->storages[writer->storage_count].data = tensor->data;
    writer->storages[writer->storage_count++].bytes = tensor->bytes;
    put(writer, "(");
    torch_text(writer, "storage");
    assert_true(tensor->dtype == STORED_F32 || tensor->dtype == STORED_F16);
    put(writer, tensor->dtype == STORED_F32 ? "ctorch\nFloatStorage\n" : "ctorch\nHalfStorage\n");
    torch_text(writer, key);
    torch_text(writer, "cpu");
    torch_integer(writer, (int)tensor->elements);
    put(writer, "tQ");
}

void torch_tensor_of(struct torch_writer *writer, const struct stored_tensor *tensor)
{
    int64_t stride = tensor->elements;
    put(writer, "ctorch._utils\n_rebuild_tensor_v2\n(");
    put_storage(writer, tensor);
    torch_integer(writer, 0);
    put(writer, "(");
    for (int i = 0; i < tensor->dimensions; i++)
        torch_integer(writer, (int)tensor->shape[i]);
    put(writer, "t(");
    for (int i = 0; i < tensor->dimensions; i++) {
        stride /= tensor->shape[i];
        torch_integer(writer, (int)stride);
    }
    put(writer, "t\x89"
                "ccollections\nOrderedDict\n)RtR");
}

static void add_file(zip_t *archive, const char *name, const void *data, size_t bytes)
{
    zip_source_t *source = zip_source_buffer(archive, data, bytes, 0);
    assert_non_null(source);
    zip_int64_t index = zip_file_add(archive, name, source, ZIP_FL_ENC_UTF_8);
    assert_true(index >= 0);
    assert_int_equal(zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0), 0);
}

void torch_writer_close(struct torch_writer *writer, const char *path)
{
    put(writer, ".");
    assert_int_equal(fclose(writer->pickle), 0);
    zip_t *archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, NULL);
    assert_non_null(archive);
    add_file(archive, "archive/data.pkl", writer->bytes, writer->count);
    for (int i = 0; i < writer->storage_count; i++) {
        char name[48];
        snprintf(name, sizeof name, "archive/data/%d", i);
        add_file(archive, name, writer->storages[i].data, writer->storages[i].bytes);
    }
    add_file(archive, "archive/version", "3\n", 2);
    assert_int_equal(zip_close(archive), 0);
    free(writer->bytes);
    free(writer);
}
