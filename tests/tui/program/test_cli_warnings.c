/* What makes a finished result doubtful is said in a line of standard error, and in JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/cli_support.h"

/* Runs `commands` (up to two; NULL: none) and checks that it ends well, and with one line on standard error that has
 * `says`, or (NULL) without any; with --json, in the warnings of the last object. */
static void check_warning(const char *const commands[2], const char *says)
{
    const char *const plain[] = {CPU,         MODEL, "-e", commands[0], commands[1] ? "-e" : NULL,
                                 commands[1], NULL};
    const char *const json[] = {
        CPU, "--json", MODEL, "-e", commands[0], commands[1] ? "-e" : NULL, commands[1], NULL};
    struct outcome outcome = cli_run(plain);
    if (outcome.code != 0 || (says ? !strstr(outcome.err, says) : *outcome.err))
        fail_msg("%s: %s", cli_command_line(plain), outcome.err);
    if (says)
        cli_check_message(plain, &outcome, 1, "warning: ");
    outcome_free(&outcome);
    outcome = cli_run(json);
    json_t *object = cli_object(json, outcome.out, commands[1] != NULL);
    const json_t *warnings = json_object_get(object, "warnings");
    assert_int_equal(json_array_size(warnings), says != NULL);
    if (says && !strstr(json_string_value(json_array_get(warnings, 0)), says))
        fail_msg("%s: %s", cli_command_line(json), outcome.out);
    json_decref(object);
    outcome_free(&outcome);
}

/* Characters for private use have no font, whatever is installed. */
static void characters_without_a_font_are_named(void **unused)
{
    static const char *const extensions[] = {"png", "pdf", "svg"};
    (void)unused;
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        char name[20], command[600];
        snprintf(name, sizeof name, "figure.%s", extensions[i]);
        snprintf(command, sizeof command, ":export %s attn enc layer 1 head 1 word",
                 cli_path(name));
        check_warning((const char *const[]){"the \xF3\xB0\x80\x85 dog", command},
                      "no font has U+F0005: ");
        remove(cli_path(name));
        check_warning((const char *const[]){"\xF3\xB0\x80\x81 \xF3\xB0\x80\x82 dog", command},
                      "no font has U+F0001, U+F0002: ");
        remove(cli_path(name));
        check_warning((const char *const[]){"the dog", command}, NULL);
        remove(cli_path(name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_without_a_font_are_named),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
