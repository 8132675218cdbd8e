// Who sends the mails of a shop to its buyers: the installation, the shop's own mail server, or the
// installation with a signature for the shop's domain.
import { createHmac, timingSafeEqual } from 'node:crypto'
import addressparser from 'nodemailer/lib/addressparser'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { uuidOfHex } from '../../core/ids.ts'
import type { Logger } from '../../core/log.ts'
import type { Secrets } from '../../core/secrets.ts'
import type { MailEnvironment } from '../../core/configuration/mail-settings.ts'
import { type Logo, readBuyerPage } from '../downloads/buyer-page.ts'
import { LOGO_CID, BUYER_TEMPLATES_SQL } from './buyer-mail.ts'
import { returnHost } from './dns-records.ts'
import { mailKeyPlace } from './domain.ts'
import type { InlineImage, MailAddress, MailServer, SigningKey } from './mail-server.ts'
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

// Which mails leave through a server of the shop, and do not wait for those of other shops.

const OWN_SERVER = `m.sender ->> 'way' = 'server' and m.server_confirmed_at is not null`

/** SQL, of a row `o` of the outbox. Its template names a mail to a buyer. */
export const SENT_BY_SHOP = `(o.kind = 'email' and o.payload ->> 'template' in
  (${BUYER_TEMPLATES_SQL}) and exists (select from mail_settings m
    where m.shop_id = o.shop_id and ${OWN_SERVER}))`

/** Does the shop send mails to buyers through its own server? */
export const sendsItself = (scope: ShopScope): Promise<boolean> =>
  scope.has(`select from mail_settings m where m.shop_id = :shop and ${OWN_SERVER}`)

// The headers by which a provider names a mail in its reports.

export const providerHeaders = (
  { postmarkSecret, mailgunKey, sesTopics }: MailEnvironment,
  token: string,
): Record<string, string> => ({
  ...(postmarkSecret === null ? {} : { 'X-PM-Metadata-message': token }),
  ...(mailgunKey === null ? {} : { 'X-Mailgun-Variables': JSON.stringify({ message: token }) }),
  ...(sesTopics.length === 0 ? {} : { 'X-SES-MESSAGE-TAGS': `message=${token}` }),
})

// The token by which a report about a mail finds the mail: in the address to which reports are sent
// (VERP) and in a header. It ends with a MAC: nobody can report about a mail that was not sent to
// them. Base32 in lower case, because some servers change the case of addresses.
// docs/decisions/0063.

export interface MailId {
  shop: number
  /** A bare UUID. */
  message: string
}

const SHOP_BYTES = 4
const ID_BYTES = 16
/** 80 bits: as many as fit into the 64 characters before the @, with a name of 15 characters. */
const MAC_BYTES = 10
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'
const LENGTH = ((SHOP_BYTES + ID_BYTES + MAC_BYTES) * 8) / 5
const TOKEN = new RegExp(`^[a-z2-7]{${LENGTH}}$`)

/** The header with the token, which reports contain among those of the returned mail. */
export const TOKEN_HEADER = 'X-Stevedore-Message'

export interface MailTokens {
  tokenOf(id: MailId): string
  /** Null: it was not made here. */
  read(token: string): MailId | null
  /** The address with the token: `bounces+TOKEN@example.com`. */
  addressOf(base: string, id: MailId): string
  /** Reads such an address. */
  readAddress(address: string): MailId | null
}

/** @param secrets the key stays the same when the secret is replaced. */
export function createMailTokens({ lookupKey }: Pick<Secrets, 'lookupKey'>): MailTokens {
  const key = lookupKey('mail-token')
  const macOf = (content: Buffer) =>
    createHmac('sha256', key).update(content).digest().subarray(0, MAC_BYTES)
  const tokenOf = ({ shop, message }: MailId): string => {
    const content = Buffer.alloc(SHOP_BYTES + ID_BYTES)
    content.writeUInt32BE(shop)
    content.write(message.replaceAll('-', ''), SHOP_BYTES, 'hex')
    return encode(Buffer.concat([content, macOf(content)]))
  }
  const read = (text: string): MailId | null => {
    const token = text.trim().toLowerCase()
    if (!TOKEN.test(token)) return null
    const bytes = decode(token)
    const content = bytes.subarray(0, SHOP_BYTES + ID_BYTES)
    if (!timingSafeEqual(bytes.subarray(SHOP_BYTES + ID_BYTES), macOf(content))) return null
    const hex = content.subarray(SHOP_BYTES).toString('hex')
    const message = uuidOfHex(hex)
    return { shop: content.readUInt32BE(), message }
  }
  return {
    tokenOf,
    read,
    addressOf: (base, id) => {
      const at = base.lastIndexOf('@')
      return `${base.slice(0, at)}+${tokenOf(id)}${base.slice(at)}`
    },
    readAddress: (address) => read(/\+([a-z2-7]+)@[^@]*$/i.exec(address.trim())?.[1] ?? ''),
  }
}

function encode(bytes: Buffer): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET.charAt((value >> bits) & 31)
    }
    value &= (1 << bits) - 1
  }
  return text
}

function decode(text: string): Buffer {
  const bytes: number[] = []
  let bits = 0
  let value = 0
  for (const character of text) {
    value = (value << 5) | ALPHABET.indexOf(character)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push((value >> bits) & 255)
    value &= (1 << bits) - 1
  }
  return Buffer.from(bytes)
}
