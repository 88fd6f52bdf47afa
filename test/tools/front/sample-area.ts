import type { Test } from 'tap';
import { idOf } from '../client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  startGateway,
  type GatewayFixture,
  type GatewayFixtureOptions,
} from '../gateway/gateway-fixture.js';
import { enableLinearPatterns } from '../linear-patterns.js';

/** A text that would run as a program if a page took it for HTML. */
export const HOSTILE = '<img src=x onerror=document.title=1>';

/** Profiles and a tree with a tile of every kind. The hidden category is in no front. */
export const AREA_TREE = `profiles:
  Mode: { type: integer, icon: Gear, associations: [{ value: 0, name: Off }, { value: 1, name: Automatic }, { value: 2, name: Holiday }] }
  Scene: { type: integer, associations: [{ value: 0, name: Morning }, { value: 1, name: Noon }, { value: 2, name: Evening }, { value: 3, name: Night }, { value: 4, name: '${HOSTILE}' }] }
tree:
  - category: House
    ident: area
    children:
      - category: Ground floor
        ident: ground
        icon: Home
        children:
          - { instance: Hall relay, ident: hall_relay, module: Relay, properties: { Line: RELAY1, Boot: inactive } }
          - { instance: Boiler, ident: boiler, module: Relay, properties: { Line: RELAY2, Boot: inactive, MinOnS: 20, MaxOnS: 3600 } }
          - { instance: Heater, ident: heater, module: Relay, properties: { Line: RELAY6, Boot: inactive, MaxOnS: 3600 } }
          - { instance: Front door, ident: door, module: Pulse, properties: { Line: RELAY3, PulseMs: 200, PauseMs: 0 } }
          - { instance: Blind of the living room, ident: blind, module: Shutter, properties: { Up: RELAY4, Down: RELAY5, RunUpS: 20, RunDownS: 18, SlatS: 2 } }
          - { instance: Table lamp, ident: lamp, module: PWM, properties: { Channel: PWM1 } }
          - { instance: Kitchen window, ident: window, module: GPIO Input, properties: { Line: BUTTON2 }, variables: { STATE: { profile: ~Window } } }
          - { instance: Hall button, ident: button, module: Button, properties: { Line: BUTTON1 } }
          - { script: Setter, ident: setter, hidden: true, text: 'SetValue(VARIABLE, VALUE);' }
          - { script: All off, ident: off, text: 'SetValue(SVC_GetObjectIDByIdent("hostile", SVC_GetParent(SELF)), 2);' }
          - { variable: Setpoint, ident: setpoint, type: float, value: 21.5, profile: ~Temperature.Room, action: area/ground/setter }
          - { variable: Mode, ident: mode, type: integer, value: 1, profile: Mode, action: area/ground/setter }
          - { variable: Scene, ident: scene, type: integer, value: 2, profile: Scene, action: area/ground/setter }
          - { variable: Colour, ident: colour, type: integer, value: 16744448, profile: ~HexColor, action: area/ground/setter }
          - { variable: Note, ident: note, type: string, value: '${HOSTILE}', action: area/ground/setter }
          - { variable: Alarm clock, ident: clock, type: integer, value: 1764000000, profile: ~UnixTimestampTime, action: area/ground/setter }
          - { variable: Outside, ident: outside, type: float, value: 4.3, profile: ~Temperature, archive: true }
          - { variable: '${HOSTILE}', ident: hostile, type: float, value: 1 }
          - { instance: Well, ident: well, module: Relay, properties: { Line: RELAY8, Boot: inactive, Interlock: pumps } }
          - instance: Garden radio
            ident: radio
            module: Virtual I/O
            children:
              - { instance: Garden sensor, ident: garden, module: Serial Device, properties: { Rules: [{ Pattern: '^T=(.+)$', Ident: WARM, Type: float, Profile: ~Temperature, StaleAfterS: 1 }] } }
      - category: Upper floor
        ident: upper
        children:
          - { category: Bath, ident: bath, children: [{ variable: Battery, ident: battery, type: boolean, value: true, profile: ~Battery }] }
          - { media: Plan, ident: plan, type: image, file: media/plan.svg }
          - { media: Temperatures, ident: chart, type: chart, file: media/chart.json }
          - { link: Light of the hall, ident: link, target: area/ground/hall_relay }
      - { category: Secret cellar, ident: secret, hidden: true, children: [{ variable: Safe, ident: safe, type: boolean, value: true }] }
  - category: Elsewhere
    ident: elsewhere
    children: [{ instance: Pump of the neighbours, ident: pump, module: Relay, properties: { Line: RELAY7, Boot: inactive, Interlock: pumps } }]
`;

/** Two configurators of it: one without a password, one with "tulip". */
const CONFIGURATORS = `configurators:
  - { title: Family, ident: wf, base: area, passwordRequired: false }
  - { title: Locked, ident: locked, base: area, password: tulip }
`;

const WEB_SERVERS = `webServers:
  - { name: web, host: 127.0.0.1, port: 0, serve: front }
  - { name: secure, host: 127.0.0.1, port: 0, serve: front, tls: auto }
`;

/** The configuration of a gateway that serves fronts of a tree. */
export const areaConfiguration = (tree = AREA_TREE): string =>
  SIMULATED_CONFIG + WEB_SERVERS + tree + CONFIGURATORS;

/** A gateway that serves fronts of the sample area. */
export interface AreaFixture extends GatewayFixture {
  /** Address of the front without a password. */
  readonly front: string;
  /** Address of the front with one. */
  readonly locked: string;
  /** The start page over TLS, with a certificate of the gateway's own authority. */
  readonly secure: string;
  id(path: string): Promise<number>;
}

/** Starts a gateway in this process; it ends with the test. */
export async function startArea(
  t: Test,
  { tree, ...options }: GatewayFixtureOptions & { readonly tree?: string } = {},
): Promise<AreaFixture> {
  // For the rules of its serial device.
  enableLinearPatterns();
  const fixture = await startGateway(t, areaConfiguration(tree), options);
  const origin = `http://127.0.0.1:${fixture.gateway.port('web')}`;
  return {
    ...fixture,
    front: `${origin}/wfc/${await idOf(fixture, 'wf')}/`,
    locked: `${origin}/wfc/${await idOf(fixture, 'locked')}/`,
    secure: `https://127.0.0.1:${fixture.gateway.port('secure')}/`,
    id: (path) => idOf(fixture, path),
  };
}
