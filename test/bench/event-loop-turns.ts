/**
 * Loaded into a gateway before its own code (`--import`): SIGUSR2 starts to measure the iterations of its
 * event loop, the next one stops and prints the longest. An iteration is measured in processor time, so that
 * other processes on the core have no effect; the kernel counts it in steps of a few milliseconds.
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
