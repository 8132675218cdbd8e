// The entry point of the admin page: chooses the language, then loads the modules with texts.
import './shell/url-state/leaving.ts'
import { keepFocus } from './shell/components/keep-focus.ts'
import { rememberFocus } from './shell/components/openers.ts'
import { loadShellTexts } from './shell/messages/load-texts.ts'
import {
  chooseLocale,
  setPageLocale,
  translationFor,
  type TranslatedLocale,
} from './shell/messages/locale.ts'
import { setUiTexts } from './shell/ui/texts.ts'
import { restoreKept } from './shell/url-state/kept-over-reload.ts'
import { reloadWhenUpgraded } from './shell/url-state/upgraded.ts'

/** Throws where the browser forbids it. */
const storage = () => window.sessionStorage

async function start(): Promise<void> {
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
    setUiTexts(await loadShellTexts(language))
    document.documentElement.lang = language
  } catch {
    setPageLocale('en')
  }
}

rememberFocus()
keepFocus()
reloadWhenUpgraded()
restoreKept(storage, window.location.pathname + window.location.search)
void start()
