#include "tests/report/output/export_data_support.h"
#include "tests/support/test.h"

#include <ctype.h>

struct npy_read read_npy(const char *name)
{
    struct npy_read array = {.count = 1};
    size_t bytes;
    array.content = export_read(name, &bytes);
    const unsigned char *start = (const unsigned char *)array.content;
    assert_true(bytes > 10 && memcmp(start, "\x93NUMPY\x01\x00", 8) == 0);
    size_t length = start[8] + 256u * start[9];
    assert_true(bytes >= 10 + length && (10 + length) % 64 == 0);
    assert_int_equal(start[10 + length - 1], '\n');
    char header[1000] = "";
    memcpy(header, start + 10, length);
    assert_non_null(strstr(header, "'descr': '<f4'"));
    assert_non_null(strstr(header, "'fortran_order': False"));
    const char *shape = strstr(header, "'shape': (");
    assert_non_null(shape);
    for (shape += 10; isdigit((unsigned char)*shape); shape += strspn(shape, ", ")) {
        array.shape[array.dimensions] = strtoul(shape, (char **)&shape, 10);
        array.count *= array.shape[array.dimensions++];
    }
    assert_int_equal(*shape, ')');
    assert_int_equal(bytes, 10 + length + array.count * sizeof(float));
    array.values = (const float *)(array.content + 10 + length); // this machine is little-endian
    return array;
}

static char *take_quoted(char *in, char **cell, char *ending, char separator)
{
    char *out = in;
    *cell = in;
    bool quoted = *in == '"';
    in += quoted;
    while (*in && (quoted || (*in != separator && *in != '\n'))) {
        if (quoted && *in == '"' && in[1] != '"') {
            quoted = false;
            in++;
            assert_true(*in == separator || *in == '\n');
            break;
        }
        in += quoted && *in == '"';
        *out++ = *in++;
    }
    *ending = *in;
    *out = '\0';
    return in + 1;
}

char *take_csv(char *in, char **cell, char *ending)
{
    return take_quoted(in, cell, ending, ',');
}

char *take_tsv(char *in, char **cell, char *ending)
{
    return take_quoted(in, cell, ending, '\t');
}

char *take_pasted(char *in, char **cell, char *ending)
{
    char *out = in;
    *cell = in;
    for (; *in != '\t' && *in != '\n'; in++) {
        assert_true(*in != '\0' && *in != '\r');
        if (*in != '\\') {
            *out++ = *in;
            continue;
        }
        static const char letters[] = "tnr\\", meant[] = "\t\n\r\\";
        const char *found = strchr(letters, *++in);
        assert_non_null(found);
        *out++ = meant[found - letters];
    }
    *ending = *in;
    *out = '\0';
    return in + 1;
}

struct cells read_table(const char *name, char *(*take)(char *, char **, char *))
{
    struct cells cells = {0};
    size_t bytes;
    cells.content = export_read(name, &bytes);
    char ending = '\n';
    for (char *c = cells.content; c < cells.content + bytes;) {
        assert_true(cells.count < CELLS_MOST);
        c = take(c, &cells.text[cells.count++], &ending);
        if (ending == '\n' && !cells.columns)
            cells.columns = cells.count;
        if (ending == '\n')
            assert_int_equal(cells.count % cells.columns, 0);
    }
    assert_int_equal(ending, '\n');
    return cells;
}
