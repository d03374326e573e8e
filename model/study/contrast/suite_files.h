/* Reads contrastive suites from files: JSON, text files with one sentence per line, and folders of
 * text files. */
#ifndef ATTNSCOPE_SUITE_FILES_H
#define ATTNSCOPE_SUITE_FILES_H

#include "base/watch.h"
#include "model/study/contrast/suite.h"
#include "model/text/text.h"

/* Reads a suite of one path or at least three:
 *   FILE                      JSON (suite.h)
 *   SRC CORRECT INCORRECT… text files, one sentence per line
 *   FOLDER                    the layout of CoMMuTE (Futeral et al. 2023): src.LANG, correct.LANG,
 *                             incorrect.LANG; or of DistilLingEval (Vamvas and Sennrich 2021):
 *                             src.LANG, tgt.correct.LANG, tgt.incorrect.LANG; or folders of either,
 *                             whose names become the types
 * On failure the suite is empty. */
bool suite_read(const struct strings *paths, const struct watch *watch, struct suite *suite,
                struct status *status);

#endif
