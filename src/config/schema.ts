import { Type, type Static, type TProperties, type TSchema } from '@sinclair/typebox';

/** An object that takes no other keys. */
const strict = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });

const text = Type.String({ minLength: 1 });
/** 0 takes a free one, which the log names. */
const port = Type.Integer({ minimum: 0, maximum: 65_535 });
const maybe = Type.Optional;

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
      tls: maybe(tls),
      insecure: maybe(Type.Boolean()),
    }),
  ),
  webServers: maybe(Type.Array(webServer)),
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

export type GatewayConfig = Static<typeof gatewaySchema>;
export type LoginConfig = Static<typeof login>;
export type WebServerConfig = Static<typeof webServer>;
export type ConfiguratorConfig = Static<typeof configurator>;
export type TlsConfig = Static<typeof tls>;
export type SecretConfig = Pick<LoginConfig, 'password' | 'passwordHash' | 'passwordFile'>;

const placed = {
  ident: Type.String({ pattern: '^[A-Za-z0-9_]+$' }),
  position: maybe(Type.Integer()),
  icon: maybe(Type.String()),
  info: maybe(Type.String()),
  hidden: maybe(Type.Boolean()),
  disabled: maybe(Type.Boolean()),
  children: maybe(Type.Array(Type.Unknown())),
};

/** The names of the variable types; the index is the interface's number. */
export const typeNames = ['boolean', 'integer', 'float', 'string'] as const;

/** The days of the week; the index is their place in the interface's masks. */
export const weekDays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
const words = <const W extends readonly string[]>(all: W) =>
  Type.Union(all.map((word) => Type.Literal(word as W[number])));
const scalar = Type.Union([Type.Boolean(), Type.Number(), Type.String()]);

/** What may stand in `tree`: the key that names the object says what it is. */
export const nodeSchemas = {
  category: strict({ category: Type.String(), ...placed }),
  instance: strict({
    instance: Type.String(),
    module: text,
    properties: maybe(Type.Record(Type.String(), Type.Unknown())),
    ...placed,
  }),
  variable: strict({
    variable: Type.String(),
    type: Type.Union(typeNames.map((name) => Type.Literal(name))),
    value: maybe(scalar),
    profile: maybe(Type.String()),
    ...placed,
  }),
  link: strict({ link: Type.String(), target: text, ...placed }),
  event: strict({
    event: Type.String(),
    trigger: maybe(
      strict({
        variable: text,
        on: words(['update', 'change', 'above', 'below', 'value']),
        value: maybe(scalar),
        subsequent: maybe(Type.Boolean()),
      }),
    ),
    cyclic: maybe(
      strict({
        at: maybe(text),
        everyS: maybe(Type.Integer({ minimum: 1, maximum: 86_400 })),
        from: maybe(text),
        to: maybe(text),
        days: maybe(Type.Array(words(weekDays), { minItems: 1 })),
      }),
    ),
    script: maybe(Type.String({ minLength: 1, maxLength: 65_536 })),
    action: maybe(strict({ name: text, target: maybe(text), value: maybe(scalar) })),
    active: maybe(Type.Boolean()),
    ...placed,
  }),
} as const satisfies Record<string, TSchema>;

export type NodeKind = keyof typeof nodeSchemas;
export const nodeKinds = Object.keys(nodeSchemas) as NodeKind[];

type Checked<K extends NodeKind> = Omit<Static<(typeof nodeSchemas)[K]>, 'children'> & {
  readonly kind: K;
  /** The object's name, from the key that says its kind. */
  readonly name: string;
  readonly children: readonly TreeNode[];
};

/** One checked entry of `tree`. */
export type TreeNode = { [K in NodeKind]: Checked<K> }[NodeKind];

/** An event of `tree`. */
export type EventNode = Extract<TreeNode, { kind: 'event' }>;
