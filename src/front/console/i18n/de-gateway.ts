import { board } from './de-gateway/board.js';
import { bridge } from './de-gateway/bridge.js';
import { core, gatewayVariables } from './de-gateway/core.js';
import { energy } from './de-gateway/energy.js';
import type { FamilyTexts } from './de-gateway/family-texts.js';
import { gpio } from './de-gateway/gpio.js';
import { meter } from './de-gateway/meter.js';
import { modbus } from './de-gateway/modbus.js';
import { mqtt } from './de-gateway/mqtt.js';
import { notification } from './de-gateway/notification.js';
import { sensor } from './de-gateway/sensor.js';
import { settings, settingWords } from './de-gateway/settings.js';
import { stream } from './de-gateway/stream.js';
import { mqttServer } from './de-gateway/mqtt-server.js';
import { deVariable as variable } from '../../web/i18n/de-variables.js';
import { about, checks, choices, groups, options, problems, words } from './de-gateway/vocabulary.js';

const families: readonly FamilyTexts[] = [
  gpio,
  board,
  stream,
  mqtt,
  bridge,
  mqttServer,
  notification,
  modbus,
  meter,
  sensor,
  energy,
  core,
];

/** German for what the gateway says in English. A text that is missing stays English. */
export const deGateway = {
  families,
  groups,
  choices,
  options,
  checks,
  about,
  problems,
  settings,
  settingWords,
  variable,
  words,
  gatewayVariables,
} as const;
