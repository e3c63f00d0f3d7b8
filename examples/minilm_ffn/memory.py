# SPDX-License-Identifier: Apache-2.0
"""Where a backend's matrices live: numpy's own memory for `host`, device memory through libcudart for `cuda`."""
import ctypes
import ctypes.util
import importlib.util
from ctypes import c_char_p, c_int, c_size_t, c_void_p
from pathlib import Path

import numpy as np
from catc import CatcError


class HostMemory:
    """The emulator reads and writes numpy arrays where they are."""

    def upload(self, array):
        return np.ascontiguousarray(array)

    def address(self, buffer):
        return buffer.ctypes.data

    def download(self, buffer):
        return buffer


class CudaError(CatcError):
    """libcudart is missing or refused a call."""


class CudaBuffer:
    """Device memory of one array; freed with the object."""

    def __init__(self, memory, array):
        self.memory, self.shape, self.dtype, self.bytes = memory, array.shape, array.dtype, array.nbytes
        self.address = c_void_p()
        memory.call("cudaMalloc", ctypes.byref(self.address), self.bytes)

    def __del__(self):
        if self.address:
            self.memory.cudart.cudaFree(self.address)


class CudaMemory:
    _TO_DEVICE, _TO_HOST = 1, 2  # enum cudaMemcpyKind

    def __init__(self):
        self.cudart = ctypes.CDLL(_cudart_path())
        for name, parameters in (("cudaMalloc", (c_void_p, c_size_t)), ("cudaFree", (c_void_p,)),
                                 ("cudaMemcpy", (c_void_p, c_void_p, c_size_t, c_int)),
                                 ("cudaGetErrorString", (c_int,))):
            getattr(self.cudart, name).argtypes = parameters
        self.cudart.cudaGetErrorString.restype = c_char_p

    def call(self, name, *parameters):
        status = getattr(self.cudart, name)(*parameters)
        if status != 0:
            raise CudaError(f"{name}: {self.cudart.cudaGetErrorString(status).decode()}")

    def upload(self, array):
        array = np.ascontiguousarray(array)
        buffer = CudaBuffer(self, array)
        self.call("cudaMemcpy", buffer.address, array.ctypes.data, buffer.bytes, self._TO_DEVICE)
        return buffer

    def address(self, buffer):
        return buffer.address.value

    def download(self, buffer):
        """Waits for the kernels before it: they and the copy are in the default stream."""
        array = np.empty(buffer.shape, buffer.dtype)
        self.call("cudaMemcpy", array.ctypes.data, buffer.address, buffer.bytes, self._TO_HOST)
        return array


def _cudart_path():
    """The system's libcudart, the toolkit's, or that of NVIDIA's runtime wheel."""
    found = ctypes.util.find_library("cudart")
    if found:
        return found
    places = [(Path("/usr/local/cuda"), "lib64/libcudart.so*")]
    wheel = importlib.util.find_spec("nvidia")
    if wheel and wheel.submodule_search_locations:
        places += [(Path(place), "*/lib/libcudart.so*") for place in wheel.submodule_search_locations]
    for folder, pattern in places:
        matches = sorted(folder.glob(pattern))
        if matches:
            return str(matches[-1])
    raise CudaError("libcudart.so was found neither on the library path, nor in /usr/local/cuda, nor in an "
                    "nvidia-cuda-runtime wheel; without it the example cannot put matrices on the GPU")
