import { fault } from '../../base/fault.js';
import {
  array,
  bool,
  declare,
  float,
  int,
  text,
  variant,
  type FunctionDeclaration,
  type ParameterKind,
  type Parameter,
} from '../../device/declare.js';
import { modbusModes, modbusTypes, protocols, variableTypes } from '../enumerations.js';
import * as shapes from '../shapes.js';

/**
 * Functions of the command reference that a gateway does not support: they return a constant, or fail with
 * the reason.
 */
export function unsupportedFunctions(): FunctionDeclaration[] {
  return [...constants(), ...unsupported()];
}

/** Functions for which "none", "no limit" or "no" is a correct result. */
function constants(): FunctionDeclaration[] {
  const constant = (name: string, result: ParameterKind, [value, help]: readonly [unknown, string]) => {
    const shape = result === 'array' ? { shape: shapes.listOf(shapes.anything) } : {};
    return declare({
      name: `SVC_${name}`,
      parameters: [],
      result,
      ...shape,
      help,
      run: () => value as never,
    });
  };
  return [
    constant('GetLicensee', 'string', ['', 'The licensee; always empty, no licence is needed.']),
    constant('GetLimitDemo', 'integer', [0, 'The remaining days of the trial; always 0, there is no trial.']),
    constant('GetLimitFeatures', 'array', [[], 'The features that the licence excludes; always empty.']),
    constant('GetLimitServer', 'string', ['', 'The server to which the licence is bound; always empty.']),
    constant('GetLimitWebFront', 'integer', [0, 'The maximum number of web fronts; 0: no limit.']),
    constant('GetDemoExpiration', 'integer', [0, 'The end of the trial; 0: never.']),
    constant('GetSubscriptionExpiration', 'integer', [0, 'The end of the subscription; 0: never.']),
    constant('IsLicenseChangePending', 'boolean', [
      false,
      'Whether a new licence needs a restart; always false.',
    ]),
    constant('GetAvailableUpdates', 'array', [
      [],
      'The available updates; always empty, the gateway does not check for updates.',
    ]),
    constant('GetLiveUpdateVersion', 'string', ['', 'The version of the available update; always empty.']),
    constant('GetUpdateChannel', 'string', ['', 'The update channel; always empty.']),
    constant('IsReplicationActive', 'boolean', [
      false,
      'Whether a second gateway replicates this one; always false.',
    ]),
    constant('IsReplicationMaster', 'boolean', [
      false,
      'Whether this gateway is the master of a replication; always false.',
    ]),
    constant('IsReplicationOnStandBy', 'boolean', [
      false,
      'Whether this gateway is the standby of a replication; always false.',
    ]),
    constant('GetReplicationSyncTime', 'integer', [0, 'The time of the last replication; 0: never.']),
    constant('GetActiveWebRTCConnections', 'integer', [0, 'The number of open WebRTC streams; always 0.']),
  ];
}

type Signature = readonly [name: string, result: ParameterKind, ...parameters: Parameter[]];

/** The reason, with the alternative if there is one, and the functions that it applies to. */
type Reason = readonly [why: string, ...functions: Signature[]];

const InstanceID = int('InstanceID');
const NO_FORM_EDITOR = 'there is no form editor; set properties with SVC_SetProperty or in gateway.yaml';

const reasons: readonly Reason[] = [
  [
    'the software is free and no licence is sold for it',
    ['SVC_SetLicense', 'boolean', text('Licensee'), text('LicenseContent')],
    ['SVC_UpdateSubscriptionExpiration', 'boolean'],
    ['UC_UpdateLicenseData', 'boolean', InstanceID],
  ],
  ['the gateway does not send usage data', ['UC_SendUsageData', 'boolean', InstanceID]],
  [
    'there is no replication; store backups on another machine (stellwerk backup, stellwerk restore)',
    ['SVC_GetReplicationConfiguration', 'string'],
    ['SVC_SetReplicationConfiguration', 'boolean', text('Configuration')],
  ],
  [
    'access is not configured with functions; set passwords in gateway.yaml (remoteAccess, configurators)',
    ['SVC_GetSecurityMode', 'integer'],
    ['SVC_SetSecurity', 'boolean', int('Mode'), text('Password')],
  ],
  [
    'the gateway does not crash or leak memory on request; send the process a signal to test a crash',
    ['SVC_MakeCrash', 'boolean'],
    ['SVC_MakeLeak', 'boolean'],
  ],
  [
    'scripts are JavaScript; there are no flow scripts, workflows or short tags',
    ['SVC_GetFlowScriptStatistic', 'array', int('ScriptID')],
    ['UC_MigrateWorkflow', 'boolean', InstanceID, int('ScriptID')],
    ['UC_FindShortTags', 'array', InstanceID],
    ['UC_FixShortTags', 'boolean', InstanceID, array('References', shapes.listOf(shapes.anything))],
  ],
  [
    'there is no central unit to load devices from; use SVC_StartSearch, GW_GetFound and GW_CreateFrom',
    ['HW_LoadDevices', 'boolean', InstanceID, int('Protocol', protocols)],
  ],
  [
    'the gateway does not forward streams; open the address of the camera in the front',
    ['SVC_ConnectMediaStream', 'array', int('MediaID')],
    ['SVC_ConfigureMediaStream', 'boolean', text('SessionID'), text('SessionDescription')],
    ['SVC_CandidateMediaStream', 'boolean', text('SessionID'), text('ICE')],
    ['SVC_DisconnectMediaStream', 'boolean', text('SessionID')],
    ['SVC_CreateTemporaryMediaStreamToken', 'string', int('MediaID'), int('ValidForSeconds')],
    ['WFC_ConnectMediaStream', 'string', InstanceID, int('MediaID')],
    ['WFC_ConfigureMediaStream', 'boolean', InstanceID, text('SessionID'), text('SessionDescription')],
    ['WFC_CandidateMediaStream', 'boolean', InstanceID, text('SessionID'), text('ICE')],
    ['WFC_DisconnectMediaStream', 'boolean', InstanceID, text('SessionID')],
  ],
  [
    NO_FORM_EDITOR,
    ['SVC_UpdateFormField', 'boolean', text('Name'), text('Parameter'), variant('Value'), text('SessionID')],
    ...['CSCK', 'SSCK', 'HW'].map((prefix): Signature => [
      `${prefix}_UpdateFormUseSSL`,
      'boolean',
      InstanceID,
      bool('UseSSL'),
    ]),
    ['WFC_UpdateFormGraphDefaults', 'boolean', InstanceID, bool('GraphRawDensity')],
    ['WFC_UpdateFormNotificationValues', 'boolean', InstanceID],
    ['WFC_UpdateFormSecurityWarning', 'boolean', InstanceID, bool('AllowPasswordlessOnWAN')],
    ['MQTT_UIChangeSendTopic', 'boolean', InstanceID, bool('Active')],
    ['MQTT_UIChangeType', 'boolean', InstanceID, int('Type')],
    ['ModBus_UIChangeMode', 'boolean', InstanceID, int('Mode', modbusModes)],
    ['ModBus_UIExportTemplate', 'string', InstanceID],
    ['ModBus_UIForm', 'string', InstanceID, int('DataType', modbusTypes), float('Factor')],
    ['ModBus_UIFormVirtual', 'string', InstanceID, int('VariableType', variableTypes)],
    ['ModBus_UIImportTemplate', 'boolean', InstanceID, text('ImportData')],
    [
      'ModBus_UIUpdate',
      'boolean',
      InstanceID,
      int('DataType', modbusTypes),
      int('ReadFunctionCode'),
      int('WriteFunctionCode'),
      float('Factor'),
    ],
    ['ModBus_UIUpdateVirtual', 'boolean', InstanceID, int('VariableType', variableTypes)],
    ['ModBus_UIValidateTemplate', 'boolean', InstanceID, text('ImportData')],
  ],
];

function unsupported(): FunctionDeclaration[] {
  return reasons.flatMap(([why, ...functions]) =>
    functions.map(([name, result, ...parameters]) => ({
      ...declare({
        name,
        parameters,
        result,
        ...(result === 'array' ? { shape: shapes.listOf(shapes.anything) } : {}),
        help: `Not supported: ${why}.`,
        run: () => {
          throw fault('NOTHING_TO_DO', name, why);
        },
      }),
      unsupported: why,
    })),
  );
}
