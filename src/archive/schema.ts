/**
 * The schema of the archive's database. A series has a variable's numbers (id × 2) or its texts (id × 2 + 1).
 * A BLOB in a WITHOUT ROWID table would make each write four times as expensive.
 */
export const archiveShape = {
  /** `PRAGMA application_id`: "stla". */
  id: 0x73746c61,
  steps: [
    `
  -- Records of a series from t0 to t1, packed; no two chunks of a series overlap. summary is null for texts.
  CREATE TABLE chunks (
    number INTEGER PRIMARY KEY,
    series INTEGER NOT NULL,
    t0 INTEGER NOT NULL,
    t1 INTEGER NOT NULL,
    count INTEGER NOT NULL,
    marked INTEGER NOT NULL,
    summary BLOB,
    records BLOB NOT NULL
  );
  CREATE INDEX chunks_of_series ON chunks (series, t0);
  CREATE INDEX chunks_marked ON chunks (number) WHERE marked = 1;

  -- Records that are newer than the chunks: one row per write, with packed records of any series.
  CREATE TABLE tail (number INTEGER PRIMARY KEY, records BLOB NOT NULL);

  -- Clocks that were not trusted: wall clock minus monotonic clock, in one run of the machine.
  CREATE TABLE untrusted (mark INTEGER PRIMARY KEY, boot TEXT NOT NULL, offset INTEGER NOT NULL);

  -- The time up to which a series is downsampled by a kind of compaction.
  CREATE TABLE compacted (series INTEGER NOT NULL, kind INTEGER NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (series, kind));
  `,
    `
  -- CRC-32 of the other columns; null in rows from before this step.
  ALTER TABLE chunks ADD COLUMN sum INTEGER;
  ALTER TABLE tail ADD COLUMN sum INTEGER;
  `,
  ],
} as const;
