"""Words, near doubles and nearest neighbours: what converting needs to know of texts."""

import collections
import math
import re

NEAR = 0.8  # token Jaccard from which two texts count as doubles, as in ../data/check.py
SHORT = 4  # texts of fewer words are doubles only when equal
TWIN = 0.6  # tools whose descriptions overlap so much do the same job: neither is a wrong answer for the other
LONGEST = 120  # words of a query

RUBBLE = re.compile(
    r"\{\{?[A-Za-z_][\w .-]*\}?\}|<[a-zA-Z][\w .-]*>|\[[A-Z][A-Z_ ]{2,}\]|\b(?:YOUR|INSERT)_[A-Z_]+|"
    r"\b(?:your_|path/to/)|\$\{|\bexample query\b|lorem ipsum",
    re.IGNORECASE,
)
CJK = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
STOP = set(
    "the a an is to of and in that it for on with what how i my we our this from at are be no not do does did you me by so but "
    "was who which all one get give has have as can any there if or its up please could would tool api function used use using "
    "user specific given based information return returns retrieve retrieves".split()
)


def words(text):
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)?", text.lower())


def tokens(text):
    """Words; single characters where a script has no spaces."""
    return {t for w in words(text) for t in ([w] if w.isascii() or not CJK.search(w) else list(w))}


def length(text):
    """The number of words; of characters over two where a script has no spaces."""
    return sum(len(w) / 2 if CJK.search(w) else 1 for w in words(text))


def spell_out(name):
    """A tool's name in words: getFilmDetails, get_film_details and get-film-details alike."""
    name = re.sub(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])", r"\1\3 \2\4", name)
    return " ".join(re.split(r"[\W_]+", name)).strip()


def one_line(text, most=600):
    """Whitespace folded, and the end cut at a word."""
    text = " ".join(str(text or "").split())
    return text if len(text) <= most else text[:most].rsplit(" ", 1)[0]


def usable(query):
    n = max(length(query), len(query.split()))
    return 2 <= n <= LONGEST and not RUBBLE.search(query)


def jaccard(a, b):
    both = len(a & b)
    return both / (len(a) + len(b) - both) if both else 0.0


class Doubles:
    """Texts seen so far; says of a new one which earlier text it nearly repeats."""

    def __init__(self):
        self.same, self.sets, self.index = {}, [], collections.defaultdict(list)

    def find(self, text):
        s = tokens(text)
        same = self.same.get(" ".join(words(text)))
        if same is not None:
            return same
        if len(s) < SHORT:
            return None
        shared = collections.Counter(k for w in s for k in self.index[w])
        for k, n in shared.items():
            other, key = self.sets[k]
            if len(other) >= SHORT and n / (len(s) + len(other) - n) >= NEAR:
                return key
        return None

    def add(self, text, key):
        s = tokens(text)
        self.same.setdefault(" ".join(words(text)), key)
        for w in s:
            self.index[w].append(len(self.sets))
        self.sets.append((s, key))


class Neighbours:
    """Finds the tools of a set whose words are nearest to a text."""

    def __init__(self, tools):
        self.tools = tools
        self.words = [self.bag(spell_out(t["name"]) + " " + t["description"]) for t in tools]
        self.index = collections.defaultdict(list)
        for k, s in enumerate(self.words):
            for w in sorted(s):
                self.index[w].append(k)

    @staticmethod
    def bag(text):
        return tokens(text) - STOP

    def nearest(self, text, most):
        score = collections.Counter()
        for w in sorted(self.bag(text)):
            at = self.index.get(w, ())
            if len(at) * 4 > len(self.tools) > 20:
                continue
            for k in at:
                score[k] += math.log(1 + len(self.tools) / len(at))
        ranked = sorted(score, key=lambda k: (-score[k] / math.sqrt(len(self.words[k])), k))
        return [self.tools[k] for k in ranked[:most]]
