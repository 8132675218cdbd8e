// Email from templates: `<name>.txt` with the subject in its first line, and `<name>.html.hbs`,
// whose values are escaped. Their texts are written with `{{say 'Open {name}' name=name}}`, in the
// language of the mail; so are texts in the data.
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import { ENGLISH, textIn, type Text, type TextLanguage } from '../../../plugins/contract/index.ts'
import { writtenIn } from '../../core/texts.ts'
import { firstOf } from '../../core/lazy.ts'
import type { MailPayload } from '../../core/outbox/outbox.ts'

export interface RenderedMail {
  subject: string
  text: string
  html: string
}

const hbs = Handlebars.create()
const compiled = new Map<string, Handlebars.TemplateDelegate>()

/** `baseUrl`: where the page is, without a slash at the end. Throws for an unknown template. */
export function renderMail(
  { template, data }: MailPayload,
  baseUrl: string,
  language: TextLanguage = ENGLISH,
): RenderedMail {
  const written = writtenIn(data, language) as MailPayload['data']
  // A mail to a buyer has the buyer's language.
  const values = { language: language.locale.slice(0, 2), ...written, baseUrl }
  const options = { helpers: helpersFor(language) }
  const lines = templateOf(`${template}.txt`, true)(values, options).split('\n')
  return {
    // A workflow's name is the merchant's: it must not start a new line.
    subject: firstOf(lines)
      .replace(/\s+/g, ' ')
      .replace(/[. ]+$/, ''),
    text: lines.slice(1).join('\n').trim() + '\n',
    // The formatter of templates drops it.
    html: withinLimit(
      `<!doctype html>\n${templateOf(`${template}.html.hbs`, false)(values, options)}`,
    ),
  }
}

/** Gmail hides what is beyond 102 KB; the rest is reserve. */
const SHOWN_BYTES = 80_000

/**
 * Without its indentation if it is long. Short mails keep it: filters for spam distrust pictures beside
 * little HTML, and a shop's logo is one.
 */
const withinLimit = (html: string): string =>
  Buffer.byteLength(html) > SHOWN_BYTES ? html.replace(/\n\s+/g, '\n') : html

function helpersFor(language: TextLanguage) {
  const number = new Intl.NumberFormat(language.locale)
  return {
    count: (value: unknown) => number.format(Number(value)),
    say: (message: string, { hash }: { hash: Text['values'] }) =>
      textIn({ message, values: hash }, language),
  }
}

function templateOf(file: string, noEscape: boolean): Handlebars.TemplateDelegate {
  let template = compiled.get(file)
  if (!template) {
    if (!/^[a-z-]+\.(txt|html\.hbs)$/.test(file)) throw new Error(`There is no template ${file}`)
    const source = readFileSync(new URL(`./templates/${file}`, import.meta.url), 'utf8')
    template = hbs.compile(source, { noEscape, strict: true })
    compiled.set(file, template)
  }
  return template
}
