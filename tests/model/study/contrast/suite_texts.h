/* Suites in their authors' formats, with invented texts. */
#ifndef ATTNSCOPE_TESTS_SUITE_TEXTS_H
#define ATTNSCOPE_TESTS_SUITE_TEXTS_H

#define LINGEVAL                                                                                   \
    "\xEF\xBB\xBF[{\"source\": \"s\", \"reference\": \"r\", \"origin\": \"o\", \"errors\": ["      \
    "{\"type\": \"a\", \"contrastive\": \"x\", \"distance\": 3, \"frequency\": 0},"                \
    "{\"type\": \"b\", \"contrastive\": \"y\", \"frequency\": \"10001\"}]},"                       \
    "{\"source\": \"t\", \"reference\": \"q\", \"errors\": []},"                                   \
    "{\"source\": \"u\", \"reference\": \"p\", \"errors\": ["                                      \
    "{\"contrastive\": \"z\", \"distance\": null}]}]"

#define CONTRAPRO(source, reference, distance, within)                                             \
    "{\"src segment\": \"s\", \"ref segment\": \"r\", \"src pronoun\": \"" source                  \
    "\", \"ref pronoun\": \"" reference "\", \"ante distance\": " distance                         \
    ", \"intrasegmental\": " within ", \"document id\": \"d\", \"segment id\": 3, \"errors\": ["   \
    "{\"contrastive\": \"x\", \"replacement\": \"er\", \"type\": \"pronominal coreference\"},"     \
    "{\"contrastive\": \"y\", \"replacement\": \"es\", \"type\": \"pronominal coreference\"}]}"

#endif
