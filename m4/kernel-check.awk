# kernel-check.awk - finds what the dialect of kernels forbids (docs/dialect.md, "Rules"), before a
# compiler or a comparison of results does: `awk -f kernel-check.awk NAME.k` reads the text and the
# files that it includes, prints FILE:LINE: what, why and the cure, and exits 1 where it found any.
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
  type("float double half", "real: the program is built for either precision")
  type("long size_t ptrdiff_t int64_t uint64_t ssize_t", "trm_index, which has 64 bits everywhere")
  type("uint32_t int32_t uint16_t int16_t uint8_t int8_t", "trm_bits for 32 bits, int, uchar")
  own = " trm_index trm_bits trm_mask trm_word trm_extent trm_sqrt trm_fma trm_rint trm_floor trm_fabs " \
    "trm_min trm_max trm_more trm_limit trm_min_above trm_falling trm_rising trm_word_of trm_real_of " \
    "trm_ones trm_near_reciprocal trm_near_sqrt trm_near_rsqrt trm_reciprocal trm_root trm_rsqrt " \
    "trm_over_root3 trm_prefetch trm_read trm_write trm_number trm_float16 trm_load_half trm_store_half " \
    "trm_low_half trm_high_half trm_two_halves trm_next_half "
  for (argument = 1; argument < ARGC; argument++) check_file(ARGV[argument], 0)
  exit found > 0
}

function why(words, cure,   list, k) {
  for (k = split(words, list, " "); k > 0; k--) calls[list[k]] = calls[list[k] "f"] = cure
}
function target(words, cure,   list, k) {
  for (k = split(words, list, " "); k > 0; k--) targets[list[k]] = cure
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
  check_steps(file, code, lines)
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
  while (match(rest, /[A-Za-z_][A-Za-z_0-9]*/)) {
    before = RSTART > 1 ? substr(rest, RSTART - 1, 1) : last
    word = substr(rest, RSTART, RLENGTH)
    last = substr(word, RLENGTH, 1)
    rest = substr(rest, RSTART + RLENGTH)
    after = rest
    sub(/^[ \t]+/, "", after)
    if (before ~ /[0-9]/) continue # the tail of a number
    check_word(file, line, word, before, substr(after, 1, 1))
    if (word == "for") check_loop(file, line, after, code, lines)
  }
  check_numbers(file, line, code[line])
  check_shape(file, line, code[line])
}

function check_word(file, line, word, before, after) {
  if (before != "." && before != ">" && after == "(" && word in calls)
    tell(file, line, word "(): strict arithmetic has no " word ", since libraries differ in its " \
      "bits; " calls[word])
  else if (word in targets)
    tell(file, line, word ": a word of one target; " targets[word])
  else if (word in types)
    tell(file, line, word ": " types[word])
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

# A number with a point or an exponent that is not the literal of an R().
function check_numbers(file, line, code,   number, before) {
  gsub(/R\([ \t]*[-+]?[0-9.]+([eE][-+]?[0-9]+)?[ \t]*\)/, "R", code)
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
  if (code ~ /^[ \t]*#[ \t]*pragma/)
    tell(file, line, "#pragma: one target's; TRM_CELLS and the phases have their own")
  if (code ~ /^[ \t]*#[ \t]*define[ \t]+(TRM_|trm_)/ && code !~ /define[ \t]+TRM_SPAN[ \t]/)
    tell(file, line, "names that begin with TRM_ are the dialect's own; begin with the program's name")
  if (code ~ /\.\.\.|__VA_ARGS__/)
    tell(file, line, "a macro of variable arity: OpenCL C 1.2 has none; write one for each count")
  if (code ~ /[{,][ \t]*\.[A-Za-z_][A-Za-z_0-9]*[ \t]*=[^=]/)
    tell(file, line, "a designated initialiser: C++14 has none; name the members one by one")
}

# ---- kernels that step a field (docs/dialect.md, section 9) ---------------------------------------

# Each function and kernel of a file: from its heading to the brace in the first column.
function check_steps(file, code, lines,   k, first, heading) {
  for (k = 1; k <= lines; k++) {
    if (code[k] ~ /^TRM_(ROW|GROUP)_KERNEL[0-9]+\(|^TRM_INLINE/) { first = k; heading = "" }
    if (code[k] ~ /^TRM_TABLE_STEPS\(/) check_table(file, k, code[k])
    if (!first) continue
    if (code[k] !~ /^}/) continue
    check_body(file, first, k, code)
    first = 0
  }
}

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

# What a heading says of its arrays: `field` and `written` are stepped, `writes` are TRM_RW.
function check_body(file, first, last, code,   text, k, at, head, name, parts, count, froms, tos) {
  text = ""
  split("", line_at)
  for (k = first; k <= last; k++) {
    line_at[k] = length(text) + 1
    text = text code[k] "\n"
  }
  first_line = first
  last_line = last
  field = written = ""
  split("", writes); split("", ins); split("", outs); split("", aside); split("", moves)
  at = index(text, "(")
  head = substr(text, 1, at - 1)
  count = arguments_of(text, at + 1, parts)
  body_at = behind
  if (head ~ /_KERNEL/) {
    stepped = parts[1]
    for (k = 1; k <= count; k++) {
      name = parts[k]
      sub(/.*[ \t\n)]/, "", name)
      if (parts[k] ~ /^TRM_FROM\(/) { froms++; field = name; from_number = k }
      else if (parts[k] ~ /^TRM_TO\(/) { tos++; written = name; to_number = k }
      else if (parts[k] ~ /^TRM_RW\(/) writes[name] = 1
    }
    if (!froms && !tos) return
    numbers_of[stepped] = head ~ /_ROW_KERNEL/ ? (from_number - 4) " " (to_number - 4) : ""
    if (head !~ /_ROW_KERNEL/) {
      tell(file, first, stepped ": a group kernel with TRM_FROM or TRM_TO: only a row kernel steps a " \
        "field; write TRM_RO and TRM_RW")
      return
    }
    if (froms != 1 || tos != 1)
      tell(file, first, stepped ": a kernel that steps a field has one TRM_FROM and one TRM_TO; write " \
        "TRM_RO and TRM_RW for other arrays")
    if (parts[2] != "1")
      tell(file, first, stepped ": a halo of " parts[2] ": a kernel that steps a field (TRM_FROM) has " \
        "halo 1, for its lines are y - 1 to y + 1; write TRM_RO and TRM_RW where it needs more")
  } else {
    if (text !~ /TRM_LINE_(IN|OUT)/) return
    stepped = head
    sub(/[ \t]*$/, "", stepped)
    sub(/.*[^A-Za-z_0-9]/, "", stepped)
    for (k = 1; k <= count; k++) {
      name = parts[k]
      sub(/.*[ \t\n)]/, "", name)
      if (parts[k] ~ /TRM_LINE_IN\(/) ins[name] = 1
      if (parts[k] ~ /TRM_LINE_OUT\(/) outs[name] = 1
    }
  }
  row = ""
  if (match(text, /TRM_ROW\([ \t]*[A-Za-z_0-9]+/)) {
    row = substr(text, RSTART + 8, RLENGTH - 8)
    gsub(/[ \t]/, "", row)
  }
  check_statements(file, text)
  check_words(file, text)
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
