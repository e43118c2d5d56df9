"""A network as an ONNX file, which plays anywhere with onnxruntime alone."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from ludus.home import refuse_irregular
from ludus.learn import net

ONNX_OPSET = 17
NET_FORMAT = "1"
FLOAT_TENSOR = 1
"""ONNX's number for tensors of 32-bit floats."""


class OnnxGraph:
    """Builds an ONNX graph node by node."""

    def __init__(self, helper: Any, numpy_helper: Any) -> None:
        self.helper, self.numpy_helper = helper, numpy_helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: np.ndarray[Any, Any]) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(self.numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def add(self, kind: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        made = name or f"n{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(kind, list(inputs), [made], **attributes))
        return made

    def convolve(self, x: str, layer: Mapping[str, Any], stride: int = 1) -> str:
        kernel = np.asarray(layer["kernel"], np.float32).transpose(3, 2, 0, 1)
        edge = kernel.shape[-1] // 2
        bias = self.constant(np.asarray(layer["bias"], np.float32))
        strides = [stride, stride]
        return self.add("Conv", x, self.constant(kernel), bias, pads=[edge] * 4, strides=strides)

    def dense(self, x: str, layer: Mapping[str, Any], name: str = "") -> str:
        weights = self.constant(np.asarray(layer["weights"], np.float32))
        bias = self.constant(np.asarray(layer["bias"], np.float32))
        return self.add("Gemm", x, weights, bias, name=name)

    def excite(self, x: str, squeeze: Mapping[str, Any], excite: Mapping[str, Any]) -> str:
        """Channels scaled and shifted by what their averages say."""
        few = self.add("Relu", self.convolve(self.add("GlobalAveragePool", x), _as_kernel(squeeze)))
        both = _as_kernel(excite)
        scales, shifts = (
            {k: np.split(v, 2, axis=-1)[half] for k, v in both.items()} for half in (0, 1)
        )
        scaled = self.add("Mul", x, self.add("Sigmoid", self.convolve(few, scales)))
        return self.add("Add", scaled, self.convolve(few, shifts))

    def flat(self, x: str, name: str = "") -> str:
        """Flatten with cells before channels, as on the device."""
        turned = self.add("Transpose", x, perm=[0, 2, 3, 1])
        return self.add("Reshape", turned, self.constant(np.array([0, -1], np.int64)), name=name)

    def serialize(
        self,
        inputs: Mapping[str, Sequence[int]],
        outputs: Mapping[str, Sequence[int]],
        about: Mapping[str, Any],
    ) -> bytes:
        """The contents of an ONNX file; inputs and outputs by name with their sizes for one
        position, ``about`` is stored as JSON."""
        values = [
            [
                self.helper.make_tensor_value_info(name, FLOAT_TENSOR, ["n", *sizes])
                for name, sizes in given.items()
            ]
            for given in (inputs, outputs)
        ]
        graph = self.helper.make_graph(self.nodes, "ludus", *values, self.constants)
        opset = self.helper.make_opsetid("", ONNX_OPSET)
        model = self.helper.make_model(graph, opset_imports=[opset], ir_version=8)
        texts = {name: json.dumps(value, sort_keys=True) for name, value in about.items()}
        self.helper.set_model_props(model, {"ludus": NET_FORMAT, **texts})
        contents: bytes = model.SerializeToString()
        return contents


def _as_kernel(dense: Mapping[str, Any]) -> dict[str, Any]:
    """A dense layer as a convolution of single cells."""
    return {
        "kernel": np.asarray(dense["weights"], np.float32)[None, None],
        "bias": np.asarray(dense["bias"]),
    }


def export_onnx(
    weights: net.Weights, running: net.Weights, shape: net.NetShape, about: Mapping[str, Any]
) -> bytes:
    """The network as the contents of an ONNX file: ``seen`` → ``policy`` and ``wdl``."""
    from onnx import helper, numpy_helper

    # On the host, because on a device each layer would be compiled apart.
    weights, running = jax.tree.map(np.asarray, (weights, running))
    folded = net.fold(weights, running, np.float32)
    graph = OnnxGraph(helper, numpy_helper)
    x = graph.add("Relu", graph.convolve("seen", folded["stem"]))
    for block in range(shape.blocks):
        y = graph.add("Relu", graph.convolve(x, folded[f"block{block}a"]))
        z = graph.convolve(y, folded[f"block{block}b"])
        if shape.pooling:
            z = graph.excite(z, folded[f"block{block}squeeze"], folded[f"block{block}excite"])
        x = graph.add("Relu", graph.add("Add", x, z))
    policy = graph.add("Relu", graph.convolve(x, folded["policy"]))
    if shape.policy_is_per_cell:
        graph.flat(graph.convolve(policy, _as_kernel(folded["answers"])), name="policy")
    else:
        graph.dense(graph.flat(policy), folded["answers"], name="policy")
    value = graph.flat(graph.add("Relu", graph.convolve(x, folded["value"])))
    inner = graph.add("Relu", graph.dense(value, folded["hidden"]))
    graph.add("Softmax", graph.dense(inner, folded["wdl"]), name="wdl", axis=-1)
    board = (shape.planes, shape.rows, shape.columns)
    return graph.serialize({"seen": board}, {"policy": (shape.actions,), "wdl": (3,)}, about)


def write_atomically(path: Path, contents: bytes) -> None:
    """Write a file completely or not at all."""
    refuse_irregular(path)
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(contents)
    os.replace(beside, path)
