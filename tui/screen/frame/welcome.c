#include "tui/screen/frame/welcome.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *codes[3]; // codes of ISO 639-1 and 639-3
    const char *text;
} examples[] = {
    {{"en", "eng"}, "I have never seen so many stars in the sky."},
    {{"de", "deu", "ger"}, "Ich habe noch nie so viele Sterne am Himmel gesehen."},
    {{"fr", "fra", "fre"}, "Je n'ai jamais vu autant d'étoiles dans le ciel."},
    {{"es", "spa"}, "Nunca he visto tantas estrellas en el cielo."},
    {{"it", "ita"}, "Non ho mai visto così tante stelle nel cielo."},
    {{"pt", "por"}, "Nunca vi tantas estrelas no céu."},
    {{"nl", "nld", "dut"}, "Ik heb nog nooit zoveel sterren aan de hemel gezien."},
    {{"cs", "ces", "cze"}, "Nikdy jsem neviděl na obloze tolik hvězd."},
    {{"ru", "rus"}, "Я никогда не видел столько звёзд на небе."},
    {{"ja", "jpn"}, "空にこんなにたくさんの星を見たことがない。"},
    {{"zh", "zho", "cmn"}, "我从来没有在天上看到过这么多星星。"},
};

/* True if `code` is the part of a language's name before its script or country. */
static bool is_code(const char *code, const char *language)
{
    size_t length = code ? strlen(code) : 0;
    return length && strncasecmp(code, language, length) == 0 &&
           !isalnum((unsigned char)language[length]);
}

const char *welcome_example(const char *language)
{
    if (!*language)
        return examples[0].text;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        for (int k = 0; k < 3; k++)
            if (is_code(examples[i].codes[k], language))
                return examples[i].text;
    return NULL;
}
