// The sender and the texts of mails to buyers: types and calls.
import { ifFailed, useChangeOf } from '../../shell/client/change.ts'
import { call } from '../../shell/client/client.ts'
import { edit, type KnownTag } from '../../shell/client/edits.ts'
import { useRead } from '../../shell/client/reads.ts'
import { type Schemas } from '../../shell/client/types.ts'
import { showAnswer } from '../../shell/client/show-answer.ts'

export type MailSettings = Schemas['MailSettings']
export type MailServer = Schemas['MailServerChange']
/** The shop's own mail server. */
export type SavedServer = NonNullable<MailSettings['server']>
export type DnsRecord = Schemas['MailDnsRecord']
export type MailTexts = Schemas['MailTexts']['texts'][number]
export type BuyerMail = MailTexts['mail']
export type MailLocale = MailTexts['locale']
export type TextsChange = Schemas['MailTextsChange']['texts']

const KEY = ['mail-settings']
const TEXTS_KEY = ['mail-texts']
const PREVIEW = 'POST /api/settings/mail/texts/preview'
const BLOCKED_KEY = ['mail-blocked']

export const useMailSettings = () => useRead('GET /api/settings/mail', { key: KEY })

const useSettingsCall = <Input>(send: (input: Input) => Promise<MailSettings>) =>
  useChangeOf(ifFailed(KEY), send, {
    show: (client, settings) => showAnswer(client, KEY, settings),
  })

export const useChangeSender = (known: KnownTag) =>
  useSettingsCall((body: Schemas['MailSettingsChange']) =>
    edit('PATCH /api/settings/mail', { body }, known),
  )

export const useSaveServer = () =>
  useSettingsCall((body: MailServer | null) =>
    body === null
      ? call('DELETE /api/settings/mail/server')
      : call('PUT /api/settings/mail/server', { body }),
  )

export const useTestServer = () =>
  useSettingsCall((email: string) =>
    call('POST /api/settings/mail/server/test', { body: { email } }),
  )

export const useConfirmServer = () =>
  useSettingsCall((code: string) =>
    call('POST /api/settings/mail/server/confirm', { body: { code } }),
  )

export const useSaveDomain = () =>
  useSettingsCall((from: string | null) =>
    from === null
      ? call('DELETE /api/settings/mail/domain')
      : call('PUT /api/settings/mail/domain', { body: { from } }),
  )

export const useCheckDomain = () =>
  useSettingsCall((_: void) => call('POST /api/settings/mail/domain/check'))

export const useBlocked = (cursor: string) =>
  useRead('GET /api/settings/mail/blocked', {
    key: [...BLOCKED_KEY, cursor],
    query: { limit: 25, cursor },
    keep: true,
  })

export const useAllow = () =>
  useChangeOf([BLOCKED_KEY, ['deliveries'], ['home']], (email: string) =>
    call('POST /api/settings/mail/allow', { body: { email } }),
  )

export const useMailTexts = () => useRead('GET /api/settings/mail/texts', { key: TEXTS_KEY })

/** A preview of nothing changed shows the saved texts. */
export const useChangeTexts = () =>
  useChangeOf(
    [[PREVIEW]],
    (texts: TextsChange) => call('PATCH /api/settings/mail/texts', { body: { texts } }),
    { show: (client, texts) => showAnswer(client, TEXTS_KEY, texts) },
  )

export const useMailPreview = (
  shown: { mail: BuyerMail; locale: MailLocale },
  texts: TextsChange,
) =>
  useRead(PREVIEW, {
    body: { ...shown, texts },
    keep: true,
    retry: false,
  })
