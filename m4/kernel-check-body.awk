# kernel-check-body.awk - functions and kernels from their headings on: what all of them keep, and what those keep
# that step a field (docs/dialect.md, section 9; kernel-check.awk).

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
  if (text ~ /TRM_INVARIANT/ && substr(text, 1, at - 1) !~ /TRM_FOLD(_MAX)?[ \t\n]*\([^;{}]*$/) {
    tell(file, line_of(at), stepped ": " word " is written in a kernel with TRM_INVARIANT, whose items go " \
      "through it once more without a cell, for these values alone: write it by TRM_FOLD, or leave " \
      "TRM_INVARIANT out")
    return
  }
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
