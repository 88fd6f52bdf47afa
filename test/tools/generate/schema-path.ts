/** Where the JSON Schema of `gateway.yaml` is shipped. */
export const SCHEMA_FILE = 'docs/reference/gateway.schema.json';
