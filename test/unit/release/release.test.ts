import t from 'tap';
import {
  releaseProblems,
  sectionOf,
  securityText,
  type ReleaseFacts,
} from '../../../systemd/release-checks.js';
import { billOfMaterials, type LockFile } from '../../../systemd/sbom.js';

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.2.3] - 2026-03-04

### Added

- A thing.

## [1.2.2] - 2026-01-02

- Another.
`;

const ready: ReleaseFacts = {
  version: '1.2.3',
  versions: { 'package-lock.json': '1.2.3' },
  changelog: CHANGELOG,
  status: '',
  tags: ['v1.2.2'],
  contact: 'mailto:security@example.org',
};

t.test('a release that is ready has no problems, and each problem says what to do', async (t) => {
  t.strictSame(releaseProblems(ready), []);
  const problem = (change: Partial<ReleaseFacts>) => releaseProblems({ ...ready, ...change }).join('\n');
  t.match(problem({ version: '1.2' }), /package\.json: 1\.2 is not a version X\.Y\.Z/);
  t.match(
    problem({ versions: { 'package-lock.json': '1.2.2' } }),
    /package-lock\.json: the version is 1\.2\.2/,
  );
  t.match(problem({ changelog: '## [Unreleased]\n\n- x\n' }), /CHANGELOG\.md: there is no section/);
  t.match(problem({ changelog: '## [1.2.3]\n\n- x\n' }), /YYYY-MM-DD/, 'the date is a part of it');
  t.match(problem({ changelog: '## [1.2.3] - 2026-03-04\n\n' }), /the section of 1\.2\.3 is empty/);
  t.match(problem({ status: ' M Makefile' }), /commit them\n M Makefile/);
  t.match(problem({ tags: ['v1.2.3'] }), /the tag v1\.2\.3 exists/);
  for (const contact of ['', 'security@example.org', 'https:// x', 'mailto:security@example.org\nPolicy: x'])
    t.match(problem({ contact }), /SECURITY_CONTACT/);
  t.equal(problem({ contact: 'https://example.org/security' }), '');
  t.equal(sectionOf(CHANGELOG, '1.2.3'), '### Added\n\n- A thing.');
  t.equal(sectionOf(CHANGELOG, '1.2'), undefined);
});

t.test('a release has a security.txt that is valid for a year', async (t) => {
  t.equal(
    securityText('mailto:security@example.org', new Date('2026-11-23T10:00:00Z')),
    'Contact: mailto:security@example.org\nExpires: 2027-11-23T10:00:00.000Z\nPreferred-Languages: en, de\n',
  );
});

const lock: LockFile = {
  name: 'stellwerk',
  version: '1.2.3',
  packages: {
    '': { version: '1.2.3', license: 'MIT', dependencies: { a: '^1.0.0', '@s/b': '^2.0.0' } },
    'node_modules/a': {
      version: '1.0.1',
      license: 'ISC',
      integrity: 'sha512-AAEC',
      dependencies: { c: '*' },
    },
    'node_modules/@s/b': { version: '2.0.0', license: '(MIT OR CC0-1.0)', dependencies: { c: '^2.0.0' } },
    'node_modules/@s/b/node_modules/c': { version: '2.5.0' },
    'node_modules/c': { version: '1.9.0', optional: true },
    'node_modules/tool': { version: '9.0.0', dev: true },
  },
};

interface Materials {
  bomFormat: string;
  specVersion: string;
  serialNumber: string;
  metadata: { component: { 'bom-ref': string } };
  components: ({ 'bom-ref': string } & Record<string, unknown>)[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

t.test('the bill of materials has each shipped package with its dependencies', async (t) => {
  const made = billOfMaterials(lock) as Materials;
  t.match(made, {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { version: '1.2.3' } },
  });
  t.match(
    made.serialNumber,
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  t.strictSame(
    made.components.map((one) => one['bom-ref']),
    ['pkg:npm/%40s/b@2.0.0', 'pkg:npm/a@1.0.1', 'pkg:npm/c@1.9.0', 'pkg:npm/c@2.5.0'],
    'without development dependencies',
  );
  const [b, a, c] = made.components;
  t.match(b, { group: '@s', name: 'b', licenses: [{ expression: '(MIT OR CC0-1.0)' }] });
  t.match(a, { hashes: [{ alg: 'SHA-512', content: '000102' }], licenses: [{ license: { id: 'ISC' } }] });
  t.match(c, { scope: 'optional' });
  t.strictSame(made.dependencies, [
    { ref: 'pkg:npm/%40s/b@2.0.0', dependsOn: ['pkg:npm/c@2.5.0'] },
    { ref: 'pkg:npm/a@1.0.1', dependsOn: ['pkg:npm/c@1.9.0'] },
    { ref: 'pkg:npm/c@1.9.0' },
    { ref: 'pkg:npm/c@2.5.0' },
    { ref: 'pkg:npm/stellwerk@1.2.3', dependsOn: ['pkg:npm/%40s/b@2.0.0', 'pkg:npm/a@1.0.1'] },
  ]);
  t.strictSame(billOfMaterials(lock), made, 'the same lock file gives the same text');
});
