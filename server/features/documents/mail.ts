// Mails with the document of an operation, attached or as an address that is valid for some days. The
// address is inserted when the mail is sent: neither the outbox nor the list of messages has it.
import { buffer } from 'node:stream/consumers'
import { say, sayPlain } from '../../../plugins/contract/index.ts'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { present } from '../../core/lazy.ts'
import type {
  KeyParts,
  MailPayload,
  MailWriter,
  SendableContent,
  WrittenMessage,
} from '../../core/outbox/outbox.ts'
import { locateArtifact } from '../../files/artifacts.ts'
import { mailLanguageOf, readShop } from '../../files/shop-settings.ts'
import { addressOfBytes } from '../calls/bytes.ts'
import { renderMail } from '../mail/buyer-mail.ts'

/** The template of these mails. */
export const DOCUMENT_MAIL = 'document'

/** In the template, in place of the address. */
const HIDDEN_LINK = '(this link is not kept)'

interface DocumentPayload extends MailPayload {
  data: { filename: string; attached: boolean }
  to: readonly string[]
}

const payloadOf = (payload: unknown) => payload as DocumentPayload

export const documentMails: MailWriter = {
  next: say('Correct the addresses in the workflow, then run it again.'),
  write: async (scope, messages, baseUrl) => {
    const language = mailLanguageOf(await readShop(scope))
    return messages.map(({ payload, content }) => ({
      ...(content ?? renderMail(payloadOf(payload), baseUrl, language)),
      to: payloadOf(payload).to,
    }))
  },
  fill: (scope, written, parts) => Promise.all(written.map((one) => filled(scope, one, parts))),
}

async function filled(
  scope: ShopScope,
  { message, content }: WrittenMessage,
  parts: KeyParts,
): Promise<SendableContent> {
  const { filename, attached } = payloadOf(message.payload).data
  const operation = present(message.operation_id, 'The operation of the document')
  const document = await locateArtifact(scope, operation)
  if (!document)
    return { unsent: { status: 'failed', reason: sayPlain('The document was deleted') } }
  const bytes = { ...document, shop: scope.shop }
  if (attached) {
    const content_type = document.content_type ?? 'application/octet-stream'
    const read = await parts.blobs.read(bytes)
    const attachment = { filename, contentType: content_type, content: await buffer(read) }
    return { ...content, attachments: [attachment] }
  }
  const link = addressOfBytes({ ...bytes, filename }, parts, parts.now)
  const withLink = (text: string) => text.replaceAll(HIDDEN_LINK, link)
  const { text, html } = content
  return {
    ...content,
    text: withLink(text),
    ...(html === undefined ? {} : { html: withLink(html) }),
  }
}
