/* Pictures that a terminal received, for tests: files from escape sequences, and sixels. Every
 * function fails the running test if it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_PICTURE_SUPPORT_H
#define ATTNSCOPE_TESTS_PICTURE_SUPPORT_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
    uint8_t *values; // freed by check_same
    size_t count;
};

void append_base64(struct bytes *bytes, const char *text, size_t length);

/* Return the first file in kitty's protocol, or in iTerm2's sequence. */
struct bytes kitty_file(const char *text);
struct bytes iterm_file(const char *text);

/* Frees `is`. */
void check_same(struct bytes *is, const char *expected, size_t expected_bytes);

/* Decodes the first sixel picture with sixel2png and compares it with the PNG at that path. */
void check_sixel(const char *text, const char *expected_path);

#endif
