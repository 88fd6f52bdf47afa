/**
 * The longest test files, in seconds on two cores. They start first where no earlier run says how long they
 * take, so that none of them runs on its own at the end.
 */
export const LONG_S: ReadonlyMap<string, number> = new Map([
  // These wait for retries and deadlines most of the time.
  ['contract/mqtt/devices.test', 40],
  ['contract/gpio/keeper.test', 20],
  ['contract/gpio/keeper-stalls.test', 15],
  ['contract/modbus/modbus.test', 13],
  ['contract/mqtt/connection.test', 10],
  // These compute, or start many processes.
  ['contract/functions/proved.test', 30],
  ['fuzz/start/start.test', 20],
  ['contract/script/limits.test', 11],
  ['story/cli/archive.test', 10],
  ['contract/script/pool.test', 9],
  ['fuzz/model-restart.test', 9],
  ['contract/archive/archive.test', 9],
  ['story/service/process.test', 9],
  ['story/cookbook/alarm.test', 8],
  ['story/cli/watch.test', 8],
  ['story/web/sessions.test', 8],
  ['story/web/media.test', 8],
  ['contract/script/realm.test', 8],
  ['story/service/service.test', 7],
  ['contract/store/crash.test', 7],
  ['fuzz/model.test', 6],
  ['contract/mqtt/hostile.test', 6],
  // In the lab: emulated machines.
  ['lab/powercut.lab', 500],
  ['lab/archive.lab', 450],
  ['lab/counting.lab', 350],
  ['lab/leds.lab', 300],
  ['lab/port-expander.lab', 260],
  ['lab/edges.lab', 240],
  ['lab/onewire.lab', 220],
  ['lab/keeper.lab', 210],
  ['lab/disk.lab', 190],
  ['lab/outputs/cut.lab', 190],
  ['lab/watchdog.lab', 180],
]);
