import { AREA_TREE } from './sample-area.js';

/** A room with an instance of each bridge, server and kind of meter or sensor, none of which can be reached. */
const ROOM = `      - category: Technik
        ident: rack
        children:
          - { instance: Brücke, ident: bridge, module: MQTT Bridge, properties: { Url: "mqtt://127.0.0.1:9", Topic: haus, Paths: [{ Path: area/ground, Priority: normal }] } }
          - { instance: Zeitreihe, ident: series, module: Line Protocol Bridge, properties: { Url: "http://127.0.0.1:9/write", Tags: [{ Name: ort, Value: nord }], Paths: [{ Path: area/ground, Priority: normal }] } }
          - { instance: Leitwarte, ident: plant, module: Sparkplug Edge Node, properties: { Url: "mqtt://127.0.0.1:9", GroupID: nord, EdgeNodeID: haus17, Paths: [{ Path: area/ground, Priority: normal }] } }
          - { instance: Handy, ident: phone, module: Notification, properties: { Service: ntfy, Url: "http://127.0.0.1:9/haus" } }
          - { instance: Lesekopf, ident: head, module: Serial Port, properties: { Port: /dev/ttyNONE0 }, children: [{ instance: Stromzähler, ident: sml, module: SML Meter, properties: { Values: [ENERGY_IN, ENERGY_OUT, POWER, VOLTAGE_L1] } }] }
          - { instance: Wärmebus, ident: bus, module: Serial Port, properties: { Port: /dev/ttyNONE1 }, children: [{ instance: Wärmezähler, ident: mbus, module: M-Bus Meter, properties: { Number: "06855817", Values: [ENERGY, VOLUME, POWER, FLOW_TEMPERATURE] } }] }
          - { instance: Kundenport, ident: port, module: Serial Port, properties: { Port: /dev/ttyNONE2 }, children: [{ instance: Netzzähler, ident: dsmr, module: DSMR Meter, properties: { Values: [ENERGY_IN_T1, ENERGY_IN_T2, POWER, GAS_1] } }] }
          - { instance: Lesekopf 2, ident: head2, module: Serial Port, properties: { Port: /dev/ttyNONE3 }, children: [{ instance: Alter Zähler, ident: iec, module: IEC 62056-21 Meter, properties: { Mode: request, EveryS: 900, Values: [ENERGY, VOLUME] } }] }
          - { instance: Funk, ident: broker, module: MQTT Client, properties: { Url: "mqtt://127.0.0.1:9" }, children: [{ instance: Funkgeräte, ident: discovery, module: MQTT Discovery, properties: { Adopt: all } }, { instance: Hausautomation, ident: publisher, module: MQTT Publisher, properties: { Paths: [area/ground] } }] }
          - { instance: Nachrichtenserver, ident: server, module: MQTT Server, properties: { BindIP: 192.0.2.1 }, children: [{ instance: Stecker, ident: plug, module: MQTT Server User, properties: { UserName: plug, Password: secret of plug, Read: [cmnd/#] } }] }
          - { instance: Luft, ident: air, module: Sensor, properties: { Device: bme280@1-0076, Channels: [{ Channel: in_temp, DeadBand: 0.05 }] } }
          - { instance: Energie, ident: energy, module: Energy, properties: { Import: area/rack/head/sml/ENERGY_IN, Price: 0.32, Tariffs: [{ From: "22:00", To: "06:00", Price: 0.24 }], GridPower: area/rack/head/sml/POWER, Switch: area/cellar/heater, OnAbove: 2000, OffBelow: -100 } }
          - { instance: Feldbus, ident: rs485, module: Serial Port, properties: { Port: /dev/ttyNONE4 }, children: [{ instance: Strang, ident: line, module: ModBus Gateway, properties: { GatewayMode: 1, DeviceID: 1 }, children: [{ instance: Wärmepumpe, ident: pump, module: ModBus Mapped Device, properties: { Map: eastron-sdm630 } }] }] }
          - { instance: Leittechnik, ident: control, module: Server Socket, properties: { BindIP: 192.0.2.1, Port: 502 }, children: [{ instance: Anlage, ident: plant, module: ModBus Server, properties: { Map: plant, UnitID: 1 } }] }
`;

/** The tree of the sample area with a room of devices that cannot be reached. */
export const DEVICE_TREE = AREA_TREE.replace(/(?=^ {6}- \{ category: Secret cellar)/m, ROOM);

/** The paths of its instances. */
export const DEVICES =
  'bridge series plant phone head/sml bus/mbus port/dsmr head2/iec broker broker/discovery broker/publisher'
    .concat(' server server/plug air energy rs485/line/pump control/plant')
    .split(' ')
    .map((path) => `area/rack/${path}`);

/** The names that the owner of the sample area has given. */
export const NAMES: readonly string[] = [
  ...Array.from(
    DEVICE_TREE.matchAll(/(?:category|instance|script|variable|media|link|name|event): ('[^']+'|[^,}\n]+)/g),
    ([, name = '']) => name.replaceAll("'", '').trim(),
  ),
  'Family',
  'Locked',
];
