// Where the admin page starts: it chooses the language, then loads everything that states texts.
import './url-state/leaving.ts'
import { chooseLocale, setPageLocale, translationFor, type Translated } from './messages/locale.ts'
import { type Catalog, setCatalog } from './messages/t.ts'
import { reloadWhenUpgraded } from './url-state/upgraded.ts'

const CATALOGS: Record<Translated, () => Promise<{ default: Catalog }>> = {
  de: () => import('./messages/de.json'),
  ja: () => import('./messages/ja.json'),
}

async function start(): Promise<void> {
  const storage = () => window.sessionStorage
  const locale = chooseLocale(window.location.search, navigator.languages, storage)
  if (locale !== undefined) {
    setPageLocale(locale)
    const language = translationFor(locale)
    if (language) setCatalog((await CATALOGS[language]()).default)
    document.documentElement.lang = language ?? 'en'
  }
  const { showApp } = await import('./show-app.tsx')
  showApp()
}

reloadWhenUpgraded()
void start()
