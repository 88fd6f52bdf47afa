/**
 * The words of CONTRIBUTING.md that a pattern can recognise: what not to write, what to write, and how often it is
 * still there. The number only falls; at 0 the word is gone for good.
 */
export interface AvoidedWord {
  readonly pattern: string;
  readonly instead: string;
  readonly left: number;
}

const word = (pattern: string, instead: string, left = 0): AvoidedWord => ({ pattern, instead, left });

export const AVOIDED_WORDS: readonly AvoidedWord[] = [
  word('wish(?:es|ed|ing)?', 'command, request; options', 28),
  word('told', 'reported, published, notified; logged', 214),
  word('tells?|telling', 'report, publish, notify; log', 72),
  word('troubles?', 'problem, alarm, warning', 6),
  word('complaints?|complains?', 'problem, alarm, warning', 10),
  word('doubts?|doubtful', 'mark suspect; uncertain', 6),
  word('mistakes?', 'validation error', 26),
  word('refusals?', 'error mapping; rejection', 13),
  word('given up|gives? up|giving up', 'cancelled, timed out, closed', 9),
  word('lets? go', 'release', 12),
  word('anew', 'reopen, retry, re-create', 68),
  word('under way', 'in flight, in progress', 18),
  word('so many', 'a limit of n', 46),
  word('for ever', 'indefinitely', 7),
  word('takes nothing', 'stalls, rejects', 15),
  word('mend(?:s|ed|ing)?', 'repair, recover', 16),
  word('whole(?! numbers?)', 'complete', 66),
  word('unless (?:said|told)', 'by default', 10),
  word('sets? aside', 'quarantined', 9),
  word('since ever', 'lifetime'),
  word('wanted', 'required', 10),
  word('at once', 'immediately', 52),
  word('beside', 'next to, in addition to', 42),
  word('also (?:when|where)', 'even if', 13),
  word('an? file an? part', 'one file per part'),
  word('stands? in', 'is in, exists', 66),
  word('stood', 'was', 10),
  word('will happen', 'pending, scheduled'),
  word('goes back', 'rolls back', 13),
  word('worst', 'maximum', 9),
  word('bustle|suffering|liveliness|manners', 'EdgeCoalescer, FaultContext, RateLimit, PollOptions', 6),
  word('afresh|of old', 'again; earlier', 5),
];
