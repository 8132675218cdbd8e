// The entry point of the admin page: chooses the language, then loads the modules with texts.
import './url-state/leaving.ts'
import { keepFocus } from './components/keep-focus.ts'
import { rememberFocus } from './components/openers.ts'
import {
  chooseLocale,
  setPageLocale,
  translationFor,
  type TranslatedLocale,
} from './messages/locale.ts'
import { type Catalog, setCatalog } from './messages/t.ts'
import { loadUiTexts } from './ui/texts.ts'
import { reloadWhenUpgraded } from './url-state/upgraded.ts'

const CATALOGS: Record<TranslatedLocale, () => Promise<{ default: Catalog }>> = {
  de: () => import('./messages/de.json'),
  ja: () => import('./messages/ja.json'),
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
  showApp()
}

/** If the texts cannot be loaded, the page is in English. */
async function translate(language: TranslatedLocale): Promise<void> {
  try {
    const [texts] = await Promise.all([CATALOGS[language](), loadUiTexts(language)])
    setCatalog(texts.default)
    document.documentElement.lang = language
  } catch {
    setPageLocale('en')
  }
}

rememberFocus()
keepFocus()
reloadWhenUpgraded()
void start()
