// The DNS records of a domain that this installation signs mails for: what the shop adds, and what
// is found there.
import { promises as dns } from 'node:dns'

export interface MailDomain {
  /** In ASCII. */
  name: string
  selector: string
  /** The base64 of the public key (SPKI). */
  publicKey: string
  from: string
}

export const RECORD_STATES = ['unchecked', 'found', 'missing', 'different', 'unanswered'] as const

export interface DnsRecord {
  kind: 'dkim' | 'spf' | 'dmarc' | 'return_path'
  type: 'TXT' | 'CNAME'
  name: string
  value: string
  /** Mails are sent from the domain once all of these are found. */
  required: boolean
  /** `unanswered`: the name servers did not answer. */
  state: (typeof RECORD_STATES)[number]
  /** What is there instead, if it is different. */
  found: string | null
}

export interface MailDns {
  /** Throws as `node:dns` does. */
  resolveTxt(name: string): Promise<string[][]>
  resolveCname(name: string): Promise<string[]>
}

export interface DomainAdvice {
  /** The domain whose SPF record lists the installation's mail server; null: there is none. */
  spfInclude: string | null
  /** The host that takes reports for the domains of shops; null: it takes only its own. */
  bounceHost: string | null
}

/** The host below a shop's domain to which reports are sent. */
export const returnHost = (domain: string): string => `bounces.${domain}`

export function recordsOf(
  { name, selector, publicKey }: MailDomain,
  { spfInclude, bounceHost }: DomainAdvice,
): DnsRecord[] {
  const record = (part: Omit<DnsRecord, 'state' | 'found'>): DnsRecord => ({
    ...part,
    state: 'unchecked',
    found: null,
  })
  return [
    record({
      kind: 'dkim',
      type: 'TXT',
      name: `${selector}._domainkey.${name}`,
      value: `v=DKIM1; k=rsa; p=${publicKey}`,
      required: true,
    }),
    ...(spfInclude === null
      ? []
      : [
          record({
            kind: 'spf',
            type: 'TXT',
            name,
            value: `v=spf1 include:${spfInclude} ~all`,
            required: false,
          }),
        ]),
    record({
      kind: 'dmarc',
      type: 'TXT',
      name: `_dmarc.${name}`,
      value: 'v=DMARC1; p=none',
      required: false,
    }),
    ...(bounceHost === null
      ? []
      : [
          record({
            kind: 'return_path',
            type: 'CNAME',
            name: returnHost(name),
            value: bounceHost,
            required: false,
          }),
        ]),
  ]
}

/** Looks the records up, all at the same time. */
export const checkRecords = (
  records: readonly DnsRecord[],
  resolver: MailDns,
): Promise<DnsRecord[]> =>
  Promise.all(
    records.map(async (record) => {
      try {
        return { ...record, ...(await checkRecord(record, resolver)) }
      } catch {
        return { ...record, state: 'unanswered', found: null }
      }
    }),
  )

type Finding = Pick<DnsRecord, 'state' | 'found'>
const FOUND: Finding = { state: 'found', found: null }
const MISSING: Finding = { state: 'missing', found: null }
const MAX_SHOWN = 500
const different = (found: string): Finding => ({
  state: 'different',
  found: found.slice(0, MAX_SHOWN),
})

async function checkRecord(record: DnsRecord, resolver: MailDns): Promise<Finding> {
  if (record.kind === 'return_path') return checkAlias(record, resolver)
  const texts = await textsOf(record.name, resolver)
  if (record.kind === 'dkim') return checkKey(record.value, texts)
  if (record.kind === 'spf') return checkSpf(record.value, texts)
  return checkPolicy(record.name, texts, resolver)
}

/** Long texts come in several strings. */
async function textsOf(name: string, resolver: MailDns): Promise<string[]> {
  const texts = await orNone(() => resolver.resolveTxt(name))
  return texts.map((parts) => parts.join(''))
}

/** A name without such a record has none; other failures are thrown. */
async function orNone<Value>(lookUp: () => Promise<Value[]>): Promise<Value[]> {
  try {
    return await lookUp()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTFOUND' || code === 'ENODATA') return []
    throw error
  }
}

/** Providers of DNS add spaces and quotation marks, and the order of the tags is free. */
const keyIn = (text: string): string | null =>
  /(?:^|;)\s*p\s*=([^;]*)/i.exec(text)?.[1]?.replace(/[\s"]/g, '') ?? null

function checkKey(value: string, texts: readonly string[]): Finding {
  const keys = texts.filter((text) => keyIn(text) !== null)
  if (keys.some((text) => keyIn(text) === keyIn(value))) return FOUND
  const [first] = keys
  return first === undefined ? MISSING : different(first)
}

function checkSpf(value: string, texts: readonly string[]): Finding {
  const policies = texts.filter((text) => /^v=spf1(\s|$)/i.test(text.trim()))
  const [first, second] = policies
  if (first === undefined) return MISSING
  const include = /include:\S+/.exec(value)?.[0] ?? ''
  // With two policies neither counts (RFC 7208, 4.5).
  const isListed = first.toLowerCase().split(/\s+/).includes(include.toLowerCase())
  return isListed && second === undefined ? FOUND : different(policies.join('\n'))
}

const isPolicy = (text: string) => /^v\s*=\s*DMARC1\s*(;|$)/i.test(text.trim())

/** Any policy will do, also that of a domain above. */
async function checkPolicy(
  name: string,
  texts: readonly string[],
  resolver: MailDns,
): Promise<Finding> {
  if (texts.some(isPolicy)) return FOUND
  const labels = name.split('.').slice(1)
  for (let above = labels.slice(1); above.length >= 2; above = above.slice(1)) {
    const policies = await textsOf(`_dmarc.${above.join('.')}`, resolver)
    if (policies.some(isPolicy)) return FOUND
  }
  const [first] = texts
  return first === undefined ? MISSING : different(first)
}

const withoutDot = (name: string) => name.toLowerCase().replace(/\.$/, '')

async function checkAlias({ name, value }: DnsRecord, resolver: MailDns): Promise<Finding> {
  const names = await orNone(() => resolver.resolveCname(name))
  if (names.some((one) => withoutDot(one) === withoutDot(value))) return FOUND
  const [first] = names
  return first === undefined ? MISSING : different(first)
}

/** The name servers of this machine. */
export const mailDns = (): MailDns => new dns.Resolver({ timeout: 3000, tries: 2 })
