import { Type, type Static } from '@sinclair/typebox';
import { optional, strict } from './event-schema.js';

const timeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' });

/** Updates of a box with slots. Without it, nothing is checked. */
export const updatesSchema = strict({
  url: Type.String({ pattern: '^https?://' }),
  install: optional(Type.Boolean()),
  from: optional(timeOfDay),
  to: optional(timeOfDay),
});

export type UpdatesConfig = Static<typeof updatesSchema>;
