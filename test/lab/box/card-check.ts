/** Checks a card after a power cut, as the box does at its next start, but on the machine of the test. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import type { AllowedValues } from '../../campaign/facts.js';
import { problemAfterCrash } from '../../campaign/verdict.js';

const MIB = 1024 * 1024;
/** Where disk.sh puts the boot state and the data partition. */
const BOOT_STATE_AT = [MIB, 2 * MIB] as const;
const BOOT_STATE_BYTES = 512;
const DATA_AT = (4 + 64 + 2 * 640) * MIB;
/** `e2fsck -p`: 0 without errors, 1 with errors that were corrected. More needs a person. */
const CORRECTED = 1;

const run = promisify(execFile);

/**
 * Returns what is wrong with a card, or undefined: neither copy of the boot state is valid, the data partition
 * cannot be repaired without a person, or a gateway that is started on it does not have what it must have.
 */
export async function problemOfCard(
  card: string,
  allowed: AllowedValues,
  directory: string,
): Promise<string | undefined> {
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory);
  const copies: (boolean | 'empty')[] = [];
  for (const at of BOOT_STATE_AT) {
    const file = join(directory, 'boot-state');
    await extract(card, { at, bytes: BOOT_STATE_BYTES }, file);
    copies.push(isValid(await readFile(file)));
  }
  // U-Boot writes both at the first start.
  const isBeforeFirstStart = copies.every((one) => one === 'empty') && allowed.size === 0;
  if (!copies.includes(true) && !isBeforeFirstStart) return 'neither copy of the boot state is valid';
  const data = join(directory, 'data.ext4');
  await extract(card, { at: DATA_AT }, data);
  const { code, output } = await repaired(data);
  if (code > CORRECTED) return `e2fsck -p ends with ${code}: ${output}`;
  const files = join(directory, 'files');
  await mkdir(files);
  await run('debugfs', ['-R', `rdump /config /gateway ${files}`, data]);
  const [config, gateway] = [join(files, 'config/gateway.yaml'), join(files, 'gateway')];
  if (!existsSync(config))
    // Both are created at the first start, the configuration first, each complete with a rename.
    return allowed.size === 0 && !existsSync(join(files, 'config')) ? undefined : 'gateway.yaml is missing';
  const target = join(directory, 'box');
  await mkdir(target);
  if (existsSync(gateway)) await rename(gateway, join(target, 'data'));
  const text = await readFile(config, 'utf8');
  const local = text.replace(/port: (3777|443)\b/g, 'port: 0').replace('0.0.0.0', '127.0.0.1');
  await writeFile(join(target, 'gateway.yaml'), local);
  return problemAfterCrash(target, allowed);
}

/** Writes a part of a card to a file; without `bytes`, up to the end of the card. */
async function extract(
  card: string,
  { at, bytes }: { at: number; bytes?: number },
  file: string,
): Promise<void> {
  const size = bytes === undefined ? '' : `,size=${bytes}`;
  const source = `driver=raw,offset=${at}${size},file.driver=qcow2,file.file.filename=${card}`;
  await run('qemu-img', ['convert', '--image-opts', source, '-O', 'raw', file]);
}

/** Whether the checksum of U-Boot's environment fits. */
function isValid(state: Buffer): boolean | 'empty' {
  if (state.every((byte) => byte === 0)) return 'empty';
  return state.readUInt32LE(0) === crc32(state.subarray(4));
}

async function repaired(image: string): Promise<{ code: number; output: string }> {
  try {
    const { stdout } = await run('e2fsck', ['-p', image]);
    return { code: 0, output: stdout };
  } catch (thrown) {
    const { code, stdout, stderr } = thrown as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}
