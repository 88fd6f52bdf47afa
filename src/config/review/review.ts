import { coded } from '../../base/codes/coded-text.js';
import type { ModuleRegistry } from '../../device/module-registry.js';
import { Claims } from './claims.js';
import type { ConfigDocument, DocumentPath } from '../document.js';
import type { ReviewFacts } from './review-facts.js';
import type { GatewayConfig, TreeNode } from '../schema/gateway-schema.js';
import { reviewFile, reviewServers, warnOfServers } from './server-review.js';
import { TreeModel } from './tree-model.js';
import { requireObject, type TreeReview } from './review-context.js';
import { knownProfiles, reviewNodes } from './tree-review.js';

/**
 * Reviews all valid entries: adds what would not work, which a start and a reload report as problems, and
 * what may be unintended, which only `check` shows. If the file has errors, nothing counts as missing: it may
 * be in the invalid part.
 */
export async function reviewConfig(
  document: ConfigDocument,
  { config, tree }: { readonly config: GatewayConfig; readonly tree: readonly TreeNode[] },
  { modules, facts }: { readonly modules: ModuleRegistry; readonly facts: ReviewFacts },
): Promise<void> {
  const isPartial = document.hasErrors;
  const claims = new Claims(document);
  await reviewServers(document, config, { claims, facts, modules });
  const fronts = config.configurators ?? [];
  const model = new TreeModel(tree, modules, fronts);
  const profiles = knownProfiles(config.profiles);
  const files: { path: DocumentPath; file: string }[] = [];
  const all: TreeReview = { document, model, modules, claims, facts, profiles, files };
  await reviewNodes(all, tree);
  for (const { path, file } of files) await reviewFile(document, file, path);
  const idents = new Map(tree.map(({ ident, entry }) => [ident, entry]));
  for (const [i, { base, ident }] of fronts.entries()) {
    requireObject(all, base, ['configurators', i, 'base']);
    if (idents.has(ident))
      document.addProblem(
        ['configurators', i, 'ident'],
        coded`IDENT_TAKEN_BY: ${idents.get(ident) ?? ''} has this ident; choose another`,
      );
  }
  if (isPartial)
    document.removeFindings(({ missing: absent }) => absent?.kind === 'object' || absent?.kind === 'profile');
  else await warnOfServers(document, config, modules.board.isUnknown);
  await removeKnownLines(document, facts, modules);
}

/** A line without a name in the board file may have one in the kernel. */
async function removeKnownLines(
  document: ConfigDocument,
  facts: ReviewFacts,
  modules: ModuleRegistry,
): Promise<void> {
  if (!document.findings.some(({ missing: absent }) => absent?.kind === 'line')) return;
  const known = await facts.kernelLines(modules);
  document.removeFindings(({ missing: absent }) => absent?.kind === 'line' && known.has(absent.name));
}
