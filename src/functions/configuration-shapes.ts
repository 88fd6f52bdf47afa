import { Type } from '@sinclair/typebox';
import { listOf, named } from './shapes.js';

/** The configuration as a text, as `GW_GetConfigurationText` returns it. */
export const configurationText = named(
  'ConfigurationText',
  'The configuration. IsOverlay: it is in the data directory and replaces the file that the gateway was started with. IsWritable: a change is written to that file; otherwise it goes to the overlay.',
  {
    Text: Type.String(),
    Digest: Type.String(),
    Path: Type.String(),
    IsOverlay: Type.Boolean(),
    IsWritable: Type.Boolean(),
  },
);

/** The findings in a configuration. */
export const configurationProblems = listOf(
  named(
    'ConfigurationProblem',
    'A finding in a configuration. Lines and columns count from 1; Path is the key, for example webServers[0].tls.',
    {
      Line: Type.Integer(),
      Column: Type.Integer(),
      Path: Type.String(),
      Severity: Type.Union([Type.Literal('error'), Type.Literal('problem'), Type.Literal('warning')]),
      Text: Type.String(),
    },
  ),
);
