# SPDX-License-Identifier: Apache-2.0
"""The BERT encoder in numpy. The feed-forward block is a parameter: numpy's own below, or catlass_c's.

All tokens of all sentences are rows of one matrix, so that the feed-forward GEMMs see them together and nothing is
padded; attention alone looks at the rows of one sentence at a time."""
import math

import numpy as np

_erf = np.frompyfunc(math.erf, 1, 1)


def erf(x):
    """numpy has no erf; math.erf is slow but correct to the last bit or two of float64."""
    return _erf(x.astype(np.float64)).astype(np.float64)


def gelu(x):
    """x * Phi(x), the erf form."""
    return (x * 0.5 * (1.0 + erf(x / math.sqrt(2.0)))).astype(x.dtype)


def layer_norm(x, gain, bias, epsilon):
    centred = x - x.mean(axis=1, keepdims=True)
    variance = (centred * centred).mean(axis=1, keepdims=True)
    return centred / np.sqrt(variance + epsilon) * gain + bias


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


class NumpyFeedForward:
    """x + W2 gelu(W1 x + b1) + b2 by numpy, in the type of x."""

    def __init__(self, weights):
        self.weights = weights

    def __call__(self, layer, x):
        w1, b1 = self.weights.linear(f"encoder.layer.{layer}.intermediate.dense")
        w2, b2 = self.weights.linear(f"encoder.layer.{layer}.output.dense")
        inner = gelu(x @ w1.T.astype(x.dtype) + b1)
        return inner @ w2.T.astype(x.dtype) + b2 + x


class Encoder:
    def __init__(self, weights, dtype):
        self.weights = weights
        self.dtype = dtype

    def _tensor(self, name):
        return self.weights[name].astype(self.dtype)

    def _linear(self, name, x):
        weight, bias = self.weights.linear(name)
        return x @ weight.T.astype(self.dtype) + bias.astype(self.dtype)

    def _norm(self, name, x):
        return layer_norm(x, self._tensor(name + ".weight"), self._tensor(name + ".bias"), self.weights.epsilon)

    def _embed(self, sentences):
        words = self.weights["embeddings.word_embeddings.weight"]
        positions = self.weights["embeddings.position_embeddings.weight"]
        segment = self.weights["embeddings.token_type_embeddings.weight"][0]
        rows = [words[ids].astype(self.dtype) + positions[:len(ids)] + segment for ids in sentences]
        return self._norm("embeddings.LayerNorm", np.concatenate(rows).astype(self.dtype))

    def _attention(self, prefix, x, spans):
        heads, width = self.weights.heads, self.weights.hidden // self.weights.heads
        q, k, v = (self._linear(prefix + ".self." + part, x) for part in ("query", "key", "value"))
        context = np.empty_like(x)
        for begin, end in spans:
            # [tokens, heads * width] -> [heads, tokens, width]
            qh, kh, vh = (m[begin:end].reshape(end - begin, heads, width).transpose(1, 0, 2) for m in (q, k, v))
            scores = softmax(qh @ kh.transpose(0, 2, 1) / math.sqrt(width))
            context[begin:end] = (scores @ vh).transpose(1, 0, 2).reshape(end - begin, heads * width)
        return self._linear(prefix + ".output.dense", context)

    def __call__(self, sentences, feed_forward):
        """Token numbers of each sentence -> one row of length 1 per sentence. `feed_forward(layer, x)` returns
        x plus the block's output, before the layer norm."""
        ends = np.cumsum([len(ids) for ids in sentences])
        spans = [(int(end) - len(ids), int(end)) for end, ids in zip(ends, sentences)]
        x = self._embed(sentences)
        for layer in range(self.weights.layers):
            prefix = f"encoder.layer.{layer}"
            x = self._norm(prefix + ".attention.output.LayerNorm",
                           x + self._attention(prefix + ".attention", x, spans))
            x = self._norm(prefix + ".output.LayerNorm", feed_forward(layer, x).astype(self.dtype))
        pooled = np.stack([x[begin:end].mean(axis=0) for begin, end in spans])
        return pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
