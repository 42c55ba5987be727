# manual.awk - the man page of the library, made from core/trireme.h and core/host_module.h: their
# comments as text, their declarations as they stand.
# awk -v version=0.1.0 -f core/manual.awk core/trireme.h core/host_module.h
function roff(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  if (text ~ /^[.']/) text = "\\&" text
  return text
}
function mode(wanted) { # "text", "code"
  if (now == wanted) return
  if (now == "code") print ".fi"
  if (wanted == "code") print ".PP\n.nf"
  now = wanted
}

BEGIN {
  printf ".TH TRIREME 3 \"\" \"trireme %s\" \"Library Functions\"\n", version
  print ".SH NAME\ntrireme \\- the dispatch interface: one solver on OpenMP, OpenCL and CUDA"
  print ".SH SYNOPSIS\n.nf\n#include \"core/trireme.h\"\n.fi\n.PP\ncc $(pkg\\-config \\-\\-cflags trireme) " \
    "... $(pkg\\-config \\-\\-libs trireme)\n.SH DESCRIPTION"
  now = "text"
}

# the opening comment, without the line that names the file; that of a second header stays in it
FNR == 1 { opening = 1; next }
opening && NR > FNR { opening = !/\*\/$/; next }
opening {
  line = $0
  sub(/^ \* ?/, "", line)
  opening = line !~ /\*\/$/
  sub(/ *\*\/$/, "", line)
  print line == "" ? ".PP" : roff(line)
  next
}

/^\/\* ---- / {
  mode("text")
  sub(/^\/\* -+ /, "")
  sub(/ -+ \*\/$/, "")
  print ".SH " toupper(roff($0))
  next
}
/^#(ifndef [A-Z_]*_H$|define [A-Z_]*_H$|include|ifdef __cplusplus|endif|undef|define TRM_API)/ { next }
/^(extern "C" \{|\})$/ { next }

# a comment that begins a line is text
/^\/\*/ { mode("text"); print ".PP"; comment = 1 }
comment {
  line = $0
  comment = line !~ /\*\/$/
  sub(/^\/\* */, "", line)
  sub(/^ \* ?/, "", line)
  sub(/ *\*\/$/, "", line)
  print roff(line)
  next
}

/^$/ { blank = 1; next }
{
  mode("code")
  if (blank) print ""
  blank = 0
  sub(/^TRM_API /, "")
  print roff($0)
}

END {
  mode("text")
  print ".SH SEE ALSO\n.BR trireme (1)"
}
