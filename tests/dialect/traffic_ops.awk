# traffic_ops.awk - LLVM's text of a kernel, with a call in each block that has operations on reals, and
# copies of memory that tell; calls about variables of the kernel's own, which are no memory, are left out.
#
# A block runs from its first line to its last, a branch or a return, or not at all: so the call before
# the last line tells of all its operations.
# An addition, subtraction, multiplication, division or root counts one, a fused multiply-add two; a
# vector as many times as it has elements. Not counted: comparisons, signs, conversions, rounding.

function lanes(text)
{
  return match(text, /<[0-9]+ x (float|double)>/) ? substr(text, RSTART + 1) + 0 : 1
}

function count(operations) { in_block += operations * lanes($0) }

function tell()
{
  if (in_block) print "  call void @trm_traffic_operations(i32 " in_block ")"
  in_block = 0
}

function last_name(text)
{
  return match(text, /%[^ ,()]+\)*$/) ? substr(text, RSTART, RLENGTH - (text ~ /\)$/)) : ""
}

/^define / { split("", own) }
/^ *%[^ ]+ = alloca / { own[$1] = 1 }
/^ *%[^ ]+ = bitcast .* to / && ($5 in own) { own[$1] = 1 }
/call void @__sanitizer_cov_(load|store)/ && (last_name($0) in own) { next }

/^ *%[^ ]+ = (fadd|fsub|fmul|fdiv) / { count(1) }
/^ *%[^ ]+ = .*call .*@llvm\.sqrt\./ { count(1) }
/^ *%[^ ]+ = .*call .*@llvm\.(fma|fmuladd)\./ { count(2) }

/^ *(br|ret|switch|indirectbr|unreachable)( |$)/ { tell() }

/@llvm\.mem(cpy|move)\./ {
  gsub(/@llvm\.mem(cpy|move)\.[a-z0-9.]+\(/, "@trm_traffic_copy(")
  gsub(/ immarg/, "")
  if (/^declare/ && copies++) next
}
/@llvm\.memset\./ {
  gsub(/@llvm\.memset\.[a-z0-9.]+\(/, "@trm_traffic_set(")
  gsub(/ immarg/, "")
  if (/^declare/ && sets++) next
}
{ print }
END { print "declare void @trm_traffic_operations(i32)" }
