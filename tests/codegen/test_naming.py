# SPDX-License-Identifier: Apache-2.0
"""Names: every field of the schema has a place, and a name reads back to what it was made from."""

import pytest
from catlass_c import naming, schema
from catlass_c.instances import Inputs
from conftest import ROOT

SAMPLES = {  # for each field, a value that is not its default
    "a": "f16", "b": "f16", "acc": "bf16", "d": "f32", "layout": "nt", "tile": [32, 16, 24], "warp": [16, 8],
    "thread": [2, 1], "cluster": [2, 1], "stages": 7, "schedule": "pingpong", "swap": True, "regs": [24, 240],
    "reg_buffers": 1, "unroll": 3, "min_blocks": 2, "epilogue": ["bias_row", "gelu"],
}
BASE = {
    "gemm_simt": {"a": "bf16", "layout": "tn", "tile": [64, 64, 16], "warp": [32, 32], "thread": [8, 4], "stages": 2},
    "gemm_sm80": {"a": "bf16", "layout": "tn", "tile": [128, 128, 32], "warp": [64, 32], "stages": 4},
    "gemm_sm90": {"a": "bf16", "layout": "tn", "tile": [128, 256, 64], "stages": 4},
}
SELECTION_ONLY = {"default"}  # says which build has the instance, nothing about the kernel


@pytest.fixture(scope="module")
def inputs():
    return Inputs.find(ROOT / "include", [ROOT / "instances"])


def made(inputs, skeleton, fields):
    from catlass_c.epilogue import resolve

    config = schema.MODELS[skeleton].model_validate(fields, context={"tokens": inputs.tokens})
    chain = tuple(resolve(word, config.d, inputs.operations, inputs.tokens) for word in config.epilogue)
    return config, chain, naming.format_name(skeleton, config, chain, inputs.operations)


def test_library_instances_read_back(inputs):
    instances = inputs.load()
    assert len(instances) >= 40
    for instance in instances:
        skeleton, config, chain = naming.parse_name(instance.name, inputs.operations, inputs.tokens)
        assert skeleton == instance.skeleton and chain == instance.chain
        for field in set(type(config).model_fields) - SELECTION_ONLY - {"epilogue"}:
            assert getattr(config, field) == getattr(instance.config, field), (instance.name, field)


@pytest.mark.parametrize("skeleton", sorted(schema.MODELS))
def test_every_field_has_a_place(skeleton, inputs):
    _, _, plain = made(inputs, skeleton, BASE[skeleton])
    for field in set(schema.MODELS[skeleton].model_fields) - SELECTION_ONLY:
        fields = {**BASE[skeleton], field: SAMPLES[field]}
        config, chain, name = made(inputs, skeleton, fields)
        assert name != plain, field
        assert naming.parse_name(name, inputs.operations, inputs.tokens)[1:][1] == chain
        parsed = naming.parse_name(name, inputs.operations, inputs.tokens)[1]
        assert getattr(parsed, field) == getattr(config, field), name


@pytest.mark.parametrize("skeleton", sorted(schema.MODELS))
def test_all_fields_at_once(skeleton, inputs):
    fields = {name: SAMPLES[name] for name in schema.MODELS[skeleton].model_fields if name in SAMPLES}
    config, chain, name = made(inputs, skeleton, fields)
    assert naming.parse_name(name, inputs.operations, inputs.tokens)[1:] == (config, chain), name


def test_spelling(inputs):
    fields = {**BASE["gemm_sm90"], "cluster": [2, 1], "epilogue": ["bias", "gelu"]}
    assert made(inputs, "gemm_sm90", fields)[2] == (
        "gemm_sm90_bf16_bf16_f32_bf16_tn_128x256x64_c2x1_s4_cooperative_bias_gelu")
    fields = {**BASE["gemm_simt"], "swap": True, "min_blocks": 2, "unroll": 4, "epilogue": ["bias.f32", "tap.bf16"]}
    assert made(inputs, "gemm_simt", fields)[2] == (
        "gemm_simt_bf16_bf16_f32_bf16_tn_64x64x16_w32x32_t8x4_s2_simt_swap_u4_lb2_bias.f32_tap")
    fields = {**BASE["gemm_sm80"], "swap": True, "reg_buffers": 1, "unroll": 16, "min_blocks": 2, "epilogue": ["gelu"]}
    assert made(inputs, "gemm_sm80", fields)[2] == (
        "gemm_sm80_bf16_bf16_f32_bf16_tn_128x128x32_w64x32_s4_multistage_swap_rb1_u16_lb2_gelu")


@pytest.mark.parametrize(("words", "end"), [
    (["gelu_tanh"], "_simt_gelu_tanh"), (["gelu", "tanh"], "_simt__gelu__tanh"),
    (["bias", "gelu", "tanh"], "_simt__bias__gelu__tanh"), (["tanh", "gelu"], "_simt_tanh_gelu"),
    (["gelu_tanh", "tanh"], "_simt_gelu_tanh_tanh"), (["relu", "relu_squared"], "_simt_relu_relu_squared"),
])
def test_chains_that_could_be_read_in_two_ways(words, end, inputs):
    _, chain, name = made(inputs, "gemm_simt", {**BASE["gemm_simt"], "epilogue": words})
    assert name.endswith(end)
    assert naming.parse_name(name, inputs.operations, inputs.tokens)[2] == chain


def test_c_name():
    assert naming.c_name("gemm_x_r40-232_bias.f32") == "gemm_x_r40_232_bias_f32"


@pytest.mark.parametrize("name", [
    "", "gemm", "gemm_simt", "gemm_simt_f32", "gemm_nosuch_f32_f32_f32_f32_tn_64x64x8_s2_simt",
    "gemm_simt_f32_f32_f32_f32_tn_64x64x8_w32x32_t8x4_s2_simt_nosuch",
    "gemm_simt_f32_f32_f32_f32_tn_64x64_w32x32_t8x4_s2_simt",
    "gemm_simt_f32_f32_f32_f32_tn_64x64x8_w32x32_t8x4_s2_simt_",
    "gemm_simt_f33_f32_f32_f32_tn_64x64x8_w32x32_t8x4_s2_simt",
])
def test_what_is_no_name(name, inputs):
    with pytest.raises(ValueError):
        naming.parse_name(name, inputs.operations, inputs.tokens)


def test_a_model_for_every_skeleton_of_types_h():
    from catlass_c.headers import token_pairs

    text = (ROOT / "include" / "catlass_c" / "types.h").read_text()
    assert [token for _, token in token_pairs(text, "CATC_SKELETONS")] == list(schema.MODELS)


@pytest.mark.parametrize(("name", "message"), [
    ("gemm_simt_f33_f32_f32_f32_tn_64x64x8_w32x32_t8x4_s2_simt", "a: 'f33' is unknown; did you mean 'f32'?"),
    ("gemm_simt_f32_f32_f32_f32_tn_64x64x8_w32x32_t8x4_s2147483648_simt", "stages: 2147483648 is out of range"),
    ("gemm_simt_f32_f32_f32_f32_tn_64x64x8_s2_simt", "warp: is missing; two whole numbers"),
])
def test_name_with_a_wrong_field(name, message, inputs):
    with pytest.raises(ValueError) as refused:
        naming.parse_name(name, inputs.operations, inputs.tokens)
    assert str(refused.value).startswith(f"'{name}': {message}")


def test_every_parameter_is_in_the_macros():
    for model in schema.MODELS.values():
        assert set(model.model_fields) - SELECTION_ONLY - {"epilogue"} <= set(schema.MACROS)
