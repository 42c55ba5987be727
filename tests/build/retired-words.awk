# retired-words.awk - `awk -f retired-words.awk LIST FILE...`: tells each place in a text that has a retired word of
# LIST (tests/data/retired-words.txt), with the word to write instead, and exits 1 if there is one.
# Names are split at underscores, and a word matches wherever its parts follow one another, in either case.

function trimmed(text) {
  gsub(/^[ \t]+|[ \t]+$/, "", text)
  return text
}

FILENAME == ARGV[1] {
  if ($0 ~ /^#/ || $0 !~ /[|]/) next
  split($0, column, "|")
  word = tolower(trimmed(column[1]))
  instead[word] = trimmed(column[2])
  exempt[word] = " " trimmed(column[3]) " "
  first[substr(word, 1, index(word "_", "_") - 1)] = 1
  next
}

FNR == 1 {
  file = FILENAME
  sub(/^[.]\//, "", file)
}

# Whether one of the paths of the word's third column begins the file's name.
function is_exempt(word,   paths, k) {
  for (k = split(exempt[word], paths, " "); k > 0; k--)
    if (index(file, paths[k]) == 1) return 1
  return 0
}

{
  line = tolower($0)
  count = split(line, names, /[^a-z0-9_]+/)
  for (i = 1; i <= count; i++) {
    if (names[i] == "") continue
    parts = split(names[i], part, "_")
    for (j = 1; j <= parts; j++) {
      if (!(part[j] in first)) continue
      run = ""
      for (k = j; k <= parts && k < j + 4; k++) {
        run = k == j ? part[k] : run "_" part[k]
        if (run in instead && !is_exempt(run)) {
          print file ":" FNR ": " names[i] " has the retired word " run "; write " instead[run]
          found++
        }
      }
    }
  }
}

END { exit found > 0 }
