# kernel-check.awk - finds what the dialect of kernels forbids (docs/dialect.md, "Rules"), before a
# compiler or a comparison of results does: `awk -f kernel-check.awk NAME.k` reads the text and the
# files that it includes, prints FILE:LINE: what, why and the cure, and exits 1 where it found any.
# Words and numbers line by line; headings, the table and objects outside of functions; then each
# function as a list of words: its loops, jumps, sums and neighbours; then the rules of kernels that
# step a field. It would rather miss a mistake than refuse what is right: where a condition on x or y,
# a macro of the text's own or an #if may be the reason, it is silent.
# POSIX awk; comments, strings and characters are left out first.

BEGIN {
  why("sqrt", "trm_sqrt")
  why("fma mad", "trm_fma")
  why("rint", "trm_rint")
  why("floor", "trm_floor")
  why("fabs", "trm_fabs")
  why("fmin fmax", "trm_min or trm_max, for finite numbers, or a selection with ?:")
  why("rsqrt", "trm_rsqrt")
  why("sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp exp2 exp10 expm1 log " \
      "log2 log10 log1p pow pown powr cbrt hypot erf erfc tgamma lgamma fmod remainder ceil round " \
      "trunc modf frexp ldexp sincos sinpi cospi copysign nextafter",
      "write it out with + - * / and the trm_ functions, or compute a table on the host")
  absent("max min", "trm_max, trm_min, for finite numbers, or a selection with ?:")
  absent("abs", "trm_fabs of a real, a < 0 ? -a : a of an int")
  absent("isnan isinf isfinite isnormal signbit", "a != a is true of a NaN alone, a - a == R(0.0) " \
    "of finite numbers")
  absent("assert", "a kernel computes; the host checks what it reads back")
  absent("mix step smoothstep clamp sign select cross dot length distance normalize any all",
         "a GPU's own function has this name: write the expression out, or a helper called PROGRAM_...")
  split("sqrt rsqrt sin cos tan exp exp2 exp10 log log2 log10 powr recip divide", rough, " ")
  for (k in rough) {
    why("native_" rough[k], "the trm_ functions")
    why("half_" rough[k], "the trm_ functions")
  }
  target("TRM_CUDA TRM_HOST TRM_OPENCL TRM_NVIDIA TRM_REVERSE __OPENCL_VERSION__ __CUDACC__ " \
         "__CUDA_ARCH__ __NV_CL_C_VERSION __x86_64__ __GNUC__ __clang__ _OPENMP",
         "one text serves all targets: TRM_BY_SPAN chooses between schedules, kernel_math.h has numbers")
  target("asm __asm __asm__ volatile", "kernel_math.h has guesses, bits and prefetches, TRM_FRESH a load")
  target("__shared__ __local local_mem", "TRM_SHARED in a group kernel, strips in a row kernel")
  target("__global __private __constant __device__ __constant__ restrict __restrict __restrict__",
         "TRM_RO, TRM_RW, TRM_IN, TRM_OUT, TRM_LOCAL, TRM_CONSTANT")
  target("__kernel __global__ __launch_bounds__ reqd_work_group_size", "TRM_ROW_KERNELn or TRM_GROUP_KERNELn")
  target("__syncthreads __syncwarp barrier work_group_barrier mem_fence",
         "a barrier belongs to a phase: TRM_ITEMS, TRM_EACH, TRM_SERIAL")
  target("threadIdx blockIdx blockDim gridDim get_global_id get_local_id get_group_id get_global_size " \
         "get_local_size", "TRM_ROW, TRM_CELLS, TRM_GROUP1, TRM_ITEMS tell where one is")
  target("_Pragma __attribute__ __attribute __align__ __declspec",
         "TRM_CELLS and the phases have their own; TRM_ALIGNED, TRM_UNUSED, TRM_UNROLL, TRM_ROLL")
  target("as_int as_uint as_float as_long as_double __float_as_int __int_as_float " \
         "__double_as_longlong __longlong_as_double memcpy", "trm_word_of, trm_real_of")
  target("popcount __popc __clz clz", "trm_ones")
  target("printf malloc free", "a kernel computes; the host prints and allocates")
  target("static inline extern __inline__ __forceinline__", "TRM_INLINE for helpers, TRM_CONSTANT for tables")
  forbid("M_PI M_E M_SQRT2 INFINITY NAN HUGE_VAL FLT_MAX DBL_MAX FLT_MIN DBL_MIN FLT_EPSILON DBL_EPSILON",
       "a constant of some libraries; write the number, R(3.14159265358979323846), or give it as " \
         "a parameter")
  forbid("bool true false", "C11 has none without a header; int, 1 and 0")
  forbid("auto register", "C++ means something else by it; write the type")
  forbid("class this new delete template typename namespace operator public private protected virtual " \
       "friend try catch throw mutable explicit using nullptr kernel global local constant " \
         "sampler_t event_t",
       "a keyword of CUDA's or OpenCL's language; rename it")
  type("float double half", "real: the program is built for either precision")
  type("long size_t ptrdiff_t int64_t uint64_t ssize_t", "trm_index, which has 64 bits everywhere")
  type("uint32_t int32_t uint16_t int16_t uint8_t int8_t", "trm_bits for 32 bits, int, uchar")
  own = " trm_index trm_bits trm_mask trm_word trm_extent trm_sqrt trm_fma trm_rint trm_floor trm_fabs " \
    "trm_min trm_max trm_more trm_limit trm_min_above trm_falling trm_rising trm_word_of trm_real_of " \
    "trm_ones trm_near_reciprocal trm_near_sqrt trm_near_rsqrt trm_reciprocal trm_root trm_rsqrt " \
    "trm_over_root3 trm_prefetch trm_read trm_write trm_number trm_float16 trm_load_half trm_store_half " \
    "trm_low_half trm_high_half trm_two_halves trm_next_half "
  for (argument = 1; argument < ARGC; argument++) check_file(ARGV[argument], 0)
  check_tables()
  check_calls()
  exit found > 0
}

function why(words, cure,   list, k) {
  for (k = split(words, list, " "); k > 0; k--) calls[list[k]] = calls[list[k] "f"] = cure
}
function target(words, cure,   list, k) {
  for (k = split(words, list, " "); k > 0; k--) targets[list[k]] = cure
}
function forbid(words, cure,   list, k) {
  for (k = split(words, list, " "); k > 0; k--) names[list[k]] = cure
}
function absent(words, cure,   list, k) {
  for (k = split(words, list, " "); k > 0; k--) absents[list[k]] = cure
}
function type(words, cure,   list, k) {
  for (k = split(words, list, " "); k > 0; k--) types[list[k]] = cure
}
function tell(file, line, text) {
  print file ":" line ": " text > "/dev/stderr"
  found++
}

# A line without comments, strings and characters; in_comment goes on to the next line.
function strip(line,   out, c, quote) {
  out = ""
  while (line != "") {
    c = substr(line, 1, 1)
    if (in_comment) {
      if (substr(line, 1, 2) == "*/") { in_comment = 0; line = substr(line, 3); out = out " " }
      else line = substr(line, 2)
    } else if (substr(line, 1, 2) == "/*") { in_comment = 1; line = substr(line, 3) }
    else if (substr(line, 1, 2) == "//") line = ""
    else if (c == "\"" || c == "'") {
      quote = c
      line = substr(line, 2)
      while (line != "" && substr(line, 1, 1) != quote)
        line = substr(line, substr(line, 1, 1) == "\\" ? 3 : 2)
      line = substr(line, 2)
      out = out quote quote
    } else { out = out c; line = substr(line, 2) }
  }
  return out
}

function check_file(file, depth,   raw, status, lines, code, k, included) {
  in_comment = 0
  while ((status = (getline raw < file)) > 0) {
    lines++
    code[lines] = strip(raw)
    if (code[lines] ~ /^[ \t]*#[ \t]*include/) included[lines] = raw
  }
  close(file)
  if (status < 0) tell(file, 1, "cannot be read")
  for (k = 1; k <= lines; k++) {
    if (k in included) check_include(file, k, included[k], depth)
    else check_line(file, k, code, lines)
  }
  for (k = 1; k <= lines; k++) if (compared(code[k], "x")) compares_cells = 1
  check_steps(file, code, lines)
  text_lines = lines
}

function check_include(file, line, raw, depth,   name, word) {
  if (raw !~ /^#include "[^"]*"/) {
    tell(file, line, "an #include that is not #include \"FILE\" from the first column: the GPU " \
      "compilers have no headers; include the parameters, or a header of kernels beside this one")
    return
  }
  if (depth > 0) {
    tell(file, line, "a header of kernels includes another: only a .k file's own #include lines " \
      "are put in place; include it from the .k file")
    return
  }
  name = raw
  sub(/^#include "/, "", name)
  sub(/".*/, "", name)
  raw = file
  sub(/[^\/]*$/, "", raw)
  if ((getline word < (raw name)) < 0)
    tell(file, line, name " cannot be read; a text includes files beside it")
  else {
    close(raw name)
    check_file(raw name, 1)
  }
}

# Words one by one; then what is more than a word.
function check_line(file, line, code, lines,   rest, word, before, after, last) {
  rest = code[line]
  last = ""
  is_macro_line = rest ~ /^[ \t]*#/ || is_macro_line && code[line - 1] ~ /\\[ \t]*$/
  if (match(rest, /^[ \t]*#[ \t]*define[ \t]+[A-Za-z_0-9]+\(/)) {
    word = substr(rest, RSTART, RLENGTH - 1)
    sub(/.*[ \t]/, "", word)
    made[word] = 1
  }
  while (match(rest, /[A-Za-z_][A-Za-z_0-9]*/)) {
    before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : last
    word = substr(rest, RSTART, RLENGTH)
    last = substr(word, RLENGTH, 1)
    rest = substr(rest, RSTART + RLENGTH)
    after = rest
    sub(/^[ \t]+/, "", after)
    if (before ~ /[0-9]/) continue # the tail of a number
    check_word(file, line, word, before, substr(after, 1, 1))
    if (substr(after, 1, 1) == "(" && before !~ /[.>]/ && !is_macro_line) note_call(file, line, word)
    if (word == "for" || word == "while") check_loop(file, line, after, code, lines)
  }
  check_numbers(file, line, check_literals(file, line, code[line]))
  check_quotients(file, line, code[line])
  check_wrap(file, line, code[line])
  check_shape(file, line, code[line])
}

# A call of what may be a function of the text: check_calls looks for it.
function note_call(file, line, word) {
  if (word ~ /[a-z]/ && word !~ /^(trm_|TRM_|_)|^(if|for|while|switch|return|sizeof|do|else|case|defined|int|real)$/ &&
      !(word in called) && !(word in calls) && !(word in targets) && !(word in types) && !(word in absents) &&
      word !~ /^(atomic|atom_|convert_|vload|vstore|sub_group_|work_group_)/)
    called[word] = file ":" line
}

function check_word(file, line, word, before, after) {
  if (before != "." && before != ">" && after == "(" && word in calls)
    tell(file, line, word "(): strict arithmetic has no " word ", since libraries differ in its " \
      "bits; " calls[word])
  else if (word in targets)
    tell(file, line, word ": a word of one target; " targets[word])
  else if (word in types)
    tell(file, line, word ": " types[word])
  else if (word in names && before != "." && before != ">")
    tell(file, line, word ": " names[word])
  else if (before != "." && before != ">" && after == "(" && word in absents && !is_macro_line)
    tell(file, line, word "(): the dialect has none; " absents[word])
  else if (word ~ /^(float|double|int|uint|long|ulong|short|ushort|char|uchar|half)(2|3|4|8|16)$/)
    tell(file, line, word ": a type of some targets; trm_read and trm_write move several reals at once")
  else if (word ~ /^(__builtin_|__shfl|__ballot|__nv|__CUDA|__NV|atomic|atom_|convert_|vload|vstore|sub_group_|work_group_|_mm)/)
    tell(file, line, word ": a function of one target; the dialect's are in docs/dialect.md")
  else if (word == "goto")
    tell(file, line, "goto: no jump leaves a loop over cells or a phase; select values instead")
  else if (word ~ /^trm_/ && !index(own, " " word " "))
    tell(file, line, word ": names that begin with trm_ are the dialect's own; those for kernels " \
      "are in docs/dialect.md (TRM_FIRST and TRM_FINAL are the cells at hand)")
}

# What R() has between its brackets is one literal with a point or an exponent. The line without them.
function check_literals(file, line, code,   out, inside, parts, cure) {
  out = ""
  while (match(code, /(^|[^A-Za-z_0-9])R\(/)) {
    out = out substr(code, 1, RSTART + RLENGTH - 1)
    code = substr(code, RSTART + RLENGTH)
    if (arguments_of(code, 1, parts) < 1) break
    inside = parts[1]
    code = substr(code, behind - 1)
    if (inside ~ /^[-+]?([0-9]+[.][0-9]*|[.][0-9]+|[0-9]+[eE][-+]?[0-9]+|[0-9]+[.][0-9]*[eE][-+]?[0-9]+|[.][0-9]+[eE][-+]?[0-9]+)$/)
      continue
    cure = inside
    if (inside ~ /^[-+]?[0-9.]+([eE][-+]?[0-9]+)?[fFlL]$/) sub(/[fFlL]$/, "", cure)
    if (cure ~ /^[-+]?[0-9]+$/) cure = cure ".0"
    tell(file, line, "R(" inside "): R takes one literal with a point and no suffix; " \
      (cure != inside ? "write R(" cure ")" : "write the expression with R() around each number, " \
        "(real) before an int"))
  }
  return out code
}

# A quotient of two integers that leaves a remainder: 1 / 2 is 0.
function check_quotients(file, line, code,   at, text, parts, before, after) {
  if (code ~ /^[ \t]*#[ \t]*(if|elif)/) return
  for (at = 1; match(substr(code, at), /[0-9]+[ \t]*[\/][ \t]*[(]?[0-9]+/); at += RSTART + RLENGTH - 1) {
    text = substr(code, at + RSTART - 1, RLENGTH)
    before = substr(code, 1, at + RSTART - 2)
    after = substr(code, at + RSTART + RLENGTH - 1, 1)
    if (before ~ /[A-Za-z_0-9.]$/ || before ~ /[])*\/%][ \t]*$/ || after ~ /[A-Za-z_0-9.]/) continue
    split(text, parts, "/")
    sub(/[(]/, "", parts[2])
    if (text ~ /[(]/ && after !~ /[ \t*]/) continue
    if (parts[2] + 0 == 0 || parts[1] % parts[2] == 0) continue
    if (text ~ /[(]/ && parts[1] + 0 >= parts[2] + 0) continue
    tell(file, line, text (text ~ /[(]/ ? " ...)" : "") ": a quotient of two integers is an " \
      "integer, here " int(parts[1] / parts[2]) \
        "; write R(" (parts[1] + 0) ".0) / R(" (parts[2] + 0) ".0) where a real is meant")
  }
}

# (x + 1) % TRM_NX: a neighbour along the row, for which the dialect has a word.
function check_wrap(file, line, code,   text, bare, is_east) {
  while (match(code, /\([^()]*\)[ \t]*%[ \t]*(\((int|trm_index)\)[ \t]*)?TRM_NX/)) {
    text = bare = substr(code, RSTART, RLENGTH)
    code = substr(code, RSTART + RLENGTH)
    sub(/\)[ \t]*%.*/, "", bare)
    gsub(/[( \t]/, "", bare)
    is_east = bare !~ /-/
    gsub(/[+]?TRM_NX/, "", bare)
    if (bare !~ /^[+]?[A-Za-z_][A-Za-z_0-9]*[-+][12]$/ && bare !~ /^[-+]?[12][+][A-Za-z_][A-Za-z_0-9]*$/) continue
    gsub(/^[-+]?[12][+]|^[+]|[-+][12]$/, "", bare)
    tell(file, line, text ": a neighbour on a periodic axis is " \
      "" (is_east ? "TRM_EAST(" : "TRM_WEST(") bare \
      "); a remainder makes a host gather cell by cell, and divides on a GPU")
  }
}

# A number with a point or an exponent that is not the literal of an R().
function check_numbers(file, line, code,   number, before) {
  gsub(/0[xX][0-9a-fA-F]+[uUlL]*/, "0", code)
  while (match(code, /([0-9]+\.[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?[fFlL]?|[0-9]+[eE][-+]?[0-9]+[fFlL]?/)) {
    number = substr(code, RSTART, RLENGTH)
    before = RSTART > 1 ? substr(code, RSTART - 1, 1) : ""
    code = substr(code, RSTART + RLENGTH)
    if (before ~ /[A-Za-z_0-9]/) continue
    if (number ~ /[fFlL]$/) sub(/[fFlL]$/, "", number)
    tell(file, line, number ": a bare floating literal is a double; R(" number ") is one of the " \
      "program's precision, rounded once")
  }
}

# From the bracket after `for` to its end: a loop whose bounds are the cells of a row.
function check_loop(file, line, head, code, lines,   depth, k, c, text, next_line) {
  next_line = line
  for (k = 1; ; k++) {
    if (k > length(head)) {
      if (++next_line > lines || next_line > line + 5) break
      head = head " " code[next_line]
    }
    c = substr(head, k, 1)
    if (c == "(") depth++
    if (c == ")" && --depth == 0) break
  }
  text = substr(head, 1, k)
  if (text ~ /TRM_NX/)
    tell(file, line, "a loop over the cells of a row: TRM_CELLS(x) { ... } visits them, on a host " \
      "several at once, on a GPU each by an item of its own")
}

function check_shape(file, line, code) {
  if (code ~ /TRM_(CELLS|SERIAL_CELLS|ITEMS)\([^()]*\)[ \t]*;/)
    tell(file, line, "a semicolon after a loop over cells or items ends it; the statement or { " \
      "... } follows at once")
  if (code ~ /TRM_(CELLS|SERIAL_CELLS|ITEMS|ROW|ROW3)\([ \t]*(const[ \t]+)?(int|trm_index)[ \t]/)
    tell(file, line, "TRM_CELLS(x) and the like take a name alone, and declare it")
  if (code ~ /^[ \t]*#[ \t]*pragma/)
    tell(file, line, "#pragma: one target's; TRM_CELLS and the phases have their own")
  if (code ~ /^[ \t]*#[ \t]*define[ \t]+(TRM_|trm_)/ && code !~ /define[ \t]+TRM_SPAN[ \t]/)
    tell(file, line, "names that begin with TRM_ are the dialect's own; begin with the program's name")
  if (code ~ /\.\.\.|__VA_ARGS__/)
    tell(file, line, "a macro of variable arity: OpenCL C 1.2 has none; write one for each count")
  if (code ~ /[{,][ \t]*\.[A-Za-z_][A-Za-z_0-9]*[ \t]*=[^=]/)
    tell(file, line, "a designated initialiser: C++14 has none; name the members one by one")
}

# ---- functions, kernels and their table ----------------------------------------------------------

# Each function and kernel of a file, from its heading to its last brace, and what stands outside of them.
function check_steps(file, code, lines,   k, first, depth, opened, line, is_macro) {
  for (k = 1; k <= lines; k++) {
    line = code[k]
    if (is_macro || line ~ /^[ \t]*#/) {
      if (line ~ /[A-Z]_KERNEL|##/) is_made = 1
      if (in_table && line ~ /^[ \t]*#/) table_varies = 1
      is_macro = line ~ /\\[ \t]*$/
      continue
    }
    if (line ~ /^TRM_(ROW|GROUP)_KERNEL[0-9]*\(|^TRM_INLINE|^TRM_ONCE/) { first = k; depth = opened = 0 }
    else if (!first) check_outside(file, k, line)
    if (line ~ /[A-Z]_KERNEL[A-Z_0-9]*\(/ && line !~ /^TRM_/) is_made = 1
    if (!first) continue
    opened += gsub(/[{]/, "{", line)
    depth = opened - (gsub(/[}]/, "}", line) + closed[first])
    closed[first] = opened - depth
    if (line !~ /^}/ && (opened == 0 || depth > 0)) continue
    closed[first] = 0
    check_body(file, first, k, code)
    first = 0
  }
}

# A line outside of functions: the table of kernels, and objects that only a host would have.
function check_outside(file, k, line,   name) {
  if (match(line, /(struct|})[ \t]*[A-Za-z_][A-Za-z_0-9]*/)) {
    name = substr(line, RSTART, RLENGTH)
    sub(/^(struct|})[ \t]*/, "", name)
    structs[name] = 1
  }
  if (line ~ /^TRM_TABLE_BEGIN/) { in_table = 1; tables++ }
  if (line ~ /^TRM_TABLE_END/) { in_table = 0; ends++ }
  if (line ~ /^[ \t]*TRM_TABLE(_STEPS|_EDGES)?\(/) add_to_table(file, k, line)
  else if (in_table && line ~ /[A-Za-z_]/ && line !~ /^TRM_TABLE_BEGIN/) table_varies = 1
  if (line ~ /^[ \t]*TRM_TABLE.*;/)
    tell(file, k, "a semicolon in the table of kernels, which has none: TRM_TABLE(name), a line for each")
  if (line ~ /^TRM_TABLE_(STEPS|EDGES)\(/) check_table(file, k, line)
  if (line !~ /^(const[ \t]+)?(void|real|int|unsigned|uchar|trm_index|trm_bits|trm_word|trm_mask)[ \t*]/) return
  if (line ~ /^[^=]*\(/) {
    name = substr(line, 1, index(line, "(") - 1)
    sub(/.*[ \t*]/, "", name)
    made[name] = 1
    tell(file, k, "a function without TRM_INLINE before it, which a GPU's compiler would not have")
  } else
    tell(file, k, "a variable outside of functions: no kernel keeps a value from launch to launch " \
      "(an array does); " \
      "a table of constants is TRM_CONSTANT real w[3] = { ... };")
}

function add_to_table(file, k, line,   parts, name) {
  arguments_of(line, index(line, "(") + 1, parts)
  name = parts[1]
  if (name in in_tables && !table_varies)
    tell(file, k, "TRM_TABLE(" name "): this kernel is in the table already")
  in_tables[name] = file ":" k
}

# At the end of the text: each kernel has a line of the table, each line a kernel.
function check_tables(   name, k, place, near, strangers) {
  for (name in in_tables) {
    if (is_made || name in is_kernel) continue
    near = kernels == 1 ? "; the kernel here is " kernel_names[1] : "; write its name as in its heading"
    place = in_tables[name]
    sub(/:[0-9]*$/, "", place)
    sub(/.*:/, "", in_tables[name])
    tell(place, in_tables[name], "TRM_TABLE(" name "): there is no kernel of this name" near)
    strangers++
  }
  for (k = 1; k <= kernels && tables && !strangers; k++)
    if (!(kernel_names[k] in in_tables) && !table_varies)
      tell(kernel_files[k], kernel_lines[k], kernel_names[k] ": this kernel is not in the table, " \
        "so no host finds it; " \
        "add TRM_TABLE(" kernel_names[k] ") between TRM_TABLE_BEGIN and TRM_TABLE_END")
  if (kernels && !tables && !ends && !is_made)
    tell(kernel_files[1], kernel_lines[1], kernel_names[1] ": a text of kernels without their " \
      "table; end it with " \
      "TRM_TABLE_BEGIN, a line TRM_TABLE(" kernel_names[1] ") for each kernel, and TRM_TABLE_END")
  if (tables != ends && (tables || kernels) && !is_made && ends + tables > 0)
    tell(ARGV[1], text_lines, "TRM_TABLE_BEGIN and TRM_TABLE_END belong together; the table is " \
      "the last of a text")
}

# A call of a function that no line of the text makes.
function check_calls(   name, place, line) {
  if (is_made) return
  for (name in called) {
    if (name in made) continue
    place = line = called[name]
    sub(/:[0-9]*$/, "", place)
    sub(/.*:/, "", line)
    tell(place, line, name "(): no function of this text or of the dialect; define it above by TRM_INLINE")
  }
}

# The heading of a kernel: number of arrays, halo, parameters, and TRM_RO or TRM_RW before each.
function check_heading(file, first, head, parts, count,   k, given, kind, list) {
  kind = head ~ /_ROW_/ ? "TRM_ROW_KERNEL" : "TRM_GROUP_KERNEL"
  given = head
  sub(/.*KERNEL/, "", given)
  kernel_names[++kernels] = parts[1]
  kernel_files[kernels] = file
  kernel_lines[kernels] = first
  is_kernel[parts[1]] = 1
  for (k = 1; k <= count; k++) {
    list = parts[k]
    if (gsub(/TRM_(RO|RW|FROM|TO)\(/, "", list) > 1) {
      tell(file, first, parts[1] ": a comma is missing between two arrays: " parts[k])
      return 0
    }
  }
  if (count < 4) {
    tell(file, first, parts[1] ": a heading is " kind "n(name, " (kind ~ /ROW/ ? "halo" : "shared struct") \
      ", parameters, n arrays)")
    return 0
  }
  if (kind ~ /ROW/ && parts[2] !~ /^(-[ \t]*)?[0-9]+$|^[A-Z_0-9]+$/) {
    tell(file, first, parts[1] ": the second word of a heading is the halo, how many rows beside " \
      "its own it " \
      "reads: 0, 1, ... or -1 for no promise; here it is " parts[2])
    return 0
  }
  for (k = 4; k <= count; k++)
    if (parts[k] !~ /^TRM_(RO|RW|FROM|TO)\(/ && (parts[k] !~ /^[A-Z_0-9]+(\(|$)|##/ || parts[k] ~ /^TRM_/)) {
      tell(file, first, parts[1] ": the array \"" parts[k] "\" is neither TRM_RO(type) name, " \
        "which is read, nor " \
        "TRM_RW(type) name, which is written too")
      return 0
    }
  if (given != count - 3 "") {
    tell(file, first, parts[1] ": " count - 3 " arrays in a heading of " kind given "; the number counts " \
      "them, 1 to 12: " kind (count - 3))
    return 0
  }
  if (!found && !(parts[3] in structs))
    tell(file, first, parts[1] ": its parameters are " parts[3] ", a struct that no file here declares")
  return 1
}

# ---- what is in a function: loops over cells, phases, sums, neighbours ---------------------------------

# The words and signs of a text from `at` on, and where each begins.
function cut(text, at,   rest) {
  split("", T)
  split("", P)
  tokens = 0
  rest = substr(text, at)
  while (match(rest, /[A-Za-z_][A-Za-z_0-9]*|[0-9][A-Za-z_0-9.]*|[^ \t\n]/)) {
    T[++tokens] = substr(rest, RSTART, RLENGTH)
    P[tokens] = at + RSTART - 1
    at += RSTART + RLENGTH - 1
    rest = substr(rest, RSTART + RLENGTH)
  }
}

function is_word(t) { return t ~ /^[A-Za-z_]/ }

function close_of(i,   depth) {
  for (; i <= tokens; i++) {
    if (T[i] ~ /^[([{]$/) depth++
    if (T[i] ~ /^[])}]$/ && --depth == 0) return i
  }
  return tokens
}

# What is done to the name or place that ends at token i: "=" it is set, "+" it is changed, "" it is read.
function done_to(i) {
  if (T[i + 1] == "=") return T[i + 2] == "=" && P[i + 2] == P[i + 1] + 1 ? "" : "="
  if (T[i + 1] ~ /^[-+*\/&|^%]$/ && T[i + 2] == "=" && P[i + 2] == P[i + 1] + 1) return "+"
  if (T[i + 1] ~ /^[-+]$/ && T[i + 2] == T[i + 1] && P[i + 2] == P[i + 1] + 1) return "+"
  return ""
}

# Whether the text compares a name, or takes it apart: it may know what it does at the edges.
function compared(text, name) {
  return text ~ "(^|[^A-Za-z_0-9.])" name "[ \t]*([-+][ \t]*[0-9]+[ \t]*)?([<>%&]|==|!=)" ||
         text ~ "([<>]|[=!<>]=)[ \t]*(\\([a-z_]*\\)[ \t]*)?" name "([^A-Za-z_0-9(]|$)"
}

function within(kind,   k) {
  for (k = top; k > 0; k--) if (kinds[k] == kind) return k
  return 0
}

function open_block(kind, braced) { kinds[++top] = kind; braces[top] = braced }
function close_block() {
  if (kinds[top] == "cells") split("", inner)
  top--
}

function kind_of(word) {
  if (word ~ /^TRM_(CELLS|SERIAL_CELLS|REACH|SEE|SEE_SERIAL|MARKED)$/) return "cells"
  if (word ~ /^TRM_(ITEMS|EACH|EACH2|SERIAL|LANES|LANES_SWEEP|SWEEP|TILE|SHEET|PHASE)$/) return "phase"
  if (word ~ /^(for|while|do)$/) return "loop"
  if (word ~ /^(if|else)$/) return "if"
  return word == "switch" ? word : ""
}

function complain(file, i, text) { tell(file, line_of(P[i]), subject ": " text) }

function check_flow(file, text, is_row, is_kernel_, parts, count,   i, word, kind, end, k, name) {
  cut(text, body_at)
  split("", skips); split("", inner); split("", outer); split("", rows); split("", arrays); split("", of_row)
  split("", of_cells); split("", leaves); split("", adds); split("", sets); split("", maybe); split("", folds)
  split("", elsewhere); split("", leaf_at)
  top = folded = 0
  cell = ""
  whole = text
  is_stepped_row = is_row && row != "" && !compared(text, row)
  if (row != "") of_row[row] = 1
  if (match(text, /TRM_ROW3\([^()]*\)/)) {
    name = substr(text, RSTART, RLENGTH - 1)
    sub(/.*[, \t]/, "", name)
    of_row[name] = 1
  }
  for (k = 4; k <= count && is_kernel_; k++) {
    name = parts[k]
    sub(/.*[ \t\n)]/, "", name)
    arrays[name] = parts[k] ~ /^TRM_(RW|TO)/ ? "w" : "r"
  }
  for (i = 1; i <= tokens; i++) {
    word = T[i]
    if ((kind = kind_of(word)) != "") {
      end = T[i + 1] == "(" ? close_of(i + 1) : i
      if (kind == "loop" && end > i) check_bounds(file, i, end, is_row)
      if (kind == "cells") cell = T[i + 2]
      open_block(kind, T[end + 1] == "{")
      if (T[end + 1] == "{") skips[end + 1] = 1
      if (word == "for") i = end
      continue
    }
    if (word == "{" && !(i in skips)) open_block("block", 1)
    else if (word == "}") end_of_block(i)
    else if (word == ";") end_of_statement(i)
    else if (is_word(word) && T[i - 1] != "." && !(T[i - 1] == ">" && T[i - 2] == "-"))
      check_flow_word(file, text, i, word, is_row, is_kernel_)
  }
  check_leaves(file)
}

function end_of_block(i) {
  while (top > 0 && !braces[top]) close_block()
  if (top > 0) close_block()
  if (T[i + 1] != "else") while (top > 0 && !braces[top]) close_block()
}
function end_of_statement(i,   was_if) {
  while (top > 0 && !braces[top]) {
    was_if = kinds[top] == "if"
    close_block()
    if (was_if && T[i + 1] == "else") return
  }
}

# From a loop's bracket to its end: bounds that are the cells of the row by another name, or the rows.
function check_bounds(file, i, end, is_row,   k, name) {
  for (k = i + 1; k <= end; k++) {
    if (T[k] in of_cells && T[k - 1] != ".")
      complain(file, i, "a loop over the cells of a row, for " T[k] " is made of TRM_NX: " \
        "TRM_CELLS(x) { ... } " \
        "visits them, on a host several at once, on a GPU each by an item of its own")
    else if (T[k] == "TRM_NY" && is_row && row != "" && halo >= 0 && !within("cells"))
      complain(file, i, "a loop over the rows: a row kernel is called for each row, and " \
        "TRM_ROW(y) is the one at hand")
    else continue
    return
  }
}

function check_flow_word(file, text, i, word, is_row, is_kernel_,   near, end) {
  if (word ~ /^(return|break|continue)$/) check_jump(file, i, word, is_row)
  else if (word == "p" && is_kernel_ && T[i + 1] == "-" && T[i + 2] == ">")
    complain(file, i, "p->: in a kernel p is the struct itself: p." T[i + 3])
  else if (word ~ /^(real|int|unsigned|uchar|trm_index|trm_bits|trm_word|trm_mask)$/) note_names(file, i, i + 1, "", is_kernel_)
  else if (word ~ /^TRM_(IN|OUT|LINE_IN|LINE_OUT)$/ && T[i + 1] == "(")
    note_names(file, i, close_of(i + 1) + 1, word, is_kernel_)
  else if (word ~ /^TRM_(LEAVES|ADD|FOLD|FOLD_MAX)$/ && T[i + 1] == "(") note_sum(file, i, word, is_row)
  else if (word in leaves && T[i - 2] !~ /^TRM_(LEAVES|ADD|FOLD|FOLD_MAX)$/) elsewhere[word] = 1
  else if (within("cells") && word in outer && !(word in inner) &&
           (done_to(i) != "" || T[i - 1] ~ /^[-+]$/ && T[i - 2] == T[i - 1] && P[i - 1] == P[i - 2] + 1) &&
           (T[i - 1] != "*" || T[i + 1] == T[i + 2]))
    complain(file, i, word " is declared outside of the loop over cells and changed within: cells " \
      "are visited several " \
      "at once, on a GPU each has its own; declare it inside, or sum by TRM_LEAVES, TRM_ADD and TRM_FOLD")
  else if (word in rows && T[i + 1] == "[" && T[i + 2] == cell && T[i + 3] ~ /^[-+]$/ && T[i + 4] ~ /^[1-4]$/ &&
           T[i + 5] == "]" && is_row && within("cells") && !compared(text, cell)) {
    near = (T[i + 3] == "+" ? "TRM_EAST(" : "TRM_WEST(")
    end = T[i + 4] == 1 ? near cell ")" : T[i + 4] == 2 ? near near cell "))" : near " ... " cell ")"
    complain(file, i, word "[" cell " " T[i + 3] " " T[i + 4] "]: beyond the row's end a GPU has " \
      "no ghost column; the " \
      "neighbour is " word "[" end "], or TRM_BESIDE where the axis ends")
  } else if (word in arrays && arrays[word] == "w" && T[i + 1] == "[" && T[i + 2] == cell && T[i + 3] == "]" &&
             done_to(i + 3) != "" && is_stepped_row && within("cells"))
    complain(file, i, word "[" cell "] is written by each row at the same place: a row's pointer is " \
      "TRM_OUT(real) to = " word " + p.first + " row " * p.row")
  else if (word ~ /^TRM_WRAP_(WEST|EAST)$/ && T[i + 2] in arrays && T[i + 3] == ")" && is_row && row != "")
    complain(file, i, word " of " T[i + 2] ", the whole array: give it the row that was written, " \
      "" T[i + 2] \
      " + p.first + " row " * p.row")
  else if (word == row && is_stepped_row && T[i - 1] == "(" && T[i + 1] ~ /^[-+]$/ && T[i + 2] ~ /^[0-9]+$/ &&
           T[i + 3] == ")" && T[i + 4 + (T[i + 4] == ")")] == "*" && halo >= 0)
    complain(file, i, "row " word " " T[i + 1] " " T[i + 2] " leaves the grid at its edge: " \
      "TRM_SOUTH(" word ") and " \
      "TRM_NORTH(" word ") wrap around")
}

function check_jump(file, i, word, is_row,   k, j) {
  for (k = top; k > 0; k--) if (kinds[k] ~ /^(loop|switch|cells|phase)$/) break
  for (j = i; word == "return" && is_row && !within("cells") && j <= tokens; j++)
    if (T[j] ~ /^TRM_FOLD/ && !folded) {
      complain(file, i, "return before a TRM_FOLD: the leaves of this row would keep what they held before")
      return
    }
  if (word == "return" ? within("cells") || within("phase") : k > 0 && kinds[k] ~ /^(cells|phase)$/ && word == "break")
    complain(file, i, word " inside " (within("cells") ? "a loop over cells, which are" : "a " \
      "phase, whose items are") \
      " visited several at once, on a GPU each by an item that others wait for: select values by " \
        "?: instead")
  else if (word == "continue" && k > 0 && kinds[k] == "cells") {
    for (j = i; j <= tokens && T[j] != "TRM_ADD"; j++) continue
    if (j <= tokens)
      complain(file, i, "continue before a TRM_ADD: the cell would have no value in the sum; give " \
        "R(0.0) by ?: instead")
  }
}

# The names that a declaration makes, from token i on; `pointer` is the macro of a pointer into an array.
function note_names(file, at, i, pointer, is_kernel_,   name, is_pointer, from, depth) {
  while (i <= tokens) {
    is_pointer = pointer != ""
    while (T[i] ~ /^(\*|const|restrict)$/) { if (T[i] == "*") is_pointer = 1; i++ }
    if (!is_word(T[i])) return
    name = T[i]
    from = i + 2
    if (T[i + 1] !~ /^[=,;]$/) return
    for (depth = 0; ++i <= tokens && (depth > 0 || T[i] !~ /^[,;]$/); )
      depth += T[i] ~ /^[([{]$/ ? 1 : T[i] ~ /^[])}]$/ ? -1 : 0
    if (within("cells")) inner[name] = 1
    else outer[name] = 1
    if (pointer != "") rows[name] = 1
    if (pointer ~ /OUT/) check_out(file, at, from, name)
    if (pointer == "" && is_pointer && is_kernel_) check_pointer(file, at, from, name)
    else if (!is_pointer) note_cells(name, from, i - 1)
    for (; from < i; from++) if (T[from] in of_row) of_row[name] = 1
    if (T[i] != ",") return
    i++
  }
}

function check_pointer(file, at, from, name) {
  while (T[from] ~ /^[(&]$/) from++
  if (T[from] in arrays || T[from] in rows)
    complain(file, at, name " is a pointer into an array without its memory: TRM_IN(type) " \
      "" name " reads it, " \
      "TRM_OUT(type) " name " writes")
}

# A row that is written belongs to an array that may be written, and more than its ghosts is written.
function check_out(file, at, from, name,   k, wrapped) {
  while (T[from] ~ /^[(&]$/) from++
  if (T[from] in arrays && arrays[T[from]] == "r")
    complain(file, at, name " is written, and belongs to " T[from] ", which is only read: TRM_RW " \
      "in the heading " \
      "(TRM_TO of a field that is stepped), or TRM_IN here")
  for (k = from; k <= tokens; k++)
    if (T[k] != name) continue
    else if (T[k - 2] ~ /^TRM_WRAP/) wrapped = 1
    else return
  if (wrapped) complain(file, at, "the row " name " is never written but for its ghost columns")
}

# A name that is TRM_NX, or computed of it and numbers alone.
function note_cells(name, from, to,   has_cells) {
  for (; from <= to; from++)
    if (T[from] == "TRM_NX" || T[from] in of_cells) has_cells = 1
    else if (T[from] !~ /^([()*+-]|[0-9]+|int|trm_index|TRM_NY|TRM_NZ)$/) return
  if (has_cells) of_cells[name] = 1
}

function note_sum(file, i, word, is_row,   name, end, k, is_placed, how) {
  name = T[i + 2]
  end = close_of(i + 1)
  if (word == "TRM_LEAVES") { leaves[name] = 1; leaf_at[name] = i }
  else if (word == "TRM_ADD") {
    adds[name]++
    how = done_to(end)
    if (how == "=") sets[name]++
    if (how == "+" && !(name in sets) && name in leaves)
      complain(file, i, "TRM_ADD(" name ", " cell ") is added to before it has a value; set it: " \
        "TRM_ADD(" name ", " \
        cell ") = ...")
    if (how == "+") sets[name]++
    for (k = within("cells"); k > 0 && k <= top; k++) if (kinds[k] == "if") maybe[name] = i
  } else {
    folds[name]++
    folded = 1
    if (within("cells"))
      complain(file, i, word " inside a loop over cells: it folds the whole row, once, after the loop")
    else if (folds[name] == 2 && !within("if"))
      complain(file, i, word " of " name " again: fold each name once, for a fold may use it up")
    for (k = i + 4; k < end; k++)
      if (T[k] in of_row && T[k - 1] != "." || T[k] !~ /^[-+*()\/]$/ && T[k + 1] == "(") is_placed = 1
    if (is_row && row != "" && !within("if") && !is_placed && end > i + 4)
      complain(file, i, word " of " name " to the same leaves in each row: leaves of row " row " " \
        "begin at + " row \
        " * TRM_LEAVES_OF(TRM_NX)")
  }
}

function check_leaves(file,   name, i) {
  for (name in leaves) {
    if (name in elsewhere) continue
    i = leaf_at[name]
    if (!(name in folds))
      complain(file, i, "the leaves " name " are never folded; TRM_FOLD(" name ", to) after the " \
        "loop over cells")
    else if (!(name in adds))
      complain(file, i, "the leaves " name " are given no value; TRM_ADD(" name ", x) = ... in " \
        "the loop over cells")
    else if (name in maybe && adds[name] == 1)
      complain(file, maybe[name], "TRM_ADD of " name " under an if: a cell without a value leaves " \
        "the sum undefined; " \
        "TRM_ADD(" name ", x) = condition ? value : R(0.0)")
  }
}

# ---- kernels that step a field (docs/dialect.md, section 9) ---------------------------------------

# The words between two brackets, apart by commas outside of others; `at` is behind the opening one.
function arguments_of(text, at, to,   depth, count, c, from) {
  split("", to)
  from = at
  for (depth = 1; at <= length(text); at++) {
    c = substr(text, at, 1)
    if (c == "(" || c == "[" || c == "{") depth++
    if (c == ")" || c == "]" || c == "}") depth--
    if ((c == "," && depth == 1) || depth == 0) {
      to[++count] = substr(text, from, at - from)
      gsub(/^[ \t\n]+|[ \t\n]+$/, "", to[count])
      from = at + 1
    }
    if (depth == 0) break
  }
  behind = at + 1
  return count
}

# A function or kernel, from its heading on: what all of them keep, then what those keep that step a field.
function check_body(file, first, last, code,   text, k, at, head, parts, count, is_row) {
  text = ""
  split("", line_at)
  for (k = first; k <= last; k++) {
    line_at[k] = length(text) + 1
    text = text (code[k] ~ /^[ \t]*#/ || code[k - 1] ~ /\\$/ ? "" : code[k]) "\n"
  }
  first_line = first
  last_line = last
  at = index(text, "(")
  if (text !~ /^TRM_[A-Z]*_KERNEL/ && match(text, /[^A-Za-z_0-9][a-z][A-Za-z_0-9]*[ \t]*\(/))
    at = RSTART + RLENGTH - 1
  head = substr(text, 1, at - 1)
  count = arguments_of(text, at + 1, parts)
  body_at = behind
  row = ""
  if (match(text, /TRM_ROW3?\([ \t]*[A-Za-z_0-9]+/)) {
    row = substr(text, RSTART, RLENGTH)
    sub(/.*[^A-Za-z_0-9]/, "", row)
  }
  subject = head ~ /_KERNEL/ ? parts[1] : head
  sub(/[ \t]*$/, "", subject)
  sub(/.*[^A-Za-z_0-9]/, "", subject)
  made[subject] = 1
  is_row = head ~ /_ROW_KERNEL/
  if (head ~ /_KERNEL/ && !check_heading(file, first, head, parts, count)) return
  halo = is_row && parts[2] ~ /^-?[0-9]+$/ ? parts[2] + 0 : -1
  check_first(file, text, head)
  check_flow(file, text, is_row, head ~ /_KERNEL/, parts, count)
  if (!(head ~ /_KERNEL/ ? read_arrays(file, text, is_row, parts, count) : read_lines(text, parts, count))) return
  check_statements(file, text)
  check_words(file, text)
}

function forget_arrays() {
  stepped = subject
  field = written = ""
  split("", writes); split("", ins); split("", outs); split("", aside); split("", moves)
}

# What a kernel's heading says of its arrays: `field` and `written` are stepped, `writes` are TRM_RW.
# Whether the kernel steps a field.
function read_arrays(file, text, is_row, parts, count,   k, name, froms, tos, from_number, to_number) {
  forget_arrays()
  for (k = 1; k <= count; k++) {
    name = parts[k]
    sub(/.*[ \t\n)]/, "", name)
    if (parts[k] ~ /^TRM_FROM\(/) { froms++; field = name; from_number = k }
    else if (parts[k] ~ /^TRM_TO\(/) { tos++; written = name; to_number = k }
    else if (parts[k] ~ /^TRM_RW\(/) writes[name] = 1
  }
  check_halo(file, first_line, text)
  check_ghosts(file, text)
  if (!froms && !tos) return 0
  numbers_of[stepped] = is_row ? (from_number - 4) " " (to_number - 4) : ""
  if (!is_row) {
    tell(file, first_line, stepped ": a group kernel with TRM_FROM or TRM_TO: only a row kernel steps a " \
      "field; write TRM_RO and TRM_RW")
    return 0
  }
  if (froms != 1 || tos != 1)
    tell(file, first_line, stepped ": a kernel that steps a field has one TRM_FROM and one TRM_TO; write " \
      "TRM_RO and TRM_RW for other arrays")
  if (parts[2] != "1")
    tell(file, first_line, stepped ": a halo of " parts[2] ": a kernel that steps a field (TRM_FROM) has " \
      "halo 1, for its lines are y - 1 to y + 1; write TRM_RO and TRM_RW where it needs more")
  return 1
}

# The lines that a function is given. Whether there are any, of a field that is stepped.
function read_lines(text, parts, count,   k, name) {
  forget_arrays()
  if (text !~ /TRM_LINE_(IN|OUT)/) return 0
  for (k = 1; k <= count; k++) {
    name = parts[k]
    sub(/.*[ \t\n)]/, "", name)
    if (parts[k] ~ /TRM_LINE_IN\(/) ins[name] = 1
    if (parts[k] ~ /TRM_LINE_OUT\(/) outs[name] = 1
  }
  return 1
}

# The first statement, which on a GPU waits for the launch before it; and a function that calls itself.
function check_first(file, text, head,   body) {
  body = substr(text, body_at)
  if (head !~ /_KERNEL/) {
    if (body ~ "[^A-Za-z_0-9.]" subject "[ \t]*\\(")
      tell(file, first_line, subject ": a function that calls itself; GPUs have no stack for " \
        "that: write a loop")
    return
  }
  sub(/^[ \t\n)]*[{][ \t\n;]*/, "", body)
  if (body !~ (head ~ /_ROW_/ ? "^[A-Z_0-9]+([ \t]*[(;]|[ \t\n]+[A-Z])" : "^[A-Z_0-9]+[ \t]*\\("))
    tell(file, first_line, subject ": a kernel begins with " (head ~ /_ROW_/ ? "TRM_ROW(y), " \
      "TRM_ROW3(y, z) or TRM_ROW1" : \
      "TRM_GROUP1(g), TRM_GROUP2 or TRM_GROUP3") ", which says where one is and waits for the " \
        "launch before")
}

# The promise of the heading against the neighbours that are read.
function check_halo(file, first, text,   word, neighbour, far) {
  if (halo < 0) return
  for (word = neighbour = "TRM_(SOUTH|NORTH|BELOW|ABOVE)\\("; text ~ word; word = word "[ " \
    "\t]*" neighbour) far++
  if (far > halo)
    tell(file, first, subject ": a halo of " halo " promises that no row further away is read, " \
      "and rows " far \
      " away are; a host that trusts it gives wrong fields: write " far)
}

# Ghost columns that the next step reads: of a stepped field both, of others the one where the other is filled.
function check_ghosts(file, text,   side, list, k) {
  if (compares_cells || text ~ /TRM_GHOST|TRM_WRAP\(/) return
  if (text !~ /TRM_WRAP_/ && (written == "" || text !~ /TRM_SET\(/)) return
  split("WEST EAST", list, " ")
  for (k = 1; k <= 2; k++)
    if (text ~ "TRM_" list[k] "\\(" && text ~ "TRM_" list[3 - k] "\\(" && text !~ "TRM_WRAP_" list[k])
      tell(file, last_line, subject ": TRM_" list[k] "(x) is read and nobody fills that ghost " \
        "column of a host's rows; " \
        "end the kernel with TRM_WRAP_" list[k] "(the row that was written)")
}

function line_of(at,   k) {
  for (k = first_line; k < last_line && line_at[k + 1] <= at; k++) continue
  return k
}

# Declarations: lines, places that depend on parameters, columns beside the cell, places in arrays.
function check_statements(file, text,   rest, statement, name, k, count, list) {
  rest = substr(text, body_at)
  count = split(rest, list, /[;{}]/)
  for (k = 1; k <= count; k++) {
    statement = list[k]
    if (!match(statement, /[A-Za-z_][A-Za-z_0-9]*[ \t\n]*=[^=]/)) continue
    name = substr(statement, RSTART, RLENGTH)
    sub(/[ \t\n]*=.*/, "", name)
    if (statement ~ /TRM_LINE_IN\(/) ins[name] = 1
    if (statement ~ /TRM_LINE_OUT\(/) outs[name] = 1
    sub(/^[^=]*=/, "", statement)
    if (varies(statement)) moves[name] = 1
    if (statement ~ /^[ \t\n]*TRM_(WEST|EAST|BESIDE)[ \t]*\(/) aside[name] = 1
    if (match(statement, /^[ \t\n]*[A-Za-z_][A-Za-z_0-9]*[ \t]*[+]/)) {
      rest = substr(statement, RSTART, RLENGTH)
      gsub(/[^A-Za-z_0-9]/, "", rest)
      if (rest in writes) writes[name] = 1
    }
  }
}

# Whether an expression has a parameter in it, or a name that was made of one.
function varies(expression,   rest, word) {
  if (expression ~ /(^|[^A-Za-z_0-9])p[ \t]*[.]/) return 1
  rest = expression
  while (match(rest, /[A-Za-z_][A-Za-z_0-9]*/)) {
    word = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
    if (word in moves) return 1
  }
  return 0
}

# Whether a column is the cell's own, or (is_read) one beside it.
function is_near(column, is_read) {
  if (column ~ /^[A-Za-z_][A-Za-z_0-9]*$/) return is_read || !(column in aside)
  if (!is_read) return 0
  return column ~ /^TRM_(WEST|EAST)\([ \t]*[A-Za-z_0-9]+[ \t]*\)$/ ||
         column ~ /^TRM_BESIDE\([ \t]*[A-Za-z_0-9]+[ \t]*,[ \t]*[A-Za-z_0-9]+[ \t]*\)$/
}

function check_words(file, text,   at, word, before, after, parts, count, wrapped, k) {
  at = body_at
  while (match(substr(text, at), /[A-Za-z_][A-Za-z_0-9]*/)) {
    at += RSTART - 1
    word = substr(text, at, RLENGTH)
    k = at - 1
    while (k > 0 && substr(text, k, 1) ~ /[ \t\n]/) k--
    before = substr(text, k, 1)
    at += RLENGTH
    after = substr(text, at)
    sub(/^[ \t\n]+/, "", after)
    after = substr(after, 1, 1)
    if (before == "." || before == ">") continue
    count = after == "(" ? arguments_of(text, at + index(substr(text, at), "("), parts) : 0
    if (word ~ /^TRM_WRAP_(WEST|EAST)$/) { at = behind; continue }
    if (word ~ /^TRM_LINE(_SOUTH|_NORTH)?$/ && count == 4) check_row(file, at, word, parts)
    else if (word == "TRM_GET" && count == 4 && !is_near(parts[4], 1))
      tell(file, line_of(at), stepped ": TRM_GET of column " parts[4] ": a field that is stepped is read " \
        "at x, TRM_WEST(x) and TRM_EAST(x) alone, for several steps a launch have no more beside them")
    else if (word == "TRM_SET" && count == 5 && !is_near(parts[4], 0))
      tell(file, line_of(at), stepped ": TRM_SET of column " parts[4] ": a step writes its own cell x " \
        "alone; let the other cell read what it needs")
    else if ((word == field || word == written) && (after ~ /[[+-]/ || before ~ /[-+*&=]/))
      tell(file, line_of(at), stepped ": " word " by pointer or subscript: the field that is stepped is " \
        "reached by TRM_LINE, TRM_GET and TRM_SET, which several steps a launch turn to shared memory")
    else if ((word in ins || word in outs) && after ~ /[[+-]/)
      tell(file, line_of(at), stepped ": " word " by pointer or subscript: a line is read by TRM_GET, " \
        "written by TRM_SET; arithmetic on it stands in TRM_WRAP_WEST and TRM_WRAP_EAST alone")
    else if (word in writes) check_write(file, text, at, word, before, after)
  }
}

# A line is the own row's, or a neighbour's of the array that is read.
function check_row(file, at, word, parts) {
  if (row != "" && parts[4] != row)
    tell(file, line_of(at), stepped ": " word " of row " parts[4] ": lines of a field that is stepped are " \
      "those of the own row: TRM_LINE_SOUTH, TRM_LINE and TRM_LINE_NORTH of " row)
  if (parts[1] == written && word != "TRM_LINE")
    tell(file, line_of(at), stepped ": " word " of " written ": a step writes its own row alone: TRM_LINE")
}

# Of another array that is written: a place that another launch has, not read.
function check_write(file, text, at, word, before, after,   place, parts, rest) {
  if (after == "[") {
    arguments_of(text, at + index(substr(text, at), "["), parts)
    place = parts[1]
    rest = substr(text, behind)
    sub(/^[ \t\n]+/, "", rest)
    if (rest !~ /^=[^=]/) {
      tell(file, line_of(at), stepped ": " word " is read, or added to: what a kernel that steps a field " \
        "writes besides, it does not read, for several steps run at once; give it as TRM_RO, or fold it " \
        "by TRM_LEAVES and TRM_FOLD")
      return
    }
  } else if (after == "+") {
    place = substr(text, at, index(substr(text, at), ";"))
  } else return
  if (!(word in moves) && !varies(place))
    tell(file, line_of(at), stepped ": " word " is written at the same place by each launch: several steps " \
      "run at once, so give each a place of its own by a parameter (p.part)")
}

function check_table(file, line, code,   parts, numbers) {
  arguments_of(code, index(code, "(") + 1, parts)
  if (!(parts[1] in numbers_of)) {
    tell(file, line, "TRM_TABLE_STEPS of " parts[1] ", which has no TRM_FROM and TRM_TO: write them in its " \
      "heading, or TRM_TABLE here")
    return
  }
  if (parts[3] " " parts[4] != numbers_of[parts[1]]) {
    split(numbers_of[parts[1]], numbers, " ")
    tell(file, line, parts[1] ": its table steps from array " parts[3] " to " parts[4] ", its heading from " \
      numbers[1] " to " numbers[2])
  }
}
