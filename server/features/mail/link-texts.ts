// The texts of the mail with a link that the shop has made for one buyer, in the languages of buyers:
// ICU messages. In `terms`, -1 downloads are unlimited ones; in `rental`, whole days are not hours.
import type { Locale } from '../downloads/translate.ts'
import texts from './usual/links.json' with { type: 'json' }

export const LINK_TEXTS: Readonly<Record<Locale, (typeof texts)['en']>> = texts
