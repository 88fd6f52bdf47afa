import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Certificates of an authority `ca` in a directory, made with openssl: `NAME.pem` and `NAME.key`. The first one
 * must be `ca`; another one with the same name replaces it, as a renewal does.
 */
export function certificatesIn(directory: string) {
  const at = (name: string) => join(directory, name);
  const certificate = async (name: string, subject: string, extension: string): Promise<void> => {
    const request = ['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const into = ['-keyout', at(`${name}.key`), '-out', at(`${name}.csr`)];
    await run('openssl', [...request, '-subj', subject, ...into]);
    await writeFile(at(`${name}.ext`), extension);
    const signer =
      name === 'ca'
        ? ['-signkey', at('ca.key')]
        : ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial'];
    const sign = ['x509', '-req', '-in', at(`${name}.csr`), '-extfile', at(`${name}.ext`), '-days', '2'];
    await run('openssl', [...sign, ...signer, '-out', at(`${name}.pem`)]);
  };
  return { at, certificate };
}
