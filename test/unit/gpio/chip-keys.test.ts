import t from 'tap';
import { ChipKeys } from '../../../drivers/gpio/backends/chip-keys.js';

const expander = (name: string) => ({ name, label: 'expander', lines: 8 });
const two = expander('gpiochip2');
const three = expander('gpiochip3');
const four = expander('gpiochip4');
const five = expander('gpiochip5');
const board = { name: 'gpiochip0', label: 'pinctrl', lines: 54 };

t.test('the key of a chip stays when another one with its label comes or goes', async (t) => {
  const keys = new ChipKeys();
  const key = keys.of(two, [board, two]);
  t.equal(keys.of(two, [board, two, four]), key, 'a twin was plugged in');
  const twin = keys.of(four, [board, two, four]);
  t.not(twin, key, 'of two equal chips, the number counts');
  t.equal(keys.of(four, [board, four]), twin, 'its twin was unplugged');
});

t.test('the only chip with its label has the same key after it got another number', async (t) => {
  const keys = new ChipKeys();
  const key = keys.of(two, [two, board]);
  t.equal(keys.of(three, [three, board]), key);
  t.not(keys.of(two, [two, three, board]), key, 'but no two chips have one key');
  t.equal(keys.of(three, [two, three, board]), key);
  t.equal(new Set([two, three, five].map((chip) => keys.of(chip, [two, three, five]))).size, 3);
});
