# Fills a template from tables: a place such as @options@ becomes what follows the line @options@ there.
# Usage: awk -f scripts/fill_template.awk TABLES TEMPLATE
# A place without a table is an error, and so is a table without a place.

function fail(text) {
    print FILENAME ": " text > "/dev/stderr"
    failed = 1
    exit 1
}

NR == FNR && /^@[a-z-]+@$/ { name = $0; table[name] = ""; next }
NR == FNR { table[name] = table[name] (table[name] ? "\n" : "") $0; next }
{
    while (match($0, /@[a-z-]+@/)) {
        name = substr($0, RSTART, RLENGTH)
        if (!(name in table))
            fail("no table for " name)
        printf "%s%s", substr($0, 1, RSTART - 1), table[name]
        placed[name] = 1
        $0 = substr($0, RSTART + RLENGTH)
    }
    print
}

END {
    for (name in table)
        if (!failed && !(name in placed))
            fail("no place for " name)
}
