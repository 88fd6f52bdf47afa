import { Type, type Static, type TSchema } from '@sinclair/typebox';
import type { Path } from './document.js';
import { color, eventKeys, maybe, scalar, strict, text, words } from './event-schema.js';

export { weekDays } from './event-schema.js';

/** 0 takes a free one, which the log names. */
const port = Type.Integer({ minimum: 0, maximum: 65_535 });

/** A secret may stand in the file, as a scrypt hash (`stellwerk hash-password`), or in a file of its own. */
const secret = {
  password: maybe(text),
  passwordHash: maybe(Type.String({ pattern: '^scrypt\\$' })),
  passwordFile: maybe(text),
};

/** HTTP basic authentication ends a user name at its first colon (RFC 7617 §2). */
const login = strict({ username: Type.String({ pattern: '^[^:]+$' }), ...secret });

const tls = Type.Union([
  Type.Literal('auto'),
  strict({ certificate: text, key: maybe(text), keyFile: maybe(text) }),
]);

const webServer = strict({
  name: text,
  host: text,
  port,
  serve: Type.Union([Type.Literal('front'), strict({ directory: text })]),
  tls: maybe(tls),
  insecure: maybe(Type.Boolean()),
  basicAuth: maybe(login),
});

const configurator = strict({
  title: text,
  ident: Type.String({ pattern: '^[A-Za-z0-9_]+$' }),
  base: Type.String({ minLength: 1 }),
  ...secret,
  passwordRequired: maybe(Type.Boolean()),
  mobile: maybe(Type.Boolean()),
  icon: maybe(Type.String()),
  position: maybe(Type.Integer()),
  editable: maybe(Type.Boolean()),
  autostart: maybe(Type.Array(text)),
});

/** The names of the variable types; the index is the interface's number. */
export const typeNames = ['boolean', 'integer', 'float', 'string'] as const;

/** A user-defined variable profile, with all that the `SVC_SetVariableProfile*` functions set. */
const profile = strict({
  type: words(typeNames),
  icon: maybe(Type.String()),
  prefix: maybe(Type.String()),
  suffix: maybe(Type.String()),
  min: maybe(Type.Number()),
  max: maybe(Type.Number()),
  step: maybe(Type.Number()),
  digits: maybe(Type.Integer({ minimum: 0, maximum: 15 })),
  associations: maybe(
    Type.Array(
      strict({ value: scalar, name: maybe(Type.String()), icon: maybe(Type.String()), color: maybe(color) }),
    ),
  ),
});

/** The levels of the log, most talkative first. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
const level = Type.Union(logLevels.map((name) => Type.Literal(name)));

/** `gateway.yaml`, all but what stands in `tree`. Defaults are applied where the values are used. */
export const gatewaySchema = strict({
  board: maybe(text),
  remoteAccess: maybe(login),
  api: maybe(
    strict({
      host: maybe(text),
      port: maybe(port),
      aliases: maybe(
        Type.Record(Type.String({ pattern: '^[A-Za-z]+$' }), Type.String({ pattern: '^[A-Za-z]+$' })),
      ),
      allowedOrigins: maybe(Type.Array(text)),
      allowedHosts: maybe(Type.Array(text)),
      bodyLimit: maybe(Type.Integer({ minimum: 1024, maximum: 256 * 1024 * 1024 })),
      batchLimit: maybe(Type.Integer({ minimum: 1, maximum: 10_000 })),
      allowExecute: maybe(Type.Boolean()),
      local: maybe(Type.Literal('open')),
      tls: maybe(tls),
      insecure: maybe(Type.Boolean()),
    }),
  ),
  webServers: maybe(Type.Array(webServer)),
  profiles: maybe(Type.Record(Type.String(), profile)),
  tree: maybe(Type.Array(Type.Unknown())),
  configurators: maybe(Type.Array(configurator)),
  changes: maybe(
    strict({
      messages: maybe(Type.Integer({ minimum: 100, maximum: 1_000_000 })),
      bytes: maybe(Type.Integer({ minimum: 65_536, maximum: 1024 * 1024 * 1024 })),
    }),
  ),
  store: maybe(
    strict({
      valuesEveryS: maybe(Type.Integer({ minimum: 1, maximum: 3600 })),
      backups: maybe(Type.Integer({ minimum: 1, maximum: 365 })),
    }),
  ),
  log: maybe(strict({ level: maybe(Type.Union([level, Type.Record(Type.String(), level)])) })),
});

export type ProfileConfig = Static<typeof profile>;
export type ArchiveConfig = Static<typeof archive>;
export type GatewayConfig = Static<typeof gatewaySchema>;
export type LoginConfig = Static<typeof login>;
export type WebServerConfig = Static<typeof webServer>;
export type ConfiguratorConfig = Static<typeof configurator>;
export type TlsConfig = Static<typeof tls>;
export type SecretConfig = Pick<LoginConfig, 'password' | 'passwordHash' | 'passwordFile'>;

const attributes = {
  position: maybe(Type.Integer()),
  icon: maybe(Type.String()),
  info: maybe(Type.String()),
  hidden: maybe(Type.Boolean()),
  disabled: maybe(Type.Boolean()),
  children: maybe(Type.Array(Type.Unknown())),
};
const placed = { ident: Type.String({ pattern: '^[A-Za-z0-9_]+$' }), ...attributes };

/** Which age of records is kept as what; the index is the interface's number. */
export const compactionKinds = [
  'none',
  'minute',
  'fiveMinutes',
  'hour',
  'day',
  'week',
  'month',
  'year',
  'delete',
] as const;

/** How the archive keeps a variable's values: recorded or not, or with what the `AC_Set*` functions set. */
const archive = Type.Union([
  Type.Boolean(),
  strict({
    active: maybe(Type.Boolean()),
    type: maybe(words(['gauge', 'counter'])),
    ignoreZeros: maybe(Type.Boolean()),
    graph: maybe(Type.Boolean()),
    compaction: maybe(
      Type.Array(
        strict({
          months: Type.Integer({ minimum: 0, maximum: 1200 }),
          to: words(compactionKinds.slice(1)),
        }),
      ),
    ),
  }),
]);

/** What people set on a variable, whoever made it. */
const variableKeys = {
  profile: maybe(Type.String()),
  action: maybe(Type.Union([Type.String(), Type.Literal(false)])),
  archive: maybe(archive),
};

/** The media types; the index is the interface's number. */
export const mediaTypes = ['dashboard', 'image', 'sound', 'stream', 'chart', 'document'] as const;

/** What may stand in `tree`: the key that names the object says what it is. */
export const nodeSchemas = {
  category: strict({ category: Type.String(), ...placed }),
  instance: strict({
    instance: Type.String(),
    module: text,
    properties: maybe(Type.Record(Type.String(), Type.Unknown())),
    connection: maybe(Type.String()),
    variables: maybe(
      Type.Record(Type.String(), strict({ name: maybe(Type.String()), ...variableKeys, ...attributes })),
    ),
    ...placed,
  }),
  variable: strict({
    variable: Type.String(),
    type: Type.Union(typeNames.map((name) => Type.Literal(name))),
    value: maybe(scalar),
    ...variableKeys,
    ...placed,
  }),
  link: strict({ link: Type.String(), target: Type.String(), ...placed }),
  event: strict({ event: Type.String(), ...eventKeys, ...placed }),
  script: strict({
    script: Type.String(),
    text: maybe(Type.String({ maxLength: 1024 * 1024 })),
    file: maybe(text),
    ...placed,
  }),
  media: strict({
    media: Type.String(),
    type: words(mediaTypes),
    file: maybe(Type.String()),
    cached: maybe(Type.Boolean()),
    ...placed,
  }),
} as const satisfies Record<string, TSchema>;

export type NodeKind = keyof typeof nodeSchemas;
export const nodeKinds = Object.keys(nodeSchemas) as NodeKind[];

type Checked<K extends NodeKind> = Omit<Static<(typeof nodeSchemas)[K]>, 'children' | 'variables'> & {
  readonly kind: K;
  /** The object's name, from the key that says its kind. */
  readonly name: string;
  readonly children: readonly TreeNode[];
  /** Where its entry is, as `FILE:LINE:COLUMN`, and which one it is, as `tree[0].children[1]` and as a path. */
  readonly place: string;
  readonly entry: string;
  readonly path: Path;
} & (K extends 'instance' ? { readonly variables?: Readonly<Record<string, InstanceVariable>> } : unknown);

type RawVariables = NonNullable<Static<(typeof nodeSchemas)['instance']>['variables']>;

/** What an entry says of a variable that its instance's module makes. */
export type InstanceVariable = Omit<RawVariables[string], 'children'> & {
  readonly children: readonly TreeNode[];
};

/** One checked entry of `tree`. */
export type TreeNode = { [K in NodeKind]: Checked<K> }[NodeKind];

/** An event of `tree`. */
export type EventNode = Extract<TreeNode, { kind: 'event' }>;
