"""Words of texts without blanks, told apart by scripts: runs of Hiragana, of Katakana and of other letters, and each
piece that begins with a letter of Han, Thai, Lao, Burmese or Khmer (model/text/scripts.h)."""

SCRIPTS = [("hiragana", 0x3041, 0x309F), ("katakana", 0x30A0, 0x30FF), ("katakana", 0xFF66, 0xFF9F)] + [
    ("apart", *letters) for letters in ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3005, 0x3007),
                                        (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))]


def script(letter):
    return next((name for name, first, last in SCRIPTS if first <= ord(letter) <= last), "other")


def scripts_part(before, own):
    """Whether a word begins between two pieces, without their marks, because of their scripts."""
    first = script(own[0]) if own else "other"
    return first == "apart" or first != (script(before[-1]) if before else "other")


def mostly_inside(pieces):
    """Of [(piece without marks, whether it begins or ends a word by its marks)]: whether there are pieces that
    begin or end in such scripts, and at most a quarter of them begin or end words."""
    apart = [apart for text, apart in pieces if text and {script(text[0]), script(text[-1])} != {"other"}]
    return bool(apart) and 4 * sum(apart) <= len(apart)
