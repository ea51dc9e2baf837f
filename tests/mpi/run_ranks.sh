#!/bin/sh
# Runs an mpirun, and again where Open MPI 4 takes a rank for lost that has ended well: one run in some thousand, also
# of programs that do nothing (open-mpi/ompi#7833). A rank that is lost indeed is lost again.
#   run_ranks.sh MPIRUN [OPTION...] PROGRAM [WORD...]
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
for run in 1 2 3; do
  "$@" >"$folder/out" 2>"$folder/errors"
  code=$?
  [ "$code" -eq 1 ] && grep -q "exiting improperly" "$folder/errors" || break
done
cat "$folder/out"
cat "$folder/errors" >&2
exit "$code"
