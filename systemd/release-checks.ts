/** The input of the checks before a release is built. */
export interface ReleaseFacts {
  /** Of package.json. */
  readonly version: string;
  /** The versions in other files, by file. */
  readonly versions: Readonly<Record<string, string>>;
  readonly changelog: string;
  /** The output of `git status --porcelain`. */
  readonly status: string;
  readonly tags: readonly string[];
  /** Where vulnerabilities are reported: an https: or mailto: URI; empty if it was not given. */
  readonly contact: string;
}

/** The longest validity that RFC 9116 recommends is a year. */
const VALID_DAYS = 365;

/** The problems that prevent a release of this version; empty if there are none. */
export function releaseProblems({
  version,
  versions,
  changelog,
  status,
  tags,
  contact,
}: ReleaseFacts): string[] {
  const problems: string[] = [];
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
    problems.push(`package.json: ${version} is not a version X.Y.Z (https://semver.org)`);
  for (const [file, other] of Object.entries(versions))
    if (other !== version)
      problems.push(`${file}: the version is ${other}, in package.json it is ${version}`);
  const section = sectionOf(changelog, version);
  if (section === undefined)
    problems.push(`CHANGELOG.md: there is no section "## [${version}] - YYYY-MM-DD": rename "Unreleased"`);
  else if (!/^- /m.test(section)) problems.push(`CHANGELOG.md: the section of ${version} is empty`);
  if (status !== '') problems.push(`the checkout has changes: commit them\n${status}`);
  if (tags.includes(`v${version}`)) problems.push(`the tag v${version} exists: choose another version`);
  if (!/^(https:\/\/[^\s/]|mailto:[^\s@]+@)\S+$/.test(contact))
    problems.push(
      'set SECURITY_CONTACT to the address to which vulnerabilities are reported: https://… or mailto:…',
    );
  return problems;
}

/** A security.txt (RFC 9116) for the web site of the release. */
export function securityText(contact: string, now: Date): string {
  const expires = new Date(now);
  expires.setUTCDate(expires.getUTCDate() + VALID_DAYS);
  return `Contact: ${contact}\nExpires: ${expires.toISOString()}\nPreferred-Languages: en, de\n`;
}

/** The text of a version's section, without its heading; undefined if there is none with a date. */
export function sectionOf(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const heading = new RegExp(`^\\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}\\n`);
  return sections
    .find((section) => heading.test(section))
    ?.replace(heading, '')
    .trim();
}
