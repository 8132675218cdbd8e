/* oxlint-disable house/translated-texts -- languages are named in themselves */
// The languages that buyers' pages speak, each by its own name.
import { type BuyerLocale } from './calls.ts'

export const LANGUAGES: { value: BuyerLocale; label: string }[] = [
  { value: 'en', label: 'English' },
  { value: 'de', label: 'Deutsch' },
  { value: 'fr', label: 'Français' },
  { value: 'es', label: 'Español' },
  { value: 'ja', label: '日本語' },
  { value: 'pt', label: 'Português (Brasil)' },
]
