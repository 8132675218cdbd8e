// Loads the texts of the page's language, in parts: those of the shell before the page is rendered,
// those of each page with it, and those of the server with the first answer that may have them.
// English is in the code. A part that cannot be loaded is shown in English.
import { type TranslatedLocale } from './locale.ts'
import { addTexts, type Catalog } from './t.ts'
import { SERVER_TEXTS, SHELL_TEXTS, textsFile } from './texts-file.ts'

let language: TranslatedLocale | undefined
const parts = new Map<string, Promise<void>>()

/** @returns the texts of the components. Rejects if they cannot be loaded. */
export async function loadShellTexts(chosen: TranslatedLocale): Promise<object> {
  language = chosen
  const [{ texts, components }] = await Promise.all([
    fetched<{ texts: Catalog; components: object }>(SHELL_TEXTS),
    loadPageTexts(metaOf('page')),
  ])
  addTexts(texts)
  return components
}

/** Call before the modules of the page are loaded: constants are translated while modules load. */
export const loadPageTexts = (route: string | undefined): Promise<void> | undefined =>
  route === undefined ? undefined : loadPart(route)

/** Undefined in English. */
export const loadServerTexts = (): Promise<void> | undefined => loadPart(SERVER_TEXTS)

function loadPart(part: string): Promise<void> | undefined {
  if (!language) return undefined
  let loading = parts.get(part)
  if (!loading) {
    loading = fetched<Catalog>(part).then(addTexts, () => void parts.delete(part))
    parts.set(part, loading)
  }
  return loading
}

async function fetched<T>(part: string): Promise<T> {
  const response = await fetch(`/${textsFile(metaOf('texts') ?? 'dev', `${language}-${part}`)}`)
  if (!response.ok) throw new Error(`${response.status} for the texts of ${part}`)
  return (await response.json()) as T
}

const metaOf = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="stevedore-${name}"]`)?.content
