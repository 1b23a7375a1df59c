# Leaves no server behind when the process that started it is killed.
# Input:  $1    the server's temporary folder, removed at the end
#         stdin lines "pid <n>" (the server now running) and "pid" (none runs); "done" ends the watch and touches nothing.
#               End of file without "done" means that the owner has died.
# Cost:   one sleeping shell per server.
folder=$1
pid=

while read -r word value; do
  case $word in
    pid) pid=$value ;;
    done) exit 0 ;;
  esac
done

tree() {
  echo "$1"
  for child in $(cat "/proc/$1/task/"*/children 2>/dev/null || pgrep -P "$1"); do tree "$child"; done
}

if [ -n "$pid" ]; then
  # Stopped first, so that it cannot fork while its children are listed. SIGKILL also ends stopped processes.
  kill -STOP "$pid" 2>/dev/null
  kill -KILL $(tree "$pid") 2>/dev/null
fi

# A killed PostgreSQL leaves a System V segment; the last word of line 7 of its pid file is the id.
for pid_file in "$folder"/data/postmaster.pid; do
  [ -f "$pid_file" ] && ipcrm -m "$(sed -n '7s/.* //p' "$pid_file")" 2>/dev/null
done
rm -rf "$folder"
