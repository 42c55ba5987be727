# kernel-check.awk - finds what the dialect of kernels forbids (docs/dialect.md, "Rules"), before a
# compiler or a comparison of results does: `awk -f kernel-check.awk -f kernel-check-flow.awk
# -f kernel-check-body.awk NAME.k` reads the text and the files that it includes, prints FILE:LINE:
# what, why and the cure, and exits 1 where it found any.
# This file: words and numbers line by line, headings, the table and objects outside of functions.
# kernel-check-flow.awk: each function as a list of words. kernel-check-body.awk: what functions and
# kernels keep, and the rules of kernels that step a field.
# It would rather miss a mistake than refuse what is right: where a condition on x or y, a macro of
# the text's own or an #if may be the reason, it is silent.
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
  target("asm __asm __asm__ volatile", "kernel_math.h has guesses, bits and prefetches, TRM_VOLATILE_LOAD a load")
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
  forbid("TRM_STILL", "its old name; write TRM_INVARIANT")
  forbid("TRM_STILL_BITS", "its old name; write TRM_INVARIANT_BITS")
  forbid("TRM_MADE", "its old name; write TRM_MEMO")
  forbid("TRM_FRESH", "its old name; write TRM_VOLATILE_LOAD")
  forbid("TRM_TURNS", "its old name; write TRM_ROW_LOOP")
  forbid("TRM_TURN", "its old name; write TRM_ROW_STEP")
  forbid("TRM_TOGETHER", "its old name; write TRM_UNIFORM_ROWS")
  type("float double half", "real: the program is built for either precision")
  type("long size_t ptrdiff_t int64_t uint64_t ssize_t", "trm_index, which has 64 bits everywhere")
  type("uint32_t int32_t uint16_t int16_t uint8_t int8_t", "trm_bits for 32 bits, int, uchar")
  own = " trm_index trm_bits trm_mask trm_word trm_extent trm_sqrt trm_fma trm_rint trm_floor trm_fabs " \
    "trm_min trm_max trm_more trm_limit trm_min_above trm_falling trm_rising trm_word_of trm_real_of " \
    "trm_ones trm_near_reciprocal trm_near_sqrt trm_near_rsqrt trm_reciprocal trm_quotient trm_root trm_rsqrt " \
    "trm_over_root3 trm_prefetch trm_read trm_write trm_number trm_float16 trm_load_half trm_store_half " \
    "trm_low_half trm_high_half trm_two_halves trm_high_halves trm_single "
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
  if (code ~ /^[ \t]*#[ \t]*define[ \t]+(TRM_|trm_)/ && code !~ /define[ \t]+TRM_(SPAN|RESIDENT|OVERLAP|ACROSS|ANY_GROUP)[ \t]/)
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
