/**
 * The words of CONTRIBUTING.md that a pattern can recognise: the word to avoid, the replacement, and the
 * number of occurrences that are left. The number may only fall; a word with 0 is rejected.
 */
export interface AvoidedWord {
  readonly pattern: string;
  readonly instead: string;
  readonly left: number;
}

const word = (pattern: string, instead: string, left = 0): AvoidedWord => ({ pattern, instead, left });

export const AVOIDED_WORDS: readonly AvoidedWord[] = [
  word('wish(?:es|ed|ing)?', 'command, request; options'),
  word('told', 'reported, published, notified; logged'),
  word('tells?|telling', 'report, publish, notify; log'),
  word('troubles?', 'problem, alarm, warning'),
  word('complaints?|complains?', 'problem, alarm, warning'),
  word('doubts?|doubtful', 'mark suspect; uncertain'),
  word('mistakes?', 'validation error'),
  word('refusals?', 'error mapping; rejection'),
  word('given up|gives? up|giving up', 'cancelled, timed out, closed'),
  word('lets? go', 'release'),
  word('anew', 'reopen, retry, re-create'),
  word('under way', 'in flight, in progress'),
  word('so many', 'a limit of n'),
  word('for ever', 'indefinitely'),
  word('takes nothing', 'stalls, rejects'),
  word('mend(?:s|ed|ing)?', 'repair, recover'),
  word('whole(?! numbers?)', 'complete'),
  word('unless (?:said|told)', 'by default'),
  word('sets? aside', 'quarantined'),
  word('since ever', 'lifetime'),
  word('wanted', 'required'),
  word('at once', 'immediately'),
  word('beside', 'next to, in addition to'),
  word('also (?:when|where)', 'even if'),
  word('an? file an? part', 'one file per part'),
  word('stands? in', 'is in, exists'),
  word('stood', 'was'),
  word('will happen', 'pending, scheduled'),
  word('goes back', 'rolls back'),
  word('worst', 'maximum'),
  word('bustle|suffering|liveliness|manners', 'EdgeCoalescer, FaultContext, RateLimit, PollOptions'),
  word('afresh|of old', 'again; earlier'),
];
