/**
 * Loaded into a gateway before its own code (`--import`): SIGUSR2 begins to watch the turns of its event
 * loop, the next one ends it and tells the longest. A turn is counted in processor time, so that a core
 * shared with others does not show; the kernel counts it in steps of a few milliseconds.
 */
let longestUs = 0;
let isWatching = false;
let lastUs = 0;

process.on('SIGUSR2', () => {
  isWatching = !isWatching;
  if (isWatching) {
    longestUs = 0;
    lastUs = usedUs();
    setImmediate(turn);
  } else {
    process.stderr.write(`longest turn ${longestUs} us\n`);
  }
});

function turn(): void {
  const nowUs = usedUs();
  longestUs = Math.max(longestUs, nowUs - lastUs);
  lastUs = nowUs;
  if (isWatching) setImmediate(turn);
}

function usedUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
