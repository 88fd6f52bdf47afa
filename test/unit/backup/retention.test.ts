import t from 'tap';
import { INDEX_NAME, indexMs, indexName, parseIndex } from '../../../src/backup/backup-index.js';
import { keptNames } from '../../../src/backup/retention.js';
import { encodeS3, signS3 } from '../../../src/backup/targets/s3-signature.js';
import { xmlTexts } from '../../../src/backup/targets/http-exchange.js';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1, 3, 15);

t.test('the newest backups of days, weeks and months are kept', async (t) => {
  const names = Array.from({ length: 200 }, (_, day) => indexName(START_MS + day * DAY_MS)).reverse();
  const kept = [...keptNames(names, { days: 3, weeks: 2, months: 2 })];
  // The last of the days is a Sunday, 19 July 2026.
  t.strictSame(kept, [
    '20260719t031500z',
    '20260718t031500z',
    '20260717t031500z',
    '20260712t031500z',
    '20260630t031500z',
  ]);
  t.strictSame([...keptNames(names, { days: 0, weeks: 0, months: 0 })], ['20260719t031500z'], 'never none');
  t.strictSame([...keptNames([], { days: 3, weeks: 2, months: 2 })], []);
});

t.test('of several backups of a day, the newest is kept', async (t) => {
  const names = [20, 12, 4].map((hour) => indexName(START_MS + hour * 3_600_000));
  t.strictSame([...keptNames(names, { days: 7, weeks: 4, months: 6 })], names.slice(0, 1));
});

t.test('the name of a backup is its time', async (t) => {
  const name = indexName(START_MS);
  t.match(name, INDEX_NAME);
  t.equal(indexMs(name), START_MS);
});

t.test('an index cannot name files outside the data directory', async (t) => {
  const index = {
    format: 1,
    name: '20260101t000000z',
    madeMs: 0,
    version: '',
    files: [{ path: 'tls/ca-key.pem', bytes: 0, chunks: ['a'.repeat(64)] }],
    archive: null,
    contents: { objects: 0, values: 0, archiveRecords: 0, treeDigest: '' },
  };
  t.same(parseIndex(index.name, JSON.stringify(index)), index);
  for (const path of ['../x.pem', '/etc/x.pem', 'tls/../x.pem', 'stellwerk.db', 'tls/a/b.pem', ''])
    t.throws(
      () => parseIndex(index.name, JSON.stringify({ ...index, files: [{ ...index.files[0], path }] })),
      { code: 'BACKUP_DAMAGED' },
      path,
    );
  t.throws(() => parseIndex('20260102t000000z', JSON.stringify(index)), { message: /belongs to/ });
  t.throws(() => parseIndex(index.name, '{'), { code: 'BACKUP_DAMAGED' });
});

t.test('a request is signed as the specification of Signature Version 4 says', async (t) => {
  // The example "GET Bucket (List Objects)" of the Amazon S3 API reference.
  const { Authorization } = signS3(
    {
      method: 'GET',
      url: new URL('https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J'),
      body: Buffer.alloc(0),
    },
    {
      accessKey: 'AKIAIOSFODNN7EXAMPLE',
      secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      region: 'us-east-1',
    },
    Date.UTC(2013, 4, 24),
  );
  t.match(Authorization, 'Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7');
  t.equal(encodeS3("a/b c'*~"), 'a%2Fb%20c%27%2A~');
});

t.test('the texts of elements are read with and without a prefix', async (t) => {
  const document =
    '<D:a xmlns:D="DAV:"><D:href>/x%20y</D:href><href>a&amp;b&#x41;&#66;</href><hrefs>no</hrefs></D:a>';
  t.strictSame(xmlTexts(document, 'href'), ['/x%20y', 'a&bAB']);
});
