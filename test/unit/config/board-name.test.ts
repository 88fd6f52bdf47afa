import t from 'tap';
import { boardNameIn } from '../../../src/config/board.js';

const TEXTS: Readonly<Record<string, string | undefined>> = {
  'board: raspberry-pi-5\nname: x\n': 'raspberry-pi-5',
  'name: x\r\nboard:  simulated  # for a try\r\ntree: []\r\n': 'simulated',
  'board: simulated\ntree: [': 'simulated',
  'board: "simulated"\n': 'simulated',
  "{ name: x, board: 'simulated' }\n": 'simulated',
  'board: &b simulated\n': 'simulated',
  'name: x\ntree:\n  - { module: Relay, board: simulated }\n': undefined,
  'name: a board\n': undefined,
  'board: 5.5\n': undefined,
  'board:\n': undefined,
  'name: x\n': undefined,
  '': undefined,
};

t.test('the board is found however the key is written, and next to errors', async (t) => {
  for (const [text, board] of Object.entries(TEXTS)) t.equal(boardNameIn(text), board, JSON.stringify(text));
});
