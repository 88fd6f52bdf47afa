import t from 'tap';
import { hasProgram } from '../../tools/program.js';
import { aedesTestBroker, fakeTestBroker, mosquittoTestBroker } from './brokers.js';
import { mqttModulesContract } from './modules-suite.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';

await mqttModulesContract(t, 'simulated broker, MQTT 3.1.1', () => fakeTestBroker(4));
await mqttModulesContract(t, 'simulated broker, MQTT 5', () => fakeTestBroker(5));
await mqttModulesContract(t, 'aedes, MQTT 3.1.1', aedesTestBroker);
await t.test('mosquitto', { skip }, async (t) => {
  await mqttModulesContract(t, 'MQTT 3.1.1', () => mosquittoTestBroker(4));
  await mqttModulesContract(t, 'MQTT 5', () => mosquittoTestBroker(5));
});
