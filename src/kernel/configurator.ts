/** A web front configurator: an area of the tree with its own password. */
export interface Configurator {
  /** The id of its instance. */
  readonly id: number;
  readonly title: string;
  readonly icon: string;
  readonly position: number;
  readonly editable: boolean;
  readonly passwordRequired: boolean;
  /** Whether mobile apps may use it. */
  readonly mobile: boolean;
  /** The id of the base object of its area; not an object's id if the base was deleted. */
  readonly baseId: number;
}
