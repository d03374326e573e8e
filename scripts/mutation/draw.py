"""Small changes of a C file: another operator, constant or condition, or a statement left out."""
import re

TOKEN = re.compile(r'''//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*'''
                   r'''|[A-Za-z_]\w*|(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)[uUlLfF]*'''
                   r'''|<<=|>>=|->|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|[^\s\w]''', re.S | re.M)
OTHER = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '&&': '||', '||': '&&',
         '+=': '-=', '-=': '+=', 'true': 'false', 'false': 'true', '++': '--', '--': '++'}
STATEMENT = re.compile(r'^[ \t]+(?!return|goto|case|else|typedef|static|const|struct|enum|union)'
                       r'[a-z_*(][\w>.\-\[\]()*]*(?:\(| [-+*/|&]?= |\+\+;|--;)[^;{}]*;$', re.M)
# Sizes of memory, up to their number: more than necessary does no harm.
ARRAY = re.compile(r'[ \t]+(?:(?:static|const|unsigned|struct|char|int|float|double|\w+_t) )+[^;=]*\[$')
ALLOCATES = re.compile(r'memory_(?:new|grow)\(([^;{}]*)$')
# Releases memory: only the sanitizers notice these (make check-sanitized), and they take three
# times as long.
GIVES_BACK = re.compile(r'\s*\w*(free|close|unref|destroy|release)\(')


class Mutant:
    def __init__(self, path, begin, end, text, source):
        self.path, self.begin, self.end, self.text = path, begin, end, text
        self.line = source.count('\n', 0, begin) + 1
        self.old = ' '.join(source[begin:end].split())

    def key(self, source):
        """Names the change by its line's text, so that lines above may move."""
        begin = source.rfind('\n', 0, self.begin) + 1
        end = source.find('\n', self.end)
        line = source[begin:self.begin] + self.text + source[self.end:end if end >= 0 else len(source)]
        return f'{self.path}: {" ".join(line.split())}'

    def name(self, source):
        """The name in the list of explained changes: what is left out is named itself."""
        return f'{self.path}: without {self.old}' if self.text == ';' else self.key(source)


def tokens_of(source):
    """Returns (text, begin, end, depth) of the code's tokens."""
    depth = 0
    for match in TOKEN.finditer(source):
        text = match.group()
        if text[0] in '"\'#' or text.startswith(('//', '/*')) or text.lstrip().startswith('#'):
            continue
        depth -= text in ')]}'
        yield text, match.start(), match.end(), depth
        depth += text in '([{'


def left_operand(tokens, i):
    """Returns where the operand before the operator `i` begins, or None."""
    depth, j = tokens[i][3], i - 1
    while j >= 0 and tokens[j][3] >= depth:
        if tokens[j][3] == depth and tokens[j][0] in (',', ';', '=', '?', ':', '&&', '||', 'return', '{', '}'):
            break
        j -= 1
    return tokens[j + 1][1] if i - j > 1 else None


def is_size(source, begin):
    """True for a number that says how much memory is taken."""
    line = source.rfind('\n', 0, begin) + 1
    call = ALLOCATES.search(source, max(0, begin - 300), begin)
    return ARRAY.match(source, line, begin) or (call and call[1].count('(') >= call[1].count(')'))


def mutants_of(path, source):
    tokens = list(tokens_of(source))
    found = []

    def add(begin, end, text):
        found.append(Mutant(path, begin, end, text, source))

    for i, (text, begin, end, depth) in enumerate(tokens):
        spaced = source[begin - 1:begin] == ' ' and source[end:end + 1] == ' '
        in_function = depth > 0
        if not in_function:
            continue
        if text in OTHER and (text not in '<>' or spaced):
            add(begin, end, OTHER[text])
        elif text in '+-' and spaced:
            add(begin, end, '-' if text == '+' else '+')
        elif text == '*' and spaced:
            add(begin, end, '/')
        elif re.fullmatch(r'\d+', text) and not is_size(source, begin):
            add(begin, end, str(int(text) + 1))
        if text in ('&&', '||'):
            start = left_operand(tokens, i)
            if start is not None:
                add(start, begin, 'true ' if text == '&&' else 'false ')
        if text == 'if' and tokens[i + 1][0] == '(':
            close = next(t for t in tokens[i + 2:] if t[0] == ')' and t[3] == tokens[i + 1][3])
            add(tokens[i + 1][2], close[1], '!(' + source[tokens[i + 1][2]:close[1]] + ')')
    code = {begin for _, begin, _, _ in tokens}
    for match in STATEMENT.finditer(source):
        first = match.start() + len(match.group()) - len(match.group().lstrip())
        if first in code and not GIVES_BACK.match(match.group()):
            add(first, match.end(), ';')
    return found
