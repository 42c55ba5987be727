#!/bin/sh
#SBATCH --job-name=box
#SBATCH --time=02:00:00
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
# One run over eight ranks, a GPU each, of any length in jobs of two hours: each goes on where the one
# before it was stopped, and submits the next one. LAUNCH=mpirun where Slurm's srun does not know MPI.
folder=results/box limit=${LIMIT-110min} launch=${LAUNCH-srun --mpi=pmix --kill-on-bad-exit=1}
backend=${BACKEND-cuda}
if test -d "$folder/checkpoint"; then
  $launch trireme resume "$folder" --backend="$backend" --for="$limit"
else
  $launch trireme run driven-box --backend="$backend" --steps="${STEPS-1000000000}" --output="$folder" --for="$limit"
fi
case $? in
  0) echo "$folder has finished" ;;
  75) sbatch "$0" ;;
  *) exit 1 ;;
esac
