#!/bin/sh
# Runs an mpirun, and again where Open MPI 4 takes a rank for lost that has ended well: one run in some thousand, also
# of programs that do nothing (open-mpi/ompi#7833). A rank that is lost indeed is lost again.
#   run_ranks.sh MPIRUN [OPTION...] PROGRAM [WORD...]
#
# Standard input stays open and says nothing. MPICH 4.0 tells ranks where it ends, and where these have ended before,
# SIGPIPE ends mpirun: 386 of 4088 runs of a rank that refuses at once, with /dev/null; none of 4109 this way.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
mkfifo "$folder/silence" || exit 1
exec 3<>"$folder/silence"
for run in 1 2 3; do
  "$@" <&3 3<&- >"$folder/out" 2>"$folder/errors"
  code=$?
  [ "$code" -eq 1 ] && grep -q "exiting improperly" "$folder/errors" || break
done
cat "$folder/out"
cat "$folder/errors" >&2
exit "$code"
