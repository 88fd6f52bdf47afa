/**
 * Names of test points that the worker writes for run.ts: the end of a file, and one that makes a parser emit
 * it.
 */
export const END_MARK = '(end of file) ';
export const FLUSH_MARK = '(flush)';
