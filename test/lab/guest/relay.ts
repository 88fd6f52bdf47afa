/**
 * Runs in the guest: forwards TCP connections between the host's end of the serial port and programs
 * listening on 127.0.0.1. The machine has no network; with this, a client on the host reaches the gateway.
 */
import { open, type FileHandle } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeFrame, FrameReader, KIND } from './frames.js';

const PORT = '/dev/virtio-ports/stellwerk.lab.relay';
/** Reading returns nothing while the host's end is closed; retry after this time. */
const HOST_AWAY_MS = 100;
const READ_BYTES = 64 * 1024;

const port = await open(PORT, 'r+');
const channels = new Map<number, Socket>();
let written: Promise<unknown> = Promise.resolve();

function send(kind: number, channel: number, payload?: Uint8Array): Promise<unknown> {
  const frame = encodeFrame(kind, channel, payload);
  return (written = written.then(() => writeAll(port, frame)));
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
}

function openChannel(channel: number, tcpPort: number): void {
  const socket = connect({ host: '127.0.0.1', port: tcpPort, allowHalfOpen: true, noDelay: true });
  channels.set(channel, socket);
  socket.on('data', (bytes) => {
    socket.pause(); // at most one chunk of each connection waits for the port
    void send(KIND.data, channel, bytes).then(() => socket.resume());
  });
  socket.on('end', () => void send(KIND.end, channel));
  socket.on('error', () => undefined);
  socket.on('close', () => {
    channels.delete(channel);
    void send(KIND.close, channel);
  });
}

function closeAll(): void {
  for (const socket of channels.values()) socket.removeAllListeners('close').destroy();
  channels.clear();
}

function take({ kind, channel, payload }: { kind: number; channel: number; payload: Buffer }): void {
  const socket = channels.get(channel);
  if (kind === KIND.reset) closeAll();
  else if (kind === KIND.open) openChannel(channel, payload.readUInt16BE());
  else if (kind === KIND.data) socket?.write(payload);
  else if (kind === KIND.end) socket?.end();
  else if (kind === KIND.close) socket?.destroy();
}

const reader = new FrameReader();
const buffer = Buffer.alloc(READ_BYTES);
for (;;) {
  const { bytesRead } = await port.read(buffer, 0, buffer.length);
  if (bytesRead === 0) await sleep(HOST_AWAY_MS);
  else for (const frame of reader.read(Buffer.from(buffer.subarray(0, bytesRead)))) take(frame);
}
