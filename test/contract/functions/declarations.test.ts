import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { FunctionDeclaration, ParameterKind } from '../../../src/device/declare.js';
import { allFunctions } from '../../tools/generate/all-functions.js';
import { ROOT } from '../../law/sources.js';

const kindWord: Record<ParameterKind, string> = {
  boolean: 'bool',
  integer: 'int',
  float: 'float',
  string: 'string',
  variant: 'mixed',
  array: 'array',
};

/** A declaration as the fixture writes it. */
function signature({ name, parameters, result }: FunctionDeclaration): string {
  const list = parameters.map(
    ({ kind, name: parameter, enumeration }) =>
      `${kindWord[kind]} ${parameter}${enumeration === undefined ? '' : `{${enumeration.join(' ')}}`}`,
  );
  return `${name}(${list.join(', ')}): ${kindWord[result]}`;
}

const reference = readFileSync(join(ROOT, 'test/fixtures/reference.txt'), 'utf8').trim().split('\n').slice(1);
const declared = await allFunctions();

t.test('every function is declared as in the reference', async (t) => {
  t.equal(reference.length, 424);
  const ours =
    /^(GW_|rpc\.|SVC_GetModuleForm$|WFC_(GetConfigurators|ExecuteKeyed|GetOutcome)$|(AC|WFC)_RenderChartInline$)/;
  t.strictSame(declared.filter(({ name }) => !ours.test(name)).map(signature), reference);
});

t.test('extensions of the interface', async (t) => {
  const known = new Set(reference.map((line) => line.slice(0, line.indexOf('('))));
  t.strictSame(declared.filter(({ name }) => !known.has(name)).map(signature), [
    'AC_RenderChartInline(int InstanceID, int ObjectID, int StartTime, int TimeSpan{tsHour tsDay tsWeek tsMonth tsYear tsDecade}, int Density{gdNormal gdHD gdRaw}, bool IsExtrema, bool IsDyn, int Width, int Height, array Visibility): string',
    'GW_ActivateOtherSlot(): bool',
    'GW_BeginTask(string Kind, int Total): int',
    'GW_CancelTask(int TaskID): bool',
    'GW_ChangeSettings(array Changes, string Digest): array',
    'GW_CheckChip(string Device): array',
    'GW_CheckConfiguration(string Text): array',
    'GW_CheckProperties(string ModuleID, int InstanceID, array Properties): array',
    'GW_CheckSettings(array Changes): array',
    'GW_CheckUpdates(): array',
    'GW_CreateFrom(int InstanceID, string ID, int ParentID, string Module, string Name): int',
    'GW_CreateFrontTicket(int ConfiguratorID): string',
    'GW_CreateRecoveryKey(): array',
    'GW_DeleteBackup(string Name): bool',
    'GW_DeleteObject(int ID, bool DeleteFiles): int',
    'GW_EnableChip(string Device): array',
    'GW_EndSession(string ID): bool',
    'GW_EndTask(int TaskID, string Reason): bool',
    'GW_ExportConfiguration(bool Values): array',
    'GW_FactoryReset(string Confirmation): bool',
    'GW_GetAudit(int Limit, string Role): array',
    'GW_GetAuditLines(string Role, int Limit): array',
    'GW_GetBackupTargets(): array',
    'GW_GetBackups(): array',
    'GW_GetChoices(string Source): array',
    'GW_GetConfigurationText(): array',
    'GW_GetDeleted(): array',
    'GW_GetEventDecisions(int EventID): array',
    'GW_GetFound(int InstanceID): array',
    'GW_GetHealth(): array',
    'GW_GetInstalledConfiguration(): array',
    'GW_GetLines(): array',
    'GW_GetListeners(): array',
    'GW_GetLog(int SinceMs, string Level, string Subject, int Limit): array',
    'GW_GetMachine(): array',
    'GW_GetPushDevices(int InstanceID): array',
    'GW_GetQuality(array VariableIDs): array',
    'GW_GetRecords(int VariableID, float StartTime, float EndTime, int Limit): array',
    'GW_GetSessions(): array',
    'GW_GetSettings(): array',
    'GW_GetTargetBackups(string Target): array',
    'GW_GetTasks(): array',
    'GW_GetUpdates(): array',
    'GW_GetValues(array VariableIDs): array',
    'GW_GetVersion(): string',
    'GW_InstallUpdate(string Source): bool',
    'GW_MakeBackup(string Note): array',
    'GW_Prune(bool Remove): array',
    'GW_Publish(int InstanceID, string Topic, string Payload, int QoS{at most once at least once exactly once}, bool Retain): bool',
    'GW_ReloadConfiguration(): array',
    'GW_RemoveConfigurationOverlay(string Digest): array',
    'GW_RemovePushDevice(int InstanceID, string DeviceID): bool',
    'GW_ReportTask(int TaskID, int Done): bool',
    'GW_RequestActions(array Actions): array',
    'GW_RestartBox(): bool',
    'GW_RestoreBackup(string Name): array',
    'GW_RestoreDeleted(int DeletionID): array',
    'GW_RestoreTargetBackup(string Target, string Name): string',
    'GW_RunDoctor(): array',
    'GW_RunTargetBackup(string Target): array',
    'GW_SendNotification(int InstanceID, string Title, string Text, int Priority{low normal high}): bool',
    'GW_SetConfigurationText(string Text, string Digest): array',
    'GW_SetPassword(string Target, string Password): array',
    'GW_SetPublishRule(int ID, string Rule): bool',
    'GW_SetResidentAccess(int VariableID, string Access): bool',
    'GW_SetValues(array Values): bool',
    'GW_SimulateBounce(string Line, bool Active, int Bounces, float WithinMs, int Seed): bool',
    'GW_SimulateChipGone(string Chip, bool Gone): bool',
    'GW_SimulateFlood(string Line, float PerSecond, int ForMs): bool',
    'GW_SimulateLedGone(string Led, bool Gone): bool',
    'GW_SimulateLine(string Line, bool Active): bool',
    'GW_SimulateOneWireGone(string Address, bool Gone): bool',
    'GW_SimulatePwmGone(string Chip, bool Gone): bool',
    'GW_SimulateRefusal(string Line, bool Refuse): bool',
    'GW_SimulateSensorGone(string Device, bool Gone): bool',
    'GW_SimulateStuck(string Line, bool Stuck): bool',
    'GW_Subscribe(array IDs, array Messages): bool',
    'GW_TestBackupTarget(array Target): bool',
    'GW_VerifyTargetBackup(string Target, string Name): array',
    'SVC_GetModuleForm(string ModuleID): string',
    'WFC_ExecuteKeyed(int InstanceID, int VariableID, mixed Value, string Key): bool',
    'WFC_GetConfigurators(): array',
    'WFC_GetOutcome(int InstanceID, string Key): array',
    'WFC_RenderChartInline(int InstanceID, int ObjectID, int StartTime, int TimeSpan{tsHour tsDay tsWeek tsMonth tsYear tsDecade}, int Density{gdNormal gdHD gdRaw}, bool IsExtrema, bool IsDyn, int Width, int Height, array Visibility): string',
    'rpc.discover(): array',
  ]);
});

t.test('access follows decision 15', async (t) => {
  const open = declared
    .filter(({ access }) => access !== 'owner')
    .map(({ name, access }) => `${name} ${access}`);
  t.strictSame(open, [
    'GW_Subscribe socket',
    'WFC_Execute webfront',
    'WFC_ExecuteKeyed webfront',
    'WFC_FetchChartData webfront',
    'WFC_FetchChartDataEx webfront',
    'WFC_GetAggregatedValues webfront',
    'WFC_GetConfigurators public',
    'WFC_GetItems webfront',
    'WFC_GetLoggedValues webfront',
    'WFC_GetOutcome webfront',
    'WFC_GetSnapshot webfront',
    'WFC_GetSnapshotChanges webfront',
    'WFC_GetSnapshotChangesEx webfront',
    'WFC_GetSnapshotEx webfront',
    'WFC_OpenCategory webfront',
    'WFC_RegisterPNS webfront',
    'WFC_RenderChart webfront',
    'WFC_RenderChartEx webfront',
    'WFC_RenderChartInline webfront',
  ]);
});

t.test(
  'functions that switch or change something are audited, and each function has a line of help',
  async (t) => {
    const changes =
      /^AC_(Add|Change|Delete|ReAggregate|Set)|^SVC_(Execute|Abort|Apply|Connect|Create|Delete|Disable|Disconnect|Enable|RequestAction|Reset|Run|Set|StopKernel)|^(GW_)?(Set|RequestAction)|^GW_(ActivateOtherSlot|Cancel|CheckUpdates|InstallUpdate|RestartBox|CreateRecoveryKey|FactoryReset|RunTarget|TestBackupTarget|VerifyTarget|Change|CreateFrom|CreateFront|Delete|EnableChip|EndSession|MakeBackup|Prune|Publish|Reload|Remove|Restore|SendNotification|Simulate)|^HW_Write|^ModBus_Write|^MQTT_(Clear|Remove)|^OW_(Set|Switch|Toggle|Write)|^(SPRT|CSCK|SSCK|USCK)_|^UC_(Delete|Duplicate|Fix|Rename|Replace|Reset)|^VIO_(Connect|Disconnect|HTTPResponse|Push|Send)|^WFC_(AddItem|DeleteItem|Execute|RegisterPNS|SetItems|Update)/;
    t.strictSame(
      declared.filter(({ audited }) => audited !== false).map(({ name }) => name),
      declared
        .filter(({ name, unsupported: nothing }) => changes.test(name) && nothing === undefined)
        .map(({ name }) => name),
    );
    t.strictSame(
      declared.filter(({ help }) => !/^[A-Z].*\.$/.test(help)),
      [],
    );
  },
);
