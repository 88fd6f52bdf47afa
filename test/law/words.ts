/**
 * The words of CONTRIBUTING.md that a pattern can recognise: what not to write, what to write, and how often
 * it is still there. The number only falls; at 0 the word is gone for good.
 */
export interface AvoidedWord {
  readonly pattern: string;
  readonly instead: string;
  readonly left: number;
}

const word = (pattern: string, instead: string, left = 0): AvoidedWord => ({ pattern, instead, left });

export const AVOIDED_WORDS: readonly AvoidedWord[] = [
  word('wish(?:es|ed|ing)?', 'command, request; options', 24),
  word('told', 'reported, published, notified; logged', 160),
  word('tells?|telling', 'report, publish, notify; log', 25),
  word('troubles?', 'problem, alarm, warning', 2),
  word('complaints?|complains?', 'problem, alarm, warning', 4),
  word('doubts?|doubtful', 'mark suspect; uncertain', 1),
  word('mistakes?', 'validation error', 13),
  word('refusals?', 'error mapping; rejection', 8),
  word('given up|gives? up|giving up', 'cancelled, timed out, closed', 2),
  word('lets? go', 'release', 7),
  word('anew', 'reopen, retry, re-create', 33),
  word('under way', 'in flight, in progress', 8),
  word('so many', 'a limit of n', 26),
  word('for ever', 'indefinitely', 1),
  word('takes nothing', 'stalls, rejects', 2),
  word('mend(?:s|ed|ing)?', 'repair, recover', 5),
  word('whole(?! numbers?)', 'complete', 35),
  word('unless (?:said|told)', 'by default', 1),
  word('sets? aside', 'quarantined', 2),
  word('since ever', 'lifetime'),
  word('wanted', 'required', 1),
  word('at once', 'immediately', 33),
  word('beside', 'next to, in addition to', 23),
  word('also (?:when|where)', 'even if', 4),
  word('an? file an? part', 'one file per part'),
  word('stands? in', 'is in, exists', 30),
  word('stood', 'was', 2),
  word('will happen', 'pending, scheduled'),
  word('goes back', 'rolls back', 5),
  word('worst', 'maximum', 3),
  word('bustle|suffering|liveliness|manners', 'EdgeCoalescer, FaultContext, RateLimit, PollOptions'),
  word('afresh|of old', 'again; earlier', 1),
];
