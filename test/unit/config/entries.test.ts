import t from 'tap';
import { systemClock } from '../../../src/base/clock.js';
import { ConfigurationError } from '../../../src/config/document.js';
import { parseConfig } from '../../../src/config/load.js';
import { createModuleList } from '../../../src/composition/module-list.js';
import { FULL_CONFIG } from '../../tools/gateway/full-config.js';

async function problems(text: string): Promise<string[]> {
  try {
    await parseConfig('/x/gateway.yaml', `board: simulated\n${text}`, createModuleList(systemClock()));
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return thrown.findings.map((one) => `${one.line}:${one.column} ${one.key}: ${one.text}`);
  }
  return [];
}

t.test(
  'invalid values of archives, profiles, variables and events are reported at their lines',
  async (t) => {
    t.strictSame(await problems(FULL_CONFIG), []);
    const lines = FULL_CONFIG.split('\n');
    const wrong: (readonly [string, string, RegExp])[] = [
      ['digits: 1', 'digits: 16', /profiles\.Litres\.digits: /],
      ['type: float', 'type: real', /profiles\.Litres\.type: expected boolean/],
      [
        'value: 0, name: none',
        'value: none, name: none',
        /associations\[0\]\.value: it is not a value of type float/,
      ],
      ['value: 0, name: none', 'value: 0', /associations\[0\]: an association must have a name or an icon/],
      ['"#ff0000"', '"#ff00"', /associations\[0\]\.color: /],
      ['Litres:', 'Li~tres:', /profiles\.Li~tres: a name must have at least one character and no ~/],
      [
        '          STATE:',
        '          STAT:',
        /variables\.STAT: GPIO Output has no such variable here; it has STATE/,
      ],
      ['archive: true', 'archive: 3', /variables\.STATE\.archive: expected/],
      ['to: hour', 'to: decade', /archive\.compaction\[1\]\.to: expected minute or /],
      ['type: counter', 'type: sum', /archive\.type: expected gauge or counter/],
      ['limit: 3', 'limit: -1', /limit: /],
      [
        '- { date: 12-24 }',
        '- { date: 13-24 }',
        /date: 13-24 is not a date; write it like 2026-12-24, or 12-24/,
      ],
      ['is: atLeast, value: 2', 'is: least, value: 2', /\.is: expected equal or notEqual/],
      ['is: atLeast, value: 2', 'is: atLeast', /a variable condition has exactly one of the keys value/],
      [
        '{ weekday: sunday }',
        '{ weekday: sunday, time: "6:00" }',
        /none\[1\]: a condition has exactly one of/,
      ],
      ['at: "22:15", action: 7', 'at: "24:15", action: 7', /points\[1\]\.at: 24:15 is not a time of day/],
      [
        'at: "22:15", action: 7',
        'at: "22:15", action: 8',
        /points\[1\]\.action: there is no such action; known: warm/,
      ],
      ['[saturday, sunday]', '[saturday, friday]', /groups\[1\]\.days: friday is in another group/],
      ['days: [monday], nth: 5, ', '', /everyMonths and month require either dayOfMonth, or days and nth/],
      ['lastDay: 2030-12-31', 'lastDay: 12-31', /lastDay: 12-31 is not a date; write it like 2026-12-24$/],
      ['type: stream', 'type: film', /type: expected dashboard or image/],
      ['connection: broker', 'connection: 5', /connection: /],
      ['action: false', 'action: true', /action: expected/],
    ];
    for (const [from, to, expected] of wrong) {
      const line = lines.findIndex((one) => one.includes(from)) + 2;
      const found = await problems(FULL_CONFIG.replace(from, to));
      t.match(found, [expected], to);
      const at = Number(found[0]?.split(':')[0]);
      t.ok(at >= line - 8 && at <= line + 1 && at > 1, `${to}: line ${at}, not ${line}`);
    }
  },
);
