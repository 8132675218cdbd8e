// The mails of a question: one to each person who may answer, with a link of their own, or one to the
// shop's recipients, with the page of the run. The link is not stored: it is inserted when the mail
// is sent.
import { say } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { toPublicId } from '../../core/ids.ts'
import type {
  Content,
  KeyParts,
  MailWriter,
  SendableContent,
  WrittenMessage,
} from '../../core/outbox/outbox.ts'
import { renderMail } from '../mail/buyer-mail.ts'
import { queuePromptMessages } from '../../core/queue/queue.ts'
import { mailLanguageOf, readShop } from '../../files/shop-settings.ts'
import { translatorFor } from '../downloads/translate.ts'
import { ANSWERS, answerToken, personOf } from './question-link.ts'
import type { QuestionSummary } from './question-summary.ts'

export const QUESTION_MAIL = 'run-question'
/** Stands for the link until the mail is sent. */
const LINK = '(this link is not kept)'

interface QuestionMail {
  template: typeof QUESTION_MAIL
  /** The operation that asks: a bare UUID. */
  operation: string
  /** The address of a person who may answer; null: the shop's recipients. */
  person: string | null
  reminder: boolean
  summary: QuestionSummary
}

/** Queues the mails of a question or of one of its reminders. Idempotent. */
export async function queueQuestionMails(
  tx: ShopScope,
  asked: { id: string; who: readonly string[]; reminders: number; summary: QuestionSummary },
): Promise<void> {
  const { id, who, reminders, summary } = asked
  const { settings } = await readShop(tx)
  const people = who.length > 0 ? who : settings.recipients.length > 0 ? [null] : []
  if (people.length === 0) return
  const rows = (await tx
    .insert(
      'outbox',
      people.map((person) => ({
        key: `question/${id}/${reminders}/${person ?? ''}`,
        kind: 'email',
        operation_id: id,
        payload: JSON.stringify({
          template: QUESTION_MAIL,
          operation: id,
          person,
          reminder: reminders > 0,
          summary,
        } satisfies QuestionMail),
      })),
    )
    .onConflict()
    .ignore()
    .returning('id')) as { id: string }[]
  await queuePromptMessages(
    tx,
    rows.map((row) => row.id),
  )
}

const mailOf = (payload: unknown) => payload as QuestionMail

export const questionMails: MailWriter = {
  write: async (scope, messages, baseUrl) => {
    const shop = await readShop(scope)
    const until = await timesOf(
      scope,
      messages.map(({ payload }) => mailOf(payload).operation),
    )
    const language = mailLanguageOf(shop)
    return messages.map(({ payload, content }): Content => {
      const { operation, person, reminder, summary } = mailOf(payload)
      const to = person === null ? shop.settings.recipients : [person]
      if (content) return { ...content, to }
      const at = until.get(operation)
      const data = {
        ...summary,
        shop: { name: shop.name },
        heading: reminder
          ? say('Still waiting: may “{name}” continue?', { name: summary.title })
          : say('May “{name}” continue?', { name: summary.title }),
        until: at ? translatorFor(language.locale).moment(at, shop.settings.time_zone) : '',
        asked: person !== null,
        address: person === null ? runAddress(baseUrl, operation) : LINK,
      }
      return { ...renderMail({ template: QUESTION_MAIL, data }, baseUrl, language), to }
    })
  },
  fill: async (scope, written, parts) => {
    const until = await timesOf(
      scope,
      written.map(({ message: { payload } }) => mailOf(payload).operation),
    )
    return written.map((one) => withLink(scope.shop, one, until, parts))
  },
}

/** A question that was answered meanwhile has no end: its link says what became of it. */
function withLink(
  shop: number,
  { message: { payload }, content }: WrittenMessage,
  until: ReadonlyMap<string, Date>,
  { secrets, baseUrl, now }: KeyParts,
): SendableContent {
  const { operation, person } = mailOf(payload)
  if (person === null) return content
  const expires = until.get(operation) ?? now
  const token = answerToken(secrets, { shop, operation, person: personOf(person), expires })
  const fill = (text: string) => text.replaceAll(LINK, `${baseUrl}${ANSWERS}${token}`)
  return {
    ...content,
    text: fill(content.text),
    ...(content.html ? { html: fill(content.html) } : {}),
  }
}

const runAddress = (baseUrl: string, operation: string): string =>
  `${baseUrl}/operations/${toPublicId('op', operation)}`

/** When the time to answer is over, by the operations that still ask. */
async function timesOf(
  scope: ShopScope,
  operations: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  const rows = await scope.query<{ id: string; continue_at: Date }>(
    `select id, continue_at from operations where shop_id = :shop and id = any(:operations::uuid[])
       and status = 'previewed' and continue_at is not null`,
    { operations },
  )
  return new Map(rows.map((row) => [row.id, row.continue_at]))
}
