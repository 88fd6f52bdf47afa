import type { ConsoleApp } from '../app.js';
import type { Properties } from '../forms/form-element.js';

/** What can be created below an object. */
export type Creation =
  | { readonly kind: 'category' }
  | { readonly kind: 'variable'; readonly type: 0 | 1 | 2 | 3 }
  | { readonly kind: 'script' }
  | { readonly kind: 'link'; readonly target: number }
  | { readonly kind: 'instance'; readonly module: string; readonly properties: Properties };

interface NewObject {
  readonly creation: Creation;
  readonly parent: number;
  readonly name: string;
}

/** Creates an object below another one and returns its ID; removes it if a later step is rejected. */
export async function createObject(app: ConsoleApp, { creation, parent, name }: NewObject): Promise<number> {
  return app.setUp(await create(app, creation), async (id) => {
    if (parent !== 0) await app.call('SVC_SetParent', id, parent);
    const position = positionBelow(app, parent, id);
    if (position > 0) await app.call('SVC_SetPosition', id, position);
    if (name !== '') await app.call('SVC_SetName', id, name);
    if (creation.kind === 'link') await app.call('SVC_SetLinkTargetID', id, creation.target);
    if (creation.kind === 'instance' && Object.keys(creation.properties).length > 0) {
      await app.call('SVC_SetConfiguration', id, JSON.stringify(creation.properties));
      await app.call('SVC_ApplyChanges', id);
    }
  });
}

/** The position after the other children of an object. */
function positionBelow({ gateway }: ConsoleApp, parent: number, id: number): number {
  const others = gateway.model.children(parent).filter((child) => child.id !== id);
  return Math.max(0, ...others.map(({ entry }) => entry.peek().position + 1));
}

function create(app: ConsoleApp, creation: Creation): Promise<number> {
  switch (creation.kind) {
    case 'category':
      return app.call('SVC_CreateCategory');
    case 'variable':
      return app.call('SVC_CreateVariable', creation.type);
    case 'script':
      return app.call('SVC_CreateScript', 0);
    case 'link':
      return app.call('SVC_CreateLink');
    case 'instance':
      return app.call('SVC_CreateInstance', creation.module);
  }
}
