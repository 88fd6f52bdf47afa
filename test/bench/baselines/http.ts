/** The API's calls on a bare `node:http`: `node http.js FIRST_ID COUNT`. */
import { bareApi, listen } from './json-rpc-server.js';

const [first = 0, count = 0] = process.argv.slice(2).map(Number);
listen(bareApi(new Map(Array.from({ length: count }, (_, i) => [first + i, 21.5]))));
