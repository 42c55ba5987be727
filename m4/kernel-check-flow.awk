# kernel-check-flow.awk - what is in a function or a kernel: a list of words, its loops over cells, phases, jumps,
# sums and neighbours (kernel-check.awk).

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
