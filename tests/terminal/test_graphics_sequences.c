/* Answers of terminals among typed bytes, however they are cut. */
#include "terminal/graphics_sequences.h"
#include "tests/support/test.h"

struct expected {
    const char *bytes, *typed;
    struct graphics_replies replies;
};

static const struct expected cases[] = {
    {"", "", {0}},
    {"I like dogs.\r", "I like dogs.\r", {0}},
    // kitty, and an error that its protocol answers with
    {"\033_Gi=31;OK\033\\", "", {.kitty = true}},
    {"\033_Gi=31;EINVAL:bad\033\\", "", {0}},
    // DA1: of xterm with sixel, of VTE, of foot, of one with 14 and 44 but not 4
    {"\033[?62;4;22c", "", {.sixel = true}},
    {"\033[?65;1;9c", "", {0}},
    {"\033[?62;4c", "", {.sixel = true}},
    {"\033[?62;14;44c", "", {0}},
    // XTSMGRAPHICS: 256 registers, and an error
    {"\033[?1;0;256S", "", {.sixel = true}},
    {"\033[?1;3S", "\033[?1;3S", {0}},
    {"\033[0n", "", {.status = true}},
    {"\033[ITERM2 3.5.0n", "", {.iterm = true}},
    {"\033P>|tmux 3.3a\033\\", "", {.tmux = true}},
    {"\033P>|iTerm2 3.5.0\033\\", "", {.iterm = true}},
    {"\033P>|XTerm(390)\033\\", "", {0}},
    {"\033[6;20;10t", "", {.cell_height = 20, .cell_width = 10}},
    {"\033[6;0;10t", "", {0}},
    {"\033[6;9999;10t", "", {0}},
    // in order, with what is typed between them
    {"a\033_Gi=31;OK\033\\b\033[0n\xc3\xa9", "ab\xc3\xa9", {.kitty = true, .status = true}},
    // keys begin as answers do
    {"\033[A\033[?62;4c\033OB", "\033[A\033OB", {.sixel = true}},
    {"\033[<0;3;4M\033[0n", "\033[<0;3;4M", {.status = true}},
    {"\033\033[0n", "\033", {.status = true}},
    {"\033[?62;x\033[0n", "\033[?62;x", {.status = true}},
    {"\033[200~pasted\033[201~\033[0n", "\033[200~pasted\033[201~", {.status = true}},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Gives `first` bytes, then the rest; what is left at the end was typed. */
static void check_cut(const struct expected *expected, size_t first)
{
    unsigned char bytes[256];
    char typed_so_far[256] = "";
    struct graphics_replies replies = {0};
    size_t count = strlen(expected->bytes), typed, kept = 0;
    const size_t ends[] = {first, count};
    size_t at = 0;
    for (int i = 0; i < 2; i++) {
        memcpy(bytes + kept, expected->bytes + at, ends[i] - at);
        kept = graphics_reply_take(&replies, bytes, kept + ends[i] - at, &typed);
        at = ends[i];
        strncat(typed_so_far, (const char *)bytes, typed);
        memmove(bytes, bytes + typed, kept);
    }
    strncat(typed_so_far, (const char *)bytes, kept);
    if (strcmp(typed_so_far, expected->typed) != 0 ||
        memcmp(&replies, &expected->replies, sizeof replies) != 0)
        fail_msg("\"%s\" cut at %zu: typed \"%s\" instead of \"%s\"; status %d sixel %d kitty "
                 "%d iterm %d tmux %d cell %d x %d",
                 expected->bytes, first, typed_so_far, expected->typed, replies.status,
                 replies.sixel, replies.kitty, replies.iterm, replies.tmux, replies.cell_width,
                 replies.cell_height);
}

static void answers_are_told_from_what_is_typed(void **state)
{
    for (int i = 0; i < CASES; i++)
        for (size_t first = 0; first <= strlen(cases[i].bytes); first++)
            check_cut(&cases[i], first);
}

/* What never ends is no answer. */
static void long_ones_are_given_back(void **state)
{
    unsigned char bytes[1000];
    struct graphics_replies replies = {0};
    size_t typed;
    memset(bytes, 'x', sizeof bytes);
    memcpy(bytes, "\033_G", 3);
    assert_int_equal(graphics_reply_take(&replies, bytes, sizeof bytes, &typed), 0);
    assert_int_equal(typed, sizeof bytes);
    assert_memory_equal(bytes, "\033_Gxxx", 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_told_from_what_is_typed),
        cmocka_unit_test(long_ones_are_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
