# SPDX-License-Identifier: Apache-2.0
"""The input: six pairs of sentences, each pair about one thing, and published similarities of three of them."""

SENTENCES = [
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
    "They took the car to the football ground and parked beside the main gate.",
    "A matrix is multiplied tile by tile, so that each value is read from memory only a few times.",
    "Splitting matrix multiplication into blocks reduces the number of memory accesses.",
    "The bakery on the corner sells warm bread from six o'clock in the morning.",
    "You can buy fresh loaves at the baker's shop before breakfast.",
    "After three days of heavy rain the river rose over its banks and flooded the lower part of the town.",
    "Streets near the river were under water when the flood reached the old town.",
    "My grandmother taught me to play the piano when I was five years old.",
    "I learned piano as a small child from my mother's mother.",
]

# The documentation of sentence-transformers (quick start) prints these cosine similarities for this model, to four
# decimals: an independent implementation's word that the encoder here is the right one.
PUBLISHED = [(0, 1, 0.6660), (0, 2, 0.1046), (1, 2, 0.1411)]
