# ranks_parts_mpich.sh - what ranks_parts.sh claims, over the ranks of MPICH.
test -n "${TRIREME_TEST_LONG-}" || { echo '1..0 # SKIP long: run by make check-long'; exit 0; }
TRIREME_TEST_MPI=mpich
. "$srcdir/tests/cli/ranks_parts.sh"
