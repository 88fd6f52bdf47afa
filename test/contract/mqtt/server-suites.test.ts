/** The suites that run against mosquitto and aedes, against the broker of the module MQTT Server. */
import t from 'tap';
import { serverTestBroker } from './brokers.js';
import { mqttModulesContract } from './modules-suite.js';
import { mqttContract } from './suite.js';

await mqttContract(t, 'MQTT Server', serverTestBroker);
await mqttModulesContract(t, 'MQTT Server', serverTestBroker);
