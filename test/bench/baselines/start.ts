/** The packages that a gateway imports at its start, and nothing else: `node start.js PORT`. */
import * as typebox from '@sinclair/typebox';
import * as value from '@sinclair/typebox/value';
import * as pino from 'pino';
import * as ws from 'ws';
import * as yaml from 'yaml';
import { bareApi } from './json-rpc-server.js';

const packages = [typebox, value, pino, ws, yaml];
const server = bareApi(new Map([[1, packages.length]]));
server.listen(Number(process.argv[2]), '127.0.0.1');
