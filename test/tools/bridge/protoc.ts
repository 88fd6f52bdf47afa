import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

/** The fields of Sparkplug B, from the tables of the specification (3.0, §6.4). */
const DEFINITION = `syntax = "proto2";
package sparkplug;
message Payload {
  message PropertyValue {
    optional uint32 type = 1;
    optional bool is_null = 2;
    oneof value {
      uint32 int_value = 3;
      uint64 long_value = 4;
      float float_value = 5;
      double double_value = 6;
      bool boolean_value = 7;
      string string_value = 8;
    }
  }
  message PropertySet {
    repeated string keys = 1;
    repeated PropertyValue values = 2;
  }
  message Metric {
    optional string name = 1;
    optional uint64 alias = 2;
    optional uint64 timestamp = 3;
    optional uint32 datatype = 4;
    optional bool is_historical = 5;
    optional bool is_transient = 6;
    optional bool is_null = 7;
    optional PropertySet properties = 9;
    oneof value {
      uint32 int_value = 10;
      uint64 long_value = 11;
      float float_value = 12;
      double double_value = 13;
      bool boolean_value = 14;
      string string_value = 15;
      bytes bytes_value = 16;
    }
  }
  optional uint64 timestamp = 1;
  repeated Metric metrics = 2;
  optional uint64 seq = 3;
  optional string uuid = 4;
  optional bytes body = 5;
}
message Payloads {
  repeated Payload payloads = 1;
}
`;

function protoc(args: readonly string[], input: Buffer, directory: string): Buffer {
  writeFileSync(`${directory}/sparkplug.proto`, DEFINITION);
  return execFileSync('protoc', [`-I${directory}`, ...args, 'sparkplug.proto'], { input, cwd: directory });
}

/** A payload as protoc decodes it; throws for bytes that are no payload. Requires protobuf-compiler. */
export function protocText(bytes: Buffer, directory: string): string {
  return protoc(['--decode=sparkplug.Payload'], bytes, directory).toString();
}

/** Decodes payloads with protoc and encodes them again: as text, and the bytes of all, one after the other. */
export function protocAgain(payloads: readonly Buffer[], directory: string): { text: string; bytes: Buffer } {
  const text = protoc(['--decode=sparkplug.Payloads'], joined(payloads), directory);
  return { text: text.toString(), bytes: protoc(['--encode=sparkplug.Payloads'], text, directory) };
}

/** The payloads as one message of type Payloads. */
export function joined(payloads: readonly Buffer[]): Buffer {
  return Buffer.concat(
    payloads.flatMap((bytes) => {
      const length: number[] = [];
      let rest = bytes.length;
      for (; rest > 0x7f; rest >>= 7) length.push((rest & 0x7f) | 0x80);
      return [Buffer.from([0x0a, ...length, rest]), bytes];
    }),
  );
}
