// The components' own texts: `Next`, `Clear`, `Select all`.
import { type AppProviderProps } from '@shopify/polaris'
import en from '@shopify/polaris/locales/en.json'
import { type TranslatedLocale } from '../messages/locale.ts'
import { t } from '../messages/t.ts'

type Texts = typeof en

const TEXTS: Record<TranslatedLocale, () => Promise<{ default: object }>> = {
  de: () => import('@shopify/polaris/locales/de.json'),
  es: () => import('@shopify/polaris/locales/es.json'),
  fr: () => import('@shopify/polaris/locales/fr.json'),
  ja: () => import('@shopify/polaris/locales/ja.json'),
  pt: () => import('@shopify/polaris/locales/pt-BR.json'),
}

let chosen: object | undefined

/** Call before the page is rendered. */
export async function loadUiTexts(language: TranslatedLocale): Promise<void> {
  chosen = (await TEXTS[language]()).default
}

/** A text that a translation lacks is shown in English. */
export const uiTexts = (): AppProviderProps['i18n'] => [
  ownTexts(),
  ...(chosen ? [chosen as Texts] : []),
  en,
]

/** Replaces texts that would mislead here. */
const ownTexts = () => ({
  Polaris: {
    // Badges with counts have the tone `new`: a screen reader would read “Errors, New 3”.
    Badge: { TONE_LABELS: { new: '' } },
    // This button clears the selection, and undoes no operation.
    IndexTable: { undo: t('Only this page') },
  },
})
