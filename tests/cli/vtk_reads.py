"""vtk_reads.py FOLDER DIMENSIONS [X0 Y0 DX DY]: fields.vti as VTK reads it, compared with NAME.npy."""
import glob
import os
import sys

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

folder, dimensions = sys.argv[1], int(sys.argv[2])
reader = vtk.vtkXMLImageDataReader()
reader.SetFileName(os.path.join(folder, "fields.vti"))
reader.Update()
grid = reader.GetOutput()
assert grid.GetDataDimension() == dimensions, grid.GetExtent()
if len(sys.argv) > 3:
    found = grid.GetOrigin()[:2] + grid.GetSpacing()[:2]
    assert numpy.allclose(found, [float(word) for word in sys.argv[3:]]), found
files = glob.glob(os.path.join(folder, "*.npy"))
assert files, "no .npy file to compare with"
for path in files:
    wanted, name = numpy.load(path), os.path.splitext(os.path.basename(path))[0]
    values = vtk_to_numpy(grid.GetCellData().GetArray(name))
    parts = wanted.shape[0] if wanted.ndim > 2 else 1
    wanted = wanted.reshape(parts, -1).T
    assert (values.reshape(len(wanted), -1)[:, :parts] == wanted).all(), name
