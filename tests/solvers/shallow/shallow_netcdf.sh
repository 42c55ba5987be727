# shallow_netcdf.sh - a bed in a netCDF file gives the bits of the same bed in an ESRI ASCII grid,
# in whatever order, packing and unit; what cannot be used is told.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/shallow_netcdf
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
TRIREME_ROOF=false
export TRIREME_ROOF

printf 'CDF\001....................' >none.nc
if ! grep -q 'define HAVE_NETCDF' "${TRIREME%/cli/*}/config.h"; then
  "$TRIREME" run shallow --set shallow.bed=none.nc --steps=1 --output=none >said 2>&1
  check "a build without libnetcdf says so and names the cure" grep -qF "install libnetcdf-dev" said
  done_testing
  exit 0
fi
command -v ncgen >/dev/null 2>&1 || skip_all "ncgen (netcdf-bin) is not here to make the files"

# file NAME KIND : CDL on standard input becomes a netCDF file of that kind
file() { cat >"$1.cdl" && ncgen -k "$2" -o "$1.nc" "$1.cdl"; }

# print_of ARGUMENTS... : the fingerprint of ten steps
print_of() {
  rm -rf out
  "$TRIREME" run shallow "$@" --set "initial.surface=0.5+(z<-3?0.4:0)" --steps=10 \
    --precision=f64 --formats=none --output=out >said 2>&1 || return 1
  awk '$1 == "fingerprint" { print $2 }' said
}

# same NAME ARGUMENTS... : as the ASCII grid
same() {
  same_print=$(print_of --set shallow.bed="$1.nc") || { cat said; return 1; }
  test -n "$same_print" && test "$same_print" = "$expected"
}

# says PART ARGUMENTS... : refused, with this in the message
says() {
  says_part=$1
  shift
  "$TRIREME" run shallow --steps=1 --output=refused "$@" >said 2>&1 && return 1
  cat said
  grep -qF -- "$says_part" said
}

cat >bed.asc <<'EOF'
ncols 4
nrows 3
xllcorner 117.1875
yllcorner 242.1875
cellsize 15.625
-5 -4 -3 1
-5 -4.5 -3 0
-6 -5 -3.5 -1
EOF
expected=$(print_of --set shallow.bed=bed.asc)
check "the ASCII grid runs" test -n "$expected"

file plain classic <<'EOF'
netcdf plain {
dimensions: x = 4 ; y = 3 ;
variables:
  double x(x) ; x:units = "m" ;
  double y(y) ; y:units = "m" ;
  float z(y, x) ; z:units = "m" ;
data:
  x = 125, 140.625, 156.25, 171.875 ;
  y = 250, 265.625, 281.25 ;
  z = -6, -5, -3.5, -1, -5, -4.5, -3, 0, -5, -4, -3, 1 ;
}
EOF
check "classic, rows from south to north" same plain

file packed nc4 <<'EOF'
netcdf packed {
dimensions: time = 1 ; lon = 4 ; lat = 3 ;
variables:
  double lon(lon) ; lon:units = "km" ; lon:axis = "X" ;
  double lat(lat) ; lat:units = "km" ; lat:axis = "Y" ;
  short depth(time, lon, lat) ; depth:units = "cm" ; depth:positive = "down" ;
    depth:scale_factor = 50. ; depth:add_offset = 100. ;
data:
  lon = 0.125, 0.140625, 0.15625, 0.171875 ;
  lat = 0.28125, 0.265625, 0.25 ;
  depth = 8, 8, 10, 6, 7, 8, 4, 4, 5, -4, -2, 0 ;
}
EOF
check "netCDF 4, packed in cm, depths, x slow, from north to south, in km" same packed

cdl_with() { # X-VALUES X-ATTRIBUTES Z-ATTRIBUTES Z-VALUES
  cat <<EOF
netcdf with {
dimensions: x = 4 ; y = 3 ;
variables:
  double x(x) ; $2
  double y(y) ; y:units = "m" ;
  float z(y, x) ; $3
data:
  x = $1 ;
  y = 250, 265.625, 281.25 ;
  z = $4 ;
}
EOF
}
values='-6, -5, -3.5, -1, -5, -4.5, -3, 0, -5, -4, -3'
metre='x:units = "m" ;'
even='125, 140.625, 156.25, 171.875'
cdl_with "$even" "$metre" 'z:_FillValue = 1.f ;' "$values, 1" | file fill classic
check "_FillValue is a hole" \
  says "1 cells have no value, the first is (3, 2); set shallow.fill" --set shallow.bed=fill.nc
filled=$(print_of --set shallow.bed=fill.nc --set shallow.fill=1)
check "and takes shallow.fill" test "$filled" = "$expected"
cdl_with "$even" "$metre" 'z:missing_value = 1.f ;' "$values, 1" | file missing classic
check "so does missing_value" says "1 cells have no value" --set shallow.bed=missing.nc
cdl_with "$even" "$metre" 'z:missing_value = 2.f, 1.f ;' "$values, 1" | file listed classic
check "or one of a list of them" says "1 cells have no value" --set shallow.bed=listed.nc
for limit in 'valid_max = 0.5f' 'valid_range = -11000.f, 0.5f' 'valid_range = -11000., 0.5'; do
  cdl_with "$even" "$metre" "z:$limit ;" "$values, 1" | file limit classic
  check "and what is beyond $limit" says "1 cells have no value" --set shallow.bed=limit.nc
done
cdl_with "$even" "$metre" 'z:valid_min = -6.f ; z:valid_max = 1.f ;' "$values, 1" | file within classic
check "a limit itself is within" same within
cdl_with "$even" "$metre" '' "$values, _" | file unwritten classic
check "and what was never written" says "1 cells have no value" --set shallow.bed=unwritten.nc
cdl_with '125, 140.625, 157, 171.875' "$metre" '' "$values, 1" | file uneven classic
check "an axis that is not regular is told" says "value 2 is 157 where 156.25 would be" \
  --set shallow.bed=uneven.nc
cdl_with "$even" 'x:units = "feet" ;' '' "$values, 1" | file feet classic
check "so is a unit that is not known" \
  says "is in 'feet'; m, km and degrees" --set shallow.bed=feet.nc
cdl_with "$even" 'x:units = "degrees_east" ;' '' "$values, 1" | file mixed classic
check "and an axis in degrees beside one in metres" says "in degrees, the other is not" \
  --set shallow.bed=mixed.nc
check "a variable that is not there is told" says "has no variable 'w'" \
  --set shallow.bed=plain.nc --set shallow.bed_variable=w
check "a variable of an ASCII grid is told" says "no netCDF file" \
  --set shallow.bed=bed.asc --set shallow.bed_variable=z
sed 's/^  float z/  float w(y, x) ; float z/' <<EOF | file two classic
$(cdl_with "$even" "$metre" '' "$values, 1")
EOF
check "two grids without a name are told" says "more than one grid, 'w' and 'z'" \
  --set shallow.bed=two.nc
check "with a name they serve" print_of --set shallow.bed=two.nc --set shallow.bed_variable=z
check "a broken file is told" says "cannot be opened as netCDF" --set shallow.bed=none.nc

# What other programs write: strings (h5netcdf), packed axes, depths that only a name or a capital
# letter tells, unsigned bytes in a classic file.
cdl_with '0.125, 0.140625, 0.15625, 0.171875' 'string x:units = "km" ;' '' "$values, 1" | file strings nc4
check "units may be strings" same strings
cdl_with '0, 1, 2, 3' "$metre x:scale_factor = 15.625 ; x:add_offset = 125. ;" '' "$values, 1" |
  sed 's/double x/short x/' | file positions classic
check "axes may be packed" same positions
depths='6, 5, 3.5, 1, 5, 4.5, 3, 0, 5, 4, 3, -1'
for attribute in 'positive = "Down"' 'standard_name = "sea_floor_depth_below_geoid"' \
  'standard_name = "depth"'; do
  cdl_with "$even" "$metre" "z:$attribute ;" "$depths" | file depth classic
  check "$attribute: depths" same depth
done
cdl_with "$even" "$metre" 'z:standard_name = "depth" ; z:positive = "up" ;' "$values, 1" | file up classic
check "positive goes before the name" same up
cdl_with "$even" "$metre" 'z:_Unsigned = "true" ; z:scale_factor = 0.5 ; z:add_offset = -100. ;
  z:missing_value = -1b ;' '-68, -66, -63, -58, -66, -65, -62, -56, -66, -64, -62, -54' |
  sed 's/float z/byte z/' | file unsigned classic
check "_Unsigned bytes are from 0 to 255" same unsigned

# Marks are compared in the file's own type, limits too, and may be text.
cdl_with "$even" "$metre" 'z:missing_value = 1.e20 ;' "$values, 1.e20" | file rounded classic
check "a double that marks floats is rounded as they are" says "1 cells have no value" \
  --set shallow.bed=rounded.nc
cdl_with "$even" "$metre" 'z:missing_value = "1" ;' "$values, 1" | file textual classic
check "a mark may be text" says "1 cells have no value" --set shallow.bed=textual.nc
cdl_with "$even" "$metre" 'z:missing_value = "none" ;' "$values, 1" | file wordy classic
check "but not a word" says "the attribute missing_value is 'none', no number; mend it" \
  --set shallow.bed=wordy.nc
cdl_with "$even" "$metre" 'z:scale_factor = "2" ; z:add_offset = "0" ;' \
  '-3, -2.5, -1.75, -0.5, -2.5, -2.25, -1.5, 0, -2.5, -2, -1.5, 0.5' | file scaled classic
check "nor is a scale_factor of text passed over" same scaled
cdl_with "$even" "$metre" 'z:valid_max = 1.1 ;' '-6, -5, -3.5, -1, -5, -4.5, -3, 0, -5, -4, -3, 1.1' |
  file limit classic
check "a limit in double is that of floats" "$TRIREME" run shallow --set shallow.bed=limit.nc --steps=1 \
  --formats=none --output=limited
cdl_with "$even" "$metre" '' "$values, 1.e20" | file rock classic
check "a mark that is not declared is told" says "cell (3, 2) is 1.00000002e+20 m, as programs mark" \
  --set shallow.bed=rock.nc
sed 's/x = 4 ;/time = UNLIMITED ; x = 4 ;/; s/z(y, x)/z(time, y, x)/; /^  z = /d' <<EOF | file empty classic
$(cdl_with "$even" "$metre" '' "$values, 1")
EOF
check "a dimension without records is told" says "its dimension 'time' has no records" \
  --set shallow.bed=empty.nc
for names in 'lon lat' 'LONGITUDE LATITUDE' 'long lats'; do
  cdl_with '-1, -0.9, -0.8, -0.7' '' '' "$values, 1" |
    sed "s/\\bx\\b/${names% *}/g; s/\\by\\b/${names#* }/g; s/lat:units[^;]*;//I; s/lats:units[^;]*;//
      s/= 250, 265.625, 281.25/= 59.9, 60, 60.1/; s/LATITUDE:units[^;]*;//" | file named classic
  rm -rf degrees0
  check "axes $names without a unit are degrees" "$TRIREME" run shallow --set shallow.bed=named.nc \
    --steps=1 --formats=vti --output=degrees0
  check "of 5.56 by 11.12 km a cell" grep -q 'Spacing="5559.7[0-9]* 11119.4[0-9]* 1"' degrees0/fields.vti
done
cdl_with '122, 122.5, 122, 123' "$metre" '' "$values, 1" | file digits classic
check "places are told with their digits" says "is 122.5 where 122.333333333 would be" \
  --set shallow.bed=digits.nc

# A small file can declare any size: nothing is stored of values that nobody wrote. (2.3 TiB)
{ echo 'netcdf vast { dimensions: x = 400000 ; y = 400000 ; variables: float x(x) ; x:units = "m" ; float y(y) ;'
  echo 'y:units = "m" ; float z(y, x) ; z:_Storage = "chunked" ; z:_ChunkSizes = 1000, 1000 ; data:'
  for axis in x y; do printf '%s = ' $axis; seq -s , 400000; echo ';'; done
  echo '}'; } | file vast nc4
check "the file of a vast grid is small" test "$(wc -c <vast.nc)" -lt 8000000
check "and refused with what it takes" says "no memory to read 'vast.nc': it takes 1192.1 GiB" \
  --set shallow.bed=vast.nc

# Parts read rows in blocks of 2^19 values; one device reads all. Rows lie from north to south, or
# are columns of the file.
tall() { # NAME DIMENSIONS STEP
  awk -v name="$1" -v order="$2" -v step="$3" 'BEGIN {
    nx = 1024; ny = 600
    printf "netcdf %s {\ndimensions: x = %d ; y = %d ;\nvariables:\n", name, nx, ny
    printf "  int x(x) ; x:units = \"m\" ;\n  int y(y) ; y:units = \"m\" ;\n"
    printf "  short z(%s) ; z:units = \"cm\" ;\ndata:\n  x = 1", order
    for (i = 2; i <= nx; i++) printf ", %d", i
    for (j = 0; j < ny; j++) printf "%s %d", j ? "," : " ;\n  y =", step * j
    printf " ;\n  z = -100"
    for (i = 1; i < nx * ny; i++) printf ",%d", i * 7919 % 3001 - 3100
    printf " ;\n}\n" }' | file "$1" classic
}
in_blocks() {
  "$TRIREME" run shallow --set shallow.bed="$1.nc" --set initial.surface=0.2 --steps=2 \
    --backend=openmp --formats=none --output="$1-one" >said 2>&1 || { cat said; return 1; }
  "$TRIREME" run shallow --set shallow.bed="$1.nc" --set initial.surface=0.2 --steps=2 \
    --devices=openmp,openmp --formats=none --output="$1-two" >>said 2>&1 || { cat said; return 1; }
  test "$(awk '$1 == "fingerprint" { print $2 }' said | sort | uniq -c | awk '{ print $1 }')" = 2
}
tall northern y,x -1
check "two parts read a file from north to south in blocks" in_blocks northern
tall turned x,y 1
check "and one whose lines are columns" in_blocks turned

# GEBCO's own: elevation(lat, lon), short, metres; a degree at 60 north is half as wide
file gebco nc7 <<'EOF'
netcdf gebco {
dimensions: lat = 3 ; lon = 4 ;
variables:
  double lat(lat) ; lat:standard_name = "latitude" ; lat:units = "degrees_north" ;
  double lon(lon) ; lon:standard_name = "longitude" ; lon:units = "degrees_east" ;
  short elevation(lat, lon) ; elevation:units = "m" ;
data:
  lat = 59.9, 60, 60.1 ;
  lon = -1, -0.9, -0.8, -0.7 ;
  elevation = -60, -50, -35, -10, -50, -45, -30, 0, -50, -40, -30, 1 ;
}
EOF
check "degrees run" "$TRIREME" run shallow --set shallow.bed=gebco.nc --steps=1 --formats=vti \
  --output=degrees
check "and are cells of 5.56 by 11.12 km" grep -q 'Spacing="5559.7[0-9]* 11119.4[0-9]* 1"' \
  degrees/fields.vti
done_testing
