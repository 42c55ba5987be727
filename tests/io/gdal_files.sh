# gdal_files.sh - rasters that GDAL writes, in its options, are read to the numbers that GDAL reads, or refused.
. "$srcdir/tests/tap.sh"
grids=yes
grep -q '^#define HAVE_NETCDF 1' config.h || grids=no
python=
for one in python3 /usr/bin/python3; do
  test -z "$python" && "$one" -c 'from osgeo import gdal' >/dev/null 2>&1 && python=$one
done
test -n "$python" || skip_all "no python3 has GDAL (Debian: apt install python3-gdal) to write the files"
if test $grids = yes && ! "$python" -c 'from osgeo import gdal; import sys; sys.exit(gdal.GetDriverByName("netCDF") is None)'; then
  grids=no
fi
work=$TRIREME_TEST_STATE/gdal_files
rm -rf "$work"
mkdir -p "$work"
check "rasters of GDAL are read, or refused" "$python" "$srcdir/tests/io/gdal_files.py" \
  "${TRIREME%/cli/*}/tests/io/read_back" "$work" "${TRIREME_MADE_FILES:-300}" "${TRIREME_MADE_SEED:-1}" $grids
done_testing
