// The texts of the mail that brings an order's files, in the languages of buyers: ICU messages, into
// which values are inserted as text. `text` is the text message; the link follows.
import type { Locale } from '../downloads/translate.ts'
import texts from './usual/delivery.json' with { type: 'json' }

export const DELIVERY_TEXTS: Readonly<Record<Locale, (typeof texts)['en']>> = texts
