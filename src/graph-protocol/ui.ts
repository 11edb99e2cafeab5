/** Name of the global a bundle of components leaves its `render` in. */
export const globalOf = (name: string): string => `__LGUI_${name}`;
