# Runs a program until the input ends, as it does when whoever started us is gone, were it by SIGKILL.
# $1: the log; then the program with its arguments.
log=$1
shift
"$@" </dev/null >"$log" 2>&1 &
program=$!
cat >/dev/null
# It may have children of its own to end.
kill "$program" 2>/dev/null
tries=50
while [ "$tries" -gt 0 ] && kill -0 "$program" 2>/dev/null; do
    sleep 0.1
    tries=$((tries - 1))
done
kill -9 "$program" 2>/dev/null
wait "$program"
