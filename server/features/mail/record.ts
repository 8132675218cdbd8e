// The mail settings as every answer shows them.
import { z } from 'zod'
import { timestamp } from '../../http/schemas.ts'
import { RECORD_STATES, recordsOf, type DomainAdvice } from './dns-records.ts'
import { installationAddress } from './sender.ts'
import { senderChange, serverChange, SENDING_WAYS, wayOf, type MailSettings } from './settings.ts'

const recordSchema = z
  .object({
    kind: z.enum(['dkim', 'spf', 'dmarc', 'return_path']),
    type: z.enum(['TXT', 'CNAME']),
    name: z.string(),
    value: z.string(),
    required: z.boolean(),
    state: z
      .enum(RECORD_STATES)
      .describe('`different`: there is another value; `unanswered`: the name servers were silent'),
    found: z.string().nullable().describe('The value that is there instead'),
  })
  .meta({ id: 'MailDnsRecord' })

const { name, reply_to, way } = senderChange.shape
const { host, port, security, user, from, reports } = serverChange.shape

export const mailSettingsSchema = z
  .object({
    name: name.unwrap(),
    reply_to: reply_to.unwrap(),
    way: way.unwrap(),
    used: z.enum(SENDING_WAYS).describe('The way of the next mail'),
    from: z.object({ name: z.string(), email: z.string() }).describe('The sender of the next mail'),
    server: z
      .object({ host, port, security, user, from, has_password: z.boolean() })
      .extend({ reports: reports.unwrap() })
      .extend({
        confirmed_at: timestamp.nullable(),
        test: z
          .object({ to: z.string(), expires_at: timestamp })
          .nullable()
          .describe('The last test mail, whose code was not entered yet'),
      })
      .nullable(),
    domain: z
      .object({
        name: z.string(),
        from: z.string(),
        records: z.array(recordSchema),
        checked_at: timestamp.nullable(),
        confirmed_at: timestamp.nullable(),
      })
      .nullable(),
    reports_offered: z
      .boolean()
      .describe('The installation reads reports about mails, also those of a shop’s own server'),
    domain_offered: z
      .boolean()
      .describe('The installation has a mail server, which can sign for a domain'),
  })
  .meta({ id: 'MailSettings' })

export interface MailRecordParts extends DomainAdvice {
  /** The installation's sender. */
  from: string
  hasServer: boolean
  /** Where reports about mails arrive; null: nowhere. */
  returnAddress: string | null
}

const text = (at: Date | null): string | null => at?.toISOString() ?? null

export function mailSettingsRecord(
  settings: MailSettings,
  parts: MailRecordParts,
): z.output<typeof mailSettingsSchema> {
  const { sender, server, domain, serverTest } = settings
  const used = wayOf(settings)
  const installation = installationAddress(parts.from)
  const addresses = {
    installation: installation.address,
    server: server?.from ?? '',
    domain: domain?.from ?? '',
  }
  return {
    ...sender,
    used,
    domain_offered: parts.hasServer,
    reports_offered: parts.returnAddress !== null,
    from: { name: sender.name ?? installation.name, email: addresses[used] },
    server: server && {
      ...server,
      has_password: settings.serverPassword !== null,
      confirmed_at: text(settings.serverConfirmedAt),
      test: serverTest && { to: serverTest.to, expires_at: serverTest.expires_at },
    },
    domain: domain && {
      name: domain.name,
      from: domain.from,
      records: recordsOf(domain, parts).map((record) => ({
        ...record,
        ...settings.domainRecords?.find(({ kind }) => kind === record.kind),
        value: record.value,
      })),
      checked_at: text(settings.domainCheckedAt),
      confirmed_at: text(settings.domainConfirmedAt),
    },
  }
}
