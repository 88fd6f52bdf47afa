/** The network settings of box-setup.txt, as files of networkd and wpa_supplicant. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const BOX = join(PACKAGE_ROOT, 'box/image/overlay/usr/lib/stellwerk-box');

/** Applies the lines of a set-up file to a box; returns what was printed, and its files. */
async function apply(t: Test, ...lines: string[]) {
  const root = await tempDirectory(t);
  const network = join(root, 'etc/systemd/network');
  mkdirSync(network, { recursive: true });
  const file = join(root, 'box-setup.txt');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const env = { ...process.env, ROOT: root };
  const { status, stdout } = spawnSync(join(BOX, 'apply-network'), [file], { env, encoding: 'utf8' });
  const text = (name: string) =>
    existsSync(join(network, name)) ? readFileSync(join(network, name), 'utf8') : undefined;
  return {
    status,
    stdout,
    wired: text('50-setup.network'),
    wifi: text('55-setup-wifi.network'),
    secret: text('wifi.conf'),
    network,
  };
}

t.test('a static address, with its gateway and servers of names', async (t) => {
  const { status, wired, wifi } = await apply(
    t,
    'address=192.168.1.20/24',
    'gateway=192.168.1.1',
    'dns=192.168.1.1 9.9.9.9',
  );
  t.equal(status, 0);
  t.equal(
    wired,
    '[Match]\nType=ether\n\n[Network]\nAddress=192.168.1.20/24\nGateway=192.168.1.1\nDNS=192.168.1.1\nDNS=9.9.9.9\nMulticastDNS=yes\n',
  );
  t.equal(wifi, undefined);
  for (const address of ['fd00::20/64', '2001:db8:0:1:2:3:4:ff/128', '10.0.0.255/8', '255.249.199.99/32'])
    t.match((await apply(t, `address=${address}`)).wired, `Address=${address}\n`);
  const gateway = await apply(t, 'address=fd00::20/64', 'gateway=fe80::1', 'dns=::1');
  t.match(gateway.wired, 'Gateway=fe80::1\nDNS=::1\n');
});

t.test('an empty address returns to DHCP', async (t) => {
  const { status, wired } = await apply(t, 'address=');
  t.strictSame([status, wired], [0, '[Match]\nType=ether\n\n[Network]\nDHCP=yes\nMulticastDNS=yes\n']);
});

t.test('without an address, nothing is written: the box uses DHCP', async (t) => {
  const { status, wired, wifi, secret } = await apply(t, 'hostname=house-1');
  t.strictSame([status, wired, wifi, secret], [0, undefined, undefined, undefined]);
});

t.test('a wrong setting is named, and changes nothing', async (t) => {
  for (const [line, reason] of [
    ['address=192.168.1.20', /address=192\.168\.1\.20 is not an address with its prefix/],
    ['address=1.2.3.4/24 [Route]', /is not an address/],
    ['address=192.168.1.300/24', /is not an address/],
    ['address=192.168.1.20/240', /is not an address/],
    ['address=192.168.1.20/33', /is not an address/],
    ['address=192.168.1/24', /is not an address/],
    ['address=cafe/24', /is not an address/],
    ['address=fd00:1/64', /is not an address/],
    ['address=fd00::20/129', /is not an address/],
    ['address=192.168.1.20/24\ngateway=192.168.1', /gateway=192\.168\.1 is not an address/],
    ['address=192.168.1.20/24\ndns=9.9.9.9 9.9.9.999', /dns=9\.9\.9\.999 is not an address/],
    ['gateway=192.168.1.1', /gateway and dns need address/],
  ] as const) {
    const { status, stdout, wired } = await apply(t, line);
    t.strictSame([status, wired], [1, undefined], line);
    t.match(stdout, reason);
  }
  for (const lines of [
    ['wifi_country=DE', 'wifi_password=short'],
    ['wifi_password=long enough'],
    ['wifi_country=DE', 'wifi_password=long enough', 'wifi_dns=9.9.9.9'],
  ]) {
    const { status, wifi, secret } = await apply(t, 'wifi_name=Home', ...lines);
    t.strictSame([status, wifi, secret], [1, undefined, undefined], lines.join());
  }
});

t.test('Wi-Fi with a password, by DHCP or with an address', async (t) => {
  const { status, wifi, secret, network } = await apply(
    t,
    'wifi_name=Käfer "1"',
    'wifi_password=pass"word$(x)',
    'wifi_country=DE',
  );
  t.equal(status, 0);
  t.match(wifi, /Type=wlan\n\n\[Network\]\nDHCP=yes/);
  t.equal(
    secret,
    `country=DE\nnetwork={\n  ssid=${Buffer.from('Käfer "1"').toString('hex')}\n  scan_ssid=1\n  key_mgmt=SAE WPA-PSK\n  ieee80211w=1\n  psk="pass"word$(x)"\n}\n`,
  );
  t.equal(statSync(join(network, 'wifi.conf')).mode & 0o777, 0o600);
  t.match(
    (await apply(t, 'wifi_name=Home', 'wifi_country=DE', 'wifi_address=10.0.0.2/24')).wifi,
    'Address=10.0.0.2/24',
  );
  t.match((await apply(t, 'wifi_name=Home', 'wifi_country=DE')).secret, 'key_mgmt=NONE');
});

t.test('passwords are removed from the copy on the card', async (t) => {
  const [, expression = ''] =
    /sed -E '([^']+removed after use[^']+)'/.exec(readFileSync(join(BOX, 'apply-setup'), 'utf8')) ?? [];
  const input = 'password=one\nwifi_name=Home\n wifi_password = two\r\n';
  t.equal(
    execFileSync('sed', ['-E', expression], { input, encoding: 'utf8' }).replaceAll('\r', ''),
    '# password= (removed after use)\nwifi_name=Home\n#  wifi_password = (removed after use)\n',
  );
});
