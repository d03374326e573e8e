#include "model/text/file_kind.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* The first bytes of a file. */
struct head {
    const unsigned char *data;
    size_t bytes;
};

/* First bytes ---------------------------------------------------------------------------------- */

static bool has_at(struct head head, size_t offset, const char *bytes, size_t count)
{
    return head.bytes >= offset + count && memcmp(head.data + offset, bytes, count) == 0;
}

static bool begins(struct head head, const char *text)
{
    return has_at(head, 0, text, strlen(text));
}

static bool begins_word(struct head head, const char *text)
{
    return head.bytes >= strlen(text) &&
           strncasecmp((const char *)head.data, text, strlen(text)) == 0;
}

/* Skips a byte order mark and blanks. */
static struct head skip_blanks(struct head head)
{
    size_t skip = begins(head, "\xEF\xBB\xBF") ? 3 : 0;
    while (skip < head.bytes && head.data[skip] && strchr(" \t\r\n", head.data[skip]))
        skip++;
    return (struct head){head.data + skip, head.bytes - skip};
}

static struct head skip(struct head head, const char *text)
{
    return skip_blanks((struct head){head.data + strlen(text), head.bytes - strlen(text)});
}

/* Kinds ---------------------------------------------------------------------------------------- */

static bool is_lfs(struct head head)
{
    return begins(head, "version https://git-lfs.github.com/spec");
}

/* True for git-annex's pointers that are not symbolic links. */
static bool is_annex(struct head head)
{
    return begins(head, "/annex/objects/");
}

static bool is_html(struct head head)
{
    head = skip_blanks(head);
    return begins_word(head, "<!doctype html") || begins_word(head, "<html");
}

/* True for {"error": "…"}. A vocabulary may have a piece of that name, whose value is a number. */
static bool is_error(struct head head)
{
    static const char *const keys[] = {"\"error\"", "\"message\"", "\"detail\""};
    static const char *const texts[] = {"404: Not Found", "Entry not found"};
    head = skip_blanks(head);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (begins(head, texts[i]) && skip(head, texts[i]).bytes == 0)
            return true;
    if (!begins(head, "{"))
        return false;
    head = skip(head, "{");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (begins(head, keys[i]) && begins(skip(head, keys[i]), ":"))
            return begins(skip(skip(head, keys[i]), ":"), "\"");
    return false;
}

/* The byte of compression flags has one of three values (RFC 1952). */
static bool is_gzip(struct head head)
{
    return has_at(head, 0, "\x1F\x8B\x08", 3) && head.bytes > 8 &&
           (head.data[8] == 0 || head.data[8] == 2 || head.data[8] == 4);
}

static bool is_xz(struct head head)
{
    return has_at(head, 0, "\xFD\x37zXZ\0", 6);
}

static bool is_zstd(struct head head)
{
    return has_at(head, 0, "\x28\xB5\x2F\xFD", 4);
}

static bool is_bzip2(struct head head)
{
    return begins(head, "BZh") && has_at(head, 4, "1AY&SY", 6);
}

static bool is_7z(struct head head)
{
    return has_at(head, 0, "7z\xBC\xAF\x27\x1C", 6);
}

static bool is_rar(struct head head)
{
    return begins(head, "Rar!\x1A\x07");
}

/* A text may contain this word there, so the header's checksum decides (POSIX, pax: ustar
 * Interchange Format). It counts its own eight bytes as blanks. */
static bool is_tar(struct head head)
{
    enum { HEADER = 512, SUM = 148, SUM_BYTES = 8 };
    if (!has_at(head, 257, "ustar", 5) || head.bytes < HEADER)
        return false;
    char field[SUM_BYTES + 1] = "";
    unsigned long sum = 0;
    memcpy(field, head.data + SUM, SUM_BYTES);
    for (size_t i = 0; i < HEADER; i++)
        sum += i >= SUM && i < SUM + SUM_BYTES ? ' ' : head.data[i];
    return strtoul(field, NULL, 8) == sum;
}

static bool is_pdf(struct head head)
{
    return begins(head, "%PDF-");
}

static bool is_png(struct head head)
{
    return begins(head, "\x89PNG\r\n\x1A\n");
}

static bool is_zip(struct head head)
{
    return has_at(head, 0, "PK\3\4", 4) || has_at(head, 0, "PK\5\6", 4);
}

/* True for protocols 2 to 5; no UTF-8 text begins like that. */
static bool is_pickle(struct head head)
{
    return head.bytes > 1 && head.data[0] == 0x80 && head.data[1] >= 2 && head.data[1] <= 5;
}

/* Returns a unit of 2 or 4 bytes. */
static uint32_t unit_at(struct head head, size_t offset, size_t size, bool big)
{
    uint32_t unit = 0;
    for (size_t i = 0; i < size; i++)
        unit = unit << 8 | head.data[offset + (big ? i : size - 1 - i)];
    return unit;
}

/* True if all whole units are characters of text, at least half of them ASCII. Then every other
 * byte, or three of four, are zero, which never happens in text of one byte per character. */
static bool is_wide(struct head head, size_t size, bool big)
{
    size_t ascii = 0, units = head.bytes / size;
    for (size_t i = 0; i < units; i++) {
        uint32_t unit = unit_at(head, i * size, size, big);
        if (unit < '\t' || unit > 0x10FFFF)
            return false;
        ascii += unit < 0x80;
    }
    return units >= 2 && 2 * ascii >= units;
}

/* True for a byte order mark with a character after it. */
static bool is_utf32_marked(struct head head)
{
    for (int big = 0; big < 2; big++)
        if (has_at(head, 0, big ? "\0\0\xFE\xFF" : "\xFF\xFE\0\0", 4) && head.bytes >= 8) {
            uint32_t unit = unit_at(head, 4, 4, big);
            return unit >= '\t' && unit <= 0x10FFFF;
        }
    return false;
}

static bool is_utf16_marked(struct head head)
{
    for (int big = 0; big < 2; big++)
        if (has_at(head, 0, big ? "\xFE\xFF" : "\xFF\xFE", 2) && head.bytes >= 4)
            return unit_at(head, 2, 2, big) >= '\t';
    return false;
}

static bool is_utf32(struct head head)
{
    return is_wide(head, 4, false) || is_wide(head, 4, true);
}

static bool is_utf16(struct head head)
{
    return is_wide(head, 2, false) || is_wide(head, 2, true);
}

struct kind {
    bool (*is)(struct head head);
    bool model;                  // not a file of a model, either
    const char *what, *expected; // NULL: fine for this use
};

#define FIGURE_AGAIN "another file; attnscope --replay makes an exported figure again"

/* The first one that matches counts. */
static const struct kind kinds[] = {
    {is_lfs, true, "a pointer of Git LFS, whose file was not downloaded",
     "the file (git lfs pull)"},
    {is_annex, true, "a pointer of git-annex, whose file was not downloaded",
     "the file (git annex get)"},
    {is_html, true, "a page of HTML, which servers send in the place of a file",
     "the file: download it again"},
    {is_error, true, "the error message of a server", "the file: download it again"},
    {is_gzip, true, "compressed with gzip", "it unpacked (gunzip)"},
    {is_xz, true, "compressed with xz", "it unpacked (unxz)"},
    {is_zstd, true, "compressed with Zstandard", "it unpacked (unzstd)"},
    {is_bzip2, true, "compressed with bzip2", "it unpacked (bunzip2)"},
    {is_7z, true, "an archive of 7-Zip", "its contents: unpack it"},
    {is_rar, true, "a RAR archive", "its contents: unpack it"},
    {is_tar, true, "a tar archive", "its contents: unpack it (tar -xf)"},
    {is_pdf, true, "a PDF document", FIGURE_AGAIN},
    {is_png, true, "a PNG picture", FIGURE_AGAIN},
    {is_utf32_marked, true, "text in UTF-32", "UTF-8 (iconv -f UTF-32 -t UTF-8)"},
    {is_utf16_marked, true, "text in UTF-16", "UTF-8 (iconv -f UTF-16 -t UTF-8)"},
    {is_zip, false, "a zip archive", "its contents: unpack it"},
    {is_pickle, false, "a pickle of Python", NULL},
    {is_utf32, false, "text in UTF-32", "UTF-8 (iconv -f UTF-32LE -t UTF-8, or UTF-32BE)"},
    {is_utf16, false, "text in UTF-16", "UTF-8 (iconv -f UTF-16LE -t UTF-8, or UTF-16BE)"},
};

/* True for a safetensors file, whose first bytes, the length of the header, can be anything. */
static bool is_safetensors(struct head head)
{
    return head.bytes > 8 && head.data[7] == 0 && head.data[8] == '{';
}

bool file_kind_check(const void *data, size_t bytes, enum file_use use, struct status *status)
{
    struct head head = {data, bytes < FILE_KIND_HEAD ? bytes : FILE_KIND_HEAD};
    if (bytes == 0 || (use == FILE_OF_MODEL && is_safetensors(head)))
        return true;
    const char *usual = use == FILE_OF_TEXT ? "text" : "a file of a model";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if ((kinds[i].model || use == FILE_OF_TEXT) && kinds[i].is(head))
            return status_fail(status, STATUS_INVALID, "%s, expected %s", kinds[i].what,
                               kinds[i].expected ? kinds[i].expected : usual);
    return true;
}

bool file_kind_check_open(int descriptor, enum file_use use, struct status *status)
{
    char head[FILE_KIND_HEAD];
    ssize_t got = pread(descriptor, head, sizeof head, 0);
    return got <= 0 || file_kind_check(head, (size_t)got, use, status);
}
