// The names of the files with texts of other languages: the build writes them, and the page asks for
// them.

/** The part with the texts that every page needs. */
export const SHELL_TEXTS = 'shell'
/** The part with the texts that the server sends as data. */
export const SERVER_TEXTS = 'server'

/** @param name the language and the part, which for a page is its route: `de-/files/:id` */
export const textsFile = (build: string, name: string): string =>
  `assets/texts-${build}-${name.replaceAll(/[^a-z0-9-]+/g, '_')}.json`
