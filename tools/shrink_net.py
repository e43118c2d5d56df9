"""Store a network's weights in 16 bits, for the networks that come with Ludus.

    python -m tools.shrink_net NET.onnx [OUT.onnx]

It computes with 32 bits, as before: onnxruntime widens the weights once, when it loads the file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SMALL = 1024
"""Arrays of fewer numbers stay as they are."""


def shrink(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same network with large arrays of floats in 16 bits."""
    casts = []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < SMALL:
            continue
        name, narrow = tensor.name, f"{tensor.name}_16"
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), narrow))
        casts.append(helper.make_node("Cast", [narrow], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model


def main() -> None:
    source, target = Path(sys.argv[1]), Path(sys.argv[-1])
    contents = shrink(onnx.load(source)).SerializeToString()
    target.write_bytes(contents)
    print(f"{target}: {len(contents) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
