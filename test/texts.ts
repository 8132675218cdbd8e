// The catalogs of the page's texts: those of its shell and of its features.
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

export type Texts = Readonly<Record<string, string>>

const WEB = path.resolve(import.meta.dirname, '../web')

/** By path, `features/packs/texts/de.json`. */
export const CATALOG_FILES: Readonly<Record<string, Texts>> = Object.fromEntries(
  ['shell/messages/*.json', 'features/*/texts/*.json']
    .flatMap((pattern) => globSync(pattern, { cwd: WEB }))
    .map((file) => [file, JSON.parse(readFileSync(path.join(WEB, file), 'utf8')) as Texts]),
)

/** All of a language. */
export const textsIn = (language: string): Texts =>
  Object.assign(
    {},
    ...Object.entries(CATALOG_FILES).flatMap(([file, texts]) =>
      file.endsWith(`/${language}.json`) ? [texts] : [],
    ),
  )

/** The texts that a language lacks, by the catalog that lacks them, `shell/messages/de.json`. */
export function missingTexts(
  language: string,
  files: Readonly<Record<string, Texts>> = CATALOG_FILES,
): Record<string, string[]> {
  const missing: Record<string, string[]> = {}
  for (const [template, texts] of Object.entries(files)) {
    if (path.basename(template) !== 'en.json') continue
    const catalog = path.join(path.dirname(template), `${language}.json`)
    const own = files[catalog] ?? {}
    const lacking = Object.keys(texts).filter((message) => !(message in own))
    if (lacking.length > 0) missing[catalog] = lacking
  }
  return missing
}
