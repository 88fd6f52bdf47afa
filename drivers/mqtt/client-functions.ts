import { coded } from '../../src/base/codes/coded-text.js';
import { Type } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import { bool, declare, int, text, type FunctionDeclaration } from '../../src/device/declare.js';
import type { OpenInstances } from '../../src/device/module.js';
import type { QoS } from './broker.js';
import { SubscriptionRouter } from './subscription-router.js';

/** Longest payload that a function returns, bytes. */
const PAYLOAD_REPLY_LIMIT = 1024 * 1024;

const topicRecords = Type.Array(
  Type.Object({
    Topic: Type.String(),
    LastPayload: Type.String(),
    Count: Type.Integer(),
    LastSeen: Type.Integer(),
  }),
);

const retainedRecord = Type.Object({
  Topic: Type.String(),
  /** As UTF-8 text or base64, as `Encoding` says. */
  Payload: Type.String(),
  Encoding: Type.Union([Type.Literal('utf8'), Type.Literal('base64')]),
});

/**
 * The functions of the module MQTT Client. The code that queries retained messages is loaded by the first
 * call that needs it.
 */
export function mqttFunctions(
  instances: OpenInstances,
  module: { readonly id: string; readonly name: string },
): FunctionDeclaration[] {
  const topicsOf = (id: number): SubscriptionRouter => {
    const { provided } = instances.openInstance(id, module);
    if (!(provided instanceof SubscriptionRouter)) throw fault('WRONG_MODULE', id, module.name);
    return provided;
  };
  const retained = () => import('./retained-messages.js');
  return [
    declare({
      name: 'MQTT_GetKnownDevices',
      parameters: [int('InstanceID')],
      result: 'array',
      shape: topicRecords,
      help: 'Lists the topics that an MQTT client has seen since it connected, with the beginning of their last payload.',
      run: (_caller, id) => topicsOf(id).knownTopics(),
    }),
    declare({
      name: 'MQTT_ClearTopics',
      parameters: [int('InstanceID')],
      result: 'boolean',
      audited: true,
      help: 'Clears the list of topics that MQTT_GetKnownDevices returns.',
      run: (_caller, id) => {
        topicsOf(id).clearKnownTopics();
        return true;
      },
    }),
    declare({
      name: 'MQTT_GetRetainedMessageTopicList',
      parameters: [int('InstanceID')],
      result: 'array',
      shape: Type.Array(Type.String()),
      help: 'Lists the topics with a retained message, among those that the MQTT client is subscribed to.',
      run: async (_caller, id) => {
        const topics = topicsOf(id);
        return (await retained()).listRetainedTopics(topics);
      },
    }),
    declare({
      name: 'MQTT_GetRetainedMessage',
      parameters: [int('InstanceID'), text('Topic')],
      result: 'array',
      shape: retainedRecord,
      help: 'Returns the retained message of a topic. Any topic is allowed that the MQTT client may read.',
      run: async (_caller, id, topic) => {
        const topics = topicsOf(id);
        const { payload, text: payloadText } = await (await retained()).getRetainedMessage(topics, topic);
        if (payload.length > PAYLOAD_REPLY_LIMIT)
          throw fault('TEXT_TOO_LONG', coded`WHAT_PAYLOAD: The payload`, PAYLOAD_REPLY_LIMIT, 'bytes');
        return payloadText === undefined
          ? { Topic: topic, Payload: payload.toString('base64'), Encoding: 'base64' as const }
          : { Topic: topic, Payload: payloadText, Encoding: 'utf8' as const };
      },
    }),
    declare({
      name: 'MQTT_RemoveRetainedMessage',
      parameters: [int('InstanceID'), text('Topic')],
      result: 'boolean',
      audited: true,
      help: 'Removes the retained message of a topic by publishing an empty one.',
      run: async (_caller, id, topic) => {
        const topics = topicsOf(id);
        await (await retained()).removeRetainedMessage(topics, topic);
        return true;
      },
    }),
    declare({
      name: 'MQTT_ClearRetainedMessages',
      parameters: [int('InstanceID')],
      result: 'boolean',
      audited: true,
      help: 'Removes all retained messages that MQTT_GetRetainedMessageTopicList lists, except topics that begin with $.',
      run: async (_caller, id) => {
        const topics = topicsOf(id);
        await (await retained()).clearRetainedMessages(topics);
        return true;
      },
    }),
    declare({
      name: 'GW_Publish',
      parameters: [
        int('InstanceID'),
        text('Topic'),
        text('Payload'),
        int('QoS', ['at most once', 'at least once', 'exactly once']),
        bool('Retain'),
      ],
      result: 'boolean',
      audited: true,
      help: 'Publishes a message through an MQTT client.',
      run: async (_caller, ...[id, topic, payload, qos, retain]) => {
        await topicsOf(id).publish(topic, payload, { qos: qos as QoS, retain });
        return true;
      },
    }),
  ];
}
