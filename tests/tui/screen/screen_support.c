#include "tests/tui/screen/screen_support.h"
#include "tests/support/test.h"

enum { CTRL_D = 0x04, ALWAYS_WITH_SIDE = 100 };

static const struct {
    const char *term;
    const char *environment[2];
} terminals[SCREEN_DEPTHS] = {[SCREEN_TRUE] = {"tmux-256color", {"COLORTERM=truecolor"}},
                              [SCREEN_256] = {"tmux-256color", {NULL}},
                              [SCREEN_16] = {"screen-16color", {NULL}},
                              [SCREEN_ASCII] = {"tmux-256color", {"NO_COLOR=1"}}};

struct stage stage_open(const struct stage_spec *spec)
{
    const char *const plain[] = {CPU, spec->model, NULL};
    const char *const ascii[] = {CPU, "--ascii", spec->model, NULL};
    struct stage stage = {.columns = spec->columns, .rows = spec->rows, .depth = spec->depth};
    stage.tmux = tmux_open_program(&(struct tmux_spec){
        .columns = spec->columns,
        .rows = spec->rows,
        .term = terminals[spec->depth].term,
        .environment = terminals[spec->depth].environment,
        .arguments = spec->depth == SCREEN_ASCII ? ascii : plain,
    });
    tmux_expect(&stage.tmux, "Type a sentence to translate it.");
    stage_leave_prompt(&stage);
    return stage;
}

void stage_close(struct stage *stage)
{
    tmux_send(&stage->tmux, &(char){CTRL_D}, 1);
    assert_int_equal(tmux_finish(&stage->tmux), 0);
    tmux_close(&stage->tmux);
}

bool stage_has_side(const struct stage *stage)
{
    return stage->columns >= ALWAYS_WITH_SIDE;
}

/* The cursor is visible only in the prompt. */
void stage_leave_prompt(const struct stage *stage)
{
    tmux_expect_format(&stage->tmux, "#{cursor_flag}", "1");
    tmux_press(&stage->tmux, "Escape");
    tmux_expect_format(&stage->tmux, "#{cursor_flag}", "0");
}

void stage_run(const struct stage *stage, const char *line)
{
    tmux_type(&stage->tmux, "i");
    tmux_expect_format(&stage->tmux, "#{cursor_flag}", "1");
    tmux_type(&stage->tmux, line);
    tmux_press(&stage->tmux, "Enter Escape"); // the prompt keeps the focus
    tmux_expect_format(&stage->tmux, "#{cursor_flag}", "0");
}

const char *stage_text(const struct stage *stage, const char *text)
{
    enum { SIGNS = 4 };
    static const char *const signs[SIGNS][2] = {{"→", "->"}, {"…", "~"}, {"−", "-"}, {"·", "-"}};
    static char texts[4][1000];
    static int next;
    char *out = texts[next++ % 4], *end = out;
    for (; *text && end < out + sizeof *texts - 8; text++) {
        int sign = 0;
        while (stage->depth == SCREEN_ASCII && sign < SIGNS &&
               strncmp(text, signs[sign][0], strlen(signs[sign][0])) != 0)
            sign++;
        if (stage->depth == SCREEN_ASCII && sign < SIGNS) {
            end = stpcpy(end, signs[sign][1]);
            text += strlen(signs[sign][0]) - 1;
        } else {
            *end++ = *text;
        }
    }
    *end = '\0';
    return out;
}

void stage_expect(const struct stage *stage, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tmux_expect(&stage->tmux, stage_text(stage, text));
}

/* Answers -------------------------------------------------------------------------------------- */

json_t *stage_ask(const char *model, const char *const *commands)
{
    const char *arguments[] = {CPU, "--json", model, NULL};
    char *script = NULL;
    size_t size;
    FILE *stream = open_memstream(&script, &size);
    int count = 0;
    assert_non_null(stream);
    for (; commands[count]; count++)
        fprintf(stream, "%s\n", commands[count]);
    assert_int_equal(fclose(stream), 0);
    struct outcome outcome = cli_run_with(arguments, script, size);
    json_t *answers = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(answers, cli_object(arguments, outcome.out, i));
    outcome_free(&outcome);
    free(script);
    return answers;
}

const json_t *stage_answer(const json_t *answers, int index)
{
    const json_t *object = json_array_get(answers, index);
    assert_non_null(object);
    if (!json_is_true(json_object_get(object, "ok")))
        fail_msg("answer %d: %s", index, json_text(object, "error"));
    return object;
}

double json_double(const json_t *value)
{
    assert_true(json_is_number(value));
    return json_number_value(value);
}

const char *json_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (!text)
        fail_msg("%s is no text", key);
    return text;
}
