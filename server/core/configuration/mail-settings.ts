// The settings of mail beyond its server: where reports about mails arrive, and what shops enter in
// the DNS of their domains.
import type { EnvironmentVariables } from './environment-schema.ts'

export interface MailEnvironment {
  /** Where mail servers send reports; each mail has its own form of it. Null: to the sender. */
  returnAddress: string | null
  /** The mailbox of that address: `imaps://user:password@host/INBOX`. Null: it is not read. */
  reportsUrl: string | null
  /** The passwords and keys of webhooks of mail providers; null: the webhook is closed. */
  postmarkSecret: string | null
  mailgunKey: string | null
  /** The topics of Amazon SNS that reports may come from. */
  sesTopics: readonly string[]
  /** The domain whose SPF record lists the mail server; null: there is none. */
  spfInclude: string | null
  /** The host to which shops may point the addresses for reports of their domains. */
  bounceHost: string | null
}

export const NO_MAIL_SETTINGS: MailEnvironment = {
  returnAddress: null,
  reportsUrl: null,
  postmarkSecret: null,
  mailgunKey: null,
  sesTopics: [],
  spfInclude: null,
  bounceHost: null,
}

export const mailSettingsOf = (env: EnvironmentVariables): MailEnvironment => ({
  returnAddress: env.MAIL_RETURN_ADDRESS ?? null,
  reportsUrl: env.MAIL_REPORTS_URL ?? null,
  postmarkSecret: env.POSTMARK_WEBHOOK_PASSWORD ?? null,
  mailgunKey: env.MAILGUN_SIGNING_KEY ?? null,
  sesTopics: env.SES_SNS_TOPICS ?? [],
  spfInclude: env.MAIL_SPF_DOMAIN?.toLowerCase() ?? null,
  bounceHost: env.MAIL_BOUNCE_HOST?.toLowerCase() ?? null,
})
