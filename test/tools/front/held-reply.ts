import type { Page } from 'playwright-core';
import { until } from '../until.js';

/** The WebSockets of a page, which hold the last reply to one function back. */
export interface HeldReply {
  /** The functions that the page has called, in order. */
  readonly methods: readonly string[];
  /** The functions whose replies were passed on to the page, in order. */
  readonly passedOn: readonly string[];
  /** Waits until the reply has come from the gateway. */
  held(): Promise<void>;
  /** Passes it on to the page. */
  deliver(): void;
}

/** Holds the reply to `method` back; call it before the page is opened. */
export async function holdReply(page: Page, method: string): Promise<HeldReply> {
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
