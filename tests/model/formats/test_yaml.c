/* YAML as JSON values: what a document holds, and what is refused. Expected values follow the YAML
 * 1.2 core schema. `test_yaml COUNT SEED` tries other damaged documents. */
#include "model/formats/yaml/yaml.h"
#include "model/formats/yaml/yaml_characters.h"
#include "tests/support/test.h"

static unsigned damages = 3000;
static uint64_t seed = 20261124;

static void assert_json(const char *yaml, const char *expected)
{
    struct status status;
    json_t *value = yaml_parse(yaml, strlen(yaml), &status);
    if (!value)
        fail_msg("%s: %s", yaml, status.message);
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    assert_string_equal(text, expected);
    free(text);
    json_decref(value);
}

static void assert_refused(const char *yaml, size_t bytes, const char *expected)
{
    struct status status = {0};
    json_t *value = yaml_parse(yaml, bytes, &status);
    assert_null(value);
    if (!strstr(status.message, expected))
        fail_msg("%s: %s, expected %s", yaml, status.message, expected);
    assert_null(strchr(status.message, '\n'));
}

static void scalars_are_those_of_the_core_schema(void **state)
{
    static const char *const cases[][2] = {
        {"", "null"},
        {"~", "null"},
        {"null", "null"},
        {"True", "true"},
        {"false", "false"},
        {"yes", "\"yes\""},
        {"'true'", "\"true\""},
        {"\"12\"", "\"12\""},
        {"!!str 12", "\"12\""},
        {"12", "12"},
        {"-0", "0"},
        {"+7", "7"},
        {"0.5", "0.5"},
        {"-.25", "-0.25"},
        {"4.", "4.0"},
        {"25e-2", "0.25"},
        {"9223372036854775807", "9223372036854775807"},
        {"1.5.2", "\"1.5.2\""},
        {"v1.9.0 6fe8a4b 2020-03-14", "\"v1.9.0 6fe8a4b 2020-03-14\""},
        {"e5", "\"e5\""},
        {"-", "[null]"},
        {"0x10", "\"0x10\""},
        {"1e999", "\"1e999\""},
        {"nan", "\"nan\""},
        {"'it''s'", "\"it's\""},
        {"\"\\xe9\\u2581\\t\"", "\"é▁\\t\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_json(cases[i][0], cases[i][1]);
}

static void mappings_keep_the_text_of_keys(void **state)
{
    assert_json(
        "</s>: 0\n<unk>: 1\n\",\": 2\nyes: 3\n1.0: 4\n1: 5\n~: 6\n\"\\x85\": 7\n'#': 8\n? \"a: "
        "b\"\n: "
        "9\n",
        "{\"</s>\":0,\"<unk>\":1,\",\":2,\"yes\":3,\"1.0\":4,\"1\":5,\"~\":6,\"\xc2\x85\":7,"
        "\"#\":8,\"a: b\":9}");
    assert_json(
        "models:\n  - model.npz\nvocabs: [a.yml, b.yml]\nbeam-size: 6\nempty: {}\nnone: []\n"
        "script: |\n  one\n  two\n",
        "{\"models\":[\"model.npz\"],\"vocabs\":[\"a.yml\",\"b.yml\"],\"beam-size\":6,"
        "\"empty\":{},\"none\":[],\"script\":\"one\\ntwo\\n\"}");
    assert_json("---\na: {b: [1, {c: 2}]}\n...\n", "{\"a\":{\"b\":[1,{\"c\":2}]}}");
}

/* As in vocabularies written by Marian: YAML 1.2 has no line breaks except \n and \r. */
static void characters_are_those_of_yaml_1_2(void **state)
{
    assert_json(
        "a\xC2\x85: 0\n\xE2\x80\xA8: 1\n\xE2\x80\xA9\xE2\x80\xA8z: 2\n\"\x7F\": 3\n\"\\x85\": 4\n",
        "{\"a\xC2\x85\":0,\"\xE2\x80\xA8\":1,\"\xE2\x80\xA9\xE2\x80\xA8z\":2,\"\x7F\":3,"
        "\"\xC2\x85\":4}");
    assert_json("{\"\xE2\x80\xA8\": 1, \"b\": \"\xC2\x85\xF0\x9F\x98\x80\"}",
                "{\"\xE2\x80\xA8\":1,\"b\":\"\xC2\x85\xF0\x9F\x98\x80\"}");
    /* What stands for them is a character like others, alone. */
    assert_json("\xF3\xB0\x82\x85: 0\n", "{\"\xF3\xB0\x82\x85\":0}");
    assert_refused("\xF3\xB0\x82\x85: 0\n\"\x7F\": 1\n", 14, "line 2: control characters");
}

/* yaml-cpp, with which Marian reads and writes vocabularies, takes any bytes in quotes. */
static void bytes_and_characters_that_libyaml_refuses_are_taken(void **state)
{
    static const char *const keys[] = {"\x01",         "a\x1B[",       "\xC2\x80", "\xEF\xBF\xBE",
                                       "\xEF\xBF\xBF", "\xC1\x61\x35", "\xE2\x82", "\xED\xA0\x80",
                                       "\xFF",         "\xC3z"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct status status = {0};
        char yaml[64], key[16];
        snprintf(yaml, sizeof yaml, "a: 0\n\"%s\": 7\n", keys[i]);
        json_t *value = yaml_parse(yaml, strlen(yaml), &status), *number;
        const char *name;
        if (!value)
            fail_msg("%s: %s", yaml, status.message);
        assert_int_equal(json_object_size(value), 2);
        json_object_foreach(value, name, number)
        {
            snprintf(key, sizeof key, "%s", name);
            yaml_characters_restore(key);
            assert_string_equal(key, json_integer_value(number) ? keys[i] : "a");
        }
        json_decref(value);
    }
    /* Two bytes are two keys. */
    assert_refused("\"\xC1\": 0\n\"\xC0\": 1\n\"\xC1\": 2\n", 21, "line 3: the key ");
    assert_refused("a: 0\nb: 1\n\"\0\": 2\n", 17, "line 3: control characters");
}

static void what_is_no_plain_data_is_refused_with_its_line(void **state)
{
    static const char *const cases[][2] = {
        {"a: 1\nb: &x 2\n", "line 2: an anchor or alias"},
        {"a: *x\n", "line 1: an anchor or alias"},
        {"a: !!python/object:os.system [x]\n", "line 1: a tag"},
        {"a: !include b\n", "line 1: a tag"},
        {"a: 1\nb: 2\na: 3\n", "line 3: the key a again; expected once"},
        {"? [1]\n: 2\n", "line 1: a key that is not text"},
        {"a: \"x\\0y\"\n", "line 1: text with a \\0"},
        {"\"x\\0y\": 1\n", "line 1: a key that is not text"},
        {"a: 1\n---\nb: 2\n", "line 2: a second document"},
        {"a: [1\nb: 2\n", "line 2: "},
        {"a: b: c\n", "line 1: "},
        {"\t- a\n", "line 1: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(cases[i][0], strlen(cases[i][0]), cases[i][1]);
    assert_refused("a: x\0y\n", 7, "line 1: ");
}

/* As PyYAML writes objects: tags name their classes, aliases say that two are the same. */
static void objects_of_python_are_read_without_their_classes(void **state)
{
    static const char yaml[] = "!Config\na: &x !!python/tuple\n- 1\n- 2\nb: *x\nc: !Other {d: 3}\n";
    struct status status;
    json_t *value = yaml_parse_objects(yaml, strlen(yaml), &status);
    json_t *expected = json_pack("{s:[i, i], s:n, s:{s:i}}", "a", 1, 2, "b", "c", "d", 3);
    assert_true(value && json_equal(value, expected));
    json_decref(expected);
    json_decref(value);
}

static void depth_is_bounded(void **state)
{
    enum { DEEP = 100000 };
    char *text = malloc(DEEP);
    memset(text, '[', DEEP);
    assert_refused(text, 66, "line 1: deeper than 64 levels");
    assert_refused(text, DEEP, "line 1: deeper than 64 levels");
    free(text);
}

static void flags_are_words_too(void **state)
{
    struct status status;
    static const char text[] = "a: true\nb: no\nc: ON\nd: 1\ne: y\n";
    json_t *object = yaml_parse(text, strlen(text), &status);
    assert_true(yaml_flag(object, "a", false));
    assert_false(yaml_flag(object, "b", true));
    assert_true(yaml_flag(object, "c", false));
    assert_true(yaml_flag(object, "d", true));
    assert_false(yaml_flag(object, "d", false));
    assert_true(yaml_flag(object, "e", false));
    assert_false(yaml_flag(object, "absent", false));
    json_decref(object);
}

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 11) % below);
}

/* Any bytes end in a value or in one line. */
static void damaged_documents_are_read_or_refused(void **state)
{
    static const char text[] = "models:\n  - model.npz\nvocabs: [a.yml, 'b.yml']\nnormalize: 0.6\n"
                               "? \"\\x85\"\n: 12\nscript: |\n  one\nnested: {a: {b: [1, ~]}}\n";
    static const char syntax[] = "[]{}:,-?&*!|>'\"%@#\n\t \\0x";
    for (unsigned i = 0; i < damages; i++) {
        size_t bytes = sizeof text - 1;
        char *copy = malloc(bytes);
        memcpy(copy, text, bytes);
        for (unsigned hits = 1 + draw(3); hits; hits--)
            copy[draw((uint32_t)bytes)] = draw(2) ? syntax[draw(sizeof syntax)] : (char)draw(256);
        if (draw(4) == 0)
            bytes = draw((uint32_t)bytes);
        struct status status = {0};
        json_t *value = yaml_parse(copy, bytes, &status);
        if (!value) {
            assert_int_equal(strncmp(status.message, "line ", 5), 0);
            assert_null(strchr(status.message, '\n'));
        }
        json_decref(value);
        free(copy);
    }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalars_are_those_of_the_core_schema),
        cmocka_unit_test(mappings_keep_the_text_of_keys),
        cmocka_unit_test(characters_are_those_of_yaml_1_2),
        cmocka_unit_test(bytes_and_characters_that_libyaml_refuses_are_taken),
        cmocka_unit_test(what_is_no_plain_data_is_refused_with_its_line),
        cmocka_unit_test(objects_of_python_are_read_without_their_classes),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(flags_are_words_too),
        cmocka_unit_test(damaged_documents_are_read_or_refused),
    };
    if (count > 1)
        damages = (unsigned)strtoul(arguments[1], NULL, 10);
    if (count > 2)
        seed = strtoull(arguments[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
