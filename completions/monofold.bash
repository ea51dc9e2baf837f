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
    --dtype) COMPREPLY=($(compgen -W 'bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64' -- "$word")); return ;;
    --format) COMPREPLY=($(compgen -W 'npy raw text' -- "$word")); return ;;
    --column) return ;;
    --header) COMPREPLY=($(compgen -W 'auto yes no' -- "$word")); return ;;
    --delimiter) return ;;
    --na) return ;;
    --device) COMPREPLY=($(compgen -W 'auto cpu gpu gpus emulated' -- "$word")); return ;;
    --threads) return ;;
    --size) return ;;
    --ops) COMPREPLY=($(compgen -P "$head" -W 'count sum prod mean var std min max minmax argmin argmax top bottom any all nonzero norm1 norm2 norminf dot and or xor nan stats' -- "$last")); return ;;
    --count) return ;;
    --seed) return ;;
    --distribution) COMPREPLY=($(compgen -W 'uniform normal ramp integers' -- "$word")); return ;;
  esac
  if [[ $word == -* ]]; then
    case ${COMP_WORDS[1]} in
      info) flags='--json --help' ;;
      verify) flags='--dtype --format --column --header --delimiter --na --help' ;;
      bench) flags='--dtype --threads --json --size --ops --help' ;;
      generate) flags='--dtype --count --seed --distribution --help' ;;
      *) flags='-k --ddof --nan --plain --dtype --format --column --header --delimiter --na --device --threads --hex --json --csv --quiet --help --version' ;;
    esac
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [[ $COMP_CWORD -eq 1 ]]; then
    first='count sum prod mean var std min max minmax argmin argmax top bottom any all nonzero norm1 norm2 norminf dot and or xor nan stats'
    [[ $word == *,* ]] || first+=' info verify bench generate'
    COMPREPLY=($(compgen -P "$head" -W "$first" -- "$last"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _monofold monofold
