// Previews of the mails to buyers, with examples for their values and with changes that are not
// saved.
import { translatorFor, type Locale } from '../downloads/translate.ts'
import { dataAddress } from '../downloads/look.ts'
import { LOGO_CID, renderBuyerMail, type BuyerMailParts, type MailLook } from './buyer-mail.ts'
import { DELIVERY_TEXTS } from './delivery-texts.ts'
import { LINK_TEXTS } from './link-texts.ts'
import { mailText } from './texts.ts'
import { formatText, type BuyerMail } from './usual-texts.ts'

const FILES = ['Sailing Basics.pdf', 'Knots and Splices.mp4', 'Checklist.pdf']
const UNTIL = new Date('2027-06-30T00:00:00Z')
const TIMES = 5
const ORDER = '#1042'

export interface MailPreview {
  subject: string
  text: string
  html: string
}

export function previewMail(
  look: MailLook,
  { mail, locale }: { mail: BuyerMail; locale: Locale },
  baseUrl: string,
): MailPreview {
  if (mail === 'text') return previewText(look, locale, baseUrl)
  const date = translatorFor(locale).date(UNTIL)
  const address = `${baseUrl}/download?key=…`
  const {
    subject,
    text,
    html = '',
  } = renderBuyerMail(
    look,
    { mail, locale, address, ...partsOf(mail, locale, { date, address }) },
    baseUrl,
  )
  const { logo } = look.page
  // A frame cannot show an image that is part of a message.
  const shown = logo ? html.replaceAll(`cid:${LOGO_CID}`, dataAddress(logo)) : html
  // Nothing in the preview leads anywhere.
  return { subject, text, html: shown.replace(/ href='[^']*'/g, '') }
}

/** A text message is shown as it is sent. */
function previewText(look: MailLook, locale: Locale, baseUrl: string): MailPreview {
  const values = { shop: look.shop, order: ORDER }
  const subject = mailText({ mail: 'text', locale, own: look.own, values }, 'intro')
  return { subject, text: `${subject}\n${baseUrl}/download?key=…`, html: '' }
}

function partsOf(
  mail: BuyerMail,
  locale: Locale,
  { date, address }: { date: string; address: string },
): Pick<BuyerMailParts, 'values' | 'files' | 'before' | 'after' | 'linked'> & { address?: string } {
  if (mail === 'library') {
    const t = translatorFor(locale)
    return { values: { date }, after: t('library.mailUntil', { date }) }
  }
  if (mail === 'links') {
    const terms = formatText(locale, LINK_TEXTS[locale].terms, { times: TIMES, ends: 'true', date })
    const linked = FILES.map((name) => ({ name, terms, address }))
    return { values: { count: FILES.length }, address: '', linked }
  }
  if (mail === 'link')
    return {
      values: { name: FILES[0] ?? '' },
      before: formatText(locale, LINK_TEXTS[locale].terms, { times: TIMES, ends: 'true', date }),
    }
  const count = FILES.length
  return {
    values: { order: ORDER, count, date, waiting: 0, names: '' },
    files: FILES,
    after: formatText(locale, DELIVERY_TEXTS[locale].expires, { date }),
  }
}
