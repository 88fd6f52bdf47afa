import { Type } from '@sinclair/typebox';
import { anything, codedText, listOf, named, record } from './shapes.js';

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

/** The configuration with the tree as it is, as `GW_ExportConfiguration` returns it. */
export const configurationExport = named(
  'ConfigurationExport',
  'A gateway.yaml of the gateway as it is. Notes: what the file cannot express, which is also listed at its end.',
  { Text: Type.String(), Notes: listOf(Type.String()) },
);

/** Settings of the configuration, as `GW_GetSettings` returns them. */
export const configurationSettings = named(
  'ConfigurationSettings',
  'The keys of the configuration without the tree. Secrets are ***.',
  { Settings: record, Digest: Type.String() },
);

/** Changes of settings, as `GW_ChangeSettings` accepts them. */
export const settingChanges = listOf(
  named(
    'SettingChange',
    'A change of the configuration: the key, for example webServers[0].tls, and its value as in the file; null removes it. The values of keys named password are written as hashes.',
    { Path: Type.String(), Value: anything },
  ),
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
      CodedText: codedText,
    },
  ),
);
