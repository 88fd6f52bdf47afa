import t from 'tap';
import type { Machine } from '../../../src/service/machine/machine-facts.js';
import { sensorsCheck } from '../../../src/service/machine/sensor-check.js';

type Facts = Pick<Machine, 'found' | 'boot' | 'i2c'>;

const boot = { path: '/boot/firmware/config.txt', settings: ['dtparam=spi=on'] };
const i2c = { buses: ['i2c-1'], chips: [] };
const found = (name: string): Partial<Facts> => ({
  found: [{ id: `sensor ${name}`, kind: 'sensor', name, about: '', usedBy: '', instance: 0, makes: [] }],
});

/** The finding for one configured sensor as a text: its state, its text and the remedy. */
function check(machine: Partial<Facts>, device = 'bme280@1-0077'): string | undefined {
  const facts: Facts = { found: [], boot: undefined, i2c, ...machine };
  const finding = sensorsCheck(facts, [{ instance: 'Room', device }]);
  return finding && `${finding.state} ${finding.text} | ${finding.whatToDo}`;
}

t.test('sensors that are present have nothing to report', async (t) => {
  t.equal(sensorsCheck({ found: [], boot, i2c }, []), undefined);
  t.match(check(found('bme280@1-0077')), /^ok/);
  t.match(check(found('bme280@1-0077'), 'bme280'), /^ok/);
  t.match(check(found('bme280@1-0076'), 'bme280@i2c@7e804000/bme280@76'), /^ok/);
  t.match(check(found('bme280@1-0076')), /^warning bme280@1-0077 of Room is not present/);
});

t.test('a missing sensor is reported with how this machine declares it', async (t) => {
  t.match(
    check({ boot }),
    /add dtparam=i2c_arm=on and dtoverlay=i2c-sensor,bme280,addr=0x77 to \/boot\/firmware\/config\.txt and reboot/,
  );
  const settings = ['dtparam=i2c_arm=on', 'dtoverlay=i2c-sensor,bme280,addr=0x77'];
  t.match(check({ boot: { ...boot, settings } }), /addr=0x77 is in .*, but not active: reboot/);
  t.match(check({}), /connected to i2c-1, run sudo stellwerk enable-chip bme280@1-0077/, 'not a Pi');
  t.match(check({ i2c: { ...i2c, buses: ['i2c-0'] } }), /no bus i2c-1; it has i2c-0; enable it/);
  t.match(
    check({ boot }, 'ads1015@1-0048'),
    /enable-chip ads1115@1-0048 for an ADS1115, or ads1015@1-0048 for/,
  );
  t.match(check({ boot }, 'bme280@3-0077'), /sensors\.md for how to enable bme280@3-0077/, 'not the header');
  t.match(check({ boot }, 'unknown@1-0010'), /sensors\.md for how to enable unknown@1-0010/);
});

t.test('the chips that can be enabled are named', async (t) => {
  const chips = (machine: Partial<Facts>, ...devices: string[]) =>
    sensorsCheck(
      { found: [], boot: undefined, i2c, ...machine },
      devices.map((device) => ({ instance: 'Room', device })),
    )?.chips;
  t.strictSame(chips({ boot }, 'bme280@1-0077', 'unknown@1-0010'), ['bme280@1-0077']);
  t.strictSame(chips({}, 'bme280@1-0077', 'sht3x@1-0044'), ['bme280@1-0077', 'sht3x@1-0044']);
  t.strictSame(chips({}, 'ads1015@1-0049'), ['ads1115@1-0049', 'ads1015@1-0049']);
  t.strictSame(chips({}, 'bme280@3-0077'), [], 'no such bus');
  const declared = { place: '1-0077', name: 'bme280', hasDriver: false };
  t.strictSame(
    chips({ i2c: { ...i2c, chips: [declared] } }, 'bme280@1-0077'),
    ['bme280@1-0077'],
    'no driver',
  );
  const other = { ...declared, name: 'bmp280' };
  t.strictSame(chips({ i2c: { ...i2c, chips: [other] } }, 'bme280@1-0077'), [], 'another chip');
});

t.test('a chip that the kernel knows without a driver needs its module', async (t) => {
  const chips = [{ place: '1-0077', name: 'bme280', hasDriver: false }];
  t.match(check({ boot, i2c: { ...i2c, chips } }), /no driver uses it; run sudo modprobe bmp280-i2c/);
});
