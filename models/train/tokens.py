"""Writes the lines that the tokenizer in Go is held to: 10,000 texts in many
scripts, each with the ids that the reference tokenizer gives it.

    python -m pip install tokenizers==0.23.3
    python tokens.py --model ../all-minilm-l6-v2-q --out ../../core/embed/testdata/tokens.jsonl.gz

The texts that the file already begins with, which are by hand, are kept.
"""

import argparse
import gzip
import json
import os
import random
import unicodedata

from tokenizers import Tokenizer

LINES = 10_000
BY_HAND = 420

# Code points, both ends included: scripts, and what stands between their words.
BLOCKS = [
    (0x00, 0x1F), (0x20, 0x7E), (0x7F, 0x9F), (0xA0, 0xFF), (0x100, 0x24F), (0x250, 0x2AF), (0x300, 0x36F),
    (0x370, 0x3FF), (0x400, 0x52F), (0x530, 0x58F), (0x590, 0x5FF), (0x600, 0x6FF), (0x700, 0x74F), (0x780, 0x7BF),
    (0x900, 0x97F), (0x980, 0x9FF), (0xA00, 0xA7F), (0xA80, 0xAFF), (0xB80, 0xBFF), (0xC00, 0xC7F), (0xD00, 0xD7F),
    (0xD80, 0xDFF), (0xE00, 0xE7F), (0xE80, 0xEFF), (0xF00, 0xFFF), (0x1000, 0x109F), (0x10A0, 0x10FF),
    (0x1100, 0x11FF), (0x1200, 0x137F), (0x13A0, 0x13FF), (0x1780, 0x17FF), (0x1800, 0x18AF), (0x1E00, 0x1EFF),
    (0x1F00, 0x1FFF), (0x2000, 0x206F), (0x20A0, 0x20CF), (0x2100, 0x214F), (0x2190, 0x21FF), (0x2200, 0x22FF),
    (0x2500, 0x257F), (0x2600, 0x27BF), (0x3000, 0x303F), (0x3040, 0x30FF), (0x3130, 0x318F), (0x3400, 0x34FF),
    (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xE000, 0xE00F), (0xF900, 0xFAFF), (0xFB00, 0xFB4F), (0xFE00, 0xFE6F),
    (0xFF00, 0xFFEF), (0x10300, 0x1034F), (0x10400, 0x1044F), (0x1D400, 0x1D7FF), (0x1E900, 0x1E95F),
    (0x1F300, 0x1F6FF), (0x20000, 0x2A6DF), (0x2F800, 0x2FA1F),
]
TAILS = ["", " [SEP]", "[MASK]", "<s>", "[unused5]", "\t\n"]
FORMS = ["NFC", "NFD", "NFKC", "NFKD"]


def texts(rng, vocabulary):
    """Yields text after text, a kind after the other."""

    def char(block):
        return chr(rng.randint(*block))

    def word():
        return rng.choice(vocabulary).removeprefix("##")

    def some(make, most):
        return [make() for _ in range(rng.randint(1, most))]

    while True:
        block = rng.choice(BLOCKS)
        yield "".join(some(lambda: char(block) if rng.random() < 0.85 else " ", 30))
        yield "".join(some(lambda: char(rng.choice(BLOCKS)), 20))
        yield "".join(some(word, 6))
        yield unicodedata.normalize(
            rng.choice(FORMS), " ".join(some(lambda: rng.choice([str.upper, str.title, str.lower])(word()), 8)) + rng.choice(TAILS)
        )
        yield " ".join(
            some(lambda: rng.choice(["".join(some(lambda: char(block), 6)), word(), str(rng.randint(0, 10**6)), "a@b.io", "https://a.b/c?d=é"]), 6)
        )


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--model", required=True)
    args.add_argument("--out", required=True)
    a = args.parse_args()
    reference = Tokenizer.from_file(os.path.join(a.model, "tokenizer.json"))
    reference.no_padding()  # but cut as it says itself
    with gzip.open(a.out, "rt", encoding="utf-8") as f:
        lines = [json.loads(line)["text"] for line in f][:BY_HAND]
    more = texts(random.Random(41), sorted(reference.get_vocab()))
    while len(lines) < LINES:
        lines.append(next(more))
    # Without a time or name in it, so that the same lines are the same bytes.
    with gzip.GzipFile(filename="", mode="wb", fileobj=open(a.out, "wb"), mtime=0) as f:
        for text in lines:
            row = {"text": text, "ids": reference.encode(text).ids}
            f.write((json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n").encode())


if __name__ == "__main__":
    main()
