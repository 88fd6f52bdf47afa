/** Test files that cannot share a process with others; the reason precedes each group. */
export const ALONE: ReadonlySet<string> = new Set([
  // They mount disks in a namespace of their own: the file is run once more in it (test/tools/namespace.ts).
  'contract/archive/full-disk.test',
  'contract/store/full-disk.test',
  'story/service/full-disk.test',
  'story/service/host-names.test',
  // It measures the memory of its own process.
  'contract/service/notify.test',
  // It needs a process that nobody has given the V8 flags of the linear pattern engine.
  'unit/base/linear-pattern.test',
]);
