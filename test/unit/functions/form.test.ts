import t from 'tap';
import { mqttModules } from '../../../drivers/mqtt/index.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { defaultsOf, withProperty } from '../../../src/device/properties.js';
import { configurationFormFunctions } from '../../../src/functions/devices/configuration-form.js';
import { FunctionFixture, owner } from '../../tools/gateway/function-fixture.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';

interface Element {
  readonly type: string;
  readonly name: string;
  readonly caption: string;
  readonly columns?: readonly Element[];
}
interface Form {
  readonly elements: readonly Element[];
  readonly actions: readonly unknown[];
  readonly status: readonly { readonly code: number }[];
}

t.test('the form of an instance has one element per property, and no values', async (t) => {
  await using fixture = new FunctionFixture();
  const id = await fixture.lamp();
  await fixture.call('SVC_SetProperty', id, 'Password', 'hunter2');
  await fixture.call('SVC_ApplyChanges', id);
  const text = (await fixture.call('SVC_GetConfigurationForm', id)) as string;
  t.notMatch(text, /hunter2/);
  t.strictSame(JSON.parse(text), {
    elements: [
      { type: 'ValidationTextBox', name: 'Place', caption: 'Place', default: '' },
      { type: 'PasswordTextBox', name: 'Password', caption: 'Password' },
      { type: 'CheckBox', name: 'Broken', caption: 'Broken', default: false },
    ],
    actions: [],
    status: [
      { code: 102, icon: 'active', caption: 'online' },
      { code: 104, icon: 'inactive', caption: 'closed' },
      { code: 200, icon: 'error', caption: 'configuration invalid' },
      { code: 201, icon: 'error', caption: 'offline' },
    ],
  });
  await t.rejects(fixture.call('SVC_GetConfigurationForm', 12), { message: 'Instance #12 does not exist' });
});

t.test('each type of property has its type of element, whose values can be set', async (t) => {
  const modules = [...serialModules(), ...mqttModules()];
  await using fixture = new DeviceFixture(modules);
  const [get] = configurationFormFunctions(fixture as never);
  for (const module of modules) {
    const instance = fixture.devices.create(module.id);
    const form = JSON.parse((await get?.run(owner, ...([instance.id] as never[]))) as string) as Form;
    t.strictSame(
      form.elements.map(({ name }) => name),
      Object.keys(module.properties.properties),
      module.name,
    );
    for (const element of form.elements) {
      const { options } = element as Element & { options?: { value: unknown }[] };
      for (const { value } of options ?? [])
        t.match(withProperty(module, defaultsOf(module), [element.name, value]), { [element.name]: value });
    }
    if (module.name === 'Serial Port')
      t.match(form.elements.slice(1, 3), [
        { type: 'ValidationTextBox', caption: 'Baud rate', validate: '^[0-9]{1,7}$' },
        { type: 'Select', options: [{ caption: '5', value: '5' }, {}, {}, { value: '8' }] },
      ]);
    if (module.name === 'Serial Device')
      t.match(
        form.elements.find(({ name }) => name === 'IdleMs'),
        { type: 'NumberSpinner', caption: 'Idle', suffix: 'ms', minimum: 0, maximum: 60_000 },
      );
    if (module.name === 'MQTT Client') {
      const kinds = Object.fromEntries(form.elements.map(({ name, type }) => [name, type]));
      t.match(kinds, {
        Password: 'PasswordTextBox',
        CleanSession: 'CheckBox',
        KeepAliveInterval: 'NumberSpinner',
        Subscriptions: 'ValidationTextBox',
      });
      const captions = Object.fromEntries(form.elements.map(({ name, caption }) => [name, caption]));
      t.match(captions, {
        Url: 'URL',
        ClientID: 'Client ID',
        CaFile: 'CA file',
        KeepAliveInterval: 'Keep alive interval',
      });
    }
    if (module.name === 'MQTT Device') {
      const topics = form.elements.find(({ name }) => name === 'Topics');
      t.equal(topics?.type, 'List');
      t.match(topics?.columns?.slice(0, 3), [
        { name: 'Ident', caption: 'Ident', add: '', edit: { type: 'ValidationTextBox' } },
        { name: 'Name' },
        { name: 'Type', add: 'string', edit: { type: 'Select' } },
      ]);
      const scale = topics?.columns?.find(({ name }) => name === 'Scale') ?? {};
      t.notOk('add' in scale, 'an optional member is not in a new record');
    }
  }
});
