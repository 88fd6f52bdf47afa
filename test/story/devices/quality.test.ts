import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';
import { openWebSocket, takeFrames, type Frame } from '../../tools/client/message-stream.js';
import { until } from '../../tools/until.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

interface Quality {
  readonly Quality: number;
  readonly Reason: string;
  readonly Text: string;
  readonly SourceTime: number;
  readonly ReceiveTime: number;
  readonly ClockTrusted: boolean;
}

const qualityAt = async (fixture: GatewayFixture, path: string): Promise<Quality | undefined> =>
  ((await rpc(fixture, 'GW_GetQuality', [await idOf(fixture, path)])) as Quality[])[0];

const online = (fixture: GatewayFixture, path: string) =>
  until(`${path} to be online`, async () => (await valueAt(fixture, `${path}/LINK`)) === 'online');

t.test('an edge has the time of the hardware, and sockets receive changes of the quality', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  await online(fixture, 'ground_floor/hall_button');
  const before = Date.now() / 1000;
  await rpc(fixture, 'GW_SimulateLine', 'BUTTON1', true);
  await until('the edge', () => valueAt(fixture, 'ground_floor/hall_button/STATE'));
  const {
    SourceTime = 0,
    ReceiveTime = 0,
    ...rest
  } = (await qualityAt(fixture, 'ground_floor/hall_button/STATE')) ?? {};
  t.match(rest, { Quality: 0, Reason: '', Text: '', ClockTrusted: true });
  t.ok(before <= SourceTime && SourceTime <= ReceiveTime, 'the edge was before it was read');
  t.strictSame(await rpc(fixture, 'GW_GetQuality', []), []);

  await using socket = await openWebSocket(fixture);
  const state = await idOf(fixture, 'ground_floor/hall_button/STATE');
  const button = await idOf(fixture, 'ground_floor/hall_button');
  await rpc(fixture, 'SVC_SetProperty', button, 'Line', 'NOWHERE');
  await rpc(fixture, 'SVC_ApplyChanges', button);
  const received: Frame[] = [];
  while (received.length < 2) {
    const [frame] = await takeFrames(socket, 1);
    if (frame?.SenderID === state && frame.Message === messageNumber.GW_QUALITY) received.push(frame);
  }
  t.match(received, [{ Data: [2, 'CLOSED'] }, { Data: [2, 'UNREACHABLE', /NOWHERE/] }]);
  const snapshot = (await rpc(fixture, 'SVC_GetSnapshot')) as {
    objects: Record<string, { data: { quality?: object } }>;
  };
  t.match(snapshot.objects[`ID${state}`]?.data.quality, { state: 2, reason: 'UNREACHABLE', text: /NOWHERE/ });
  t.equal(
    Object.values(snapshot.objects).filter(({ data }) => data.quality !== undefined).length,
    3,
    'STATE, COUNT and LOST of this instance, and nothing else',
  );
});

t.test('after a restart a reported value is good, and another one is not fresh', async (t) => {
  const clock = new ManualClock();
  clock.hasTrustedTime = false;
  const first = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE, { clock });
  await online(first, 'ground_floor/hall_button');
  await rpc(first, 'SetValue', await idOf(first, 'ground_floor/setpoint'), 19);
  clock.hasTrustedTime = true;
  await rpc(first, 'SetValue', await idOf(first, 'upper_floor/blind'), 4);
  await first.gateway.close();

  const yaml = (SIMULATED_CONFIG + SAMPLE_TREE).replace('BUTTON1', 'NOWHERE');
  const second = await startGateway(t, yaml, { directory: first.directory });
  await online(second, 'ground_floor/hall_relay');
  await until(
    'the button to be tried',
    async () => (await qualityAt(second, 'ground_floor/hall_button/STATE'))?.Quality === 2,
  );
  t.match(await qualityAt(second, 'ground_floor/hall_relay/STATE'), { Quality: 0, ClockTrusted: true });
  t.match(await qualityAt(second, 'ground_floor/hall_button/STATE'), {
    Reason: 'UNREACHABLE',
    Text: /NOWHERE/,
    ReceiveTime: 1_700_000_000,
    ClockTrusted: false,
  });
  t.match(
    await qualityAt(second, 'ground_floor/setpoint'),
    { Quality: 0, ReceiveTime: 1_700_000_000, ClockTrusted: false },
    'a setting stays valid, but its time is uncertain',
  );
  t.match(await qualityAt(second, 'upper_floor/blind'), { Quality: 0, ClockTrusted: true });
  await rpc(second, 'SetValue', await idOf(second, 'ground_floor/setpoint'), 19);
  t.match(await qualityAt(second, 'ground_floor/setpoint'), { ClockTrusted: true });
});

const EVERYTHING = `tree:
  - { instance: Input, ident: input, module: GPIO Input, properties: { Line: BUTTON1 } }
  - { instance: Button, ident: button, module: Button, properties: { Line: BUTTON2 } }
  - { instance: Counter, ident: counter, module: Counter, properties: { Line: BUTTON3 } }
  - { instance: Frequency, ident: frequency, module: Frequency, properties: { Line: BUTTON4 } }
  - { instance: Encoder, ident: encoder, module: Encoder, properties: { LineA: BUTTON5, LineB: BUTTON6 } }
  - { instance: Group, ident: group, module: Level Group, properties: { Lines: [BUTTON7, BUTTON8] } }
  - { instance: Output, ident: output, module: GPIO Output, properties: { Line: RELAY1 } }
  - { instance: Relay, ident: relay, module: Relay, properties: { Line: RELAY2 } }
  - { instance: Pulse, ident: pulse, module: Pulse, properties: { Line: RELAY3 } }
  - { instance: Blinker, ident: blinker, module: Blinker, properties: { Line: RELAY4 } }
  - { instance: Shutter, ident: shutter, module: Shutter, properties: { Up: RELAY5, Down: RELAY6, RunUpS: 30, RunDownS: 30 } }
  - { instance: LED, ident: led, module: LED, properties: { Led: LED1 } }
  - { instance: PWM, ident: pwm, module: PWM, properties: { Channel: PWM1 } }
`;

t.test(
  'a variable that is reported when its instance opens is good immediately, even after a restart',
  async (t) => {
    let directory: string | undefined;
    for (const start of ['the first start', 'a restart']) {
      const fixture: GatewayFixture = await startGateway(
        t,
        SIMULATED_CONFIG + EVERYTHING,
        directory === undefined ? {} : { directory },
      );
      ({ directory } = fixture);
      const idents = [...EVERYTHING.matchAll(/ident: (\w+)/g)].map(([, ident = '']) => ident);
      t.equal(idents.length, 13);
      for (const ident of idents) await online(fixture, ident);
      const doubted = (await rpc(fixture, 'GW_GetQuality', [])) as { VariableID: number; Reason: string }[];
      const messages = await Promise.all(
        doubted.map(
          async ({ VariableID, Reason }) =>
            `${String(await rpc(fixture, 'SVC_GetLocation', VariableID))}: ${Reason}`,
        ),
      );
      // No day has ended yet, and the shutter has never been at an end stop.
      t.strictSame(
        messages,
        ['Counter\\Yesterday: NO_VALUE', 'Counter\\Last month: NO_VALUE', 'Shutter\\Position: NOT_KNOWN'],
        start,
      );
      await fixture.gateway.close();
    }
  },
);
