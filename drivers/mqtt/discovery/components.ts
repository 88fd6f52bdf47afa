import type { AnnouncedEntity } from './announcement.js';
import { EntityBuilder } from './entity-builder.js';
import { buildClimate, buildHumidifier, buildWaterHeater } from './entities/climate.js';
import { buildCover, buildValve } from './entities/covers.js';
import { buildFan } from './entities/fan.js';
import {
  buildButton,
  buildDate,
  buildDateTime,
  buildNotify,
  buildNumber,
  buildScene,
  buildSelect,
  buildText,
  buildTime,
} from './entities/inputs.js';
import { buildDefaultLight } from './entities/light-default.js';
import { buildJsonLight } from './entities/light-json.js';
import { buildTemplateLight } from './entities/light-template.js';
import { buildAlarmPanel, buildLock, buildSiren } from './entities/locks.js';
import {
  buildDeviceAutomation,
  buildDeviceTracker,
  buildEvent,
  buildPicture,
  buildTag,
  buildUpdate,
} from './entities/occurrences.js';
import { buildLawnMower, buildVacuum } from './entities/robots.js';
import { buildSensor } from './entities/sensor.js';
import { buildBinarySensor, buildSwitch } from './entities/switches.js';
import type { EntityModel } from './model.js';
import { memberOf } from './readers.js';

/** How each component becomes variables. */
const builders: Readonly<Record<string, (entity: EntityBuilder) => void>> = {
  alarm_control_panel: buildAlarmPanel,
  binary_sensor: buildBinarySensor,
  button: buildButton,
  camera: buildPicture,
  climate: buildClimate,
  cover: buildCover,
  date: buildDate,
  datetime: buildDateTime,
  device_automation: buildDeviceAutomation,
  device_tracker: buildDeviceTracker,
  event: buildEvent,
  fan: buildFan,
  humidifier: buildHumidifier,
  image: buildPicture,
  lawn_mower: buildLawnMower,
  light: buildLight,
  lock: buildLock,
  notify: buildNotify,
  number: buildNumber,
  scene: buildScene,
  select: buildSelect,
  sensor: buildSensor,
  siren: buildSiren,
  switch: buildSwitch,
  tag: buildTag,
  text: buildText,
  time: buildTime,
  update: buildUpdate,
  vacuum: buildVacuum,
  valve: buildValve,
  water_heater: buildWaterHeater,
};

/** An announced entity as variables. What is not understood is in its `problems`; nothing is thrown. */
export function buildEntity(announced: AnnouncedEntity): EntityModel {
  const entity = new EntityBuilder(announced);
  const build = memberOf(builders, announced.component);
  if (build === undefined) entity.settings.problem(`there is no support for ${announced.component}`);
  else build(entity);
  if (build !== undefined && !entity.hasVariables)
    entity.settings.problem('it has no topic that is understood');
  return entity.build();
}

function buildLight(entity: EntityBuilder): void {
  const schema = entity.settings.text('schema') ?? 'default';
  if (schema === 'json') return buildJsonLight(entity);
  if (schema === 'template') return buildTemplateLight(entity);
  if (schema !== 'default' && schema !== 'basic') entity.settings.problem(`there is no schema ${schema}`);
  return buildDefaultLight(entity);
}
