import { publishRules } from '../../base/codes/stable-codes.js';
import { variableTypeNames } from '../../kernel/value.js';
import { NAME_LIMIT } from '../../kernel/text-limits.js';
import { Type, type Static, type TSchema } from '@sinclair/typebox';
import type { DocumentPath } from '../document.js';
import { backupSchema } from './backup-schema.js';
import { updatesSchema } from './updates-schema.js';
import { color, eventKeys, optional, scalar, strict, text, oneOf } from './event-schema.js';

export { weekDays } from './event-schema.js';

/** 0 selects a free port, which is logged. */
const port = Type.Integer({ minimum: 0, maximum: 65_535 });

/** A secret is given in the file, as a scrypt hash (`stellwerk hash-password`), or in a file of its own. */
const secret = {
  password: optional(text),
  passwordHash: optional(Type.String({ pattern: '^scrypt\\$' })),
  passwordFile: optional(text),
};

/** In HTTP basic authentication a user name ends at the first colon (RFC 7617 §2). */
const login = strict({ username: Type.String({ pattern: '^[^:]+$' }), ...secret });

const tls = Type.Union([
  Type.Literal('auto'),
  strict({ certificate: text, key: optional(text), keyFile: optional(text) }),
]);

const webServer = strict({
  name: text,
  host: text,
  port,
  serve: Type.Union([Type.Literal('front'), strict({ directory: text })]),
  tls: optional(tls),
  insecure: optional(Type.Boolean()),
  basicAuth: optional(login),
});

const configurator = strict({
  title: Type.String({ minLength: 1, maxLength: NAME_LIMIT }),
  ident: Type.String({ pattern: '^[A-Za-z0-9_]+$' }),
  base: Type.String({ minLength: 1 }),
  ...secret,
  passwordRequired: optional(Type.Boolean()),
  mobile: optional(Type.Boolean()),
  icon: optional(Type.String()),
  position: optional(Type.Integer()),
  editable: optional(Type.Boolean()),
  autostart: optional(Type.Array(text)),
});

/** A user-defined variable profile: all that the `SVC_SetVariableProfile*` functions set. */
const profile = strict({
  type: oneOf(variableTypeNames),
  icon: optional(Type.String()),
  prefix: optional(Type.String()),
  suffix: optional(Type.String()),
  min: optional(Type.Number()),
  max: optional(Type.Number()),
  step: optional(Type.Number()),
  digits: optional(Type.Integer({ minimum: 0, maximum: 15 })),
  associations: optional(
    Type.Array(
      strict({
        value: scalar,
        name: optional(Type.String()),
        icon: optional(Type.String()),
        color: optional(color),
      }),
    ),
  ),
});

/** Log levels, most verbose first. */
const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
const level = oneOf(logLevels);

/** The languages of the pages. */
export const LANGUAGES = ['de', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** `gateway.yaml` except for the contents of `tree`. Defaults are applied where the values are used. */
export const gatewaySchema = strict({
  board: optional(text),
  name: optional(Type.String({ pattern: '^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$' })),
  language: optional(oneOf(LANGUAGES)),
  timeZone: optional(Type.String({ pattern: '^[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+){0,2}$' })),
  remoteAccess: optional(login),
  api: optional(
    strict({
      host: optional(text),
      port: optional(port),
      aliases: optional(
        Type.Record(Type.String({ pattern: '^[A-Za-z]+$' }), Type.String({ pattern: '^[A-Za-z]+$' })),
      ),
      allowedOrigins: optional(Type.Array(text)),
      allowedHosts: optional(Type.Array(text)),
      bodyLimit: optional(Type.Integer({ minimum: 1024, maximum: 256 * 1024 * 1024 })),
      batchLimit: optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
      allowExecute: optional(Type.Boolean()),
      local: optional(Type.Literal('open')),
      tls: optional(tls),
      insecure: optional(Type.Boolean()),
    }),
  ),
  webServers: optional(Type.Array(webServer)),
  profiles: optional(Type.Record(Type.String(), profile)),
  tree: optional(Type.Array(Type.Unknown())),
  configurators: optional(Type.Array(configurator)),
  changes: optional(
    strict({
      messages: optional(Type.Integer({ minimum: 100, maximum: 1_000_000 })),
      bytes: optional(Type.Integer({ minimum: 65_536, maximum: 1024 * 1024 * 1024 })),
    }),
  ),
  store: optional(
    strict({
      valuesEveryS: optional(Type.Integer({ minimum: 1, maximum: 3600 })),
      recordsEveryS: optional(Type.Integer({ minimum: 1, maximum: 3600 })),
      backups: optional(Type.Integer({ minimum: 1, maximum: 365 })),
    }),
  ),
  backup: optional(backupSchema),
  updates: optional(updatesSchema),
  metrics: optional(
    strict({ ...secret, local: optional(Type.Literal('open')), values: optional(Type.Array(text)) }),
  ),
  log: optional(strict({ level: optional(Type.Union([level, Type.Record(Type.String(), level)])) })),
});

export type ProfileConfig = Static<typeof profile>;
export type ArchiveConfig = Static<typeof archive>;
export type GatewayConfig = Static<typeof gatewaySchema>;
type LoginConfig = Static<typeof login>;
export type ConfiguratorConfig = Static<typeof configurator>;
export type TlsConfig = Static<typeof tls>;
export type SecretConfig = Pick<LoginConfig, 'password' | 'passwordHash' | 'passwordFile'>;

const attributes = {
  position: optional(Type.Integer()),
  icon: optional(Type.String()),
  info: optional(Type.String()),
  hidden: optional(Type.Boolean()),
  disabled: optional(Type.Boolean()),
  publish: optional(oneOf(publishRules)),
  children: optional(Type.Array(Type.Unknown())),
};
const placed = { ident: Type.String({ pattern: '^[A-Za-z0-9_]+$' }), ...attributes };

/** The resolutions to which older records are compacted; the index is the interface's number. */
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

/** How a variable is archived: on or off, or with the settings of the `AC_Set*` functions. */
const archive = Type.Union([
  Type.Boolean(),
  strict({
    active: optional(Type.Boolean()),
    type: optional(oneOf(['gauge', 'counter'])),
    ignoreZeros: optional(Type.Boolean()),
    graph: optional(Type.Boolean()),
    compaction: optional(
      Type.Array(
        strict({
          months: Type.Integer({ minimum: 0, maximum: 1200 }),
          to: oneOf(compactionKinds.slice(1)),
        }),
      ),
    ),
  }),
]);

/** User settings of a variable, whoever created it. */
const variableKeys = {
  profile: optional(Type.String()),
  action: optional(Type.Union([Type.String(), Type.Literal(false)])),
  archive: optional(archive),
};

/** Media types; the index is the interface's number. */
export const mediaTypes = ['dashboard', 'image', 'sound', 'stream', 'chart', 'document'] as const;

/** The entries of `tree`; the key that holds the object's name gives its type. */
export const nodeSchemas = {
  category: strict({ category: Type.String(), ...placed }),
  instance: strict({
    instance: Type.String(),
    module: text,
    properties: optional(Type.Record(Type.String(), Type.Unknown())),
    connection: optional(Type.String()),
    variables: optional(
      Type.Record(Type.String(), strict({ name: optional(Type.String()), ...variableKeys, ...attributes })),
    ),
    ...placed,
  }),
  variable: strict({
    variable: Type.String(),
    type: oneOf(variableTypeNames),
    value: optional(scalar),
    residents: optional(oneOf(['set', 'none'])),
    ...variableKeys,
    ...placed,
  }),
  link: strict({ link: Type.String(), target: Type.String(), ...placed }),
  event: strict({ event: Type.String(), ...eventKeys, ...placed }),
  script: strict({
    script: Type.String(),
    text: optional(Type.String({ maxLength: 1024 * 1024 })),
    file: optional(text),
    ...placed,
  }),
  media: strict({
    media: Type.String(),
    type: oneOf(mediaTypes),
    file: optional(Type.String()),
    cached: optional(Type.Boolean()),
    ...placed,
  }),
} as const satisfies Record<string, TSchema>;

export type NodeKind = keyof typeof nodeSchemas;
export const nodeKinds = Object.keys(nodeSchemas) as NodeKind[];

type CheckedNode<K extends NodeKind> = Omit<Static<(typeof nodeSchemas)[K]>, 'children' | 'variables'> & {
  readonly kind: K;
  /** The object's name. */
  readonly name: string;
  readonly children: readonly TreeNode[];
  /**
   * The location of its entry, as `FILE:LINE:COLUMN`, and its path, as text (`tree[0].children[1]`) and in
   * steps.
   */
  readonly place: string;
  readonly entry: string;
  readonly path: DocumentPath;
} & (K extends 'instance' ? { readonly variables?: Readonly<Record<string, InstanceVariable>> } : unknown);

type RawVariables = NonNullable<Static<(typeof nodeSchemas)['instance']>['variables']>;

/** The settings of a variable that its instance's module creates. */
export type InstanceVariable = Omit<RawVariables[string], 'children'> & {
  readonly children: readonly TreeNode[];
};

/** A checked entry of `tree`. */
export type TreeNode = { [K in NodeKind]: CheckedNode<K> }[NodeKind];

/** An event entry of `tree`. */
export type EventNode = Extract<TreeNode, { kind: 'event' }>;
