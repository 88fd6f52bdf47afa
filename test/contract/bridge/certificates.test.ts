import t from 'tap';
import { NetworkConnector } from '../../../drivers/mqtt/network-connection.js';
import { mqttBridge } from '../../../drivers/bridge/json/mqtt-bridge.js';
import type { ModuleDefinition } from '../../../src/device/module.js';
import { BridgeFixture, environmentIn } from '../../tools/bridge/bridge-fixture.js';
import { startMosquitto } from '../../tools/devices/mosquitto.js';
import { certificatesIn } from '../../tools/devices/signed-certificates.js';
import { hasProgram } from '../../tools/program.js';
import { reservePort } from '../../tools/reserve-port.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const missing = ['mosquitto', 'openssl'].filter((name) => !hasProgram(name));
const skip = missing.length > 0 && `not installed: ${missing.join(', ')}`;

t.test('a bridge presents a renewed client certificate with its next connection', { skip }, async (t) => {
  const directory = await tempDirectory(t);
  const { at, certificate } = certificatesIn(directory);
  await certificate('ca', '/CN=Test authority', 'basicConstraints=critical,CA:TRUE');
  await certificate('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
  await certificate('client', '/CN=first', 'basicConstraints=CA:FALSE');
  const [port, secure] = [await reservePort(), await reservePort()];
  const lines = [
    `listener ${secure} 127.0.0.1`,
    `cafile ${at('ca.pem')}`,
    `certfile ${at('server.pem')}`,
    `keyfile ${at('server.key')}`,
    'require_certificate true',
    'use_identity_as_username true',
  ];
  const module = mqttBridge(new NetworkConnector(), environmentIn(await tempDirectory(t)));
  await using fixture = new BridgeFixture([module] as unknown as readonly ModuleDefinition[]);
  const broker = await startMosquitto({ directory, port, lines });
  const bridge = await fixture.add('MQTT Bridge', {
    Url: `mqtts://localhost:${secure}`,
    CaFile: at('ca.pem'),
    CertificateFile: at('client.pem'),
    KeyFile: at('client.key'),
    Paths: [{ Path: 'hall', Priority: 'normal' }],
    WriteInterval: 1,
  });
  await fixture.waitForValue(bridge, 'CONNECTED', true);
  await broker.program.waitFor(/u'first'/);
  await broker.program.end();
  await fixture.waitForValue(bridge, 'CONNECTED', false);
  await certificate('client', '/CN=renewed', 'basicConstraints=CA:FALSE');
  await using again = await startMosquitto({ directory, port, lines });
  await fixture.waitForValue(bridge, 'CONNECTED', true);
  await again.program.waitFor(/u'renewed'/);
});
