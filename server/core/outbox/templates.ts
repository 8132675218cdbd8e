// Email from templates: `<name>.txt` with the subject in its first line, and `<name>.html.hbs`,
// whose values are escaped.
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import { firstOf } from '../present.ts'

export interface MailPayload {
  template: string
  data: Record<string, unknown>
}

export interface RenderedMail {
  subject: string
  text: string
  html: string
}

const number = new Intl.NumberFormat('en-US')
const hbs = Handlebars.create()
hbs.registerHelper('count', (value: unknown) => number.format(Number(value)))

const compiled = new Map<string, Handlebars.TemplateDelegate>()

/** `baseUrl`: where the page is, without a slash at the end. Throws for an unknown template. */
export function renderMail({ template, data }: MailPayload, baseUrl: string): RenderedMail {
  const values = { ...data, baseUrl }
  const lines = templateOf(`${template}.txt`, true)(values).split('\n')
  return {
    // A workflow's name is the merchant's: it must not start a new line.
    subject: firstOf(lines)
      .replace(/\s+/g, ' ')
      .replace(/[. ]+$/, ''),
    text: lines.slice(1).join('\n').trim() + '\n',
    // The formatter of templates drops it.
    html: `<!doctype html>\n${templateOf(`${template}.html.hbs`, false)(values)}`,
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
