// A shop's domain that this installation signs mails for (DKIM): one key pair for each shop and
// domain. The shop adds the public key to its DNS; mails are sent from the domain once it is there.
import { say } from '../../../plugins/contract/index.ts'
import { generateKeyPair, randomBytes } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { promisify } from 'node:util'
import type { ShopScope } from '../../core/db/for-shop.ts'
import { AppError } from '../../core/errors.ts'
import type { Secrets } from '../../core/secrets.ts'
import {
  type MailDomain,
  checkRecords,
  recordsOf,
  type DnsRecord,
  type DomainAdvice,
  type MailDns,
} from './dns-records.ts'
import { readMailSettings } from './settings.ts'

/** What the private key is sealed for. */
export const mailKeyPlace = (shop: number): string => `${shop}/mail-key`

const KEY_BITS = 2048

/** The domain of an address, in ASCII. Throws `validation_failed`. */
function domainOf(address: string): string {
  const name = domainToASCII(address.slice(address.lastIndexOf('@') + 1)).toLowerCase()
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(name)) return name
  const message = say('This domain has no valid name')
  throw new AppError('validation_failed', {
    param: 'from',
    details: [{ param: 'from', code: 'invalid_value', message }],
  })
}

/** Another address of the same domain keeps its key. */
export async function setMailDomain(
  scope: ShopScope,
  secrets: Secrets,
  from: string,
): Promise<void> {
  const name = domainOf(from)
  const { domain: known } = await readMailSettings(scope)
  if (known?.name === name) {
    await scope.query('update mail_settings set domain = :domain where shop_id = :shop', {
      domain: JSON.stringify({ ...known, from }),
    })
    return
  }
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const domain: MailDomain = {
    name,
    from,
    publicKey: publicKey.toString('base64'),
    // Another shop may use the same domain, with its own key.
    selector: `stevedore-${randomBytes(4).toString('hex')}`,
  }
  await scope.query(
    `insert into mail_settings (shop_id, domain, domain_key) values (:shop, :domain, :key)
     on conflict (shop_id) do update set domain = excluded.domain, domain_key = excluded.domain_key,
       domain_records = null, domain_checked_at = null, domain_confirmed_at = null`,
    { domain: JSON.stringify(domain), key: secrets.seal(privateKey, mailKeyPlace(scope.shop)) },
  )
}

export async function removeMailDomain(scope: ShopScope): Promise<void> {
  await scope.query(
    `update mail_settings set domain = null, domain_key = null, domain_records = null,
       domain_checked_at = null, domain_confirmed_at = null,
       sender = case when sender ->> 'way' = 'domain' then sender - 'way' else sender end
     where shop_id = :shop`,
  )
}

export interface DomainCheck {
  advice: DomainAdvice
  dns: MailDns
  now: Date
}

/**
 * Looks the records up, and records what was found. The domain is used once its key is there, and no
 * longer if the key was removed; silent name servers change nothing. Null: there is no domain.
 */
export async function checkMailDomain(
  scope: ShopScope,
  { advice, dns, now }: DomainCheck,
): Promise<'confirmed' | 'unconfirmed' | 'lost' | null> {
  const { domain, domainConfirmedAt } = await readMailSettings(scope)
  if (!domain) return null
  const records = await checkRecords(recordsOf(domain, advice), dns)
  const isSilent = isUnanswered(records)
  const isConfirmed = isSilent ? domainConfirmedAt !== null : isComplete(records)
  const isNew = isConfirmed && domainConfirmedAt === null
  await scope.query(
    `update mail_settings set domain_records = :records, domain_checked_at = :now,
       domain_confirmed_at = case when :confirmed then coalesce(domain_confirmed_at, :now) end,
       sender = case when :new then sender || '{"way": "domain"}' else sender end
     where shop_id = :shop and domain ->> 'selector' = :selector`,
    {
      records: JSON.stringify(records),
      now,
      confirmed: isConfirmed,
      new: isNew,
      selector: domain.selector,
    },
  )
  if (isConfirmed) return 'confirmed'
  return domainConfirmedAt === null ? 'unconfirmed' : 'lost'
}

const required = (records: readonly DnsRecord[]) => records.filter((record) => record.required)
const isComplete = (records: readonly DnsRecord[]) =>
  required(records).every(({ state }) => state === 'found')
const isUnanswered = (records: readonly DnsRecord[]) =>
  required(records).some(({ state }) => state === 'unanswered')
