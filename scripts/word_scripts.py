"""Words of texts without blanks, told apart by scripts (model/text/scripts.h): in Japanese runs of Han, of Hiragana,
of Katakana and of other letters, and otherwise each piece that begins with a letter of Han, Thai, Lao, Burmese or
Khmer."""

SCRIPTS = [("hiragana", 0x3041, 0x309F), ("katakana", 0x30A0, 0x30FF), ("katakana", 0xFF66, 0xFF9F)] + [
    ("unspaced", *letters) for letters in ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x3007),
                                        (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))]


def script(letter):
    return next((name for name, first, last in SCRIPTS if first <= ord(letter) <= last), "other")


def scripts_part(spacing, before, own):
    """True if a word begins between two pieces, given without their marks, because of their
    scripts."""
    first = script(own[0]) if own else "other"
    return (first == "unspaced" and spacing == "pieces") or first != (script(before[-1]) if before else "other")


def spacing_of(pieces):
    """"runs" (Japanese), "pieces" or None, for blanks. pieces: [(piece without marks, whether it begins or ends a
    word by its marks)]. There are no blanks if of the pieces that begin or end in such scripts at most a quarter
    begin or end words; it is Japanese if at least a quarter of them begin or end with Kana."""
    of = [({script(text[0]), script(text[-1])}, apart) for text, apart in pieces if text]
    of = [(scripts, apart) for scripts, apart in of if scripts != {"other"}]
    if not of or 4 * sum(apart for _, apart in of) > len(of):
        return None
    return "runs" if 4 * sum(bool(scripts & {"hiragana", "katakana"}) for scripts, _ in of) >= len(of) else "pieces"
