import t from 'tap';
import { hasProgram } from '../../tools/program.js';
import { aedesBench, fakeBench, mosquittoBench } from './benches.js';
import { mqttModulesContract } from './modules-suite.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';

await mqttModulesContract(t, 'simulated broker, MQTT 3.1.1', () => fakeBench(4));
await mqttModulesContract(t, 'simulated broker, MQTT 5', () => fakeBench(5));
await mqttModulesContract(t, 'aedes, MQTT 3.1.1', aedesBench);
await t.test('mosquitto', { skip }, async (t) => {
  await mqttModulesContract(t, 'MQTT 3.1.1', () => mosquittoBench(4));
  await mqttModulesContract(t, 'MQTT 5', () => mosquittoBench(5));
});
