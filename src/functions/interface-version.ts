/**
 * The implemented version of the interface, `<major>.<minor>`, readable as a float. Clients require a minimum
 * and adapt to it (interface, decision 17). `GW_GetVersion` returns the version of the product.
 */
export const INTERFACE_VERSION = '7.0';
