// What a mail server's refusal means (RFC 5321, and the enhanced codes of RFC 3463 and 5248): the
// address is wrong, the mail is refused for good, or another attempt may help. Servers use the codes
// loosely, so that their words count too.

export type RefusalKind =
  /** The recipient's address does not exist: nothing more is sent to it. */
  | 'address'
  /** Not this mail, or not from this sender: the same mail would be refused again. */
  | 'refused'
  /** Another attempt may help. */
  | 'again'

interface SmtpReply {
  /** The command that it answers, as nodemailer names it. */
  command?: string | undefined
  response?: string | undefined
}

/** Addresses: unknown, bad system, syntax, moved, no such domain (null MX). */
const WRONG_ADDRESS = /^5\.(?:1\.(?:0|1|2|3|4|6|9|10)|2\.1|4\.4)$/
const UNKNOWN_WORDS =
  /no such (?:user|recipient|mailbox|person|address|account)|(?:user|recipient|mailbox|address|account|addressee)(?: \S+@\S+| <\S+>)?:? (?:is )?(?:unknown|invalid|not (?:found|known|exist)|disabled|does(?: not|n't) exist|no longer)|(?:unknown|invalid|non-?existent|inactive|undeliverable) (?:or \w+ )?(?:user|recipient|mailbox|address|account)|unrouteable address|doesn't have an? |mailbox unavailable|no mailbox here|not a valid (?:user|mailbox|recipient)|recipient (?:address )?rejected: (?:user|undeliverable|invalid|unknown)|recipientnotfound/i

/** A code of a permanent failure that its words, or its subject, call temporary. */
const TEMPORARY_WORDS =
  /gr[ea]ylist|try (?:again|later)|temporar|over ?quota|quota exceeded|mailbox (?:is )?full|out of storage|insufficient (?:system )?storage|too many (?:connections|messages|recipients)|rate limit|throttl|unusual rate/i
const FULL_OR_BUSY = /^5\.(?:2\.2|3\.[012]|4\.[01235679]|5\.3)$/

/** Words of a policy, also behind a code of an address: `550 5.1.1 … blocked`. */
const POLICY_WORDS =
  /spam|block(?:ed|list)|black ?list|spamhaus|reputation|spf|dkim|dmarc|relay|policy|not permitted|access denied|unauthenticated|banned|sender/i

/** @throws nothing; a reply that cannot be read means another attempt. */
export function kindOfRefusal({ command = '', response = '' }: SmtpReply): RefusalKind {
  const [, code = '', enhanced = ''] =
    /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/.exec(response) ?? []
  if (!code.startsWith('5') || enhanced.startsWith('4')) return 'again'
  // The sign-in and the greeting are about this server's settings, which the merchant may correct.
  if (!['MAIL FROM', 'RCPT TO', 'DATA'].includes(command) || isSignIn(code, enhanced))
    return 'again'
  // Exchange Online says so of addresses that its directory does not have.
  if (enhanced === '5.4.1' && /recipient address rejected/i.test(response)) return 'address'
  if (TEMPORARY_WORDS.test(response) || FULL_OR_BUSY.test(enhanced)) return 'again'
  if (command === 'MAIL FROM') return 'refused'
  const words = response.replace(/\S*@\S*|<[^>]*>/g, '')
  const isUnknown = UNKNOWN_WORDS.test(words) || UNKNOWN_WORDS.test(response)
  if (WRONG_ADDRESS.test(enhanced))
    return POLICY_WORDS.test(words) && !isUnknown ? 'refused' : 'address'
  if (enhanced.startsWith('5.7'))
    return /^5\.7\.(?:0|1)$/.test(enhanced) && isUnknown && !POLICY_WORDS.test(words)
      ? 'address'
      : 'refused'
  if (isUnknown && !POLICY_WORDS.test(words)) return 'address'
  // Only at RCPT a bare 550, 551 or 553 is about this recipient.
  const isBare = enhanced === '' && /^55[013]$/.test(code) && command === 'RCPT TO'
  return isBare && !POLICY_WORDS.test(words) ? 'address' : 'refused'
}

const isSignIn = (code: string, enhanced: string): boolean =>
  /^53[0458]$/.test(code) || /^5\.7\.(?:8|9|11)$/.test(enhanced)
