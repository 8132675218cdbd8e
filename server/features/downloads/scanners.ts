// Programs that fetch the addresses in mails and chats before a person does: filters and previews.
// Only programs that name themselves in the user agent can be recognised, and browsers that say they
// fetch ahead.
import type { IncomingMessage } from 'node:http'

// From the documentation and logs of these programs; matched as parts of the user agent.
const NAMES = [
  'barracuda',
  'mimecast',
  'proofpoint',
  'ironport',
  'cloudmark',
  'fireeye',
  'trellix',
  'symantec',
  'messagelabs',
  'trendmicro',
  'trend micro',
  'sophos',
  'forcepoint',
  'zscaler',
  'fortinet',
  'fortiguard',
  'bitdefender',
  'kaspersky',
  'mcafee',
  'skyhigh',
  'vade',
  'egress',
  'safelinks',
  'microsoft office',
  'ms-office',
  'microsoft outlook',
  'exchangeservices',
  'bingpreview',
  'skypeuripreview',
  'microsoftpreview',
  'teams',
  'googleimageproxy',
  'feedfetcher',
  'yahoomailproxy',
  'slackbot',
  'slack-imgproxy',
  'facebookexternalhit',
  'whatsapp',
  'telegrambot',
  'twitterbot',
  'linkedinbot',
  'discordbot',
  'embedly',
  'virustotal',
  'urlscan',
  'phishtank',
  'checkpoint',
  'avanan',
  'abnormalsecurity',
  'ironscales',
  'greathorn',
  'bot/',
  'crawler',
  'spider',
]

/** By which browsers say that nobody has opened the address yet: the standard one, and older ones. */
const AHEAD = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const

export const isScanner = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean => {
  if (AHEAD.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? ''))))
    return true
  const agent = (headers['user-agent'] ?? '').toLowerCase()
  return NAMES.some((name) => agent.includes(name))
}

/**
 * A program that follows every link of a mail must not use up a link that has a limit: it gets a
 * page with a button, which programs do not press.
 */
export const isScan = (request: Pick<IncomingMessage, 'headers' | 'method'>): boolean =>
  request.method === 'GET' && isScanner(request)
