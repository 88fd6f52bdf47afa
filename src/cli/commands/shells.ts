/** The shells that `stellwerk completion` knows; a bundle has a completion script for each. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
