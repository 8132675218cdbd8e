// The entry point of the admin page: chooses the language, then loads the modules with texts.
import './shell/url-state/leaving.ts'
import { keepFocus } from './shell/components/keep-focus.ts'
import { rememberFocus } from './shell/components/openers.ts'
import {
  chooseLocale,
  setPageLocale,
  translationFor,
  type TranslatedLocale,
} from './shell/messages/locale.ts'
import { type Catalog, setCatalog } from './shell/messages/t.ts'
import { loadUiTexts } from './shell/ui/texts.ts'
import { reloadWhenUpgraded } from './shell/url-state/upgraded.ts'

const CATALOGS: Record<TranslatedLocale, () => Promise<{ catalog: Catalog }>> = {
  de: () => import('./catalogs/de.ts'),
  es: () => import('./catalogs/es.ts'),
  fr: () => import('./catalogs/fr.ts'),
  ja: () => import('./catalogs/ja.ts'),
  pt: () => import('./catalogs/pt.ts'),
}

async function start(): Promise<void> {
  const storage = () => window.sessionStorage
  const locale = chooseLocale(window.location.search, navigator.languages, storage)
  if (locale !== undefined) {
    setPageLocale(locale)
    const language = translationFor(locale)
    if (language) await translate(language)
  }
  const { showApp } = await import('./show-app.tsx')
  await showApp()
}

/** If the texts cannot be loaded, the page is in English. */
async function translate(language: TranslatedLocale): Promise<void> {
  try {
    const [texts] = await Promise.all([CATALOGS[language](), loadUiTexts(language)])
    setCatalog(texts.catalog)
    document.documentElement.lang = language
  } catch {
    setPageLocale('en')
  }
}

rememberFocus()
keepFocus()
reloadWhenUpgraded()
void start()
