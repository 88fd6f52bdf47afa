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
  word('wish(?:es|ed|ing)?', 'command, request; options', 54),
  word('told', 'reported, published, notified; logged', 380),
  word('tells?|telling', 'report, publish, notify; log', 138),
  word('troubles?', 'problem, alarm, warning', 15),
  word('complaints?|complains?', 'problem, alarm, warning', 7),
  word('doubts?|doubtful', 'mark suspect; uncertain', 3),
  word('mistakes?', 'validation error', 49),
  word('refusals?', 'error mapping; rejection', 18),
  word('given up|gives? up|giving up', 'cancelled, timed out, closed', 15),
  word('lets? go', 'release', 22),
  word('anew', 'reopen, retry, re-create', 92),
  word('under way', 'in flight, in progress', 41),
  word('so many', 'a limit of n', 97),
  word('for ever', 'indefinitely', 14),
  word('takes nothing', 'stalls, rejects', 13),
  word('mend(?:s|ed|ing)?', 'repair, recover', 16),
  word('whole(?! numbers?)', 'complete', 117),
  word('unless (?:said|told)', 'by default', 20),
  word('sets? aside', 'quarantined', 5),
  word('since ever', 'lifetime'),
  word('wanted', 'required', 8),
  word('at once', 'immediately', 113),
  word('beside', 'next to, in addition to', 69),
  word('also (?:when|where)', 'even if', 13),
  word('an? file an? part', 'one file per part'),
  word('stands? in', 'is in, exists', 100),
  word('stood', 'was', 8),
  word('will happen', 'pending, scheduled', 1),
  word('goes back', 'rolls back', 10),
  word('worst', 'maximum', 5),
  word('bustle|suffering|liveliness|manners', 'EdgeCoalescer, FaultContext, RateLimit, PollOptions', 3),
  word('afresh|of old', 'again; earlier', 1),
];
