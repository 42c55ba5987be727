# pictures.sh - the pictures of a run: their keys, the first and the last of them, every solver's fields.
. "$srcdir/tests/tap.sh"
workplace pictures
grep -q '^#define HAVE_LIBPNG' "$build/config.h" || skip_all "this build has no libpng"

files() { folder=$1; shift; for file in "$@"; do test -s "$folder/$file" || { ls "$folder"; return 1; }; done; }

size_of() { od -An -j16 -N8 -tu1 "$1" | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }'; }
box="lbm --set grid.nx=32 --set grid.ny=16 --set lbm.accel=0.01 --steps=40 --quiet"

# ---- which ones
check "a run with pictures on the way" ends 0 run $box --formats=png,npy --every=15 --output=way
check "has that of the first state, those at multiples and the last by numbers, and the last by name" files way \
  speed-00000000.png speed-00000015.png speed-00000030.png speed-00000040.png speed.png speed-00000000.npy
check "the last of which is the one without a number" cmp way/speed-00000040.png way/speed.png
check "in one copy" test way/speed-00000040.npy -ef way/speed.npy
check "a run without them" ends 0 run $box --formats=png --output=end
check "has the last one alone" test "$(echo end/*.png)" = end/speed.png
check "and the same bits" test "$(print_of way)" = "$(print_of end)"
check "with times the first state is written, too" \
  ends 0 run nbody --set nbody.bodies=32 --set nbody.dt=0.001 --steps=5 --every-time=0.002 --formats=vti --output=times
check "and listed for ParaView" grep -q 'timestep="0" .*fields-00000000.vti' times/fields.pvd

# ---- keys
check "colours, a range and a width" ends 0 run $box --formats=png --set output.width=300 \
  --set output.colours=inferno --set 'output.range=0 0.01' --output=keys
check "make another picture" test "$(size_of keys/speed.png)" != "$(size_of end/speed.png)"
width() { w=$(size_of keys/speed.png); test "${w%x*}" -gt 300 && test "${w%x*}" -lt 500; }
check "with that many pixels between its scales" width
check "a range for each field" ends 0 run $box --formats=png --set 'output.range=pressure 0 1; speed 0 0.01' \
  --output=ranges
refused() { # PATTERN SETTING...
  refused_pattern=$1; shift
  ends 2 run $box --formats=png --output=refused "$@" && has "$refused_pattern" err
}
range() { # RANGE PATTERN
  check "a range '$1' is refused" refused "$2" --set "output.range=$1"
}
range 3 "'3' is not a range: it does not have two numbers; give"
range '1 0' 'is not a range: it goes downwards'
range '1 1' 'is not a range: both ends are equal'
range '0 inf' 'is not a range: an end is not finite'
range 'nan 1' 'is not a range: an end is not finite'
range '0 0x5' "is not a range: words other than the field's name"
range '-1e308 1e308' 'is not a range: its ends are too far apart'
range 'speed 0 speed 1' "is not a range: words other than the field's name"
range '0 1; 0 2' 'has two ranges for all fields; leave one of them out'
range 'speed 0 1; speed 0 2' "has two ranges for 'speed'"
range 'spied 0 1' "no field 'spied'; the nearest is 'speed'"
range 'gas 0 1' "no field 'gas'; choose from .*speed, pressure"
range 'solid 0 1' "a range for 'solid', which has no picture"
for key in 'range=1 0' plane=q; do
  check "a run without pictures refuses $key, too" ends 2 run $box --formats=none --set "output.$key" --output=refused
done
check "a field's own range goes before that of all" ends 0 run $box --formats=png \
  --set 'output.range=speed 0 0.01; 0 1' --output=own
check "wherever it stands" cmp own/speed.png ranges/speed.png
check "a plane of a field in two dimensions is refused" refused 'has two dimensions' --set output.plane=x
check "so is one beyond the only one" refused 'has two dimensions and is shown whole' --set output.plane=z=3
check "the only one is not" ends 0 run $box --formats=png --set output.plane=z=0 --output=only
check "and one that is none" refused 'is not a plane; give x, y or z' --set output.plane=q
check "colours that are none are refused" refused "did you mean 'inferno'" --set output.colours=infernal
check "a picture of one pixel is refused" refused 'output.width = 1 is too small for a picture; give at least 64, or 0' --set output.width=1
check "the narrowest is not" ends 0 run $box --formats=png --set output.width=64 --output=narrow
check "one wider than any is" refused 'at least 0 and at most 8192' --set output.width=8193
check "so is one that is too high" refused 'is 25600 high, and 8192 is the most; give a smaller' \
  --set grid.nx=16 --set grid.ny=1024 --set output.width=400
check "outlines of blocks where there are none are refused" refused "solver 'lbm' has none; leave the key out" \
  --set output.grid=true
check "no formats and some are refused" ends 2 run $box --formats=png,none --output=refused
check "with the reason" has 'names none beside others' err

# ---- seen from outside
solid="lbm3d --set grid.nx=20 --set grid.ny=16 --set grid.nz=16 --set lbm.viscosity=0.1 --steps=3 --quiet --formats=png"
ball='bodies.shapes=sphere 8 8 8 3'
rendered() { # RENDERING SETTING...
  rendering=$1; shift
  ends 0 run $solid --set "$ball" --set output.rendering=$rendering --output=rendering-$rendering "$@" && files rendering-$rendering speed.png
}
for rendering in greatest lumen body; do check "a rendering: $rendering" rendered $rendering --set 'output.from=30 -20'; done
check "they are different pictures" test "$(cat rendering-*/speed.png | wc -c)" -gt 0 -a \
  "$(for f in rendering-*/speed.png; do cksum <$f; done | sort -u | wc -l)" = 3
check "of as many pixels as are asked for" rendered plane --set output.width=100
check "a rendering of two dimensions is refused" refused 'has two dimensions' --set output.rendering=greatest
check "a viewer of a plane is refused" refused 'give output.rendering too' --set 'output.from=1 2'
for from in 7 '1 2 3' '0 91' 'a b' '0 nan' '0 0x9'; do
  check "a viewer at '$from' is refused" refused 'is not a direction' --set output.rendering=greatest --set "output.from=$from"
done
check "so are a plane and a rendering" ends 2 run $solid --set output.rendering=greatest --set output.plane=x --output=refused
check "with the reason" has 'leave one of them out' err

# ---- blocks
blocks() { "$TRIREME" run compressible --set grid.nx=32 --set grid.ny=32 --set grid.levels=1 --set 'mesh.refine=0.1 0.4 0.1 0.4' \
  --steps=2 --quiet --formats=png --fields=density "$@"; }
check "blocks without their outlines" blocks --output=plain-blocks
check "and with them" blocks --set output.grid=true --output=blocks
check "are pictures of the same size" test "$(size_of blocks/density.png)" = "$(size_of plain-blocks/density.png)"
check "that differ" sh -c '! cmp -s blocks/density.png plain-blocks/density.png'
check "a rendering shows no outlines" ends 2 run compressible --set grid.nx=16 --set grid.ny=16 --set grid.nz=16 --steps=2 \
  --formats=png --set output.rendering=greatest --set output.grid=true --output=refused
check "and says so" has 'shows no plane for output.grid' err

# ---- streamlines
streams() { # NAME RENDERING SEEDS
  name=$1
  ends 0 run $solid --set "$ball" --set initial.velocity_x=0.05 --set output.rendering="$2" --set "output.streamlines=$3" \
    --output=streams-$name --formats=png,vti && files streams-$name speed.png streamlines.vtp
}
check "streamlines around a body" streams line body 'line 1 2 8 1 14 8 7'
check "are seven in a file" has 'NumberOfLines="7"' streams-line/streamlines.vtp
check "and in the picture" test "$(cksum <streams-line/speed.png)" != "$(cksum <rendering-body/speed.png)"
check "in a box" streams box greatest 'box 1 2 2 3 14 14 5'
check "in all of the fluid" streams count lumen 'count 9'
check "are nine in a file" has 'NumberOfLines="9"' streams-count/streamlines.vtp
for seeds in 'count' 'line 1 2 3' 'count 0' 'ring 1' 'line 1 2 0x8 1 14 8 7'; do
  check "'$seeds' is refused" ends 2 run $solid --set output.rendering=greatest --set "output.streamlines=$seeds" --output=refused
  check "'$seeds' is told why" has 'is no place for streamlines' err
done
check "so are they of two dimensions" refused 'no velocity in three dimensions' --set 'output.streamlines=count 3'
check "and where nothing shows them" ends 2 run $solid --set 'output.streamlines=count 3' --output=refused
check "with the reason" has 'shown by an output.rendering other than plane' err

# ---- fonts
echo '<?xml version="1.0"?><fontconfig><dir>/nonexistent</dir><cachedir>/nonexistent</cachedir></fontconfig>' >none.conf
if grep -q '^#define HAVE_FONTS' "$build/config.h"; then
  check "a machine with fonts" "$TRIREME" run $box --formats=png --output=letters
  check "a machine without a font" env FONTCONFIG_FILE="$work/none.conf" "$TRIREME" run $box --formats=png --output=dots
  check "has pictures in the bitmap font" test -s dots/speed.png
  check "and a warning with the cure" grep -q 'no font on this machine.*install fonts-dejavu-core' dots/log.txt
  mkdir -p fonts home/.config/fontconfig home/.fonts
  mkfifo pipe.conf fonts/fonts.conf home/.config/fontconfig/fonts.conf home/.fonts/dots.ttf
  truncate -s 40G endless.conf
  for named in FILE=/dev/zero FILE="$work/pipe.conf" FILE="$work/endless.conf" PATH="/none:$work/fonts"; do
    check "a configuration without end, $(basename "$named")" env "FONTCONFIG_$named" timeout -k 1 60 "$TRIREME" run $box \
      --formats=png --output="endless-$(basename "$named")"
    check "has a warning with the cure" grep -q 'FONTCONFIG_FILE, .*unset it' "endless-$(basename "$named")/log.txt"
  done
  check "pipes in the home folder are not waited for" env HOME="$work/home" XDG_CONFIG_HOME="$work/home/.config" \
    timeout -k 1 60 "$TRIREME" run $box --formats=png --output=home-fonts
  check "nor do they cost the letters" cmp home-fonts/speed.png letters/speed.png
fi

# ---- every solver, every field
pictured() { # NAME FIELDS ARGUMENT...
  name=$1 list=$2; shift 2
  ends 0 run "$@" --quiet --formats=png --fields="$list" --output="$name" || return 1
  for field in $(echo "$list" | tr , ' '); do test -s "$name/$field.png" || { ls "$name"; return 1; }; done
}
plain="--set grid.nx=40 --set grid.ny=24 --steps=20"
check "the driven box" pictured driven speed lbm $plain
check "and what it does not show by itself" pictured driven2 velocity,pressure lbm $plain
check "a channel" pictured channel speed,vorticity lbm $plain --set lbm.flow=channel --set lbm.inflow=uniform \
  --set lbm.speed=0.05 --set lbm.viscosity=0.05 --set "bodies.shapes=cylinder 12 12 3"
check "shallow water" pictured shallow surface shallow $plain --set grid.dx=10 \
  --set "initial.surface=exp(-((x-200)^2+(y-120)^2)/900)" --set "shallow.bed_formula=x > 300 ? 3 : -10"
shallow="shallow $plain --set grid.dx=10 --set initial.surface=sin(x/50) --quiet --formats=png --fields=surface"
for range in '1 2' '-2 -1'; do
  check "diverging colours of a range '$range' without the middle are refused" ends 2 run $shallow \
    --set output.colours=diverging --set "output.range=$range" --output=middle
  check "with both" has "goes from.* 'diverging' has its middle at 0; give a range that holds it" err
done
check "those that touch it are not" ends 0 run $shallow --set output.colours=diverging --set 'output.range=0 2' --output=middle
check "and its maps" pictured maps arrival,greatest_depth,speed,bed shallow $plain --set grid.dx=10 --set shallow.maps=true \
  --set "initial.surface=exp(-((x-200)^2+(y-120)^2)/900)" --set "shallow.bed_formula=x > 300 ? 3 : -10"
check "all that are named" pictured named surface,speed,velocity,bed shallow $plain --set grid.dx=10
check "but those that are not" sh -c '! ls named | grep -v "^\(surface\|speed\|velocity\|bed\).png" | grep png'
check "a gas" pictured gas density,pressure,mach,velocity compressible --set grid.nx=48 --set grid.ny=32 --steps=2
check "a gas in three dimensions" pictured gas3 density,pressure,velocity compressible --set grid.nx=16 --set grid.ny=16 \
  --set grid.nz=16 --steps=2 --set output.plane=x=3
check "a lattice in three dimensions" pictured lattice3 speed,pressure,vorticity,density,velocity lbm3d --set grid.nx=16 \
  --set grid.ny=12 --set grid.nz=8 --set lbm.viscosity=0.1 --steps=2 --set output.plane=y
check "a plane beyond the last is refused" ends 2 run lbm3d --set grid.nx=16 --set grid.ny=12 --set grid.nz=8 \
  --set lbm.viscosity=0.1 --steps=2 --set output.plane=y=12 --output=refused
check "with those there are" has 'has 12 planes across y; give 0 to 11' err
bodies="nbody --set nbody.bodies=64 --set nbody.dt=0.001 --steps=2 --set nbody.picture=64 --quiet"
check "a list has no picture" ends 2 run $bodies --formats=png --fields=density,position --output=list
check "which is said, with the cure" has "'position' has no picture .* names no other file for it; add npy" err
check "where it is written otherwise, others have theirs" ends 0 run $bodies --formats=png,npy \
  --fields=density,position --output=list
check "and it has none" test "$(echo list/*.png)" = list/density.png
check "logarithms and diverging colours are refused" ends 2 run $bodies --formats=png --output=zero \
  --set output.colours=diverging
check "with the reason" has "'density' are logarithmic, and diverging ones have a middle" err
check "bodies" pictured bodies density nbody --set nbody.bodies=64 --set nbody.dt=0.001 --steps=2 --set nbody.picture=64
check "colours by the logarithm have no zero" ends 2 run nbody --set nbody.bodies=64 --set nbody.dt=0.001 --steps=2 \
  --formats=png --set 'output.range=0 1' --output=zero
check "which is said" has 'logarithmic, and output.range begins at 0; give a least value above 0' err
done_testing
