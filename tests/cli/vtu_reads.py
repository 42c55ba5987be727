"""vtu_reads.py FOLDER CELLS AREA: fields.vtu as VTK reads it, beside NAME.npy on the finest grid."""
import glob
import os
import sys

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

folder, cells, area = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
reader = vtk.vtkXMLUnstructuredGridReader()
reader.SetFileName(os.path.join(folder, "fields.vtu"))
reader.Update()
grid = reader.GetOutput()
assert grid.GetNumberOfCells() == cells, grid.GetNumberOfCells()
bounds = [grid.GetCell(i).GetBounds() for i in range(cells)]
low, high = numpy.array(bounds)[:, 0::2], numpy.array(bounds)[:, 1::2]
sides = numpy.where(high > low, high - low, 1)
assert abs(sides.prod(axis=1).sum() - area) <= 1e-12 * area, sides.prod(axis=1).sum()
corner, finest = low.min(axis=0), sides.min(axis=0)
level = grid.GetCellData().GetArray("level")
if level:
    level = vtk_to_numpy(level)
    assert len(set(level)) > 1
    assert numpy.allclose(sides[:, 0] * 2.0**level, sides[:, 0].max(), rtol=1e-12)
else:
    solid = numpy.load(os.path.join(folder, "solid.npy"))
    assert cells == (solid == 0).sum() < solid.size, (solid == 0).sum()
    corners = {grid.GetPoint(p) for p in range(grid.GetNumberOfPoints())}
    assert len(corners) == grid.GetNumberOfPoints()
at = numpy.rint((low - corner) / finest).astype(int)
files = glob.glob(os.path.join(folder, "*.npy"))
assert files, "no .npy file to compare with"
for path in files:
    wanted, name = numpy.load(path), os.path.splitext(os.path.basename(path))[0]
    values = vtk_to_numpy(grid.GetCellData().GetArray(name)).reshape(cells, -1)
    flat = wanted.ndim == (3 if values.shape[1] > 1 else 2)
    place = (at[:, 1], at[:, 0]) if flat else (at[:, 2], at[:, 1], at[:, 0])
    for part in range(values.shape[1]):
        dense = wanted[part] if values.shape[1] > 1 else wanted
        assert (values[:, part] == dense[place]).all(), name
