import { randomBytes } from 'node:crypto';
import t from 'tap';
import { RecoveryKey } from '../../../src/backup/recovery-key.js';
import { seal, unseal } from '../../../src/backup/sealed-file.js';

const HEADER = 8 + 2 + 8 + 32;
const SEGMENT = 64 * 1024 + 16;
const key = RecoveryKey.create();
/** Random bytes cannot be compressed: they fill several segments. */
const content = randomBytes(200_000);
const changed = (file: Buffer, at: number, value = (file[at] ?? 0) ^ 1) => {
  const copy = Buffer.from(file);
  copy[at] = value;
  return copy;
};

t.test('a sealed file has the content that was sealed, whatever its size', async (t) => {
  for (const size of [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000]) {
    const given = content.subarray(0, size);
    t.ok(unseal(key, 'chunk', seal(key, 'chunk', given)).equals(given), `${size} bytes`);
  }
  t.notOk(seal(key, 'chunk', content).equals(seal(key, 'chunk', content)), 'each file has a salt of its own');
  t.ok(seal(key, 'chunk', Buffer.alloc(100_000)).length < 1000, 'it is compressed');
});

t.test('a file that was cut, reordered or changed is rejected', async (t) => {
  const file = seal(key, 'chunk', content);
  const segment = (i: number) => file.subarray(HEADER + i * SEGMENT, HEADER + (i + 1) * SEGMENT);
  const head = file.subarray(0, HEADER);
  const wrong: Readonly<Record<string, Buffer>> = {
    'without the last byte': file.subarray(0, -1),
    'without the last segment': file.subarray(0, HEADER + 2 * SEGMENT),
    'without any segment': head,
    'without a part of the header': file.subarray(0, 30),
    'with exchanged segments': Buffer.concat([head, segment(1), segment(0), segment(2), segment(3)]),
    'without a segment in between': Buffer.concat([head, segment(0), segment(2), segment(3)]),
    'with the last segment twice': Buffer.concat([file, segment(3)]),
    'with one more byte': Buffer.concat([file, Buffer.from([0])]),
    'with another salt': changed(file, HEADER - 1),
    'with a flipped bit': changed(file, HEADER + SEGMENT + 5),
    'with a flipped bit in a tag': changed(file, HEADER + SEGMENT - 1),
    'with another magic': changed(file, 0),
    empty: Buffer.alloc(0),
  };
  for (const [what, bytes] of Object.entries(wrong))
    t.throws(() => unseal(key, 'chunk', bytes), { code: 'BACKUP_DAMAGED' }, what);
  t.throws(() => unseal(key, 'chunk', changed(file, 8, 2)), { code: 'BACKUP_DAMAGED', message: /version 2/ });
  t.throws(() => unseal(key, 'index', file), { code: 'BACKUP_DAMAGED', message: /not a file of the kind/ });
  t.throws(
    () => unseal(key, 'index', changed(file, 9, 2)),
    { code: 'BACKUP_DAMAGED' },
    'the kind is authenticated',
  );
});

t.test('a file of another key is rejected, and the error names both keys', async (t) => {
  const other = RecoveryKey.create();
  const file = seal(other, 'chunk', content);
  t.throws(() => unseal(key, 'chunk', file), { code: 'RECOVERY_KEY_WRONG' });
  t.throws(() => unseal(key, 'chunk', file), { message: new RegExp(`${other.id}, not with ${key.id}`) });
  const renamed = Buffer.concat([file.subarray(0, 10), Buffer.from(key.id, 'hex'), file.subarray(18)]);
  t.throws(() => unseal(key, 'chunk', renamed), { code: 'BACKUP_DAMAGED' }, 'the id is authenticated');
});

t.test('a recovery key is read as people type it, and a typing error is found', async (t) => {
  const text = key.toText();
  t.match(text, /^(?:[0-9A-HJKMNP-TV-Z]{7}-){7}[0-9A-HJKMNP-TV-Z]{7}$/);
  for (const typed of [text, text.toLowerCase(), text.replaceAll('-', ' '), ` ${text.replaceAll('-', '')}\n`])
    t.equal(RecoveryKey.parse(typed).id, key.id);
  t.equal(RecoveryKey.parse(text.replaceAll('0', 'O').replaceAll('1', 'l')).id, key.id);
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '-') continue;
    const wrong = `${text.slice(0, i)}${text[i] === 'A' ? 'B' : 'A'}${text.slice(i + 1)}`;
    t.throws(() => RecoveryKey.parse(wrong), { code: 'RECOVERY_KEY_WRONG' }, `letter ${i}`);
  }
  for (const wrong of ['', 'A', text.slice(1), `${text}A`, text.replace('-', 'Ü')])
    t.throws(() => RecoveryKey.parse(wrong), { code: 'RECOVERY_KEY_WRONG' });
  t.notMatch(JSON.stringify(key), text.slice(0, 7), 'a key that is printed by accident shows nothing');
});

t.test('equal content has equal names, with the same key only', async (t) => {
  t.equal(key.chunkId(content), RecoveryKey.parse(key.toText()).chunkId(content));
  t.not(key.chunkId(content), RecoveryKey.create().chunkId(content));
  t.not(key.chunkId(content), key.chunkId(content.subarray(1)));
});
