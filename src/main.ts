import { setFlagsFromString } from 'node:v8';
import { LINEAR_PATTERN_FLAGS, onFirstLinearPattern } from './base/v8/linear-pattern.js';
import { run } from './cli/run.js';

// Process-wide flags, for regular expressions from users.
onFirstLinearPattern(() => LINEAR_PATTERN_FLAGS.forEach((flag) => setFlagsFromString(flag)));

const args = process.argv.slice(2);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A gateway goes on switching when nobody takes its log: the reader is gone, or the disk is full.
  if (args[0] === 'serve') return;
  if (error.code !== 'EPIPE') throw error;
  // Whoever reads us has had enough: `stellwerk watch | head`.
  process.exit();
});
process.exitCode = await run(args);
// A gateway that has stopped waits for nobody: not for a program that it started, nor for a thread that hangs
// in a call.
if (args[0] === 'serve') process.stdout.write('', () => process.exit());
