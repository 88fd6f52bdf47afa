import type { ConsoleApp } from '../app.js';
import { objectType } from '../../web/objects.js';

/** What can be created below an object. */
export type Creation =
  | { readonly kind: 'category' }
  | { readonly kind: 'variable'; readonly type: 0 | 1 | 2 | 3 }
  | { readonly kind: 'script' }
  | { readonly kind: 'link'; readonly target: number }
  | { readonly kind: 'instance'; readonly module: string };

interface NewObject {
  readonly creation: Creation;
  readonly parent: number;
  readonly name: string;
}

/** Creates an object below another one and returns its ID; removes it if a later step is rejected. */
export async function createObject(app: ConsoleApp, { creation, parent, name }: NewObject): Promise<number> {
  const id = await create(app, creation);
  try {
    if (parent !== 0) await app.call('SVC_SetParent', id, parent);
    if (name !== '') await app.call('SVC_SetName', id, name);
    if (creation.kind === 'link') await app.call('SVC_SetLinkTargetID', id, creation.target);
  } catch (thrown) {
    // The first failure is what the owner needs to know.
    await deleteTree(app, id).catch(() => undefined);
    throw thrown;
  }
  return id;
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

/** Deletes an object after everything below it, because the gateway deletes no object with children. */
export async function deleteTree(app: ConsoleApp, id: number): Promise<void> {
  const { model } = app.gateway;
  const isInstance = model.find(id)?.type === objectType.instance;
  for (const child of model.children(id)) {
    // The variables of an instance go with it.
    if (isInstance && child.type === objectType.variable && child.entry.peek().ident !== '') continue;
    await deleteTree(app, child.id);
  }
  await deleteOne(app, id);
}

function deleteOne(app: ConsoleApp, id: number): Promise<boolean> {
  switch (app.gateway.model.find(id)?.type) {
    case objectType.instance:
      return app.call('SVC_DeleteInstance', id);
    case objectType.variable:
      return app.call('SVC_DeleteVariable', id);
    case objectType.script:
      return app.call('SVC_DeleteScript', id, true);
    case objectType.event:
      return app.call('SVC_DeleteEvent', id);
    case objectType.media:
      return app.call('SVC_DeleteMedia', id, false);
    case objectType.link:
      return app.call('SVC_DeleteLink', id);
    default:
      return app.call('SVC_DeleteCategory', id);
  }
}
