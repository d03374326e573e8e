/* Writes doc/options.md. */
#include "model/formats/options.h"

static const char *const uses[] = {[OPTION_OBEYED] = "honoured",
                                   [OPTION_REFUSED] = "refused",
                                   [OPTION_REJECTED] = "refused",
                                   [OPTION_TOLD] = "reported",
                                   [OPTION_IDLE] = "no effect"};

static void write_names(const char *names, FILE *stream)
{
    char name[OPTION_NAME];
    for (const char *between = ""; options_next_name(&names, name); between = ", ")
        fprintf(stream, "%s`%s`", between, name);
}

static void write_table(const struct toolkit_table *table, FILE *stream)
{
    fprintf(stream, "\n## %s\n\nIn %s.\n\n| option | what it is | here |\n|---|---|---|\n",
            table->toolkit, table->files);
    for (const struct toolkit_option *option = table->options; option->names; option++) {
        fputs("| ", stream);
        write_names(option->names, stream);
        fprintf(stream, " | %s | %s |\n", option->what, uses[option->use]);
    }
}

void options_write(FILE *stream)
{
    static const struct toolkit_table *const tables[] = {
        &options_transformers, &options_ctranslate2, &options_marian, &options_fairseq,
        &options_opennmt,      &options_joeynmt,     &options_argos,  &options_nn_transformer,
        &options_sockeye,      &options_eole};
    fputs("<!-- Written by attnscope --generate option-tables. -->\n"
          "# Options of other toolkits' models\n\n"
          "Every option that a toolkit writes into the files of a model, and what attnscope does "
          "with it:\n\n"
          "- **honoured**: the model is computed, or searched, accordingly.\n"
          "- **refused**: a model with it switched on is not opened; a message names the option.\n"
          "- **reported**: it is ignored. If it is on, translations may differ from the toolkit's; "
          "`:info`\n"
          "  names it with its value, as does a line on opening.\n"
          "- **no effect**: it changes neither what the model computes nor the search.\n",
          stream);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        write_table(tables[i], stream);
}
