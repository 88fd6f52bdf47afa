import { basename, dirname } from 'node:path';
import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../base/clock.js';
import { Fault, codeOf, fault } from '../../base/fault.js';
import { uploadOf } from '../http/upload.js';
import { isOwner, sendError, type SessionRouteContext } from './session-routes.js';
import { sendFile } from './web-files.js';

/** The backups in the data directory, as files; implemented by the composition. */
export interface BackupFiles {
  /** The path of a backup's file. Throws `FILE_MISSING`. */
  path(name: string): Promise<string>;
  /**
   * Receives a backup, checks it completely and then stores it. `announcedBytes` is its size if it is known.
   * Throws `INVALID_REQUEST`.
   */
  receive(name: string, content: Readable, announcedBytes?: number): Promise<object>;
}

interface BackupRouteContext extends SessionRouteContext {
  readonly backups?: BackupFiles;
  readonly clock: Pick<Clock, 'after'>;
}

/**
 * `/console/backup/NAME`: GET downloads a backup, PUT uploads one. With the owner's session or password; a
 * temporary token is not enough, because a backup contains secrets.
 */
export function routeBackups(app: FastifyInstance, context: BackupRouteContext): void {
  for (const method of ['GET', 'PUT'])
    app.route<{ Params: { name: string } }>({
      method,
      url: '/console/backup/:name',
      handler: async (request, reply) => {
        const { name } = request.params;
        try {
          if (!(await isOwner(context, request, false))) throw fault('UNAUTHORIZED');
          const { backups, clock } = context;
          if (backups === undefined) throw fault('NOT_FOUND');
          if (method === 'PUT') {
            const stored = await backups.receive(
              name,
              uploadOf(request.raw, clock),
              Number(request.raw.headers['content-length'] ?? 0),
            );
            return await reply.header('Cache-Control', 'no-store').send(stored);
          }
          const path = await backups.path(name);
          return await sendFile(request, reply, {
            directory: dirname(path),
            path: `/${basename(path)}`,
            headers: {
              'Cache-Control': 'no-store',
              'Content-Type': 'application/vnd.sqlite3',
              'Content-Disposition': `attachment; filename="${basename(path)}"`,
            },
          });
        } catch (thrown) {
          // What is left of a rejected upload is not read.
          if (method === 'PUT') reply.header('Connection', 'close');
          const isMissing = codeOf(thrown) === 'FILE_MISSING' && thrown instanceof Fault;
          return sendError({ request: request.raw, reply }, isMissing ? fault('NOT_FOUND') : thrown);
        }
      },
    });
}
