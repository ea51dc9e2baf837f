# bash completion for monofold; made by: monofold --completion bash
_monofold() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} flags
  local head='' last=${word##*,} first
  [[ $word == *,* ]] && head=${word%,*},
  COMPREPLY=()
  case $before in
    -k) return ;;
    --ddof) return ;;
    --nan) COMPREPLY=($(compgen -W 'propagate omit raise' -- "$word")); return ;;
    --axis) return ;;
    --output) return ;;
    --dtype) COMPREPLY=($(compgen -W 'bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64' -- "$word")); return ;;
    --format) COMPREPLY=($(compgen -W 'npy raw text' -- "$word")); return ;;
    --column) return ;;
    --by) return ;;
    --order) COMPREPLY=($(compgen -W 'sorted first' -- "$word")); return ;;
    --keys) COMPREPLY=($(compgen -W 'auto text' -- "$word")); return ;;
    --header) COMPREPLY=($(compgen -W 'auto yes no' -- "$word")); return ;;
    --delimiter) return ;;
    --na) return ;;
    --io) COMPREPLY=($(compgen -W 'auto map read direct' -- "$word")); return ;;
    --memory) return ;;
    --device) COMPREPLY=($(compgen -W 'auto cpu gpu gpus emulated' -- "$word")); return ;;
    --threads) return ;;
    --save-state) return ;;
    --first-index) return ;;
    --size) return ;;
    --ops) COMPREPLY=($(compgen -P "$head" -W 'count sum prod mean var std min max minmax argmin argmax top bottom any all nonzero norm1 norm2 norminf dot and or xor nan mean_square logsumexp softmax_denominator stats' -- "$last")); return ;;
    --instruction-set) return ;;
    --count) return ;;
    --seed) return ;;
    --distribution) COMPREPLY=($(compgen -W 'uniform normal ramp integers' -- "$word")); return ;;
    --n) return ;;
    --only) COMPREPLY=($(compgen -W 'warp_shared_halving warp_shared_halving_unguarded warp_shared_adjacent warp_shared_adjacent_padded warp_shuffle warp_redux block_global_inplace block_global_constant_bounds block_shared block_shared_dynamic block_shared_warp_sync block_shared_shuffle block_accumulate block_warps block_ordered_stream grid_partials_host grid_two_launch grid_atomic grid_atomic_warp_sync grid_atomic_shuffle grid_stride_two_launch grid_last_block grid_ordered_two_launch grid_ordered_last_block grid_vector grid_bulk engine top2_two_phase top2_shuffle top_k' -- "$word")); return ;;
    --op) COMPREPLY=($(compgen -W 'sum max min mean matmul top2' -- "$word")); return ;;
    --explain) COMPREPLY=($(compgen -W 'warp_shared_halving warp_shared_halving_unguarded warp_shared_adjacent warp_shared_adjacent_padded warp_shuffle warp_redux block_global_inplace block_global_constant_bounds block_shared block_shared_dynamic block_shared_warp_sync block_shared_shuffle block_accumulate block_warps block_ordered_stream grid_partials_host grid_two_launch grid_atomic grid_atomic_warp_sync grid_atomic_shuffle grid_stride_two_launch grid_last_block grid_ordered_two_launch grid_ordered_last_block grid_vector grid_bulk engine top2_two_phase top2_shuffle top_k' -- "$word")); return ;;
    --trace) return ;;
    --trace-json) return ;;
    --report) return ;;
  esac
  if [[ $word == -* ]]; then
    case ${COMP_WORDS[1]} in
      merge) flags='--save-state --subtract --hex --json --csv --help' ;;
      info) flags='--json --help' ;;
      verify) flags='--dtype --format --column --header --delimiter --na --io --help' ;;
      bench) flags='--dtype --threads --json --size --ops --cold --instruction-set --help' ;;
      generate) flags='--dtype --count --seed --distribution --help' ;;
      ladder) flags='--dtype --json --n --device --only --op --explain --trace --trace-json --mistake --report --help' ;;
      *) flags='-k --ddof --nan --plain --axis --keepdims --output --global-index --dtype --format --column --by --order --keys --runs --header --delimiter --na --io --memory --device --threads --mpi --save-state --first-index --hex --json --csv --quiet --help --version' ;;
    esac
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [[ $COMP_CWORD -eq 1 ]]; then
    first='count sum prod mean var std min max minmax argmin argmax top bottom any all nonzero norm1 norm2 norminf dot and or xor nan mean_square logsumexp softmax_denominator stats'
    [[ $word == *,* ]] || first+=' merge info verify bench generate ladder'
    COMPREPLY=($(compgen -P "$head" -W "$first" -- "$last"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _monofold monofold
