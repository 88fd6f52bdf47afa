import { createHash } from 'node:crypto';

/** The fields of a package in package-lock.json (lockfileVersion 3) that the bill of materials needs. */
interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  /** Subresource Integrity: `sha512-` and base64. */
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** A package-lock.json. */
export interface LockFile {
  readonly name: string;
  readonly version: string;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/**
 * The bill of materials of a release in CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/): every package
 * of the lock file except development dependencies, with its hash, licence and dependencies. The same lock
 * file always gives the same text.
 */
export function billOfMaterials(lock: LockFile): object {
  const shipped = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  const root = `pkg:npm/${lock.name}@${lock.version}`;
  const refs = new Map([
    ['', root],
    ...shipped.map(([path, { version }]) => [path, purlOf(path, version)] as const),
  ]);
  const licence = lock.packages['']?.license;
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(lock))}`,
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': root,
        name: lock.name,
        version: lock.version,
        ...(licence !== undefined && { licenses: licencesOf(licence) }),
        purl: root,
      },
    },
    components: uniqueByRef(shipped.map(([path, one]) => componentOf(path, one))),
    dependencies: dependenciesOf(lock, refs),
  };
}

function componentOf(path: string, { version, license, integrity, optional }: LockedPackage): Component {
  const [group, name] = splitName(nameOf(path));
  const purl = purlOf(path, version);
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group !== undefined && { group }),
    name,
    version,
    scope: optional === true ? 'optional' : 'required',
    ...(integrity !== undefined && { hashes: [hashOf(integrity)] }),
    ...(license !== undefined && { licenses: licencesOf(license) }),
    purl,
  };
}

type Component = { readonly 'bom-ref': string } & Record<string, unknown>;

/** A package can be installed at several paths; it is one component. */
function uniqueByRef(components: readonly Component[]): Component[] {
  return [...new Map(components.map((one) => [one['bom-ref'], one])).values()].sort((a, b) =>
    a['bom-ref'] < b['bom-ref'] ? -1 : 1,
  );
}

function dependenciesOf(lock: LockFile, refs: ReadonlyMap<string, string>): object[] {
  const all = new Map<string, Set<string>>();
  for (const [path, ref] of refs) {
    const { dependencies = {}, optionalDependencies = {} } = lock.packages[path] ?? {};
    const names = Object.keys({ ...dependencies, ...optionalDependencies });
    const found = names
      .map((name) => refs.get(resolve(lock, path, name) ?? '-'))
      .filter((one) => one !== undefined);
    const known = all.get(ref) ?? new Set();
    for (const one of found) known.add(one);
    all.set(ref, known);
  }
  return [...all]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([ref, found]) => ({ ref, ...(found.size > 0 && { dependsOn: [...found].sort() }) }));
}

/**
 * Resolves `name` from the package at `path` as Node does: searches node_modules upwards.
 */
function resolve(lock: LockFile, path: string, name: string): string | undefined {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    const candidate = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (candidate in lock.packages) return candidate;
    if (at === '') return undefined;
  }
}

/** `node_modules/a/node_modules/@s/b` → `@s/b`. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function splitName(name: string): [group: string | undefined, name: string] {
  const [scope, rest] = name.split('/');
  return rest === undefined ? [undefined, name] : [scope, rest];
}

/** The package URL (https://github.com/package-url/purl-spec): the `@` of a scope is encoded. */
function purlOf(path: string, version = ''): string {
  return `pkg:npm/${nameOf(path).replace('@', '%40')}@${version}`;
}

function hashOf(integrity: string): { alg: string; content: string } {
  const [algorithm = '', digest = ''] = integrity.split('-', 2);
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') };
}

/** An SPDX identifier, or an expression of several. */
function licencesOf(licence: string): object[] {
  return /^\(|\s(OR|AND|WITH)\s/.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }];
}

/** A UUID derived from a text (version 8, custom format, RFC 9562 §5.8). */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
