import type { Worker } from 'node:worker_threads';

/**
 * Waits for the reply of a worker that does one job, and ends its thread. `replyIn` returns the reply if a message
 * is one; other messages, such as those about progress, return undefined. Rejects if the thread ends without a
 * reply.
 */
export async function replyOf<Message, Reply>(
  worker: Worker,
  replyIn: (message: Message) => Reply | undefined,
): Promise<Reply> {
  try {
    return await new Promise((resolve, reject) => {
      worker.on('error', reject);
      worker.on('exit', (code) => reject(new Error(`the thread ended without a reply (exit code ${code})`)));
      worker.on('message', (message: Message) => {
        const reply = replyIn(message);
        if (reply !== undefined) resolve(reply);
      });
    });
  } finally {
    await worker.terminate();
  }
}
