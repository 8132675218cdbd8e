// The components' own texts: `Next`, `Clear`, `Select all`.
import { type AppProviderProps } from '@shopify/polaris'
import en from '@shopify/polaris/locales/en.json'

type Texts = typeof en

let chosen: object | undefined

/** Call before the page is rendered. */
export function setUiTexts(texts: object): void {
  chosen = texts
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
  },
})
