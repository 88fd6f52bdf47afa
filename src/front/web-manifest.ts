/** The colours of the page behind its content, in light and dark (tokens.css). */
export const THEME_COLOURS = { light: '#eef1f4', dark: '#10161c' } as const;

/** What a device needs to install a page as an app (W3C Web Application Manifest). */
export function webManifest({ title, base }: { readonly title: string; readonly base: string }): object {
  const png = (size: number, name: string, purpose: string) => ({
    src: `/front/${name}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  return {
    id: base,
    name: title,
    short_name: title,
    start_url: base,
    scope: base,
    display: 'standalone',
    background_color: THEME_COLOURS.light,
    theme_color: THEME_COLOURS.light,
    icons: [
      { src: '/front/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
      png(192, 'icon-192', 'any'),
      png(512, 'icon-512', 'any'),
      png(512, 'icon-maskable-512', 'maskable'),
    ],
  };
}
