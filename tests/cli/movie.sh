# movie.sh - frames that a run keeps, and the movies made of them; a pretended ffmpeg takes MP4 and GIF.
. "$srcdir/tests/tap.sh"
workplace movie
grep -q '^#define HAVE_LIBPNG' "$build/config.h" || skip_all "this build has no libpng"

box="lbm --set grid.nx=32 --set grid.ny=16 --set lbm.accel=0.01 --steps=40 --quiet --formats=none"
frames="--movie=speed --movie-every=8"
files() { folder=$1; shift; for file in "$@"; do test -s "$folder/$file" || { ls "$folder"; return 1; }; done; }
size_of() { od -An -j16 -N8 -tu1 "$1" | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'; }
frames_of() { od -An -j41 -N4 -tu1 "$1" | awk '{ print $3 * 256 + $4 }'; } # acTL follows IHDR

# ---- frames
check "a run with frames" ends 0 run $box $frames --output=with
check "keeps the first, and one at each multiple" files with/frames speed-00000000.npy speed-00000008.npy \
  speed-00000040.npy speed.json
check "and no other" test "$(ls with/frames/*.npy | wc -l)" = 6
check "with steps and times" test "$(tr '\n' ' ' <with/frames/speed.csv)" = "0,0 8,8 16,16 24,24 32,32 40,40 "
check "in f32" grep -aq "'<f4'.*(16, 32)" with/frames/speed-00000008.npy
check "the same run without frames" ends 0 run $box --output=without
check "has the same bits" test "$(print_of with)" = "$(print_of without)"
check "with frames and batches of 7 steps" ends 0 run $box $frames --batch=7 --output=seven
check "it has the same frames" cmp with/frames/speed-00000032.npy seven/frames/speed-00000032.npy
check "with frames on three parts" ends 0 run $box $frames --devices=openmp,openmp*2,openmp --output=parts
check "they are the same, too" diff -r with/frames parts/frames
water="shallow --set grid.nx=40 --set grid.ny=24 --set grid.dx=10 --set run.end_time=20 --quiet --formats=none \
  --set initial.surface=exp(-((x-200)^2+(y-120)^2)/900) --set shallow.bed_formula=x>300?3:-10"
check "a solver that chooses its steps" ends 0 run $water --movie=surface --movie-every=10 --output=water
check "without frames" ends 0 run $water --output=dry
check "has the same bits, too" test "$(print_of water)" = "$(print_of dry)"
check "a title has the field's unit" grep -q '"title": "shallow: surface \[m\]"' water/frames/surface.json
check "a field without a unit" ends 0 run compressible --set grid.nx=16 --set grid.ny=16 --steps=1 --quiet --formats=none \
  --movie=mach --movie-every=1 --output=mach
check "has no brackets in its title" grep -q '"title": "compressible: mach"' mach/frames/mach.json
small="--set grid.nx=16 --set grid.ny=16 --steps=2 --quiet --movie-every=1"
means() { test "$(tr '\n' ' ' <$1/frames/$2.csv | sed 's/,[^ ]*//g')" = "1 2 " && test ! -e $1/frames/$2-00000000.npy; }
check "means over time" ends 0 run compressible $small --movie=mean_density --set average_from=0 --formats=none \
  --output=means
check "begin with the first step" means means mean_density
check "so do those of the lattice" ends 0 run lbm3d $small --set grid.nz=16 --set lbm.viscosity=0.1 --movie=rms_density \
  --set average_from=0 --formats=none --output=lattice
check "and differences from them" means lattice rms_density
check "means that never begin" ends 0 run compressible $small --movie=mean_density --set average_from=9 \
  --fields=mean_density,mach --formats=png --output=never
check "have no frame and no picture" test ! -s never/frames/mean_density.csv -a ! -e never/mean_density.png -a -s never/mach.png
check "which is said" grep -q "no picture of 'mean_density' at step 2: the mean over time has not begun" never/log.txt
check "a grid larger than a frame" ends 0 run lbm --set grid.nx=2000 --set grid.ny=300 --steps=2 --quiet --formats=none \
  --movie=speed --movie-every=2 --output=large
check "is kept as means of 3 x 3 cells" grep -aq "'<f4'.*(100, 667)" large/frames/speed-00000002.npy
check "a field that is not there is refused" ends 2 run $box --movie=spied --movie-every=2 --output=no
check "with the nearest" says "no field 'spied'; the nearest is 'speed'"
check "frames without steps are refused" ends 2 run $box --movie=speed --output=no
check "with the cure" says "give --movie-every=N"
check "steps without a field are refused" ends 2 run $box --movie-every=3 --output=no
check "with their cure" says "give --movie=FIELD"
check "a list of bodies cannot be shown" ends 2 run nbody --set nbody.bodies=32 --set nbody.dt=0.01 --steps=1 --movie=position --movie-every=1
check "which is said" says "'position' cannot be shown"

# ---- a run that stops and goes on
long="lbm --set grid.nx=96 --set grid.ny=96 --steps=3000 --set lbm.accel=0.01 --quiet --formats=none --movie=speed --movie-every=250"
check "a run that keeps frames" ends 0 run $long --output=whole
check "the same, stopped" ends 75 run $long --batch=50 --for=0.001s --output=stopped
printf '2750,2750\n2990,2990\n' >>stopped/frames/speed.csv # as if it had been killed later than its checkpoint
cp stopped/frames/speed-00000000.npy stopped/frames/speed-00002990.npy
check "and gone on with" ends 0 resume stopped --for=0 --quiet
check "has the same bits" test "$(print_of whole)" = "$(print_of stopped)"
check "the same list of frames" cmp whole/frames/speed.csv stopped/frames/speed.csv
same_frames() { for frame in whole/frames/*.npy; do cmp "$frame" "stopped/frames/${frame##*/}" || return 1; done; }
check "and the same frames" same_frames
check "and no other" test "$(ls stopped/frames | wc -l)" = "$(ls whole/frames | wc -l)"

# ---- an APNG, which needs nothing
check "a movie" ends 0 movie with
check "says what it is" has '^with/speed.apng: 6 frames of [0-9]+ x [0-9]+ pixels, 30 a second; speed from'
check "and is one" test "$(frames_of with/speed.apng)" = 6
check "of a range, a size and some steps" ends 0 movie with --range=0,0.01 --size=100 --steps=8,24 --fps=5 --output=part.png --json
check "has these" json_has '"frames":3,"width":[0-9]*,"height":[0-9]*,"frames_per_second":5,"minimum":0.0,"maximum":0.01'
check "and the size" test "$(size_of part.png)" != "$(size_of with/speed.apng)"
refused() { refused_pattern=$1; shift; ends 2 movie "$@" && says "$refused_pattern"; }
cp with/speed.apng first.apng
check "the same movie again" ends 0 movie with
check "is the same" cmp first.apng with/speed.apng
check "another one of that name is refused" refused "'with/speed.apng' is there already, and holds something else; name another movie with --output=FILE, or write over it with --again" with --fps=5
check "and the first one stands" cmp first.apng with/speed.apng
check "by the cure" ends 0 movie with --fps=5 --again
check "it is written over" test "$(cmp -s first.apng with/speed.apng; echo $?)" = 1
cp first.apng with/speed.apng
echo mine >mine.png
check "a file that is no movie is refused" refused "'mine.png' is there already" with --output=mine.png
check "and stands" test "$(cat mine.png)" = mine
check "no temporary file is left" test -z "$(ls -A . with | grep tmp)"
check "water, with land" ends 0 movie water --output=water.png
check "frames that a killed run wrote twice" sh -c 'cp -r with twice && printf "24,24\n32,32\n40,40\n41" >>twice/frames/speed.csv'
check "make the same movie" ends 0 movie twice
check "in every byte" cmp with/speed.apng twice/speed.apng
check "a run without frames is refused" refused "no frames; run the case with --movie=FIELD" without
check "so is a field without" refused "no frames of 'pressure'; it has some of speed" with --field=pressure
check "an unknown format" refused 'choose from apng, mp4 and gif' with --to=avi
check "a name that does not say which" refused 'does not say which format is meant' with --output=a.mkv
check "a range that is none" refused 'give the least and the largest value' with --range=1
check "bodies, whose colours are logarithmic" ends 0 run nbody --set nbody.bodies=64 --set nbody.picture=32 --set nbody.dt=0.01 \
  --steps=4 --quiet --formats=none --movie=density --movie-every=2 --output=bodies
check "a range of theirs" ends 0 movie bodies --range=0.1,10
for low in 0 -1; do
  check "not one from $low" timeout 60 sh -c '"$TRIREME" movie bodies --range='$low',10 --output=no.png >out 2>err; test $? = 2'
  check "with the cure" says "'density' are logarithmic, and --range begins at $low; give a least value above 0"
done
for range in '[0, 1]' '[-1, 1]' '[2, 1]' '[1e999, 1]'; do
  sed '/"range": \[/,/\]/d; s/^{/{ "range": '"$range"',/' bodies/frames/density.json >odd.json
  cp bodies/frames/density.json whole.json && cp odd.json bodies/frames/density.json
  check "nor is a range $range in their file" timeout 60 sh -c '"$TRIREME" movie bodies --output=no.png >out 2>err; test $? = 2'
  cp whole.json bodies/frames/density.json
done
check "nor is one of hexadecimal numbers" refused 'give the least and the largest value' with --range=0,0x1
check "steps that are none" refused 'give the first and the last step' with --steps=9,3
check "steps without a frame" refused 'no frame of a step from 1 to 7; the frames go from step 0 to 40' with --steps=1,7
check "no frame a second" refused 'from 1 to 240' with --fps=0
cp -r with torn && rm torn/frames/speed-00000016.npy torn/speed.apng
check "a frame that is missing" refused 'speed-00000016.npy' torn
check "leaves no movie" test ! -e torn/speed.apng
for file in speed.csv speed.json speed-00000016.npy; do
  rm -rf torn && cp -r with torn && rm torn/frames/$file && mkfifo torn/frames/$file
  check "a pipe in place of $file is not waited for" refused "frames/$file' is not a regular file" torn
done

# ---- MP4 and GIF, through ffmpeg
mkdir -p fake none
ffmpeg() { { echo '#!/bin/sh'; cat; } >fake/ffmpeg; chmod +x fake/ffmpeg; } # < what it does
movie() { PATH=$work/fake:$PATH ends "$@"; }
ffmpeg <<'SH'
for word; do last=$word; done
printf '%s\n' "$@" >words
wc -c >"${last#file:}"
SH
rm -f with/speed.mp4
check "an MP4" movie 0 movie with --to=mp4
check "is made by ffmpeg" test -s with/speed.mp4
pixels=$(sed -n 's/.*of \([0-9]*\) x \([0-9]*\) pixels.*/\1 \2/p' out)
check "of all frames as raw RGB" test "$(cat with/speed.mp4)" = $((${pixels% *} * ${pixels#* } * 3 * 6))
check "which is to call an error one" grep -qx -e -xerror words
check "with even sides" test $((${pixels% *} % 2 + ${pixels#* } % 2)) = 0
check "and words, not a shell's line" grep -qx 'yuv420p' words
check "and no path that may lead elsewhere by then" grep -qx 'file:/dev/fd/3' words
check "no temporary file is left" test -z "$(ls -A with | grep tmp)"
check "another one is refused" movie 2 movie with --to=mp4 --fps=7 --size=100
check "with the cure" says "'with/speed.mp4' is there already, .* or write over it with --again"
check "which is one" movie 0 movie with --to=mp4 --fps=7 --size=100 --again
check "a GIF by its ending" movie 0 movie with --output=a.gif
check "has a palette of its own" grep -q 'palettegen' words
echo 'cat >/dev/null; echo "first" >&2; echo "no such encoder" >&2; exit 3' | ffmpeg
check "an ffmpeg that fails" movie 2 movie with --output=failed.mp4
check "is quoted, with the cure" says "failed with exit status 3 and says 'no such encoder'; .*--to=apng"
check "and leaves nothing" test -z "$(ls -A | grep failed)"
echo 'exit 0' | ffmpeg
check "one that takes no frames" movie 2 movie with --size=3000 --output=failed.mp4
check "is told apart" says 'ended before it had all frames'
echo 'kill -KILL $$' | ffmpeg
check "one that is killed" movie 2 movie with --output=failed.mp4
check "is said to be, with the cure" says 'was killed by signal 9.*--to=apng'
check "and leaves nothing either" test -z "$(ls -A | grep failed)"
if PATH=$work/none:$PATH command -v ffmpeg >/dev/null; then
  cut() { (ulimit -f 4; ends 2 movie with --output=cut.mp4 --size=600) && test ! -e cut.mp4; }
  check "an installed one that has no room for the movie is no success" cut
else skip "an installed one that has no room for the movie is no success" "there is no ffmpeg"; fi
echo 'cat >/dev/null' | ffmpeg
check "one that writes nothing" movie 2 movie with --output=failed.mp4
check "has not ended well" says 'ended well, but wrote no movie'
echo 'echo $$ >"${0%/*}/started"; exec sleep 300' | ffmpeg
hangs() { # ARGUMENT...: ended by SIGTERM while it waits for ffmpeg, however long that took to start
  rm -f fake/started
  PATH=$work/fake:$PATH "$TRIREME" movie with "$@" --output=failed.mp4 >out 2>err &
  movie=$!
  for _ in $(seq 600); do
    test -s fake/started && break
    sleep 0.1
  done
  sleep 0.2
  kill -TERM $movie
  for _ in $(seq 300); do # well before ffmpeg would end by itself
    kill -0 $movie 2>/dev/null || break
    sleep 0.1
  done
  if kill -KILL $movie 2>/dev/null; then wait $movie; return 1; fi
  wait $movie
  test $? = 75 && says 'stopped by the user; no movie was made' && test -z "$(ls -A | grep -e failed -e '[.]tmp')"
}
check "one that takes no frames, and hangs, can be stopped" hangs --size=3000
check "so can one that does not end" hangs --size=64
if test "$(id -u)" = 0; then
  : >victim && ln -s "$work/victim" stolen.mp4 && chown -h 1001 stolen.mp4
  check "a link of another user is not written through" movie 2 movie with --output=stolen.mp4
  check "and is named" says 'symbolic link of another user'
else skip "a link of another user is not written through" "only root can make one"; fi
check "without ffmpeg" env PATH="$work/none" /bin/sh -c "\"$TRIREME\" movie with --to=mp4 2>err; test \$? = 2"
check "the cure is named" says 'PATH has none; install ffmpeg, or make an APNG'
done_testing
