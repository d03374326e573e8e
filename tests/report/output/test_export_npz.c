/* Views as .npz: arrays and labels are the reference's, the archive is as the format says, and what
 * is no such archive is refused. */
#include <math.h>
#include <unistd.h>

#include "report/output/npy.h"
#include "report/output/zip_archive.h"
#include "tests/report/output/archive_support.h"
#include "tests/report/output/export_support.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

static struct archive export_archive(struct bench *bench, const char *view)
{
    size_t bytes;
    export_view(bench, "v.npz", view);
    char *content = export_read("v.npz", &bytes);
    return archive_of(content, bytes);
}

static void check_shape(const struct stored_array *array, int dimensions, const size_t *shape)
{
    assert_int_equal(array->dimensions, dimensions);
    for (int i = 0; i < dimensions; i++)
        assert_int_equal(array->shape[i], shape[i]);
}

static void check_floats(const struct archive *archive, const char *name, int dimensions,
                         const size_t *shape, const float *wanted)
{
    struct stored_array array = archive_array(archive, name);
    check_shape(&array, dimensions, shape);
    for (size_t i = 0; i < array.count; i++) {
        float is = array_float(&array, i);
        if (!(isnan(wanted[i]) ? isnan(is) : fabsf(is - wanted[i]) <= 1e-5f))
            fail_msg("%s[%zu] is %g, expected %g", name, i, is, wanted[i]);
    }
}

static void check_integers(const struct archive *archive, const char *name, size_t count,
                           const int64_t *wanted)
{
    struct stored_array array = archive_array(archive, name);
    check_shape(&array, 1, &count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(array_integer(&array, i), wanted[i]);
}

static void check_texts(const struct archive *archive, const char *name, const struct axis *wanted)
{
    struct stored_array array = archive_array(archive, name);
    check_shape(&array, 1, (size_t[]){(size_t)wanted->count});
    for (int i = 0; i < wanted->count; i++)
        assert_string_equal(array_text(&array, (size_t)i), wanted->texts[i]);
}

static void heads_are_the_references(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    assert_true(bench_force_case(&bench, json_array_get(bench.cases, 1)));
    size_t m = bench.session->current->inputs.count, n = bench.session->current->source.count;
    const float *cross = bench_expected(&bench, 1, "cross.1.weights");
    struct report matrix = bench_run(&bench, ":attn cross");

    struct archive archive = export_archive(&bench, "attn cross layer 2 head 3");
    assert_int_equal(archive.count, 4);
    check_floats(&archive, "weights.npy", 2, (size_t[]){m, n}, cross + 2 * m * n);
    check_texts(&archive, "rows.npy", &bench_matrix(&matrix)->rows);
    check_texts(&archive, "columns.npy", &bench_matrix(&matrix)->columns);
    free(archive.content);

    archive = export_archive(&bench, "align layer 2 head 3");
    check_floats(&archive, "weights.npy", 2, (size_t[]){m, n}, cross + 2 * m * n);
    free(archive.content);

    archive = export_archive(&bench, "heads cross layer 2 head 2-4");
    check_floats(&archive, "weights.npy", 4, (size_t[]){1, 3, m, n}, cross + m * n);
    check_integers(&archive, "layers.npy", 1, (int64_t[]){2});
    check_integers(&archive, "heads.npy", 3, (int64_t[]){2, 3, 4});
    check_texts(&archive, "columns.npy", &bench_matrix(&matrix)->columns);
    free(archive.content);
    report_free(&matrix);
    bench_close(&bench);
}

static void a_token_has_the_directions_that_there_are(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    assert_true(bench_force_case(&bench, json_array_get(bench.cases, 1)));
    size_t m = bench.session->current->inputs.count, n = bench.session->current->source.count;
    const float *decoder = bench_expected(&bench, 1, "decoder.1.weights");
    float *looked_at = calloc(m, sizeof *looked_at);
    for (size_t row = 0; row < m; row++)
        looked_at[row] = decoder[row * m + 1];

    struct archive archive = export_archive(&bench, "token 2 dec layer 2 head 1");
    check_floats(&archive, "from.npy", 3, (size_t[]){1, 1, m}, decoder + m);
    check_floats(&archive, "to.npy", 3, (size_t[]){1, 1, m}, looked_at);
    check_integers(&archive, "places.npy", 1, (int64_t[]){2});
    free(archive.content);
    free(looked_at);

    archive = export_archive(&bench, "token 2 cross layer 1");
    struct stored_array from = archive_array(&archive, "from.npy");
    const float *cross = bench_expected(&bench, 1, "cross.0.weights");
    check_shape(&from, 3, (size_t[]){1, 4, n});
    for (size_t i = 0; i < from.count; i++) // the second row of every head
        assert_float_equal(array_float(&from, i), cross[i / n * m * n + n + i % n], 1e-5);
    for (int i = 0; i < archive.count; i++)
        assert_string_not_equal(archive.entries[i].name, "to.npy");
    free(archive.content);
    bench_close(&bench);
}

static void importance_is_the_references(void **state)
{
    struct bench bench = bench_open("dhicm_decoder");
    char name[40];
    assert_true(bench_force_case(&bench, json_array_get(bench.cases, 0)));
    struct report shown = bench_run(&bench, ":importance dec");
    size_t rows = bench_matrix(&shown)->rows.count, heads = bench_matrix(&shown)->columns.count;
    snprintf(name, sizeof name, "decoder.%d.importance", shown.navigation.view.layer);
    struct archive archive = export_archive(&bench, "importance dec");
    check_floats(&archive, "weights.npy", 2, (size_t[]){rows, heads},
                 bench_expected(&bench, 0, name));
    check_texts(&archive, "rows.npy", &bench_matrix(&shown)->rows);
    free(archive.content);
    report_free(&shown);
    bench_close(&bench);
}

/* A layer without gates is a column of NaN, and has its name. */
static void gates_that_are_not_there_are_not_a_number(void **state)
{
    struct bench bench = bench_open("context_some_layers");
    int missing = 0;
    assert_true(bench_force_case(&bench, json_array_get(bench.cases, 0)));
    struct archive archive = export_archive(&bench, "gates enc k");
    struct stored_array gates = archive_array(&archive, "gates.npy");
    struct stored_array columns = archive_array(&archive, "columns.npy");
    assert_int_equal(gates.shape[1], columns.shape[0]);
    for (size_t c = 0; c < gates.shape[1]; c++) {
        char name[40];
        snprintf(name, sizeof name, "encoder.%d.gate_k", atoi(array_text(&columns, c)) - 1);
        const float *wanted = bench_expected(&bench, 0, name);
        missing += !wanted;
        for (size_t r = 0; r < gates.shape[0]; r++) {
            float gate = array_float(&gates, r * gates.shape[1] + c);
            assert_true(wanted ? fabsf(gate - wanted[r]) < 1e-5f : isnan(gate));
        }
    }
    assert_true(missing > 0 && missing < (int)gates.shape[1]);
    free(archive.content);
    bench_close(&bench);
}

/* Where .npy has no one shape. */
static void states_with_other_tokens_have_arrays_of_their_own(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog sees a cat");
    bench_run_quietly(&bench, ":load tests/golden/moses_bpe.bin");
    struct report b = bench_run(&bench, ":attn enc layer 1 head 2");
    bench_run_quietly(&bench, ":model vanilla");
    struct report a = bench_run(&bench, ":attn");
    const struct matrix *sides[] = {bench_matrix(&a), bench_matrix(&b)};
    static const char *const names[][3] = {{"a.npy", "a_rows.npy", "a_columns.npy"},
                                           {"b.npy", "b_rows.npy", "b_columns.npy"}};
    struct archive archive = export_archive(&bench, "beside current moses");
    assert_int_equal(archive.count, 7);
    for (int i = 0; i < 2; i++) {
        size_t shape[] = {(size_t)sides[i]->rows.count, (size_t)sides[i]->columns.count};
        check_floats(&archive, names[i][0], 2, shape, sides[i]->values);
        check_texts(&archive, names[i][1], &sides[i]->rows);
        check_texts(&archive, names[i][2], &sides[i]->columns);
    }
    free(archive.content);
    report_free(&a);
    report_free(&b);
    bench_close(&bench);
}

static void averages_keep_groups_and_counts(void **state)
{
    struct bench bench = bench_open("mixture_decoder");
    char lines[64], view[100];
    write_lines("the dog sees\na cat\n", lines);
    snprintf(view, sizeof view, ":gates dec qk %s by position", lines);
    struct report shown = bench_run(&bench, view);
    int groups = bench_groups(&shown);
    struct archive archive = export_archive(&bench, view);
    struct stored_array means = archive_array(&archive, "means.npy");
    struct stored_array counts = archive_array(&archive, "counts.npy");
    struct stored_array names = archive_array(&archive, "groups.npy");
    struct stored_array sides = archive_array(&archive, "sides.npy");
    check_shape(&means, 2, (size_t[]){2, (size_t)groups / 2});
    for (int i = 0; i < groups; i++) {
        assert_float_equal(array_float(&means, i), bench_group_mean(&shown, i), 1e-6);
        assert_int_equal(array_integer(&counts, i), bench_group_count(&shown, i));
        assert_string_equal(array_text(&names, i % names.count), bench_group_name(&shown, i));
        assert_string_equal(array_text(&sides, i / names.count), bench_group_side(&shown, i));
    }
    free(archive.content);
    report_free(&shown);
    unlink(lines);
    bench_close(&bench);
}

/* As in csv, missing values are NaN or an empty text. */
static void tables_have_an_array_for_each_column(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    char texts[64], line[200];
    write_lines("a cat\nthe dog sees a small old cat\na river\n", texts);
    snprintf(line, sizeof line, ":bleu --scored %s %s by 3,5", texts, texts);
    struct archive archive = export_archive(&bench, line);
    struct stored_array groups = archive_array(&archive, "group.npy");
    struct stored_array lengths = archive_array(&archive, "length.npy");
    struct stored_array sentences = archive_array(&archive, "sentences.npy");
    struct stored_array scores = archive_array(&archive, "chrf.npy");
    static const char *const names[] = {"<3", "[3,5)", ">=5", "all"};
    static const int counts[] = {2, 0, 1, 3};
    check_shape(&groups, 1, (size_t[]){4});
    for (size_t i = 0; i < 4; i++) {
        assert_true(i < 3 ? array_real(&groups, i) == (double)i + 1
                          : isnan(array_real(&groups, i)));
        assert_string_equal(array_text(&lengths, i), names[i]);
        assert_true(array_real(&sentences, i) == counts[i]);
        assert_true(counts[i] ? fabs(array_real(&scores, i) - 100) < 1e-9
                              : isnan(array_real(&scores, i)));
    }
    assert_int_equal(archive.count, 6); // bleu.npy and provenance.npy, too
    free(archive.content);
    unlink(texts);
    bench_close(&bench);
}

/* The same notes as in JSON, and the same bytes each time. */
static void archives_say_how_they_were_made(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, ":disable enc head 2");
    bench_run_quietly(&bench, "the dog sees a cat");
    struct archive archive = export_archive(&bench, "attn cross"), again;
    json_t *object = export_json(&bench, "attn cross");
    const struct archive_entry *last = &archive.entries[archive.count - 1];
    assert_string_equal(last->name, "provenance.npy");
    // One element with the same bytes, without a dimension (numpy/lib/format.py).
    const char *header = (const char *)last->data + 10, *text = strchr(header, '\n') + 1;
    size_t length = last->bytes - (size_t)(text - (const char *)last->data);
    char type[100];
    snprintf(type, sizeof type, "{'descr': '|S%zu', 'fortran_order': False, 'shape': (), }",
             length);
    assert_memory_equal(header, type, strlen(type));
    json_t *notes = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_equal(notes, json_object_get(object, "provenance")));
    again = export_archive(&bench, "attn cross");
    assert_int_equal(again.bytes, archive.bytes);
    assert_memory_equal(again.content, archive.content, archive.bytes);
    json_decref(notes);
    json_decref(object);
    free(archive.content);
    free(again.content);
    bench_close(&bench);
}

/* An archive of one entry, which `write` writes. */
static struct archive archive_with(const char *name, void (*write)(FILE *))
{
    char *content;
    size_t bytes;
    struct status status;
    FILE *stream = open_memstream(&content, &bytes);
    struct zip_writer zip;
    assert_true(zip_writer_open(&zip, stream, NULL, &status));
    FILE *entry = zip_member_open(&zip, &status);
    assert_non_null(entry);
    write(entry);
    bool ok = zip_member_close(&zip, name, NULL, 0, &status);
    assert_true(zip_writer_close(&zip, ok, &status));
    fclose(stream);
    return archive_of(content, bytes);
}

static const char *const texts[] = {"", "é", "日本語", "😀", "a\377b"};
enum { TEXTS = sizeof texts / sizeof *texts };

static void write_texts(FILE *entry)
{
    npy_write_texts(entry, texts, TEXTS);
}

static void write_no_texts(FILE *entry)
{
    npy_write_texts(entry, NULL, 0);
}

static void texts_are_characters(void **state)
{
    struct archive archive = archive_with("t.npy", write_texts);
    struct stored_array array = archive_array(&archive, "t.npy");
    assert_string_equal(array.type, "<U3");
    for (size_t i = 0; i + 1 < TEXTS; i++)
        assert_string_equal(array_text(&array, i), texts[i]);
    assert_string_equal(array_text(&array, TEXTS - 1), "a\xEF\xBF\xBD"
                                                       "b");
    free(archive.content);
    archive = archive_with("t.npy", write_no_texts);
    array = archive_array(&archive, "t.npy");
    assert_string_equal(array.type, "<U1");
    check_shape(&array, 1, (size_t[]){0});
    free(archive.content);
}

/* Hostile archives ----------------------------------------------------------------------------- */

static void write_notes(FILE *entry)
{
    fputs("{\"program\": \"x\"}", entry);
}

/* NULL: refused, `says` then is in the message. */
static char *read_from(const char *bytes, size_t count, size_t most, struct status *status)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fflush(file), 0);
    return zip_member_read(file, "n.json", most, NULL, status);
}

static void refuse(const char *bytes, size_t count, size_t most, const char *says)
{
    struct status status;
    char *text = read_from(bytes, count, most, &status);
    if (text || !strstr(status.message, says))
        fail_msg("\"%s\" does not say \"%s\"", text ? text : status.message, says);
}

/* Where a header and the list say something; offsets of a header's field, which the list has 2
 * bytes later. */
static void change_both(struct archive *archive, size_t field, int value)
{
    size_t list = archive->bytes - 22 - 46 - strlen("n.json");
    archive->content[field] = (char)value;
    archive->content[list + field + 2] = (char)value;
}

static void what_is_no_such_archive_is_refused(void **state)
{
    enum { CRC = 14, METHOD = 8, FLAGS = 6 };
    struct archive archive = archive_with("n.json", write_notes);
    struct status status;
    char *text = read_from(archive.content, archive.bytes, 16, &status);
    assert_string_equal(text, "{\"program\": \"x\"}");
    free(text);
    refuse(archive.content, archive.bytes, 15, "n.json has 16 bytes, expected at most 15");
    for (size_t bytes = 0; bytes < archive.bytes; bytes++)
        refuse(archive.content, bytes, 100, "no ZIP archive, or a broken one");
    change_both(&archive, METHOD, 8);
    refuse(archive.content, archive.bytes, 100, "n.json is compressed");
    change_both(&archive, METHOD, 0);
    change_both(&archive, FLAGS, 1);
    refuse(archive.content, archive.bytes, 100, "n.json is compressed");
    change_both(&archive, FLAGS, 0);
    archive.content[30 + 6] ^= 1; // its first byte
    refuse(archive.content, archive.bytes, 100, "a broken one");
    free(archive.content);
    archive = archive_with("other.json", write_notes);
    refuse(archive.content, archive.bytes, 100, "no entry \"n.json\"");
    free(archive.content);
}

/* Any byte may be any other: no crash, and no text but that of the entry. */
static void changed_bytes_are_harmless(void **state)
{
    static const int values[] = {0, 1, 0x7F, 0x80, 0xFF};
    struct archive archive = archive_with("n.json", write_notes);
    for (size_t i = 0; i < archive.bytes; i++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            struct status status;
            char was = archive.content[i];
            archive.content[i] = (char)values[v];
            char *text = read_from(archive.content, archive.bytes, 1 << 20, &status);
            if (text)
                assert_string_equal(text, "{\"program\": \"x\"}");
            free(text);
            archive.content[i] = was;
        }
    free(archive.content);
}

static void an_archive_has_not_too_many_entries(void **state)
{
    char *content;
    size_t bytes;
    struct status status;
    FILE *stream = open_memstream(&content, &bytes);
    struct zip_writer zip;
    char name[8];
    assert_true(zip_writer_open(&zip, stream, NULL, &status));
    for (int i = 0; i < ZIP_MEMBERS_MOST; i++) {
        snprintf(name, sizeof name, "n%d", i);
        assert_non_null(zip_member_open(&zip, &status));
        assert_true(zip_member_close(&zip, name, NULL, 0, &status));
    }
    assert_null(zip_member_open(&zip, &status));
    assert_non_null(strstr(status.message, "more than"));
    assert_false(zip_writer_close(&zip, false, &status));
    fclose(stream);
    free(content);
}

/* Writes one member to a stream; what zip_writer_close says. */
static bool write_one(FILE *stream, struct pace *pace, struct status *status)
{
    static const char values[1 << 16];
    struct zip_writer zip;
    assert_true(zip_writer_open(&zip, stream, pace, status));
    assert_non_null(zip_member_open(&zip, status));
    assert_true(zip_member_close(&zip, "n", values, sizeof values, status));
    return zip_writer_close(&zip, true, status);
}

static void a_full_disk_is_an_error_of_the_stream(void **state)
{
    struct status status;
    FILE *stream = fopen("/dev/full", "wb");
    assert_non_null(stream);
    assert_false(write_one(stream, NULL, &status));
    assert_int_equal(status.code, STATUS_IO);
    assert_non_null(strstr(status.message, "cannot be written"));
    assert_true(ferror(stream));
    fclose(stream);
}

static void one_who_stops_it_is_not_told_otherwise(void **state)
{
    struct status status = {.code = STATUS_CANCELLED, .message = "interrupted"};
    struct pace pace = {.what = "writing", .total = 1e6, .status = &status, .stopped = true};
    FILE *stream = tmpfile();
    assert_non_null(stream);
    assert_false(write_one(stream, &pace, &status));
    assert_int_equal(status.code, STATUS_CANCELLED);
    assert_string_equal(status.message, "interrupted");
    assert_int_equal(fseeko(stream, 0, SEEK_END), 0);
    assert_int_equal(ftello(stream), 0);
    fclose(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_the_references),
        cmocka_unit_test(a_token_has_the_directions_that_there_are),
        cmocka_unit_test(importance_is_the_references),
        cmocka_unit_test(gates_that_are_not_there_are_not_a_number),
        cmocka_unit_test(states_with_other_tokens_have_arrays_of_their_own),
        cmocka_unit_test(averages_keep_groups_and_counts),
        cmocka_unit_test(tables_have_an_array_for_each_column),
        cmocka_unit_test(archives_say_how_they_were_made),
        cmocka_unit_test(texts_are_characters),
        cmocka_unit_test(what_is_no_such_archive_is_refused),
        cmocka_unit_test(changed_bytes_are_harmless),
        cmocka_unit_test(an_archive_has_not_too_many_entries),
        cmocka_unit_test(a_full_disk_is_an_error_of_the_stream),
        cmocka_unit_test(one_who_stops_it_is_not_told_otherwise),
    };
    return cmocka_run_group_tests(tests, export_open, export_close);
}
