import type { TSchema } from '@sinclair/typebox';

/** Adds to a property what its form shows: the group of the form that it is in, and a help text. */
export const withHelp = <T extends TSchema>(schema: T, group: string, description: string): T => ({
  ...schema,
  group,
  description,
});

/** As `withHelp`, for a property that few users need: forms show it on request only. */
export const withAdvancedHelp = <T extends TSchema>(schema: T, group: string, description: string): T => ({
  ...withHelp(schema, group, description),
  advanced: true,
});
