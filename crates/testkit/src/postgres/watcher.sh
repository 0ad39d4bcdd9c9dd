# Makes a PostgreSQL server, starts and stops it on command, and ends with whoever gives the commands.
#
# usage: sh -c "$(cat watcher.sh)" watcher FOLDER PROGRAMS USER [ARGUMENT...]
# input: "start PORT" writes the server's id to FOLDER/pid; "stop" stops it at once.
# FOLDER/initdb holds the exit status of initdb when the data are made.
# At the end of the input, which comes however the other side dies, the server is stopped and the
# folder deleted.

trap '' HUP INT TERM
folder=$1
programs=$2
user=$3
shift 3
server=

# A server that has only just begun may still ignore the signal, so it gets more than one; the last
# resort comes after half a minute. Nothing that is paused acts on a signal before it continues.
stop() {
    [ -n "$server" ] || return 0
    signal=QUIT
    tries=0
    while kill -"$signal" "$server"; do
        kill -CONT "$server" $(cat "/proc/$server/task/$server/children")
        sleep 0.02
        tries=$((tries + 1))
        [ "$tries" -lt 1500 ] || signal=KILL
    done 2>/dev/null
    wait "$server"
    server=
}

"$programs/initdb" --no-sync --auth=trust --encoding=UTF8 --no-locale \
    --username="$user" --pgdata="$folder/data" </dev/null >"$folder/log" 2>&1
echo "$?" >"$folder/initdb"

while read -r order port; do
    case $order in
    start)
        "$programs/postgres" -D "$folder/data" -p "$port" "$@" </dev/null >"$folder/log" 2>&1 &
        server=$!
        echo "$server" >"$folder/pid"
        ;;
    stop) stop ;;
    esac
done
stop
rm -rf "$folder"
