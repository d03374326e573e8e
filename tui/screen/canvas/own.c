#include "tui/screen/canvas/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *sign, *ascii;
} signs[] = {
    {"\xe2\x86\x90\xe2\x86\x92", "<>"}, // ←→ of keys
    {"\xe2\x86\x91\xe2\x86\x93", "^v"}, // ↑↓
    {"\xe2\x86\x90", "<-"},             // ←
    {"\xe2\x86\x92", "->"},             // →
    {"\xe2\x86\x91", "^"},              // ↑
    {"\xe2\x86\x93", "v"},              // ↓
    {"\xc3\x97", "x"},                  // ×
    {"\xe2\x80\xa6", "~"},              // …
    {"\xe2\x88\x92", "-"},              // −
    {"\xce\xbb", "lambda"},             // λ
    {"\xe2\x96\x88", "#"},              // █ of progress
    {"\xe2\x96\x91", "."},              // ░
};

static const char *sign_at(const char *text, size_t *bytes)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        *bytes = strlen(signs[i].sign);
        if (strncmp(text, signs[i].sign, *bytes) == 0)
            return signs[i].ascii;
    }
    return NULL;
}

char *own_text(const struct screen_style *screen_style, const char *text)
{
    char *own = NULL;
    size_t size, bytes;
    if (!screen_style->ascii)
        return strdup(text);
    FILE *stream = open_memstream(&own, &size);
    while (stream && *text) {
        const char *ascii = sign_at(text, &bytes);
        if (ascii)
            fputs(ascii, stream);
        else
            fputc(*text, stream);
        text += ascii ? bytes : 1;
    }
    if (stream && fclose(stream) == 0)
        return own;
    free(own);
    return NULL;
}
