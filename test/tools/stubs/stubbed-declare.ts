/**
 * Replaces `src/device/declare.ts` in a stub worker: every function records that it was called, and the
 * stubbed one checks its parameters as usual, does nothing and returns an empty result.
 */
import { Value } from '@sinclair/typebox/value';
import * as original from '../../../src/device/declare.js';
import { resultShape } from '../../../src/functions/reflection/openrpc.js';
import { currentRun } from './current-run.js';

export * from '../../../src/device/declare.js';

/** Functions whose only result is the empty one; their stub returns another value of the same type. */
const CONSTANT: ReadonlySet<string> = new Set([
  'SVC_GetActiveProxyConnections',
  'SVC_GetActiveWebRTCConnections',
  'SVC_GetAvailableUpdates',
  'SVC_GetDemoExpiration',
  'SVC_GetInstanceMessageQueueSize',
  'SVC_GetLicensee',
  'SVC_GetLimitDemo',
  'SVC_GetLimitFeatures',
  'SVC_GetLimitServer',
  'SVC_GetLimitWebFront',
  'SVC_GetLiveUpdateVersion',
  'SVC_GetReplicationSyncTime',
  'SVC_GetSubscriptionExpiration',
  'SVC_GetUpdateChannel',
]);

/** The original, with the function's `run` replaced. */
export const declare: typeof original.declare = (definition) => {
  const declaration = original.declare(definition);
  return {
    ...declaration,
    run: (caller, ...args) => {
      currentRun.called.add(declaration.name);
      if (currentRun.stubbed !== declaration.name) return declaration.run(caller, ...args);
      return CONSTANT.has(declaration.name) ? otherResult[declaration.result] : emptyResult(declaration);
    },
  };
};

/** What a function returns that reports success without doing anything. */
function emptyResult(declaration: original.FunctionDeclaration): unknown {
  return declaration.result === 'boolean' ? true : (Value.Create(resultShape(declaration)) as unknown);
}

const otherResult: Readonly<Record<original.ParameterKind, unknown>> = {
  boolean: false,
  integer: 1,
  float: 1,
  string: 'stub',
  variant: 1,
  array: ['stub'],
};
