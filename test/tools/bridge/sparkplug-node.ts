import { Type } from '@sinclair/typebox';
import type { Test } from 'tap';
import { encodePayload } from '../../../drivers/bridge/sparkplug/payload.js';
import { sparkplugEdgeNode } from '../../../drivers/bridge/sparkplug/sparkplug-edge-node.js';
import type { Clock } from '../../../src/base/clock.js';
import { moduleKind, variableType, type Host, type ModuleDefinition } from '../../../src/device/module.js';
import { quality } from '../../../src/kernel/quality.js';
import { tempDirectory } from '../temp-directory.js';
import { until } from '../until.js';
import { BridgeFixture, environmentIn } from './bridge-fixture.js';
import { SparkplugObserver } from './sparkplug-observer.js';

/** A device with an output. `onOpen` gets its host, with which tests report. */
const lamp = (onOpen: (host: Host) => void): ModuleDefinition =>
  ({
    id: '{00000000-0000-0000-0000-0000000000AA}',
    name: 'Lamp',
    kind: moduleKind.device,
    prefix: 'TEST',
    properties: Type.Object({}),
    variables: () => [
      { ident: 'STATE', name: 'State', type: variableType.boolean, role: 'main', action: true },
    ],
    open: async (host: Host) => {
      onOpen(host);
      host.report('STATE', false);
      return {
        write: async (ident: string, value: boolean) => host.report(ident, value),
        close: async () => undefined,
      };
    },
  }) as unknown as ModuleDefinition;

/** A gateway with a hall and a lamp, both forwarded by an edge node. */
export async function openNode(
  t: Test,
  observer: SparkplugObserver,
  { clock, ...properties }: Record<string, unknown> & { readonly clock?: Clock } = {},
) {
  const environment = environmentIn(await tempDirectory(t));
  const module = sparkplugEdgeNode(observer, environment) as unknown as ModuleDefinition;
  let host: Host | undefined;
  const fixture = new BridgeFixture([module, lamp((opened) => (host = opened))], clock);
  t.teardown(() => fixture[Symbol.asyncDispose]());
  const device = await fixture.add('Lamp', {});
  fixture.kernel.tree.set(device, 'ident', 'lamp');
  await fixture.waitForLink(device, 'online');
  const bridge = await fixture.add('Sparkplug Edge Node', {
    Url: 'mqtt://first',
    MoreUrls: ['mqtt://second'],
    GroupID: 'plant',
    EdgeNodeID: 'box',
    Paths: [
      { Path: 'hall', Priority: 'normal' },
      { Path: 'lamp', Priority: 'normal' },
    ],
    Commands: true,
    WriteInterval: 1,
    ...properties,
  });
  return { fixture, bridge, host: host as Host };
}

/** A session with all that an edge node does, and one after a lost connection. */
export async function rehearse(t: Test): Promise<SparkplugObserver> {
  const observer = new SparkplugObserver();
  const { fixture, bridge, host } = await openNode(t, observer);
  await until('the births', () => observer.sessions[0]?.messages.length === 3);
  for (let n = 1; n <= 300; n++) {
    const before = observer.last.messages.length;
    fixture.set(n % 2 === 0 ? 'TEMPERATURE' : 'COUNT', n);
    await until('the value', () => observer.last.messages.length > before);
  }
  fixture.set('TEXT', 'grün');
  fixture.kernel.variables.setQualityProblem(fixture.variable('COUNT'), {
    state: quality.bad,
    reason: 'NO_ANSWER',
    text: 'broken',
  });
  const deaths = () => observer.last.messages.filter(({ kind }) => kind === 'DDEATH').length;
  host.setUnavailable('the lamp is off');
  await until('the death of the lamp', () => deaths() === 1);
  const births = () => observer.last.messages.filter(({ kind }) => kind === 'DBIRTH').length;
  host.setUnavailable(undefined);
  host.report('STATE', true);
  await until('the lamp again', () => births() === 3);
  requestRebirth(observer);
  await until('the rebirth', () => births() === 5);
  fixture.set('LIGHT', true);
  await until('a value after it', () => observer.last.messages.at(-1)?.kind === 'DDATA');
  observer.open -= 1;
  observer.last.listener.onLost(new Error('cut'));
  fixture.set('TEMPERATURE', 1);
  await until('the next session', () => observer.sessions.length === 2 && observer.last.messages.length >= 4);
  await fixture.devices.delete(bridge.id);
  return observer;
}

/** A host application requests a rebirth. */
export function requestRebirth(observer: SparkplugObserver): void {
  const rebirth = { name: 'Node Control/Rebirth', value: { kind: 'boolean', value: true } } as const;
  observer.send('spBv1.0/plant/NCMD/box', encodePayload({ timestamp: 1, metrics: [rebirth] }));
}
