import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { until } from '../until.js';
import { startBrowser } from './browser.js';
import { signIn } from './console-pages.js';
import type { AreaFixture } from './sample-area.js';

/** The WebSockets of a page, which hold the last reply to one function back. */
interface HeldReply {
  /** The functions that the page has called, in order. */
  readonly methods: readonly string[];
  /** The functions whose replies were passed on to the page, in order. */
  readonly passedOn: readonly string[];
  /** Waits until the reply has come from the gateway. */
  held(): Promise<void>;
  /** Passes it on to the page. */
  deliver(): void;
}

interface HoldingPage {
  readonly page: Page;
  readonly reply: HeldReply;
}

/** Opens an address in English, on a page that holds the last reply to `method` back. */
export async function openHolding(t: Test, address: string, method: string): Promise<HoldingPage> {
  const browser = await startBrowser(t);
  const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
  const reply = await holdReply(page, method);
  await page.goto(address);
  return { page, reply };
}

interface HoldingConsole {
  readonly fixture: AreaFixture;
  readonly hash?: string;
  readonly method: string;
}

/** The same with the console, signed in as the owner. */
export async function openConsoleHolding(
  t: Test,
  { fixture, hash = '', method }: HoldingConsole,
): Promise<HoldingPage> {
  const opened = await openHolding(t, `${new URL(fixture.front).origin}/console/${hash}`, method);
  await signIn(opened.page);
  return opened;
}

async function holdReply(page: Page, method: string): Promise<HeldReply> {
  const methods: string[] = [];
  const passedOn: string[] = [];
  let deliver: (() => void) | undefined;
  await page.routeWebSocket(/\/api\//, (socket) => {
    const gateway = socket.connectToServer();
    let held: string | undefined;
    const called = new Map<string, string>();
    socket.onMessage((frame) => {
      const call = JSON.parse(String(frame)) as { id: string; method: string };
      methods.push(call.method);
      called.set(call.id, call.method);
      if (call.method === method) held = call.id;
      gateway.send(frame);
    });
    gateway.onMessage((frame) => {
      const { id } = JSON.parse(String(frame)) as { id?: string };
      const passOn = () => {
        socket.send(frame);
        const name = called.get(id ?? '');
        if (name !== undefined) passedOn.push(name);
      };
      if (id !== undefined && id === held) deliver = passOn;
      else passOn();
    });
  });
  return {
    methods,
    passedOn,
    held: async () => void (await until(`the reply to ${method}`, () => deliver !== undefined)),
    deliver: () => deliver?.(),
  };
}
