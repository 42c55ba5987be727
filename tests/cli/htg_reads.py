"""htg_reads.py FOLDER CELLS AREA: fields.htg as VTK reads it, beside NAME.npy on the finest grid."""
import glob
import os
import sys

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

folder, cells, area = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
reader = vtk.vtkXMLHyperTreeGridReader()
reader.SetFileName(os.path.join(folder, "fields.htg"))
reader.Update()
grid = reader.GetOutput()
data = {}
for i in range(grid.GetCellData().GetNumberOfArrays()):
    array = grid.GetCellData().GetArray(i)
    values = vtk_to_numpy(array)
    assert len(values) == grid.GetNumberOfVertices(), array.GetName()
    data[array.GetName()] = values.reshape(-1, 1)

leaves = []


def visit(cursor):
    """Notes the leaves below a node, and that a node has the mean of its parts."""
    number, bounds = cursor.GetGlobalNodeIndex(), [0.0] * 6
    cursor.GetBounds(bounds)
    if cursor.IsLeaf():
        leaves.append((number, bounds))
        return number
    parts = []
    for child in range(cursor.GetNumberOfChildren()):
        cursor.ToChild(child)
        parts.append(visit(cursor))
        cursor.ToParent()
    for name, values in data.items():
        mean = values[parts].mean(axis=0)
        size = abs(values[parts]).max() or 1
        assert name == "level" or (abs(values[number] - mean) <= 1e-6 * size).all(), name
    return number


for tree in range(grid.GetMaxNumberOfTrees()):
    cursor = vtk.vtkHyperTreeGridNonOrientedGeometryCursor()
    grid.InitializeNonOrientedGeometryCursor(cursor, tree)
    visit(cursor)
assert len(leaves) == cells, len(leaves)
numbers = numpy.array([number for number, _ in leaves])
bounds = numpy.array([place for _, place in leaves])
low, high = bounds[:, 0::2], bounds[:, 1::2]
sides = numpy.where(high > low, high - low, 1)
assert abs(sides.prod(axis=1).sum() - area) <= 1e-12 * area, sides.prod(axis=1).sum()
level = data["level"][numbers, 0]
assert len(set(level)) > 1
assert numpy.allclose(sides[:, 0] * 2.0**level, sides[:, 0].max(), rtol=1e-12)
corner, finest = low.min(axis=0), sides.min(axis=0)
at = numpy.rint((low - corner) / finest).astype(int)
files = glob.glob(os.path.join(folder, "*.npy"))
assert files, "no .npy file to compare with"
for path in files:
    wanted, name = numpy.load(path), os.path.splitext(os.path.basename(path))[0]
    parts = [name] if name in data else [name + axis for axis in ("_x", "_y", "_z")]
    flat = wanted.ndim == (3 if len(parts) > 1 else 2)
    place = (at[:, 1], at[:, 0]) if flat else (at[:, 2], at[:, 1], at[:, 0])
    for part, column in enumerate(parts):
        dense = wanted[part] if len(parts) > 1 else wanted
        assert (data[column][numbers, 0] == dense[place]).all(), column
