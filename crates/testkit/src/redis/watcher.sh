# Starts and kills a server on command, and ends with whoever gives the commands.
#
# usage: sh -c "$(cat watcher.sh)" watcher FOLDER PROGRAM
# input: "start" runs the server by FOLDER/redis.conf and writes its id to FOLDER/pid; "kill" kills it.
# At the end of the input, which comes however the other side dies, the server is killed and the folder
# deleted.

trap '' HUP INT TERM
folder=$1
program=$2
server=

stop() {
    [ -n "$server" ] || return 0
    kill -9 "$server" 2>/dev/null
    wait "$server" 2>/dev/null
    server=
}

while read -r order; do
    case $order in
    start)
        "$program" "$folder/redis.conf" </dev/null >"$folder/log" 2>&1 &
        server=$!
        echo "$server" >"$folder/pid"
        ;;
    kill) stop ;;
    esac
done
stop
rm -rf "$folder"
