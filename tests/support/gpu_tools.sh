# shellcheck shell=sh
# Stand-ins for the tools that a session on a machine with a GPU uses, for tests/check_gpu_session and
# tests/check_gpu_commands, which set $folder and put $folder/tools on the PATH.
: "${folder:?}"
mkdir -p "$folder/tools"
stand_in() { # NAME: a program from standard input; a name without a folder goes to $folder/tools
    case $1 in
    */*) cat >"$1" ;;
    *) cat >"$folder/tools/$1" && set -- "$folder/tools/$1" ;;
    esac
    chmod +x "$1"
}

# bench_gpu without the measurement of shortcuts, which takes the longest.
without_shortcuts() { # PROGRAM
    mv "$1" "$1.there"
    stand_in "$1" <<'END'
#!/bin/sh
case "$*" in *--shortcuts*) exit 0 ;; esac
exec bin/bench_gpu.there "$@"
END
}

# Runs the program; racecheck always finds something.
stand_in compute-sanitizer <<'END'
#!/bin/sh
[ "$1 $3 $4 $5 $6 $7 $8" = \
    '--tool --report-api-errors no --kernel-name regex=_kernel --error-exitcode 98' ] || exit 97
tool=$2
shift 8
"$@" || exit
echo "========= $tool ran"
[ "$tool" != racecheck ] && echo '========= ERROR SUMMARY: 0 errors' || exit 98
END
# Expects the options for each kernel of a graph, with clocks and caches left alone, once the base model is warm.
stand_in ncu <<'END'
#!/bin/sh
metrics=gpu__time_duration.sum,dram__bytes_read.sum,lts__t_bytes.sum,launch__registers_per_thread
case "$*" in
"--csv --page raw --graph-profiling node --clock-control none --cache-control none --metrics $metrics \
--launch-skip 400 --launch-count 120 bin/bench_gpu "*' --sentences 1 --profile tf32') ;;
*) echo "$*" && exit 97 ;;
esac
shift 15
"$@" && echo '"ID","Kernel Name","gpu__time_duration.sum"'
END
# Watches until it is stopped.
stand_in nvidia-smi <<END
#!/bin/sh
case "\$*" in
*--loop=5*) echo \$\$ >'$folder/watching' && echo 'clocks' && exec sleep 1000 ;;
*) echo 'stand-in for a GPU' ;;
esac
END
