# SPDX-License-Identifier: Apache-2.0
"""The fields of an instance, one pydantic model per skeleton. Types and shapes only: whether the numbers fit together
is decided by the rules in include/catlass_c/check/, in C."""

from __future__ import annotations

from typing import Annotated, Any, Dict, List, Optional, Tuple, Type

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, model_validator
from pydantic import ValidationError as ValidationError  # re-exported: instances.py turns it into positions
from pydantic_core import PydanticCustomError

from catlass_c.errors import did_you_mean

VERSION = 1
LARGEST = 2**31 - 1  # C would wrap anything above, and a rule could then hold


def _token(list_name: str) -> BeforeValidator:
    def check(value: Any, info: ValidationInfo) -> Any:
        known = getattr(info.context["tokens"], list_name)
        if not isinstance(value, str) or value not in known:
            hint = did_you_mean(value, known) if isinstance(value, str) else f"; known: {', '.join(known)}"
            raise PydanticCustomError("catc", "{text}", {"text": f"'{value}' is unknown{hint}"})
        return value

    return BeforeValidator(check)


def _fits(value: int) -> int:
    if not -LARGEST <= value <= LARGEST:
        raise PydanticCustomError("catc", "{text}", {"text": f"{value} is out of range; at most {LARGEST} (2^31 - 1), "
                                                             "because C computes with it as an int"})
    return value


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


TypeToken = Annotated[str, _token("types")]
LayoutToken = Annotated[str, _token("layouts")]
ScheduleToken = Annotated[str, _token("schedules")]
Whole = Annotated[int, AfterValidator(_fits)]
Pair = Annotated[Tuple[Whole, Whole], BeforeValidator(_as_tuple)]
Triple = Annotated[Tuple[Whole, Whole, Whole], BeforeValidator(_as_tuple)]

# field -> the macros (CATC_P_<…>) that carry it, in the order of its values
MACROS: Dict[str, Tuple[str, ...]] = {
    "a": ("TYPE_A",),
    "b": ("TYPE_B",),
    "acc": ("TYPE_ACC",),
    "d": ("TYPE_D",),
    "layout": ("LAYOUT",),
    "tile": ("TILE_M", "TILE_N", "TILE_K"),
    "warp": ("WARP_M", "WARP_N"),
    "thread": ("THREAD_M", "THREAD_N"),
    "stages": ("STAGES",),
    "schedule": ("SCHEDULE",),
    "swap": ("SWAP",),
    "unroll": ("UNROLL",),
    "min_blocks": ("MIN_BLOCKS",),
    "cluster": ("CLUSTER_M", "CLUSTER_N"),
    "regs": ("PRODUCER_REGS", "CONSUMER_REGS"),
    "reg_buffers": ("REG_BUFFERS",),
}


class Gemm(BaseModel):
    """Fields that every GEMM skeleton has."""

    model_config = ConfigDict(strict=True, extra="forbid")

    a: TypeToken = Field(description="the element type of A")
    b: Optional[TypeToken] = Field(None, description="the element type of B (default: A's)")
    acc: TypeToken = Field("f32", description="the type of the accumulator")
    d: Optional[TypeToken] = Field(None, description="the element type of C and D (default: A's)")
    layout: LayoutToken = Field(description="tn, tt, nn or nt, the storage of A and B")
    tile: Triple = Field(description="three whole numbers, [M, N, K] of a block's tile")
    stages: Whole = Field(description="a whole number, the stages of the pipeline")
    swap: bool = Field(False, description="true or false (true: compute the transposed problem)")
    min_blocks: Whole = Field(1, description="a whole number, the second launch bound")
    epilogue: List[str] = Field(default_factory=list, description="a list of operations such as [bias, gelu]")
    default: bool = Field(False, description="true or false (true: part of the default set)")

    @model_validator(mode="after")
    def _derive(self) -> Gemm:
        self.b = self.a if self.b is None else self.b
        self.d = self.a if self.d is None else self.d
        return self

    def derived_default(self, field: str) -> Any:
        """The value that a name leaves out; None for a field that names always carry."""
        return type(self).model_fields[field].default


class _GemmOfWarps(Gemm):
    """Skeletons whose block tile is divided among warps that all do the same."""

    warp: Pair = Field(description="two whole numbers, [M, N] of a warp's tile")
    unroll: Optional[Whole] = Field(None, description="a whole number, how much of K is unrolled (default: the tile's "
                                                      "K)")

    @model_validator(mode="after")
    def _derive_unroll(self) -> _GemmOfWarps:
        self.unroll = self.tile[2] if self.unroll is None else self.unroll
        return self

    def derived_default(self, field: str) -> Any:
        return self.tile[2] if field == "unroll" else super().derived_default(field)


class GemmSimt(_GemmOfWarps):
    thread: Pair = Field(description="two whole numbers, [M, N] of a thread's tile")
    schedule: ScheduleToken = Field("simt", description="simt")


class GemmSm80(_GemmOfWarps):
    schedule: ScheduleToken = Field("multistage", description="multistage")
    reg_buffers: Whole = Field(2, description="1 or 2, the k steps whose fragments are in registers")


class GemmSm90(Gemm):
    cluster: Pair = Field((1, 1), description="two whole numbers, [M, N] blocks of a cluster")
    schedule: ScheduleToken = Field("cooperative", description="cooperative or pingpong")
    regs: Pair = Field((40, 232), description="two whole numbers, [producer, consumer] registers per thread")


# One for each skeleton of CATC_SKELETONS in types.h, in that order; a test compares.
MODELS: Dict[str, Type[Gemm]] = {"gemm_simt": GemmSimt, "gemm_sm80": GemmSm80, "gemm_sm90": GemmSm90}


def macros(config: Gemm) -> List[Tuple[str, object]]:
    """(TILE_M, 128) and so on, in the order of MACROS."""
    result: List[Tuple[str, object]] = []
    for field, names in MACROS.items():
        if field in type(config).model_fields:
            value = getattr(config, field)
            values = value if isinstance(value, tuple) else (int(value) if isinstance(value, bool) else value,)
            result += zip(names, values)
    return result


def sentence(detail: Dict[str, Any], model: Type[Gemm], shown: str) -> str:
    """What one pydantic error says; `shown`: the value as its reader wrote it, empty if it is missing."""
    if detail["type"] == "catc":
        return detail["msg"]
    field = str(detail["loc"][0]) if detail["loc"] else ""
    description = model.model_fields[field].description if field in model.model_fields else ""
    return f"must be {description}; not {shown}" if shown else f"is missing; {description}"


def unknown_field(name: str, model: Type[Gemm]) -> str:
    return f"unknown field{did_you_mean(name, list(model.model_fields))}"
