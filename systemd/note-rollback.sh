#!/bin/sh
# note-rollback.sh VERSION RUNNING REASON LIMIT [DIRECTORY]: writes the note of an update that was rolled back, which health, the
# console, `stellwerk doctor` and `stellwerk update status` show. REASON: unhealthy (within LIMIT seconds), configuration (it
# was rejected) or start (the version never ran far enough to be checked). src/service/updates/rollback-note.ts reads it.
set -e
directory=${5:-/var/lib/stellwerk-update}
mkdir -p "$directory"
printf '{"version":"%s","running":"%s","time":"%s","reason":"%s","limit":%s}\n' \
  "$1" "$2" "$(date -u +%FT%TZ)" "$3" "$4" >"$directory/rolled-back.new"
# The gateway's user has to read it.
chmod 0755 "$directory" && chmod 0644 "$directory/rolled-back.new"
sync "$directory/rolled-back.new"
mv "$directory/rolled-back.new" "$directory/rolled-back"
# The message id is that of src/service/journal.ts. The note counts; the journal may be unavailable.
printf 'MESSAGE_ID=%s\nPRIORITY=4\nSYSLOG_IDENTIFIER=stellwerk\nSTELLWERK_VERSION=%s\nMESSAGE=version %s was rolled back (%s), %s runs\n' \
  627e79c72b424dd882e2e271c93de18f "$1" "$1" "$3" "$2" | logger --journald 2>/dev/null || :
