import { delay } from '../../base/clock.js';
import { isAbort, messageOf } from '../../base/fault.js';
import { type AnyFunction, type Client, type Lines, ServerError } from '../../client/index.js';
import { realTiming } from '../../client/timing.js';
import { command } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { drawHeader, type HeaderData } from '../output/header-picture.js';
import { Screen } from '../output/screen.js';
import { escapeControls, jsonText, styled } from '../output/terminal.js';
import { gatewayClient, gatewayOptions } from '../arguments/locate-gateway.js';

/** Interval of the drawings, ms. */
const EVERY_MS = 250;
/** Width of a picture that is written to a file. */
const FILE_WIDTH = 100;

/** `stellwerk lines`: draws the board's header with the users of its lines. */
export const lines = command({
  usage: 'lines [options]',
  about: `Draws the board's header: pins, names and users of the lines, and the values of the gateway's own lines. On a
terminal it follows changes until q or Ctrl-C; otherwise it is drawn once.`,
  options: {
    ...gatewayOptions,
    once: { type: 'boolean', help: 'draw it once, even on a terminal' },
    json: { type: 'boolean', help: 'once, as JSON (the result of GW_GetLines)' },
  },
  words: [0, 0],
  exits:
    '0 drawn, 1 this machine has no GPIO, 69 the gateway cannot be reached, 78 errors in the configuration',
  run: async (options) => {
    const gateway = await gatewayClient(options);
    const first = await look(gateway);
    if (options.json === true) process.stdout.write(`${jsonText(first.lines)}\n`);
    else if (options.once === true || !process.stdout.isTTY)
      process.stdout.write(`${drawn(first, process.stdout.columns || FILE_WIDTH).join('\n')}\n`);
    else await follow(gateway, first);
    return exitCode.ok;
  },
});

const drawn = (seen: HeaderData, width: number): string[] => drawHeader(seen, { width, paint: styled });

async function look(gateway: Client<AnyFunction>, signal?: AbortSignal): Promise<HeaderData> {
  const options = signal === undefined ? {} : { signal };
  const seen = (await gateway.request('GW_GetLines', [], options)) as Lines;
  const ids = [...new Set(seen.Lines.map(({ InstanceID }) => InstanceID).filter((id) => id !== 0))];
  const answers = await gateway.batch(
    ids.map((id) => ['SVC_GetName', id] as const),
    options,
  );
  const names = ids.map((id, n) => {
    const answer = answers[n];
    return [id, answer?.ok === true ? String(answer.result) : `#${id}`] as const;
  });
  return { lines: seen, names: new Map(names) };
}

/** Redraws periodically. While the gateway cannot be reached, keeps the last picture and says so. */
async function follow(gateway: Client<AnyFunction>, first: HeaderData): Promise<void> {
  using screen = new Screen();
  let seen = first;
  let remark = 'q ends';
  try {
    for (;;) {
      screen.show([...drawn(seen, screen.width), styled('dim', remark)]);
      await delay(realTiming, EVERY_MS, screen.ended);
      try {
        seen = await look(gateway, screen.ended);
        remark = 'q ends';
      } catch (thrown) {
        if (!(thrown instanceof ServerError)) throw thrown;
        remark = `${escapeControls(messageOf(thrown))}; retrying; q ends`;
      }
    }
  } catch (thrown) {
    if (!isAbort(thrown)) throw thrown;
  }
}
