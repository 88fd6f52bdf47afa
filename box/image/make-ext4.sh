#!/bin/bash
# Makes an ext4 file system without a journal from a directory: make-ext4.sh DIRECTORY MEGABYTES SHA256 OUT.ext4. MEGABYTES is
# the size of the partition; the file system is only as large as its files, because an update writes all of it. The same
# directory and SHA256, which gives the uuid, give the same bytes.
set -euo pipefail
root=$1 megabytes=$2 sum=$3 out=$4
uuid=${sum:0:8}-${sum:8:4}-${sum:12:4}-${sum:16:4}-${sum:20:12}
# e2fsprogs before 1.47.1 take their clock from here.
export E2FSPROGS_FAKE_TIME=${SOURCE_DATE_EPOCH:-1767225600}
inodes=$(($(find "$root" | wc -l) + 64))

# make MEGABYTES
make() {
  rm -f "$out"
  truncate -s "${1}M" "$out"
  mke2fs -q -t ext4 -b 4096 -m 0 -N $inodes -O ^has_journal,^resize_inode,^metadata_csum_seed -U "$uuid" \
    -E "hash_seed=$uuid,root_owner=0:0,no_copy_xattrs" -L slot -d "$root" "$out"
}
make "$megabytes"
used=$(dumpe2fs -h "$out" 2>/dev/null | awk '/^Block count:/ { all = $3 } /^Free blocks:/ { print all - $3 }')
# A block has 4 KiB. The smaller file system can need a little more, because inodes are rounded up in each group.
make $(((used + 255) / 256 + 1))

# The other clocks of the inodes in use (those that no group lists as free) are the build's: set them.
dumpe2fs "$out" 2>/dev/null | awk -v t="@$E2FSPROGS_FAKE_TIME" '
  /^Inode count:/ { count = $3 }
  /^  Free inodes: / {
    sub(/^  Free inodes: */, "")
    n = split($0, ranges, ", *")
    for (i = 1; i <= n; i++) {
      split(ranges[i], ends, "-")
      if (ends[1] == "") continue
      for (j = ends[1]; j <= (ends[2] == "" ? ends[1] : ends[2]); j++) free[j] = 1
    }
  }
  END {
    for (i = 2; i <= count; i++)
      if (!(i in free) && (i == 2 || i > 10)) for (c = 1; c <= 3; c++)
        print "sif <" i "> " substr("ctime atime crtime", 6 * c - 5, 6) " " t
  }' | debugfs -w -f - "$out" >/dev/null 2>&1
