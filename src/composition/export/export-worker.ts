import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../base/fault.js';
import { exportGateway } from './export-gateway.js';
import type { ExportReply, ExportRequest } from './run-export.js';

const { data, config, values } = workerData as ExportRequest;

/** Exports in this thread, so that it does not block the gateway's event loop. */
async function reply(): Promise<ExportReply> {
  try {
    return { result: await exportGateway({ from: { data }, config, values }) };
  } catch (thrown) {
    return { failure: messageOf(thrown) };
  }
}

parentPort?.postMessage(await reply());
