import { setFlagsFromString } from 'node:v8';
import { LINEAR_PATTERN_FLAGS, onFirstLinearPattern } from './base/v8/linear-pattern.js';
import { exitCode } from './cli/exit-codes.js';
import { requireCompleteOutput } from './cli/output/stdout-file.js';
import { run } from './cli/run.js';

// Process-wide flags, for regular expressions from users.
onFirstLinearPattern(() => LINEAR_PATTERN_FLAGS.forEach((flag) => setFlagsFromString(flag)));

requireCompleteOutput();
const args = process.argv.slice(2);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // A gateway goes on switching when nobody takes its log: the reader is gone, or the disk is full.
  if (args[0] === 'serve') return;
  // Whoever reads us has had enough: `stellwerk watch | head`.
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(`stellwerk: the output cannot be written: ${error.message}\n`);
  process.exit(exitCode.failed);
});
process.exitCode = await run(args);
// A gateway that has stopped waits for nobody: not for a program that it started, nor for a thread that hangs
// in a call.
if (args[0] === 'serve') process.stdout.write('', () => process.exit());
