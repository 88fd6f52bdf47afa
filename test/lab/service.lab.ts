/**
 * What its owner does with the installed gateway in a shell: checks the configuration, reloads it, reads the
 * journal.
 */
import t from 'tap';
import { Box } from './machine/box.js';

const CONFIG = '/etc/stellwerk/gateway.yaml';
const JOURNAL = 'journalctl -u stellwerk -o cat -n 20';
const node = (ident: string) => `- { variable: ${ident}, ident: ${ident}, type: integer, value: 1 }`;

await using box = await Box.taken(t, node('first'));
const { agent } = box.machine;

await t.test(
  'an invalid configuration is reported with its line, and does not affect the running gateway',
  async (t) => {
    await agent.run(`cp ${CONFIG} /root/sound.yaml && echo 'trees: []' >>${CONFIG}`);
    const lines = Number(await agent.run(`wc -l <${CONFIG}`));
    const { code, out, err } = await agent.try('stellwerk check');
    t.equal(code, 78);
    t.match(out + err, `gateway.yaml:${lines}:1: trees: there is no such key; did you mean tree?`);

    await agent.run(
      `systemctl reload stellwerk; until ${JOURNAL} -p err | grep -q trees; do sleep 0.1; done`,
    );
    t.match(
      await agent.run(`${JOURNAL} -p err`),
      `gateway.yaml:${lines}:1`,
      'the journal has it as an error',
    );
    t.equal(await agent.run('systemctl is-active stellwerk'), 'active');
    t.equal(await box.value('first'), 1);
    await agent.run(`cp /root/sound.yaml ${CONFIG}`);
  },
);

await t.test('a reload applies what is new and keeps what exists', async (t) => {
  const first = await box.id('first');
  await box.call('SetValue', first, 7);
  await agent.run(`echo '  ${node('second')}' >>${CONFIG} && systemctl reload stellwerk`);
  await agent.run(`until [ $(${JOURNAL} | grep -c 'configuration reloaded') = 2 ]; do sleep 0.1; done`);
  t.equal(await box.value('second'), 1);
  t.strictSame([await box.id('first'), await box.value('first')], [first, 7]);
});

await t.test(
  'the service has no capabilities, gains no privileges, and system calls are filtered',
  async (t) => {
    const status =
      'grep -E "^(Uid|CapEff|NoNewPrivs|Seccomp):" /proc/$(systemctl show -P MainPID stellwerk)/status';
    const facts = new Map(
      (await agent.run(status)).split('\n').map((line) => line.split(/:\s+/) as [string, string]),
    );
    t.notMatch(facts.get('Uid'), /\b0\b/);
    t.match(Object.fromEntries(facts), { CapEff: '0000000000000000', NoNewPrivs: '1', Seccomp: '2' });
  },
);

await t.test('configuration and data are readable by the service only', async (t) => {
  const open = 'find /etc/stellwerk /var/lib/stellwerk /run/stellwerk -perm /o=rwx';
  t.equal(await agent.run(open), '', 'nobody else reads anything');
  const owners = 'stat -c "%n %U %G" /etc/stellwerk/gateway.yaml /var/lib/stellwerk/stellwerk.db';
  t.strictSame((await agent.run(owners)).split('\n'), [
    '/etc/stellwerk/gateway.yaml root stellwerk',
    '/var/lib/stellwerk/stellwerk.db stellwerk stellwerk',
  ]);
});
