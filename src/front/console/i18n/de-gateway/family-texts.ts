/** German texts of the modules of one driver. */
export interface FamilyTexts {
  /** By the name of the module. */
  readonly modules: Readonly<Record<string, readonly [caption: string, description: string]>>;
  /**
   * By the name of the property, `Topics.QoS` for a column of a list. `Module: Property` precedes, where
   * modules of the driver differ. The columns of lists have no help.
   */
  readonly properties: Readonly<Record<string, readonly [caption: string, help?: string]>>;
}
