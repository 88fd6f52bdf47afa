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
  word('told', 'reported, published, notified; logged', 165),
  word('tells?|telling', 'report, publish, notify; log', 32),
  word('troubles?', 'problem, alarm, warning', 2),
  word('complaints?|complains?', 'problem, alarm, warning', 4),
  word('doubts?|doubtful', 'mark suspect; uncertain', 1),
  word('mistakes?', 'validation error', 19),
  word('refusals?', 'error mapping; rejection', 8),
  word('given up|gives? up|giving up', 'cancelled, timed out, closed', 3),
  word('lets? go', 'release', 7),
  word('anew', 'reopen, retry, re-create', 36),
  word('under way', 'in flight, in progress', 8),
  word('so many', 'a limit of n', 27),
  word('for ever', 'indefinitely', 1),
  word('takes nothing', 'stalls, rejects', 5),
  word('mend(?:s|ed|ing)?', 'repair, recover', 9),
  word('whole(?! numbers?)', 'complete', 49),
  word('unless (?:said|told)', 'by default', 1),
  word('sets? aside', 'quarantined', 2),
  word('since ever', 'lifetime'),
  word('wanted', 'required', 2),
  word('at once', 'immediately', 36),
  word('beside', 'next to, in addition to', 26),
  word('also (?:when|where)', 'even if', 4),
  word('an? file an? part', 'one file per part'),
  word('stands? in', 'is in, exists', 37),
  word('stood', 'was', 3),
  word('will happen', 'pending, scheduled'),
  word('goes back', 'rolls back', 7),
  word('worst', 'maximum', 5),
  word('bustle|suffering|liveliness|manners', 'EdgeCoalescer, FaultContext, RateLimit, PollOptions'),
  word('afresh|of old', 'again; earlier', 1),
];
