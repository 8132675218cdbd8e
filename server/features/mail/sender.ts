// Who sends the mails of a shop to its buyers: the installation, the shop's own mail server, or the
// installation with a signature for the shop's domain.
import addressparser from 'nodemailer/lib/addressparser'
import type { ShopScope } from '../../core/db/for-shop.ts'
import type { Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { Logo } from '../downloads/buyer-page.ts'
import { readBuyerPage } from '../downloads/buyer-page.ts'
import { LOGO_CID } from './buyer-mail.ts'
import { returnHost } from './dns-records.ts'
import { mailKeyPlace } from './domain.ts'
import type { InlineImage, MailAddress, MailServer, SigningKey } from './mail-server.ts'
import type { MailId, MailTokens } from './message-token.ts'
import { openPassword } from './server-password.ts'
import { readMailSettings, wayOf, type MailSettings } from './settings.ts'
import { openShopServer, type ShopServerRules } from './shop-server.ts'

export interface SenderParts {
  /** The installation's mail server; null: mails are stored and not sent. */
  server: MailServer | null
  /** The installation's sender: `Name <address>`. */
  from: string
  /** Where reports of mail servers go; null: to the sender. */
  returnAddress: string | null
  tokens: MailTokens
  shopServers: ShopServers
  secrets: Secrets
  log: Logger
}

export interface Sender {
  /** Null: the mail is stored and not sent. */
  server: MailServer | null
  from: MailAddress
  replyTo: string | null
  signing: SigningKey | null
  logo: InlineImage | null
  /** The mail leaves through a server of the shop. */
  own: boolean
  /** The sender of the envelope; null: that of the mail. */
  returnPathOf(message: string): string | null
}

export function installationAddress(from: string): MailAddress {
  const [first] = addressparser(from)
  return first && 'address' in first && first.address
    ? { name: first.name, address: first.address }
    : { name: '', address: from }
}

/** The installation itself, for mails to the shop. */
export const installationSender = (parts: SenderParts, shop: number): Sender => ({
  server: parts.server,
  from: installationAddress(parts.from),
  own: false,
  replyTo: null,
  signing: null,
  logo: null,
  returnPathOf: (message) => returnPath(parts, parts.returnAddress, { shop, message }),
})

/** The sender of mails to buyers. */
export async function senderOf(scope: ShopScope, parts: SenderParts): Promise<Sender> {
  const [settings, { logo }] = await Promise.all([readMailSettings(scope), readBuyerPage(scope)])
  const { name, reply_to: replyTo } = settings.sender
  const base = installationSender(parts, scope.shop)
  const common = { ...base, replyTo, logo: logo && inlineLogo(logo) }
  const named = (address: string) => ({ name: name ?? base.from.name, address })
  const way = wayOf(settings)
  if (way === 'server' && settings.server)
    return {
      ...common,
      server: parts.shopServers.of(scope.shop, settings),
      own: true,
      from: named(settings.server.from),
      // A server may refuse another sender than its own: the test mail has shown that it does not.
      returnPathOf: (message) =>
        settings.server?.reports
          ? returnPath(parts, parts.returnAddress, { shop: scope.shop, message })
          : null,
    }
  if (way !== 'domain' || !settings.domain) return { ...common, from: named(base.from.address) }
  const { domain } = settings
  const signing = signingKey(scope.shop, settings, parts)
  // Without a signature receivers would refuse mails of the domain.
  if (!signing) return { ...common, from: named(base.from.address) }
  const alias = isAlias(settings) ? returnHost(domain.name) : null
  const reports = parts.returnAddress && withDomain(parts.returnAddress, alias)
  return {
    ...common,
    from: named(domain.from),
    signing,
    returnPathOf: (message) => returnPath(parts, reports, { shop: scope.shop, message }),
  }
}

const returnPath = ({ tokens }: SenderParts, base: string | null, id: MailId): string | null =>
  base === null ? null : tokens.addressOf(base, id)

const withDomain = (address: string, domain: string | null): string =>
  domain === null ? address : `${address.slice(0, address.lastIndexOf('@'))}@${domain}`

/** Does the shop's domain lead reports to this installation? */
const isAlias = ({ domainRecords }: MailSettings): boolean =>
  (domainRecords ?? []).some(({ kind, state }) => kind === 'return_path' && state === 'found')

function signingKey(
  shop: number,
  { domain, domainKey }: MailSettings,
  { secrets, log }: SenderParts,
): SigningKey | null {
  if (!domain || !domainKey) return null
  try {
    const privateKey = secrets.open(domainKey, mailKeyPlace(shop))
    return { domainName: domain.name, keySelector: domain.selector, privateKey }
  } catch {
    log.error('the key of a mail domain was sealed with another secret', { shop })
    return null
  }
}

const inlineLogo = ({ bytes, type }: Logo): InlineImage => ({
  cid: LOGO_CID,
  content: bytes,
  contentType: type,
  filename: `logo.${type.split('/').pop() ?? 'png'}`,
})

export interface ShopServers {
  /** The shop's server, whose sessions are kept for the next mail. */
  of(shop: number, settings: MailSettings): MailServer
}

/** Servers are kept as long as their settings stay the same; the oldest one is dropped first. */
const MAX_SERVERS = 500

export function createShopServers(rules: ShopServerRules, secrets: Secrets): ShopServers {
  const kept = new Map<number, { about: string; server: MailServer }>()
  return {
    of: (shop, { server, serverPassword }) => {
      if (!server) throw new Error('The shop has no mail server')
      const about = JSON.stringify([server, serverPassword?.toString('base64')])
      const known = kept.get(shop)
      if (known?.about === about) return known.server
      const opened = openShopServer(server, openPassword(secrets, shop, serverPassword), rules)
      kept.delete(shop)
      kept.set(shop, { about, server: opened })
      const [oldest] = kept.keys()
      if (kept.size > MAX_SERVERS && oldest !== undefined) kept.delete(oldest)
      return opened
    },
  }
}
