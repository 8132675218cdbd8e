// Carrying out the outbox: each message is rendered, handed to the mail server once, and kept with what became of it.
import { readFileSync } from 'node:fs'
import Handlebars from 'handlebars'
import nodemailer from 'nodemailer'
import type { Database } from '../db/database.ts'
import { forShop, type ShopScope } from '../db/for-shop.ts'
import { readShop } from '../files/shop-settings.ts'
import { errorFields, type Logger } from '../log.ts'

export interface MailOptions {
  database: Database
  /** Null: messages are rendered and kept, and none leaves. */
  smtpUrl: string | null
  from: string
  baseUrl: string
  log: Logger
}

interface OutboxRow {
  id: string
  payload: { template: string; data: Record<string, unknown> }
}

export interface RenderedMail {
  to: readonly string[]
  subject: string
  text: string
}

/** Sends one message of the outbox. Throws when it should be tried again. */
export function createDeliverer(options: MailOptions): (job: { shop: number; message: string }) => Promise<void> {
  const transport = options.smtpUrl ? nodemailer.createTransport(options.smtpUrl) : null
  return async ({ shop, message }) => {
    const scope = forShop(options.database, shop)
    const row = await takeMessage(scope, message)
    if (!row) return
    const { settings } = await readShop(scope)
    const mail = { to: settings.recipients, ...render(row.payload, options.baseUrl) }
    try {
      if (transport && mail.to.length > 0)
        await transport.sendMail({ from: options.from, messageId: `<${row.id}@stevedore>`, ...mail, to: [...mail.to] })
    } catch (error) {
      await giveBack(scope, row.id)
      options.log.warn('an e-mail could not be sent', errorFields(error))
      throw error
    }
    await scope.query(
      `update outbox set status = 'sent', sent_at = now(), result = :mail::jsonb where shop_id = :shop and id = :id`,
      { id: row.id, mail: JSON.stringify(mail) },
    )
  }
}

/** From here on a crash means that it may have left: it is not sent again by itself. */
async function takeMessage(scope: ShopScope, id: string): Promise<OutboxRow | null> {
  const [row] = await scope.query<OutboxRow>(
    `update outbox set status = 'sending', attempts = attempts + 1
     where shop_id = :shop and id = :id and status = 'waiting' returning id, payload`,
    { id },
  )
  return row ?? null
}

const MAX_ATTEMPTS = 3

const giveBack = (scope: ShopScope, id: string) =>
  scope.query(
    `update outbox set status = case when attempts >= :most then 'failed' else 'waiting' end
     where shop_id = :shop and id = :id`,
    { id, most: MAX_ATTEMPTS },
  )

const templates = new Map<string, Handlebars.TemplateDelegate>()

/** The subject is the template's first line. */
function render(payload: OutboxRow['payload'], baseUrl: string): { subject: string; text: string } {
  let template = templates.get(payload.template)
  if (!template) {
    const source = readFileSync(new URL(`./templates/${payload.template}.hbs`, import.meta.url), 'utf8')
    template = Handlebars.compile(source, { noEscape: true, strict: true })
    templates.set(payload.template, template)
  }
  const [subject, ...lines] = template({ ...payload.data, baseUrl }).split('\n')
  return { subject: subject!.trim(), text: lines.join('\n').trim() + '\n' }
}
