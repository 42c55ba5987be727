# kernel_check.sh - m4/kernel-check.awk and the two files beside it find each mistake that the dialect forbids, with its line and
# its cure, refuse no kernel of ours, and stop a build; no kernel of a solver names a target.
. "$srcdir/tests/tap.sh"

source=$(cd "$srcdir" && pwd)
work=$TRIREME_TEST_STATE/kernel_check
rm -rf "$work"
mkdir -p "$work"

look() { # FILE
  "$AWK" -f "$source/m4/kernel-check.awk" -f "$source/m4/kernel-check-flow.awk" \
    -f "$source/m4/kernel-check-body.awk" "$1" >"$work/log" 2>&1
}
shows() { cat "$work/log"; return 1; }

# The text of a row kernel with LINE in its loop (or TOP above it) is refused: the message has the
# line's number and each of the PARTs.
top= line=
write() {
  cat >"$work/bad.k" <<END
#include "bad_params.h"
/* a comment may say sin(0.5) and __shared__ */
$top
TRM_ROW_KERNEL2(bad_step, 1, bad_params, TRM_RO(real) f, TRM_RW(real) g)
{
  TRM_ROW1;
  $line
}
TRM_TABLE_BEGIN
TRM_TABLE(bad_step)
TRM_TABLE_END
END
  echo 'typedef struct bad_params { trm_index first, row; real a; int n; } bad_params;' >"$work/bad_params.h"
}
refused() { # NUMBER PART...
  write
  look "$work/bad.k" && shows && return 1
  grep -q "^$work/bad.k:$1: " "$work/log" || shows || return 1
  test "$(grep -c . "$work/log")" -eq 1 || shows || return 1
  shift
  for part; do grep -Fq -- "$part" "$work/log" || shows || return 1; done
}
accepted() { write; look "$work/bad.k" || shows; }

in_loop() { # NAME LINE PART...
  name=$1 top= line=$2
  shift 2
  check "$name" refused 7 "$@"
}
at_top() {
  name=$1 top=$2 line=
  shift 2
  check "$name" refused 3 "$@"
}

top= line='TRM_CELLS(x) { g[x] = R(0.5) * f[x] + R(-1e-3) + (real)(0x1e5 & p.n); }'
check "a kernel without a mistake is accepted" accepted
line='TRM_CELLS(x) { g[x] = p.sin + "sin(0.5) __shared__"[0]; } // exp(1.5)'
check "members, strings and comments are no mistakes" accepted

for call in sin expf pow log2 tanh; do
  in_loop "a library's function: $call" "TRM_CELLS(x) { g[x] = $call(f[x]); }" "$call()" \
    "strict arithmetic" "write it out"
done
in_loop "sqrt and its cure" 'TRM_CELLS(x) { g[x] = sqrt (f[x]); }' 'sqrt()' trm_sqrt
in_loop "rsqrt and its cure" 'TRM_CELLS(x) { g[x] = rsqrt(f[x]); }' trm_rsqrt
in_loop "fmin and its cure" 'TRM_CELLS(x) { g[x] = fminf(f[x], p.a); }' trm_min
in_loop "native_exp" 'TRM_CELLS(x) { g[x] = native_exp(f[x]); }' native_exp
in_loop "a bare literal" 'TRM_CELLS(x) { g[x] = 0.5 * f[x]; }' 'R(0.5)'
in_loop "a bare literal of one precision" 'TRM_CELLS(x) { g[x] = .25f * f[x]; }' 'R(.25)'
in_loop "a bare literal with an exponent" 'TRM_CELLS(x) { g[x] = 1e-3 + R(1.0); }' 'R(1e-3)'
in_loop "a bare literal with a point at its end" 'TRM_CELLS(x) { g[x] = 2.*f[x]; }' 'R(2.)'
in_loop "a loop over cells" 'for (int x = 0; x < TRM_NX; x++) g[x] = f[x];' 'TRM_CELLS(x)'
in_loop "one whose heading has two lines" 'for (int x = 0;
    x < TRM_NX; x++) g[x] = f[x];' 'TRM_CELLS(x)'
for word in TRM_CUDA TRM_HOST TRM_OPENCL __NV_CL_C_VERSION __CUDA_ARCH__ TRM_NVIDIA; do
  at_top "another target's word: $word" "#if defined($word)
#endif" "$word" "one text"
done
for word in __shared__ asm __asm__ __syncthreads threadIdx get_global_id __local __builtin_ctz \
  __ballot_sync as_int memcpy _Pragma __attribute__ static; do
  in_loop "another target's word: $word" "$word (0);" "$word"
done
in_loop "a vector of some targets" 'float4 four;' float4 trm_read
at_top "a pragma" '#pragma unroll' '#pragma'
in_loop "double for real" 'const double a = p.a;' 'double' real
in_loop "float for real" 'TRM_CELLS(x) { g[x] = (float)p.a; }' 'float' real
in_loop "a long" 'const long at = y * p.row;' trm_index
at_top "a name of the dialect's" '#define TRM_MINE 4' "program's name"
at_top "a function named like the dialect's" 'TRM_INLINE int trm_mine(const int a) { return a; }' trm_mine
in_loop "a variable of the dialect's own" 'TRM_CELLS(x) { g[trm_begin] = f[x]; }' trm_begin TRM_FIRST
at_top "a header of the host's" '#include <math.h>' parameters
at_top "an include that is not put in place" '  #include "bad_params.h"' 'first column'
at_top "a header that is not there" '#include "gone.h"' 'gone.h cannot be read'
at_top "a macro of variable arity" '#define BAD(...) 0' 'variable arity'
in_loop "a designated initialiser" 'const bad_params q = { .n = 1 };' 'designated'
in_loop "a jump" 'if (p.n) goto end;' goto

# In a header that the text includes: the header's own line.
in_header() {
  write
  printf 'typedef struct bad_params { trm_index first, row;\nreal a; double b; } bad_params;\n%s\n' "$1" \
    >"$work/bad_params.h"
  look "$work/bad.k"
  grep -q "^$work/bad_params.h:2: double" "$work/log" && grep -q "^$work/bad_params.h:3: " "$work/log" ||
    shows
}
top= line=
check "a header's mistakes are told with its own lines" in_header '#include "more.h"'
missing_header() {
  write
  rm "$work/bad_params.h"
  ! look "$work/bad.k" && grep -q "bad.k:1: bad_params.h cannot be read" "$work/log" || shows
}
check "a header that is missing is told" missing_header

# ---- kernels that step a field: a kernel of docs/dialect.md's section 9, with one line another ----

cat >"$work/whole.k" <<'END'
#include "bad_params.h"
TRM_INLINE real bad_cell(TRM_LINE_IN(real) c, TRM_LINE_OUT(real) to, const bad_params p, const int x, const int west)
{
  const real mean = R(0.5) * (TRM_GET(c, 0, p.component, x) + TRM_GET(c, 0, p.component, west));
  TRM_SET(to, 0, p.component, x, mean);
  return mean;
}
TRM_ROW_KERNEL4(bad_step, 1, bad_params, TRM_FROM(real) f, TRM_TO(real) g, TRM_RW(real) sums,
                TRM_RW(real) seen)
{
  TRM_ROW(y);
  TRM_LINE_IN(real) c = TRM_LINE(f, p.first, p.row, y);
  TRM_LINE_IN(real) s = TRM_LINE_SOUTH(f, p.first, p.row, y);
  TRM_LINE_OUT(real) to = TRM_LINE(g, p.first, p.row, y);
  const trm_index leaf = p.part + y * TRM_LEAVES_OF(TRM_NX);
  const int far = p.n;
  TRM_LEAVES(sum);
  TRM_CELLS(x) {
    const real e = TRM_GET(s, 0, p.component, TRM_EAST(x));
    TRM_ADD(sum, x) = bad_cell(c, to, p, x, TRM_WEST(x)) + e;
    TRM_SET(to, 1, p.component, x, e);
    seen[p.part + y] = e;
  }
  TRM_FOLD(sum, sums + leaf);
  TRM_WRAP_WEST(to + p.component); TRM_WRAP_EAST(to + p.component);
}
TRM_TABLE_BEGIN
TRM_TABLE_STEPS(bad_step, bad_params, 0, 1, 2, first, row, component, 1)
TRM_TABLE_END
END
echo 'typedef struct bad_params { trm_index first, row, component, part; int n; } bad_params;' >"$work/bad_params.h"
whole() { look "$work/whole.k" || shows; }
check "a kernel that steps a field and keeps the rules is accepted" whole

# NUMBER SED PART...: with that change in its line NUMBER it is refused, there and by name
breaks() {
  sed "$1$2" "$work/whole.k" >"$work/bad.k"
  cmp -s "$work/whole.k" "$work/bad.k" && { echo "nothing changed"; return 1; }
  look "$work/bad.k" && shows && return 1
  grep -q "^$work/bad.k:$1: bad_" "$work/log" || shows || return 1
  test "$(grep -c . "$work/log")" -eq 1 || shows || return 1
  shift 2
  for part; do grep -Fq -- "$part" "$work/log" || shows || return 1; done
}
stepping() { name=$1; shift; check "a stepping kernel: $name" breaks "$@"; }
stepping "another halo" 8 's/, 1,/, 2,/' 'bad_step: a halo of 2' 'TRM_RO and TRM_RW'
stepping "no array to step to" 8 's/TRM_TO/TRM_RW/;28s/.*/TRM_TABLE(bad_step)/' 'bad_step' 'one TRM_FROM and one TRM_TO'
stepping "a group kernel" 8 's/TRM_ROW_KERNEL4(bad_step, 1/TRM_GROUP_KERNEL4(bad_step, bad_lanes/;28s/.*/TRM_TABLE(bad_step)/' \
  'only a row kernel'
stepping "a line of another row" 13 's/y);/y - 1);/' 'TRM_LINE_SOUTH of row y - 1' 'TRM_LINE_NORTH of y'
stepping "a neighbour's line that is written" 14 's/TRM_LINE(g/TRM_LINE_NORTH(g/' 'TRM_LINE_NORTH of g' 'own row'
stepping "a column two away" 19 's/TRM_EAST(x)/x + 2/' 'TRM_GET of column x + 2' 'TRM_WEST(x)'
stepping "a column at a neighbour's neighbour" 19 's/TRM_EAST(x)/TRM_EAST(TRM_EAST(x))/' 'TRM_GET of column'
stepping "another cell that is written" 21 's/x, e/TRM_EAST(x), e/' 'TRM_SET of column TRM_EAST(x)' 'own cell'
stepping "a subscript of the field" 19 's/TRM_GET.*;/f[p.first + x];/' 'f by pointer or subscript' TRM_LINE
stepping "pointer arithmetic on the field" 19 's/TRM_GET.*;/*(f + p.first);/' 'f by pointer or subscript'
stepping "a subscript of a line" 19 's/TRM_GET.*;/s[x];/' 's by pointer or subscript' TRM_GET
stepping "the same in a function of it" 4 's/TRM_GET(c, 0, p.component, west)/c[west]/' 'bad_cell: c by pointer'
stepping "a column far away in a function of it" 4 's/west))/west - 1))/' 'bad_cell: TRM_GET of column west - 1'
stepping "an array that it writes and reads" 22 's/ = e/ += e/' 'seen is read, or added to' TRM_FOLD
stepping "a value of it read" 19 's/TRM_GET.*;/seen[p.part + y];/' 'seen is read'
stepping "a place that every launch writes" 22 's/p.part + y/y/' 'seen is written at the same place' 'p.part'
stepping "leaves that every launch writes" 24 's/leaf/y/' 'sums is written at the same place'
stepping "a value written beside an invariant one" 22 's/ = e/ = TRM_INVARIANT(0, e)/' 'seen is written in a kernel with TRM_INVARIANT' \
  TRM_FOLD
stepping "a table of other arrays" 28 's/0, 1, 2/1, 0, 2/' 'its table steps from array 1 to 0, its heading from 0 to 1'
stepping "that with edges" 28 's/STEPS(\(.*\)0, 1, 2\(.*\))/EDGES(\11, 0, 2\2, 4)/' 'its table steps from array 1 to 0'
table_alone() {
  sed 's/TRM_FROM/TRM_RO/; s/TRM_TO/TRM_RW/' "$work/whole.k" >"$work/bad.k"
  look "$work/bad.k" && shows && return 1
  grep -q "bad.k:28: TRM_TABLE_STEPS of bad_step, which has no TRM_FROM and TRM_TO" "$work/log" || shows
}
check "a stepping kernel: a table of one that is none" table_alone

# ---- what a first kernel gets wrong: a row kernel as in docs/dialect.md's sections 1 and 2, with one change ----

cat >"$work/rows.k" <<'END'
#include "bad_params.h"
TRM_INLINE real bad_half(const real a) { return R(0.5) * a; }
TRM_ROW_KERNEL3(bad_rows, 1, bad_params, TRM_RO(real) f, TRM_RW(real) g, TRM_RW(real) sums)
{
  TRM_ROW3(y, z);
  const trm_index row = z * TRM_NY + y, south = z * TRM_NY + TRM_SOUTH(y);
  TRM_IN(real) c = f + p.first + row * p.row;
  TRM_IN(real) s = f + p.first + south * p.row;
  TRM_OUT(real) to = g + p.first + row * p.row;
  TRM_LEAVES(sum);
  TRM_CELLS(x) {
    const real e = c[TRM_EAST(x)], w = c[TRM_WEST(x)];
    to[x] = bad_half(e + w) + s[x];
    TRM_ADD(sum, x) = e;
  }
  TRM_FOLD(sum, sums + row * TRM_LEAVES_OF(TRM_NX));
  TRM_WRAP_WEST(to);
  TRM_WRAP_EAST(to);
}
TRM_TABLE_BEGIN
TRM_TABLE(bad_rows)
TRM_TABLE_END
END
changed() { # SED
  sed "$1" "$work/rows.k" >"$work/bad.k"
  cmp -s "$work/rows.k" "$work/bad.k" && { echo "nothing changed"; return 1; }
  look "$work/bad.k"
}
slips() { # NUMBER SED PART...: the one message has this line's number and each PART
  changed "$2" && shows && return 1
  grep -q "^$work/bad.k:$1: " "$work/log" && test "$(grep -c . "$work/log")" -eq 1 || shows || return 1
  shift 2
  for part; do grep -Fq -- "$part" "$work/log" || shows || return 1; done
}
slip() { name=$1; shift; check "$name is told" slips "$@"; }
passes() { changed "$1" || shows; }
pass() { check "$1 is no mistake" passes "$2"; }
rows() { look "$work/rows.k" || shows; }
check "a row kernel without a mistake is accepted" rows

slip "a bound that is TRM_NX by another name" 12 \
  '11s/.*/const int n = (int)TRM_NX * 2, all = n;\nfor (int x = 0; x < all; x++) {/' 'all is made of TRM_NX' TRM_CELLS
slip "a while over the cells" 12 '11s/.*/int x = 0;\nwhile (x < TRM_NX) {/' 'TRM_CELLS(x)'
slip "a loop over the rows" 11 '11s/^/for (int r = 0; r < TRM_NY; r++)/' 'called for each row' TRM_ROW
slip "a neighbour by a remainder" 12 's/TRM_EAST(x)/(x + 1) % TRM_NX/' 'TRM_EAST(x)' gather
slip "a western one" 12 's/TRM_WEST(x)/(x + TRM_NX - 1) % (int)TRM_NX/' 'TRM_WEST(x)'
slip "a neighbour by arithmetic" 12 's/TRM_EAST(x)/x + 1/' 'c[TRM_EAST(x)]' 'no ghost column'
slip "one two cells away" 12 's/TRM_WEST(x)/x - 2/' 'c[TRM_WEST(TRM_WEST(x))]'
slip "a row beyond the grid" 8 '8s/south [*]/(y - 1) */' 'TRM_SOUTH(y)' 'leaves the grid'
slip "a halo that is too small" 3 's/, 1,/, 0,/' 'a halo of 0' 'write 1'
slip "an integer for a real" 13 '13s/bad_half/1 \/ 2 * bad_half/' 'here 0' 'R(1.0) / R(2.0)'
slip "one in brackets" 13 '13s/bad_half/(4\/3) * bad_half/' 'here 1'
slip "a divisor in brackets" 13 '13s/bad_half/1 \/ (2 * 3) * bad_half/' 'here 0'
slip "R() of an integer" 2 's/0[.]5/-2/' 'R(-2): ' 'write R(-2.0)'
slip "R() of a literal with a suffix" 2 's/0[.]5/0.5f/' 'write R(0.5)'
slip "R() of what is no literal" 2 's/0[.]5/a/' 'R(a): ' '(real) before an int'
slip "a sum that is not folded" 10 '16d' 'sum are never folded' 'TRM_FOLD(sum, to)'
slip "a sum without values" 10 '14d' 'given no value' 'TRM_ADD(sum, x)'
slip "a sum of some cells" 14 '14s/^/if (e > w)/' 'under an if' '? value : R(0.0)'
slip "a value that is added to nothing" 14 '14s/=/+=/' 'before it has a value'
slip "a fold within the loop" 15 '15{h;d;};16G' 'once, after the loop'
slip "a second fold" 17 '16p' 'fold each name once'
slip "leaves that all rows share" 16 '16s/row [*].*/p.n);/' 'the same leaves in each row' TRM_LEAVES_OF
slip "a return before a fold" 10 '10s/^/if (z) return;/' 'leaves of this row'
slip "a return from the loop" 12 '12s/^/if (p.n) return;/' 'return inside a loop over cells' '?:'
slip "a break out of the loop" 12 '12s/^/if (p.n) { break; }/' 'break inside a loop over cells' '?:'
slip "a cell that is left before its sum" 12 '12s/^/if (p.n) continue;/' 'continue before a TRM_ADD'
slip "a sum in a variable" 13 '10s/$/ real all = R(0.0);/; 13s/$/ all += e;/' 'all is declared outside' TRM_FOLD
slip "a pointer that walks" 13 's/to\[x\]/*to++/' 'to is declared outside'
slip "an array at one place for all rows" 14 '13s/$/\nsums[x] = e;/' 'sums[x] is written by each row' TRM_OUT
slip "an array that is only read" 9 '9s/g +/f +/' 'belongs to f, which is only read' TRM_RW
slip "a row that is never written" 9 '13d' 'never written'
slip "an array's pointer as the host writes it" 8 '8s/TRM_IN(real) /const real */' 'TRM_IN(type) s'
slip "a ghost column that nobody fills" 18 '18d' 'TRM_EAST(x) is read' TRM_WRAP_EAST
slip "ghosts of the array, not of the row" 17 '17s/to/g/' 'TRM_WRAP_WEST of g, the whole array'
slip "p as a pointer" 9 '9s/p[.]first/p->first/' 'p.first'
slip "a loop over nothing" 11 '11s/{/; {/' semicolon
slip "a type in TRM_CELLS" 11 '11s/(x/(int x/' 'a name alone'
slip "another number of arrays" 3 's/KERNEL3/KERNEL2/' '3 arrays' TRM_ROW_KERNEL3
slip "no number of arrays" 3 's/KERNEL3/KERNEL/' '1 to 12'
slip "a comma that is missing" 3 's/f, TRM_RW/f TRM_RW/' 'a comma is missing'
slip "an array of a heading as the host writes it" 3 's/TRM_RO(real) f/const real *f/' 'neither TRM_RO(type) name'
slip "a heading without a halo" 3 's/ 1,//' 'the halo'
slip "parameters that nobody declares" 3 's/bad_params,/bed_params,/' 'bed_params, a struct that no file here declares'
slip "a kernel that does not say its row first" 3 '5s/^/const int n = p.n;/' 'begins with TRM_ROW(y)'
slip "a kernel that is not in the table" 3 '21d' 'TRM_TABLE(bad_rows)' 'not in the table'
slip "a line of the table without a kernel" 21 '21s/rows/lines/' 'no kernel of this name' 'bad_rows'
slip "a kernel that is twice in the table" 22 '21p' 'already'
slip "a text without a table" 3 '20,$d' 'without their table' TRM_TABLE_END
slip "a table without an end" 21 '22d' 'belong together'
slip "a table with semicolons" 21 '21s/$/;/' semicolon
slip "a function of the host's" 2 's/TRM_INLINE //' 'without TRM_INLINE'
slip "a function that calls itself" 2 's/[*] a/* bad_half(a)/' 'calls itself'
slip "a function that is not there" 13 's/bad_half(e/bad_third(e/' 'bad_third(): no function of this text'
slip "a variable that outlives a launch" 3 '2s/$/\nreal bad_last;/' 'keeps a value from launch to launch' TRM_CONSTANT
for call in abs max isnan clamp step assert; do
  slip "another's function: $call()" 13 "s/bad_half(e/$call(e/" "$call(): the dialect has none"
done
slip "a constant of the host's library" 13 's/bad_half(e/M_PI * bad_half(e/' 'M_PI: ' 'R(3.14'
slip "a macro of the last version" 12 's/ e / TRM_STILL(0, e) /' 'TRM_STILL: its old name' TRM_INVARIANT
slip "a keyword of another language" 12 's/ e / class /' 'class: a keyword' rename

pass "a remainder in the number of a row" 's/TRM_SOUTH(y)/((y + 1) % TRM_NY)/'
pass "a shift by any number of cells" 's/TRM_EAST(x)/(x + p.n) % TRM_NX/'
pass "a quotient without a rest, or of a real" '13s/bad_half/(real)1 \/ 2 * p.a * 1 \/ 3 * (6 \/ 3) * bad_half/'
pass "a neighbour that a condition guards" 's/c.TRM_EAST(x)./(x + 1 < TRM_NX ? c[x + 1] : R(0.0))/'
pass "a jump in a loop of one cell" '12s/$/ for (int k = 0; k < p.n; k++) { if (k > 3) break; if (k) continue; }/'
pass "a cell that is left without a sum" '10d;14d;16d;12s/^/if (p.n) continue;/'
pass "a sum by both arms of an if" '14s/^/if (e > w) TRM_ADD(sum, x) = w; else/'
pass "a variable of the loop that hides an outer one" '10s/$/ real t = R(1.0);/; 13s/$/ real t = e; t += w;/'
pass "a name of TRM_NX that bounds no loop" '10s/$/ const int n = TRM_NX; for (int k = 0; k < p.n; k++) { TRM_UNUSED int m = k + n; }/'
pass "a halo that promises nothing" 's/, 1,/, -1,/'
pass "a row that a condition guards" 's/TRM_SOUTH(y)/(y > 0 ? (y - 1) * 1 : 0)/'
pass "a return in a function" '2s/return/if (a > R(1.0)) return a; return/'
pass "a table of lines by a macro" '21s/.*/#define BAD_LINES TRM_TABLE(bad_rows)\nBAD_LINES/'

# ---- ours ----

ours() { # FOLDER...
  found=0
  for text in $(cd "$source" && find "$@" -name '*.k' ! -path '*/template/*' ! -path '*/exercises/*'); do
    case $text in tests/cli/plant.k) continue ;; esac # its errors are planted in one target
    found=$((found + 1))
    look "$source/$text" || shows || return 1
  done
  test "$found" -gt 2
}
check "no kernel of a solver is refused" ours solvers
check "none of core and the program" ours core cli
check "none of the tests" ours tests
template() {
  mkdir -p "$work/template"
  for file in solver.k solver_params.h; do
    sed 's/@name@/heat/g' "$source/solvers/template/$file" >"$work/template/$(echo $file | sed 's/solver/heat/')"
  done
  look "$work/template/heat.k" || shows
}
check "the kernel of a new solver is not refused" template
exercises() { # the folder of each as it is written, with its solution
  for folder in "$source"/solvers/exercises/*-[0-9]; do
    name=$(basename "$folder")
    rm -rf "$work/exercise"
    mkdir "$work/exercise"
    cp "$source"/solvers/exercises/*"${name%-*}"*/*.[hk] "$folder"/*.[hk] "$work/exercise"
    cp "$source/tests/data/exercises/$name.k" "$work/exercise/solved.k"
    for text in reference kernel solved; do look "$work/exercise/$text.k" || shows || return 1; done
  done
}
check "the kernels of the exercises are not refused" exercises

# What the checker knows of the dialect's names is what the page teaches.
taught() {
  for name in $(sed -n '/^  own = /,/trm_number "/p' "$source/m4/kernel-check.awk" | tr -c 'a-z0-9_\n' ' '); do
    case $name in trm_number) continue ;; trm_*) ;; *) continue ;; esac
    grep -q "\`$name[\`(]" "$source/docs/dialect.md" || { echo "$name"; return 1; }
  done
}
check "each name that the checker allows is in docs/dialect.md" taught

words='TRM_(CUDA|HOST|OPENCL|NVIDIA|REVERSE)|__NV_CL|__CUDA|\basm\b|__asm__|__shared__|__syncthreads|_Pragma|__builtin_'
target_words() { # FOLDER
  find "$1" \( -name '*.k' -o -path '*/kernels/*.h' -o -name 'shallow_*.h' -o -name 'lbm_implementations_cell.h' \) \
    -exec grep -HnE "$words" {} + >"$work/words"
}
check_not "no kernel text or header of a solver has a word of a target" target_words "$source/solvers"
mkdir -p "$work/solvers"
echo '#if defined(TRM_HOST)' >"$work/solvers/one.k"
check "such a word would be seen" target_words "$work/solvers"

# ---- the build ----

cat >"$work/Makefile" <<END
top_srcdir = $source
srcdir = $work
TRM_KERNEL_TEXTS = bad
AWK = $AWK
MKDIR_P = mkdir -p
include $source/m4/kernel-rules.mk
END
make_text() { (cd "$work" && MAKEFLAGS= MFLAGS= $MAKE -s bad.k.c >"$work/log" 2>&1); }
stops() {
  write
  make_text && return 1
  test ! -f "$work/bad.k.c" && grep -q 'bad.k:7: sin()' "$work/log" || shows
}
line='TRM_CELLS(x) { g[x] = sin(f[x]); }'
check "a build stops at a kernel's mistake" stops
line='TRM_CELLS(x) { g[x] = f[x]; }'
goes_on() { write; make_text && test -s "$work/bad.k.c" || shows; }
check "and goes on when it is mended" goes_on

# The recipe itself, which the dialect's own text goes through without the checker.
sed -i.was '1i\
TRM_KERNEL_UNCHECKED = bad
' "$work/Makefile"
drops_nothing() {
  write
  rm -f "$work/bad_params.h" "$work/bad.k.c"
  make_text && { echo "the build went on"; return 1; }
  test ! -f "$work/bad.k.c" && grep -q 'bad.k:1: #include "bad_params.h": .* cannot be read' "$work/log" || shows
}
check "a build stops at an #include that is not there, and names text and file" drops_nothing
check "and goes on when it is there" goes_on
done_testing
