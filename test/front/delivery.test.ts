import t from 'tap';
import { startArea } from '../tools/front/sample-area.js';

const PAGES = ['front', 'console'] as const;
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
];

t.test('pages contain no programs, and their files are hashed, compressed and kept', async (t) => {
  const fixture = await startArea(t);
  const { origin, pathname } = new URL(fixture.front);
  const addresses = { front: pathname, console: '/console/' };
  for (const name of PAGES) {
    const page = await fetch(origin + addresses[name], { headers: { Accept: 'text/html' } });
    t.equal(page.status, 200);
    const policy = page.headers.get('content-security-policy')?.split(/; */) ?? [];
    t.strictSame(
      POLICY.filter((one) => !policy.includes(one)),
      [],
    );
    t.notMatch(policy.join(), /unsafe|\*/);
    t.match(page.headers.get('cache-control'), /no-cache/);
    const html = await page.text();
    t.notMatch(html, /<style|style=|\son\w+=|javascript:|https?:\/\//);
    t.notMatch(html, /<script(?![^>]*\ssrc=)/);
    const files = [...html.matchAll(/(?:src|href)="(\/front\/[^"]+\.(?:js|css))"/g)].map(
      ([, path = '']) => path,
    );
    t.ok(files.length >= 2, 'a script and a style');
    for (const path of files)
      for (const encoding of ['br', 'gzip', 'identity']) {
        const file = await fetch(origin + path, { headers: { 'Accept-Encoding': encoding } });
        t.equal(file.status, 200);
        t.match(path, /-\w{8,}\.\w+$/);
        t.match(file.headers.get('cache-control'), /immutable/);
        t.match(file.headers.get('vary'), /accept-encoding/i);
        t.equal(file.headers.get('content-encoding') ?? 'identity', encoding, `${path} as ${encoding}`);
        await file.arrayBuffer();
      }
  }
});
