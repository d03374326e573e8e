#include "tests/terminal/picture_support.h"
#include "tests/support/test.h"

#include <nettle/base64.h>
#include <png.h>

#include "tests/support/cli_support.h"

enum { CHUNK_MOST = 4096 };

/* Decoding ------------------------------------------------------------------------------------- */

void append_base64(struct bytes *bytes, const char *text, size_t length)
{
    struct base64_decode_ctx context;
    base64_decode_init(&context);
    bytes->values = realloc(bytes->values, bytes->count + BASE64_DECODE_LENGTH(length) + 1);
    size_t count = BASE64_DECODE_LENGTH(length);
    assert_true(base64_decode_update(&context, &count, bytes->values + bytes->count, length, text));
    assert_true(base64_decode_final(&context));
    bytes->count += count;
}

/* Returns the file from the chunks of the picture that is transmitted and shown. All but the last
 * chunk say that more follow. */
struct bytes kitty_file(const char *text)
{
    struct bytes bytes = {0};
    const char *at = strstr(text, "\033_Ga=T,f=100,");
    for (bool more = true; more;) {
        assert_non_null(at);
        const char *keys = at + strlen("\033_G"), *data = strchr(keys, ';') + 1;
        const char *end = strstr(data, "\033\\");
        assert_non_null(end);
        assert_in_range(end - data, 1, CHUNK_MOST);
        const char *flag = strstr(keys, "m=");
        assert_true(flag && flag < data);
        more = flag[2] == '1';
        assert_true(!more || (end - data) % 4 == 0);
        append_base64(&bytes, data, (size_t)(end - data));
        at = more ? strstr(end, "\033_G") : NULL; // tmux writes between the chunks
    }
    return bytes;
}

struct bytes iterm_file(const char *text)
{
    struct bytes bytes = {0};
    const char *at = strstr(text, "\033]1337;File=");
    assert_non_null(at);
    const char *data = strchr(at, ':') + 1, *end = strchr(data, '\a');
    assert_non_null(strstr(at, "inline=1"));
    // Only the last chunk is padded, so that together they are one text.
    append_base64(&bytes, data, (size_t)(end - data));
    char size[40];
    snprintf(size, sizeof size, "size=%zu;", bytes.count);
    const char *said = strstr(at, size);
    assert_true(said && said < data);
    return bytes;
}

void check_same(struct bytes *is, const char *expected, size_t expected_bytes)
{
    assert_int_equal(is->count, expected_bytes);
    assert_memory_equal(is->values, expected, expected_bytes);
    free(is->values);
}

/* Pictures ------------------------------------------------------------------------------------- */

struct image {
    png_image png;
    uint8_t *values; // RGB
};

static struct image read_image(const char *path)
{
    struct image image = {.png = {.version = PNG_IMAGE_VERSION}};
    assert_true(png_image_begin_read_from_file(&image.png, path));
    image.png.format = PNG_FORMAT_RGB;
    image.values = malloc(PNG_IMAGE_SIZE(image.png));
    assert_true(png_image_finish_read(&image.png, NULL, image.values, 0, NULL));
    return image;
}

/* Sixels are rows of six, so that the last rows may be cut off or padded. Colours come from a
 * palette. */
static void check_picture(const char *path, const char *expected_path)
{
    struct image is = read_image(path), expected = read_image(expected_path);
    assert_int_equal(is.png.width, expected.png.width);
    assert_true(abs((int)is.png.height - (int)expected.png.height) <= 6);
    png_uint_32 height = is.png.height < expected.png.height ? is.png.height : expected.png.height;
    // libchafa stretches pictures to whole sixels, so that edges may be off by a pixel.
    double sum = 0, dark = 0;
    size_t count = (size_t)height * is.png.width * 3;
    for (size_t i = 0; i < count; i++) {
        sum += abs(is.values[i] - expected.values[i]);
        dark += 255 - expected.values[i];
    }
    assert_true(dark / (double)count > 10); // the picture is not blank
    if (sum / (double)count > 4)
        fail_msg("pixels differ by %.1f of 255 in the mean", sum / (double)count);
    free(is.values);
    free(expected.values);
}

void check_sixel(const char *text, const char *expected_path)
{
    char command[700], sixel[300], png[300];
    const char *begin = strstr(text, "\033P0;");
    assert_non_null(begin);
    const char *end = strstr(begin, "\033\\") + 2;
    snprintf(sixel, sizeof sixel, "%s", cli_path("shown.six"));
    snprintf(png, sizeof png, "%s", cli_path("shown.png"));
    FILE *file = fopen(sixel, "w");
    assert_int_equal(fwrite(begin, 1, (size_t)(end - begin), file), end - begin);
    fclose(file);
    snprintf(command, sizeof command, "sixel2png <%s >%s", sixel, png);
    assert_int_equal(system(command), 0);
    check_picture(png, expected_path);
}
