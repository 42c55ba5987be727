#!/bin/sh
#SBATCH --job-name=box
#SBATCH --time=02:00:00
# A run of any length in jobs of two hours: each goes on where the one before it was stopped, and
# submits the next one, until the run has finished.
folder=results/box limit=${LIMIT-110min}
if test -d "$folder/checkpoint"; then
  trireme resume "$folder" --for="$limit"
else
  trireme run driven-box --steps="${STEPS-1000000000}" --output="$folder" --for="$limit"
fi
case $? in
  0) echo "$folder has finished" ;;
  75) sbatch "$0" ;;
  *) exit 1 ;;
esac
