// Programs that fetch the addresses in mail and chats before a person does: filters, previews. They
// name themselves in the user agent, as far as they can be known at all.
import type { IncomingMessage } from 'node:http'

// Of the mail filters' and previews' documentation and logs; matched as parts of the user agent.
const NAMES = [
  ...['barracuda', 'mimecast', 'proofpoint', 'ironport', 'cloudmark', 'fireeye', 'trellix'],
  ...['symantec', 'messagelabs', 'trendmicro', 'trend micro', 'sophos', 'forcepoint', 'zscaler'],
  ...['fortinet', 'fortiguard', 'bitdefender', 'kaspersky', 'mcafee', 'skyhigh', 'vade', 'egress'],
  ...['safelinks', 'microsoft office', 'ms-office', 'microsoft outlook', 'exchangeservices'],
  ...[
    'bingpreview',
    'skypeuripreview',
    'microsoftpreview',
    'teams',
    'googleimageproxy',
    'feedfetcher',
  ],
  ...[
    'yahoomailproxy',
    'slackbot',
    'slack-imgproxy',
    'facebookexternalhit',
    'whatsapp',
    'telegrambot',
  ],
  ...['twitterbot', 'linkedinbot', 'discordbot', 'embedly', 'virustotal', 'urlscan', 'phishtank'],
  ...[
    'checkpoint',
    'avanan',
    'abnormalsecurity',
    'ironscales',
    'greathorn',
    'bot/',
    'crawler',
    'spider',
  ],
]

export const isScanner = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean => {
  const agent = (headers['user-agent'] ?? '').toLowerCase()
  return NAMES.some((name) => agent.includes(name))
}
