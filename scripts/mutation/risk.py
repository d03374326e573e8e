"""The areas where a wrong answer would not be seen: changes are drawn from these as well as from
the whole program."""
import fnmatch

# An area has file patterns. Changes are drawn from the areas in turn.
AREAS = {
    'shards': ['model/study/shards/journal.c', 'model/study/shards/record.c', 'model/study/shards/shard*.c', 'model/study/walk.c',
               'model/study/head*/head_stats_text.c', 'model/study/sentences/head_stats_blocks.c'],
    'identity': ['model/study/shards/identity.c', 'model/study/result_cache*.c', 'model/net/head_settings.c',
                 'model/checkpoint/digests.c', 'model/study/translating.c', 'session/session*.c'],
    'conventions': ['model/formats/*/*config.c', 'model/formats/*/*tokens.c', 'model/formats/*/*languages.c',
                    'model/formats/*/*options.c', 'model/formats/*/*vocabulary.c', 'model/formats/*/embeddings.c',
                    'model/formats/tokenizer_file.c', 'model/formats/model_words.c', 'model/formats/archive/torch_file.c'],
    'ends of searches': ['model/search/*.c', 'gpu/cpu/ops_search*.c'],
    'significance': ['model/score/significance.c', 'model/score/holm.c', 'model/score/mcnemar.c', 'model/study/study*.c',
                     'model/study/prune.c', 'model/study/ablat*.c'],
    'what leaves': ['base/outlet.c', 'model/text/quote.c', 'terminal/text/display.c', 'report/output/report_table.c',
                    'report/output/json_writer.c', 'report/output/notes.c', 'report/output/typeset/markup.c', 'render/text_notes.c'],
}


def area_of(path):
    return next((name for name, patterns in AREAS.items() if any(fnmatch.fnmatch(path, p) for p in patterns)), None)


def of_areas(mutants):
    """Yields only the areas' changes, one of each area in turn."""
    by_area = {name: [] for name in AREAS}
    for mutant in mutants:
        name = area_of(mutant.path)
        if name:
            by_area[name].append(mutant)
    return in_turns(by_area.values())


def spread(mutants):
    """Every second change is from the areas, in turn; the others are in their order. Each is drawn
    once."""
    seen = set()
    for source in in_turns([mutants, of_areas(mutants)], seen):
        seen.add(source)
        yield source


def in_turns(sources, seen=()):
    """Yields one of each source in turn, skipping those seen before, until all have ended."""
    sources = [iter(source) for source in sources]
    while sources:
        for source in list(sources):
            found = next((one for one in source if one not in seen), None)
            if found is None:
                sources.remove(source)
            else:
                yield found
