# former_keys.sh - cases, checkpoints and results of the last version, whose keys had other names, are read:
# the same bits as under the present names, and one warning that names these. tests/data/former has each
# case under both.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/former_keys
rm -rf "$work"
mkdir -p "$work"
cp -R "$srcdir"/tests/data/former/. "$work"
cd "$work" || exit 1
chmod -R u+w .
cp -R kept before
TRIREME_ROOF=false TRIREME_FORMATS=none
export TRIREME_ROOF TRIREME_FORMATS

keys_of() { # FOLDER: the keys in its run.json
  grep -oE '"([a-z0-9]+\.[a-z_0-9]+|probes|body_force|average_from)":' "$1/run.json" | sort -u
}
warnings() { grep -c '^trireme: warning: .* is now ' "$1"; } # FILE

# same NAME: the run of NAME.old.conf, its warning, and that of NAME.conf
same() {
  ends 0 run "$1.old.conf" --output="$1.was" && cp err "$1.err" && ends 0 run "$1.conf" --output="$1.is" || return 1
  test "$(warnings "$1.err")" = 1 && test "$(warnings err)" = 0 || { cat "$1.err" err; return 1; }
  test -n "$(print_of "$1.is")" && test "$(print_of "$1.was")" = "$(print_of "$1.is")" &&
    cmp "$1.was/series.csv" "$1.is/series.csv" || return 1
  # the results have the present names alone
  keys_of "$1.was" >was.keys && keys_of "$1.is" >is.keys && test -s is.keys && cmp was.keys is.keys || return 1
  ends 0 run "$1.was/used.conf" --output="$1.again" && test "$(warnings err)" = 0 &&
    test "$(print_of "$1.again")" = "$(print_of "$1.is")"
}

for old in *.old.conf; do
  check "the case $old" same "${old%.old.conf}"
done

# every former name is in one of these cases; a variable of a netCDF file is not (shallow_netcdf.sh has such files)
"$TRIREME" solvers --json | tr -d ' \n' | grep -o '"former":"[^"]*"' | cut -d'"' -f4 | sort -u >former
covered() {
  for old in *.old.conf; do cat "${old%.old.conf}.err"; done | grep -o '[a-z.]*[a-z_]* is now' | cut -d' ' -f1 | sort -u >used
  test "$(wc -l <former)" -gt 50 || return 1
  missing=$(comm -23 former used)
  test "$missing" = shallow.surface_variable || { echo "in no case: $missing"; return 1; }
}
check "every former name is in a case" covered

both() { printf 'solver = "lbm3d"; run: { steps = 1; }; lbm: { west = "wall"; };\nboundary: { west = "wall"; };\n' >both.conf; }
both
check "both names in a file are refused" ends 2 run both.conf
check "with the lines of both" says 'both.conf:1 and .*both.conf:2: lbm.west and boundary.west are one key.*leave lbm.west out'
check "so are both on the command line" ends 2 run box.conf --set lbm.west=wall --set boundary.west=wall
check "the command line's name counts over the file's" \
  ends 0 run box.old.conf --dry-run --set boundary.west=moving
check "a slip" ends 2 run box.conf --set lbm.geometri=x
check "is answered with the present name" says "did you mean 'bodies.stl'"
check "a former option" ends 0 run box.conf --ceiling=false --dry-run
check "is warned of" has '^trireme: warning: .*--ceiling.*run.ceiling is now run.roof' err
check "help on a former name of every case" ends 0 help output.look
check "tells the present one" has '^output.look is now output.rendering$'
check "help on a former name" ends 0 help compressible.surface
check "tells the present one" has '^compressible.surface is now bodies.stl$'

check "--vary with a former name" ends 0 compare channel.conf --vary=lbm.surface=halfway,interpolated --runs=1 --json
check "has the present one in its result" json_has '"key":"lbm.bounce_back"'
check "of one number of a list" ends 0 compare box.conf --vary=lbm.force_z=0,1e-6 --runs=1 --json
check "a value is the whole list" json_has '"body_force":"1e-6-2e-60"'
check "is warned of once" test "$(grep -c 'is now' err)" -le 2
check "--vary and --set under two names" ends 2 compare channel.conf --vary=lbm.surface=halfway,interpolated \
  --set lbm.bounce_back=halfway --runs=1

# a run that version 0.1 left with a checkpoint: its case.conf and run.json have every key under its former name
goes_on() {
  ends 0 resume kept && cp err kept.err && test -n "$(print_of small.is)" && test "$(print_of kept)" = "$(print_of small.is)"
}
check "a checkpoint of the last version is resumed to the same bits" goes_on
check "with one warning" test "$(warnings kept.err)" = 1
check "that has all names" has 'lbm.surface is now lbm.bounce_back' kept.err
check "other values are refused as ever" ends 2 resume kept --steps=500 --set lbm.surface=halfway
check "a report takes old and new results together" ends 0 report before small.is --output=page.html
check "and sees one case" grep -q 'small (lbm)' page.html

done_testing
