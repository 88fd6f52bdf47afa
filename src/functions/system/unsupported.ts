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

/** Functions of the reference for which a gateway has nothing to do: what is true is answered, all else is refused. */
export function unsupportedFunctions(): FunctionDeclaration[] {
  return [...answered(), ...refused()];
}

/** Where "none", "no limit" or "no" is simply true. */
function answered(): FunctionDeclaration[] {
  const answer = (name: string, result: ParameterKind, [value, help]: readonly [unknown, string]) => {
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
    answer('GetLicensee', 'string', ['', 'Who holds the licence: nobody, none is needed.']),
    answer('GetLimitDemo', 'integer', [0, 'Days of trial that are left; 0: this is no trial.']),
    answer('GetLimitFeatures', 'array', [[], 'Functions that the licence keeps back: none.']),
    answer('GetLimitServer', 'string', ['', 'The server that the licence is bound to: none.']),
    answer('GetLimitWebFront', 'integer', [0, 'How many web fronts there may be; 0: no limit.']),
    answer('GetDemoExpiration', 'integer', [0, 'When the trial ends; 0: never.']),
    answer('GetSubscriptionExpiration', 'integer', [0, 'When the subscription ends; 0: never.']),
    answer('IsLicenseChangePending', 'boolean', [
      false,
      'Whether another licence waits for a restart: never.',
    ]),
    answer('GetAvailableUpdates', 'array', [[], 'Updates that the gateway found: none, it looks for none.']),
    answer('GetLiveUpdateVersion', 'string', [
      '',
      'The version that the gateway could update itself to: none.',
    ]),
    answer('GetUpdateChannel', 'string', ['', 'Where the gateway gets its updates from: nowhere by itself.']),
    answer('IsReplicationActive', 'boolean', [false, 'Whether a second gateway mirrors this one: never.']),
    answer('IsReplicationMaster', 'boolean', [false, 'Whether this gateway is mirrored by another: never.']),
    answer('IsReplicationOnStandBy', 'boolean', [false, 'Whether this gateway mirrors another: never.']),
    answer('GetReplicationSyncTime', 'integer', [0, 'When a second gateway was last in step; 0: never.']),
    answer('GetActiveWebRTCConnections', 'integer', [0, 'How many WebRTC streams are open: none.']),
  ];
}

type Signature = readonly [name: string, result: ParameterKind, ...parameters: Parameter[]];

/** Why, with what to use instead where there is something; and the functions. */
type Refusal = readonly [why: string, ...functions: Signature[]];

const InstanceID = int('InstanceID');
const FORM = 'no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml';

const refusals: readonly Refusal[] = [
  [
    'the software is free and no licence is sold for it',
    ['SVC_SetLicense', 'boolean', text('Licensee'), text('LicenseContent')],
    ['SVC_UpdateSubscriptionExpiration', 'boolean'],
    ['UC_UpdateLicenseData', 'boolean', InstanceID],
  ],
  ['it tells nobody how it is used', ['UC_SendUsageData', 'boolean', InstanceID]],
  [
    'no second gateway mirrors it: keep its backups elsewhere (stellwerk backup, stellwerk restore)',
    ['SVC_GetReplicationConfiguration', 'string'],
    ['SVC_SetReplicationConfiguration', 'boolean', text('Configuration')],
  ],
  [
    'its access is not set by calls: passwords stand in gateway.yaml (remoteAccess, configurators)',
    ['SVC_GetSecurityMode', 'integer'],
    ['SVC_SetSecurity', 'boolean', int('Mode'), text('Password')],
  ],
  [
    'it does no harm to itself on demand: send the process a signal to try a crash',
    ['SVC_MakeCrash', 'boolean'],
    ['SVC_MakeLeak', 'boolean'],
  ],
  [
    'its scripts are JavaScript: there are no flow scripts, workflows or short tags',
    ['SVC_GetFlowScriptStatistic', 'array', int('ScriptID')],
    ['UC_MigrateWorkflow', 'boolean', InstanceID, int('ScriptID')],
    ['UC_FindShortTags', 'array', InstanceID],
    ['UC_FixShortTags', 'boolean', InstanceID, array('References', shapes.listOf(shapes.anything))],
  ],
  [
    'there is no central unit to load devices from: use SVC_StartSearch, GW_GetFound and GW_CreateFrom',
    ['HW_LoadDevices', 'boolean', InstanceID, int('Protocol', protocols)],
  ],
  [
    'it passes no streams on: have the front open the address of the camera itself',
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
    FORM,
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

function refused(): FunctionDeclaration[] {
  return refusals.flatMap(([why, ...functions]) =>
    functions.map(([name, result, ...parameters]) => ({
      ...declare({
        name,
        parameters,
        result,
        ...(result === 'array' ? { shape: shapes.listOf(shapes.anything) } : {}),
        help: `A gateway has nothing to do for it: ${why}.`,
        run: () => {
          throw fault('NOTHING_TO_DO', name, why);
        },
      }),
      unsupported: why,
    })),
  );
}
