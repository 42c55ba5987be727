# made_files.sh - files written in many ways are read to the same numbers, or refused.
# TRIREME_MADE_FILES=2000 tests/run made_files.sh : the long form.
. "$srcdir/tests/tap.sh"

# Where this build reads no netCDF, such files are not made.
grids=yes
grep -q '^#define HAVE_NETCDF 1' config.h || grids=no
command -v python3 >/dev/null 2>&1 || skip_all "python3 is not here to write the files"
work=$TRIREME_TEST_STATE/made_files
rm -rf "$work"
mkdir -p "$work"
check "grids, surfaces and bodies of made files are read, or refused" python3 \
  "$srcdir/tests/io/made_files.py" "${TRIREME%/cli/*}/tests/io/read_back" "$work" \
  "${TRIREME_MADE_FILES:-400}" "${TRIREME_MADE_SEED:-1}" $grids
done_testing
