#!/bin/sh
# unshare --mount sh container.sh ROOT rw|ro WORKDIR UID GID [SOURCE TARGET]… -- COMMAND…
#
# Runs COMMAND as in a container: ROOT is /, with the programs and the configuration of this machine in /usr and /etc and a /tmp of its
# own; each SOURCE, a folder, lies at TARGET. With `ro`, all but these and /tmp is read-only. In a process namespace of its own COMMAND
# is the first process.
set -eu
root=$1 access=$2 workdir=$3 uid=$4 gid=$5
shift 5
mount --bind "$root" "$root"
mkdir -p "$root/usr/local" "$root/etc" "$root/tmp" "$root/proc" "$root/dev"

# place SOURCE TARGET [ro]
place() {
  mkdir -p "$root$2"
  mount --bind "$1" "$root$2"
  if [ "${3:-}" = ro ]; then mount -o remount,bind,ro "$root$2"; fi
}

own=$(mktemp -d)
mount --bind "$root/usr/local" "$own" # or it would be hidden by the next
place /usr /usr ro
place "$own" /usr/local $(if [ "$access" = ro ]; then echo ro; fi)
umount "$own"
rmdir "$own"
place /etc /etc ro
for folder in bin sbin lib lib64; do
  if [ -L /$folder ]; then cp -Pf /$folder "$root/"; elif [ -d /$folder ]; then place /$folder /$folder ro; fi
done
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
mount -t proc proc "$root/proc" 2>/dev/null || mount --rbind /proc "$root/proc"
for device in null zero random urandom; do
  [ -e "$root/dev/$device" ] || : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
[ -L "$root/dev/fd" ] || ln -s /proc/self/fd "$root/dev/fd"
while [ "$1" != -- ]; do
  place "$1" "$2"
  shift 2
done
shift
mkdir -p "$root$workdir"
if [ "$access" = ro ]; then mount -o remount,bind,ro "$root"; fi
exec unshare --root "$root" --wd "$workdir" --setgid "$gid" --setuid "$uid" -- "$@"
