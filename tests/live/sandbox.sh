#!/bin/sh
# unshare --mount sh sandbox.sh FUNCTION RUNTIME PYTHON SCRATCH LAYER… -- COMMAND…
#
# Runs COMMAND where Lambda would: FUNCTION is /var/task, the LAYERs are /opt, RUNTIME is /var/runtime, PYTHON without its
# site-packages is /var/lang, SCRATCH/tmp is /tmp. Beside these there are the system's own programs, and all but /tmp is
# read-only: no checkout, no home, no /dev/shm. The user is nobody in particular.
set -eu
function=$1 runtime=$2 python=$3 scratch=$4
shift 4
root=$scratch/root
mount -t tmpfs -o mode=755 sandbox "$root"

place() {
  if [ -d "$1" ]; then mkdir -p "$root$2"; else : >"$root$2"; fi
  mount --bind "$1" "$root$2"
  mount -o remount,bind,ro "$root$2"
}

for folder in bin sbin lib lib64; do
  if [ -L /$folder ]; then cp -P /$folder "$root/"; elif [ -d /$folder ]; then place /$folder /$folder; fi
done
place /usr /usr
place /etc /etc
place "$function" /var/task
place "$runtime" /var/runtime
place "$python" /var/lang
for packages in "$root"/var/lang/lib/python3*/site-packages "$root"/var/lang/lib/python3*/dist-packages; do
  if [ -d "$packages" ]; then mount -t tmpfs -o ro,mode=755 nothing "$packages"; fi
done
mkdir -p "$root/opt"
while [ "$1" != -- ]; do
  for part in "$1"/*; do place "$part" "/opt/${part##*/}"; done
  shift
done
shift

mkdir "$root/tmp" "$root/proc" "$root/dev"
mount --bind "$scratch/tmp" "$root/tmp"
mount --rbind /proc "$root/proc"
for device in null zero random urandom; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
mount -o remount,ro "$root"

unset FOOTNOTE_LOCAL # the stand-in for Lambda sets it
export LAMBDA_TASK_ROOT=/var/task
exec unshare --root "$root" --wd /var/task --setgid 990 --setuid 993 -- "$@"
