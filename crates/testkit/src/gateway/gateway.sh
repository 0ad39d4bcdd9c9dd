# Runs a program until the input ends, as it does when whoever started us is gone, were it by SIGKILL.
# $1: the log; then the program with its arguments.
log=$1
shift
"$@" </dev/null >"$log" 2>&1 &
program=$!
cat >/dev/null
kill -9 "$program"
wait "$program"
