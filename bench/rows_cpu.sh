#!/usr/bin/env bash
# Rows for docs/benchmarks.md: rows_cpu.sh TOOL FOLDER [SIZE [ITEMS [ROUNDS [cold]]]]; ITEMS: of files of float64.
set -euo pipefail
tool=$(realpath "$1") size=${3:-1G} items=${4:-512M} rounds=${5:-3}
mkdir -p "$2"
cd "$2"
bench() { "$tool" bench --json "$@"; }

for set in AVX3 AVX2; do
  "$tool" info | grep -qw "$set" || continue
  for ((round = 0; round < rounds; ++round)); do
    for type in f64 f32 bf16 f16 i64 i32 i16 u16 i8 u8; do
      bench --size 512K --threads 1 --dtype $type --instruction-set $set >>bench_cpu.rows
      # The narrower set is looked at once.
      [[ $set == AVX2 && $round -gt 0 ]] || bench --size "$size" --dtype $type --instruction-set $set >>bench_cpu.rows
    done
  done
done

# A file in the page cache has folios as large as what was written at once, on tmpfs (where it has room) single pages.
folder=$(mktemp -d /dev/shm/monofold.XXXXXX)
trap 'rm -rf "$folder" made.npy large_folios.npy small_pages.npy' EXIT
"$tool" generate made.npy --count "$items"
dd if=made.npy of=large_folios.npy bs=8M status=none
dd if=made.npy of=small_pages.npy bs=4k status=none
rm made.npy
for file in large_folios.npy small_pages.npy; do bench $file >>files.rows; done
if cp large_folios.npy "$folder/tmpfs.npy"; then (cd "$folder" && bench tmpfs.npy) >>files.rows; fi
if [[ ${6:-} == cold ]]; then bench large_folios.npy --cold >>files.rows; fi
cut -d ' ' -f 1 /proc/loadavg >load
