/* oxlint-disable house/translated-texts -- languages are named in themselves */
// The languages of emails to the shop, each by its own name.
import { type ShopSettings } from '../../shell/client/types.ts'

export const LANGUAGES: {
  value: NonNullable<ShopSettings['mail_language']>
  label: string
}[] = [
  { value: 'en', label: 'English' },
  { value: 'de', label: 'Deutsch' },
  { value: 'es', label: 'Español' },
  { value: 'fr', label: 'Français' },
  { value: 'ja', label: '日本語' },
  { value: 'pt', label: 'Português (Brasil)' },
]
