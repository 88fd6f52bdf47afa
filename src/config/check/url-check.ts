import { coded } from '../../base/codes/coded-text.js';
import { HIDDEN, hasMaskedUrl } from '../../base/url-secrets.js';
import type { ConfigDocument, DocumentPath } from '../document.js';
import type { GatewayConfig } from '../schema/gateway-schema.js';

/**
 * Checks that no URL of a setting has the placeholder of an export in place of its secret. It is no error: earlier
 * versions stored some, and a gateway must still start with them.
 */
export function checkSettingUrls(document: ConfigDocument, config: GatewayConfig): void {
  const check = (value: unknown, path: DocumentPath): void => {
    if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value))
        check(one, [...path, Array.isArray(value) ? Number(key) : key]);
    else if (hasMaskedUrl(value))
      document.addProblem(
        path,
        coded`PLACEHOLDER_EXPORT_REPLACE_PASSWORD: ${HIDDEN} is the placeholder of an export; replace it with the password`,
      );
  };
  for (const [key, value] of Object.entries(config)) if (key !== 'tree') check(value, [key]);
}
