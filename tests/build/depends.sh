# depends.sh - what a touched file makes make do: a header of the host compiles no kernel, a kernel text its own few
# instances alone. Asked with make -n -W FILE (what if FILE were new), which touches nothing.
. "$srcdir/tests/tap.sh"

work=$TRIREME_TEST_STATE/depends
rm -rf "$work"
mkdir -p "$work"
MAKEFLAGS='' MFLAGS=''
export MAKEFLAGS MFLAGS

# would FILE... : the objects and texts that would be made, into the file would. make knows a kernel text by its name
# in the build tree; config.h always looks older than its stamp.
would() {
  for file; do
    case $file in *.k) ;; *) file=$srcdir/$file ;; esac
    shift
    set -- "$@" -W "$file"
  done
  $MAKE -n V=0 -o config.h all-am "$@" >"$work/out" 2>"$work/err" || { cat "$work/err"; return 1; }
  awk '/^echo "  (CC|GEN) / { sub(/;.*/, "", $5); print $5 }' "$work/out" >"$work/would"
}
is_kernel='[.]f(32|64)[.](strict|fast)[.]'
is_text='([.]k|_text)[.]c$'
lines() { grep -Ec -e "$1" "$work/would"; }

# ---- headers of the host -------------------------------------------------------

# Those that declare what no kernel can use. (What both sides read, such as parameters, has none of it.)
hosts=$(cd "$srcdir" && grep -lEr --include='*.h' --exclude-dir='build*' \
  '^[^*]*(trm_status|TRM_API|FILE \*|trm_device |include "core/trireme[.]h")' core io solvers cli)
spared() {
  test "$(echo "$hosts" | wc -l)" -gt 100 || { echo "$hosts"; return 1; }
  would $hosts || return 1
  echo "$(lines "[.]l?o$") objects"
  test "$(lines "[.]l?o$")" -gt 100 || return 1 # else make was not asked about these files
  ! grep -E -e "$is_kernel|$is_text" "$work/would"
}
check "a change of any header of the host compiles no kernel and embeds no text" spared
elsewhere() { # FOLDER HEADER : what would be made outside of this folder
  would "$1/$2" && test "$(lines "^$1/")" -gt 1 || { cat "$work/would"; return 1; }
  ! grep -vE "^($1/|cli/|tests/)" "$work/would"
}
check "a change of a solver's header compiles no other solver" elsewhere solvers/compressible solver/fv.h

# ---- kernels ---------------------------------------------------------------------

stems() { # TEXT : PRECISION.MATH.ISA[.VARIANT] of its instances, by its list; objects may be left from another one
  tr ' ,' '\n\n' <"$1.k.c" | sed -n "s/^&trm_module_$(basename "$1")_//p" | tr _ .
}
objects() { # TEXT
  stems "$1" | sed "s|.*|$1.&.lo|" | sort
}
own_alone() { # TEXT
  would "$1.k" || return 1
  grep -E -e "$is_kernel" "$work/would" | sort >"$work/kernels"
  objects "$1" | diff - "$work/kernels" && test "$(lines "$is_text")" = 1
}
check "a change of a kernel text compiles its own instances alone" own_alone solvers/shallow/shallow_lf
shared() { # HEADER TEXT... : that these texts read, and no other
  would "$1" || return 1
  shift
  grep -E -e "$is_kernel" "$work/would" | sort >"$work/kernels"
  for text in "$@"; do objects "$text"; done | sort | diff - "$work/kernels"
}
check "a change of parameters compiles the kernels that read them" \
  shared solvers/shallow/shallow_params.h solvers/shallow/shallow solvers/shallow/shallow_lf solvers/shallow/shallow_hllc
# All that `make all` makes: texts of tests and of the CUDA tests' list are not among them.
texts=
for text in $TRM_KERNEL_TEXTS; do
  case $text in tests/*) ;; *) texts="$texts $text" ;; esac
done
check "a change of the dialect compiles every kernel" shared core/kernel_math.h $texts
embedded() { test "$(lines "^core/kernel_text[.]c$")" = 1; }
check "and embeds its text anew" embedded

# ---- how much a touched text compiles ----------------------------------------------

# Every variant compiles all kernels of its text, so kernels on which a choice acts have texts of their own. The
# longest instance takes less than 3 s of processor time (but those of shallow_hllc: 4 s).
few_instances() { # MOST TEXT... : of an instruction set
  most=$1 most_seen=0
  shift
  for text in "$@"; do
    test -s "$text.k.c" || { echo "$text.k.c is missing"; return 1; }
    for isa in $TRM_ISAS; do
      count=$(stems "$text" | grep -Ec "^[^.]*[.][^.]*[.]$isa([.]|\$)")
      test "$count" -ge 1 || { echo "$text has no instance for $isa"; return 1; }
      test "$count" -le "$most" || { echo "$text has $count instances for $isa, more than $most"; return 1; }
      test "$count" -le "$most_seen" || most_seen=$count
    done
  done
  test "$most_seen" = "$most" || { echo "none has more than $most_seen; lower the bound"; return 1; }
}
large=
for text in $texts; do
  case $text in */nbody_force) ;; *) large="$large $text" ;; esac
done
check "no kernel text has more than 12 instances an instruction set" few_instances 12 $large
check "but nbody's seven ways to sum a force, 0.2 s each" few_instances 28 solvers/nbody/kernels/nbody_force
check_not "a text with more is seen" few_instances 12 solvers/nbody/kernels/nbody_force
done_testing
