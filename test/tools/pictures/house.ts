/** The configuration of the pictures: a house on the simulated board with a device of every common kind. */
export const HOUSE = `board: simulated
remoteAccess: { username: owner@example.org, password: swordfish }
api: { port: 0 }
webServers: [{ name: web, host: 127.0.0.1, port: 0, serve: front }]
profiles:
  Heating: { type: integer, icon: Gear, associations: [{ value: 0, name: Off }, { value: 1, name: Automatic }, { value: 2, name: Away }] }
tree:
  - category: House
    ident: house
    icon: Home
    children:
      - category: Ground floor
        ident: ground
        icon: Home
        children:
          - { instance: Hall light, ident: hall, module: Relay, properties: { Line: RELAY1, Boot: inactive } }
          - { instance: Hall button, ident: button, module: Button, properties: { Line: BUTTON1, Toggles: house/ground/hall } }
          - { instance: Kitchen light, ident: kitchen, module: Relay, properties: { Line: RELAY2, Boot: inactive, MaxOnS: 7200 } }
          - { instance: Kitchen window, ident: window, module: GPIO Input, properties: { Line: BUTTON2 }, variables: { STATE: { profile: ~Window } } }
          - { instance: Front door, ident: door, module: Pulse, properties: { Line: RELAY3, PulseMs: 200, PauseMs: 0 } }
          - { variable: Living room, ident: inside, type: float, value: 21.4, profile: ~Temperature.Room, archive: true }
          - { instance: Blind, ident: blind, module: Shutter, properties: { Up: RELAY4, Down: RELAY5, RunUpS: 20, RunDownS: 18, SlatS: 2 } }
          - { instance: Table lamp, ident: lamp, module: PWM, properties: { Channel: PWM1 } }
          - { variable: Setpoint, ident: setpoint, type: float, value: 21.5, profile: ~Temperature.Room, action: house/heating/set }
      - category: Upper floor
        ident: upper
        icon: Home
        children:
          - { instance: Bath light, ident: bath, module: Relay, properties: { Line: RELAY7, Boot: inactive } }
          - { variable: Bedroom, ident: bedroom, type: float, value: 19.2, profile: ~Temperature.Room }
          - { variable: Smoke detector, ident: smoke, type: boolean, value: true, profile: ~Battery }
      - category: Heating
        ident: heating
        icon: Temperature
        children:
          - { instance: Boiler, ident: boiler, module: Relay, properties: { Line: RELAY6, Boot: inactive, MinOnS: 600 } }
          - { variable: Mode, ident: mode, type: integer, value: 1, profile: Heating, action: house/heating/set }
          - { variable: Outside, ident: outside, type: float, value: 17.8, profile: ~Temperature, archive: true }
          - { script: Set, ident: set, hidden: true, text: 'SetValue(VARIABLE, VALUE);' }
          - { script: All off, ident: off, text: "// Runs from the front, and when the last one leaves.\\nfor (const name of ['hall', 'kitchen', 'bath']) {\\n  const light = SVC_GetObjectIDByIdent(name, SVC_GetParent(SELF));\\n  RequestAction(SVC_GetObjectIDByIdent('STATE', light), false);\\n}\\n" }
configurators:
  - { title: Family, ident: wf, base: house, passwordRequired: false }
`;
