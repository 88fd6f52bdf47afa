import { fstatSync, writeSync } from 'node:fs';

const STDOUT = 1;

/**
 * Makes stdout report an error unless all data is written, if it is a file: Node ignores that a file takes only
 * a part of the data, as on a disk that becomes full. To be called before the first output.
 */
export function requireCompleteOutput(): void {
  if (!fstatSync(STDOUT).isFile()) return;
  process.stdout._write = (data: Buffer, _encoding, done) => {
    try {
      for (let at = 0; at < data.length;) at += writeSync(STDOUT, data, at);
      done();
    } catch (thrown) {
      done(thrown as Error);
    }
  };
}
