/** The gateway ends cleanly: it is stopped, restarted, or upgraded. */
import t from 'tap';
import { Fixture, prove } from './output-fixture.js';

const INSTALL_LIMIT_MS = 300_000;
const HOME = '/opt/stellwerk';

await using fixture = await Fixture.open(t);
const { agent } = fixture.box.machine;
// Before the first test: nothing may be awaited between two tests.
await agent.run(`cp -r ${HOME}/$(readlink ${HOME}/current) /root/bundle`, INSTALL_LIMIT_MS);

await prove(t, fixture, {
  name: 'stop (systemctl stop)',
  ends: true,
  async make({ pid }, round) {
    await agent.run('systemctl stop stellwerk');
    await fixture.safe(round);
    await agent.run('systemctl start stellwerk', INSTALL_LIMIT_MS);
    return { signal: 15, to: pid };
  },
});

await prove(t, fixture, {
  name: 'restart (systemctl restart)',
  ends: true,
  async make({ pid }) {
    await agent.run('systemctl restart stellwerk', INSTALL_LIMIT_MS);
    return { signal: 15, to: pid };
  },
});

await prove(t, fixture, {
  name: 'upgrade (install.sh of another version)',
  ends: true,
  async make({ pid }, round) {
    const next = `sed -i 's/"version": "[^"]*"/"version": "99.0.${round}"/' /root/bundle/package.json`;
    // Every other version brings another keeper, too: bytes after the end of a program are ignored.
    const keeper = round % 2 === 0 ? 'echo >>/root/bundle/bin/stellwerk-keeper' : 'true';
    await agent.run(`${next} && ${keeper} && /root/bundle/install.sh`, INSTALL_LIMIT_MS);
    return { signal: 15, to: pid };
  },
});
