/* Pictures that a terminal got, for tests: files out of escape sequences, and sixels. Every
 * function fails the running test when it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_PICTURE_SUPPORT_H
#define ATTNSCOPE_TESTS_PICTURE_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *values; // freed by check_same
    size_t count;
};

void append_base64(struct bytes *bytes, const char *text, size_t length);

/* The first file that kitty's protocol transmits, or iTerm2's sequence has. */
struct bytes kitty_file(const char *text);
struct bytes iterm_file(const char *text);

/* Frees `is`. */
void check_same(struct bytes *is, const char *expected, size_t expected_bytes);

/* The first sixel picture, decoded by sixel2png, shows what the PNG at that path does. */
void check_sixel(const char *text, const char *expected_path);

#endif
