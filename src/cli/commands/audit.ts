import { readFile } from 'node:fs/promises';
import { digestOf, followChains, lineOf, type ChainReport } from '../../base/audit-chain.js';
import { auditRoles } from '../../kernel/audit-record.js';
import { gatewayClient, gatewayOptions } from '../arguments/locate-gateway.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';

/** `stellwerk audit`: the audit as lines of JSON, and whether its chain is complete. */
export const audit = command({
  usage: 'audit [options] [verify [FILE]]',
  about: `Prints the audit of the gateway as lines of JSON, oldest first per role. Each has a number (seq) and the digest
of the line before (prev). verify follows these chains, and with a FILE that was printed earlier also
compares both: a record that was changed or removed since is reported. Copy the lines to another machine
regularly, because anyone who can write to the data directory can also create a new chain.`,
  options: {
    ...gatewayOptions,
    role: { type: 'string', value: 'ROLE', help: `only this role: ${auditRoles.join(', ')}` },
  },
  words: [0, 2],
  exits:
    '0 printed, or complete, 1 a record was changed or removed, or FILE cannot be read, 69 the gateway cannot be reached, 78 errors in the configuration',
  run: async ({ role, ...options }, [verb, file]) => {
    if (verb !== undefined && verb !== 'verify')
      throw new UsageError(`there is no ${verb}; type audit verify`);
    if (role !== undefined && !auditRoles.some((one) => one === role))
      throw new UsageError(`--role ${role}: give one of ${auditRoles.join(', ')}`);
    const copy = file === undefined ? undefined : await readCopy(file, role);
    const gateway = await gatewayClient(options);
    const lines: string[] = [];
    for (const one of role === undefined ? auditRoles : [role])
      lines.push(...((await gateway.request('GW_GetAuditLines', [one])) as string[]));
    if (verb === undefined) {
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
      return exitCode.ok;
    }
    return verify(lines, copy);
  },
});

/** The lines of a copy, without those of other roles than the given one. */
async function readCopy(file: string, role: string | undefined): Promise<string[]> {
  const text = await readFile(file === '-' ? '/dev/stdin' : file, 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  return role === undefined ? lines : lines.filter((line) => (lineOf(line)?.role ?? 'owner') === role);
}

function verify(lines: readonly string[], copy: readonly string[] | undefined): number {
  const reports = followChains(lines);
  for (const { role, records, first, last, digest } of reports)
    process.stdout.write(`${role}: ${records} records, ${first} to ${last}, newest digest ${digest}\n`);
  const problems = [
    ...reports.flatMap(breaksOf),
    ...(copy === undefined ? [] : [...followChains(copy).flatMap(breaksOf), ...differences(lines, copy)]),
  ];
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  return problems.length === 0 ? exitCode.ok : exitCode.failed;
}

const breaksOf = ({ role, breaks }: ChainReport): string[] =>
  breaks.map(
    (seq) => `${role}: record ${seq} does not follow the one before it: a record was changed or removed`,
  );

/**
 * Records of the copy that the gateway no longer has, or has changed. Ignores those older than its oldest
 * record, which it has deleted as the ring filled.
 */
function differences(lines: readonly string[], copy: readonly string[]): string[] {
  const digests = new Map<string, string>();
  const oldest = new Map<string, number>();
  for (const line of lines) {
    const { role = 'owner', seq = 0 } = lineOf(line) ?? {};
    if (seq === 0) continue;
    digests.set(`${role} ${seq}`, digestOf(line));
    if (!oldest.has(role)) oldest.set(role, seq);
  }
  return copy.flatMap((line) => {
    const { role = 'owner', seq = 0 } = lineOf(line) ?? {};
    if (seq === 0 || seq < (oldest.get(role) ?? 1)) return [];
    const present = digests.get(`${role} ${seq}`);
    if (present === digestOf(line)) return [];
    return [
      `${role}: record ${seq} of the file ${present === undefined ? 'is missing' : 'is different'} in the gateway`,
    ];
  });
}
