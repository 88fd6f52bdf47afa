/** Where the JSON Schema of `gateway.yaml` is shipped. */
export const SCHEMA_FILE = 'docs/gateway.schema.json';
