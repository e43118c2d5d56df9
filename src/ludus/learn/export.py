"""A network as an ONNX file, which plays anywhere with onnxruntime alone."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from ludus.home import refuse_irregular
from ludus.learn import net

ONNX_OPSET = 17
NET_FORMAT = "1"


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

    def convolve(self, x: str, layer: Mapping[str, Any]) -> str:
        kernel = np.asarray(layer["kernel"], np.float32).transpose(3, 2, 0, 1)
        edge = kernel.shape[-1] // 2
        bias = self.constant(np.asarray(layer["bias"], np.float32))
        return self.add("Conv", x, self.constant(kernel), bias, pads=[edge] * 4)

    def dense(self, x: str, layer: Mapping[str, Any]) -> str:
        weights = self.constant(np.asarray(layer["weights"], np.float32))
        return self.add("Gemm", x, weights, self.constant(np.asarray(layer["bias"], np.float32)))

    def flat(self, x: str) -> str:
        """Flatten with cells before channels, as on the device."""
        turned = self.add("Transpose", x, perm=[0, 2, 3, 1])
        return self.add("Reshape", turned, self.constant(np.array([0, -1], np.int64)))


def export_onnx(
    weights: net.Weights, running: net.Weights, shape: net.NetShape, about: Mapping[str, Any]
) -> bytes:
    """The network as the contents of an ONNX file: ``seen`` → ``policy`` and ``wdl``."""
    from onnx import TensorProto, helper, numpy_helper

    folded = net.fold(weights, running, jnp.float32)
    graph = OnnxGraph(helper, numpy_helper)
    x = graph.add("Relu", graph.convolve("seen", folded["stem"]))
    for block in range(shape.blocks):
        y = graph.add("Relu", graph.convolve(x, folded[f"block{block}a"]))
        z = graph.convolve(y, folded[f"block{block}b"])
        x = graph.add("Relu", graph.add("Add", x, z))
    policy = graph.add("Relu", graph.convolve(x, folded["policy"]))
    answers = folded["answers"]
    kernel = np.asarray(answers["weights"], np.float32)[None, None]
    logits = graph.convolve(policy, {"kernel": kernel, "bias": answers["bias"]})
    turned = graph.add("Transpose", logits, perm=[0, 2, 3, 1])
    graph.add("Reshape", turned, graph.constant(np.array([0, -1], np.int64)), name="policy")
    value = graph.flat(graph.add("Relu", graph.convolve(x, folded["value"])))
    inner = graph.add("Relu", graph.dense(value, folded["hidden"]))
    graph.add("Softmax", graph.dense(inner, folded["wdl"]), name="wdl", axis=-1)
    size, actions = shape.size, shape.logits_per_cell * shape.size**2
    tensor = helper.make_tensor_value_info
    made = helper.make_graph(
        graph.nodes,
        "ludus",
        [tensor("seen", TensorProto.FLOAT, ["n", shape.planes, size, size])],
        [
            tensor("policy", TensorProto.FLOAT, ["n", actions]),
            tensor("wdl", TensorProto.FLOAT, ["n", 3]),
        ],
        graph.constants,
    )
    model = helper.make_model(
        made, opset_imports=[helper.make_opsetid("", ONNX_OPSET)], ir_version=8
    )
    metadata = {"ludus": NET_FORMAT, **{k: json.dumps(v, sort_keys=True) for k, v in about.items()}}
    helper.set_model_props(model, metadata)
    contents: bytes = model.SerializeToString()
    return contents


def write_atomically(path: Path, contents: bytes) -> None:
    """Write a file completely or not at all."""
    refuse_irregular(path)
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(contents)
    os.replace(beside, path)
