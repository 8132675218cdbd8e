// Examples of the requests, which the API's document shows and a test sends.
import type { Examples } from '../../http/example.ts'

const path = '/api/settings/mail'
const server = {
  host: 'smtp.example.com',
  port: 587,
  security: 'starttls',
  user: 'shop@example.com',
  password: 'the password of the mailbox',
  from: 'shop@example.com',
}

export const mailExamples: Examples = {
  [`get ${path}`]: { status: 200 },
  [`patch ${path}`]: {
    body: { name: 'Harbour & Sons', reply_to: 'help@example.com' },
    status: 200,
  },
  [`put ${path}/server`]: { body: server, status: 200 },
  [`post ${path}/server/test`]: { body: { email: 'me@example.com' }, status: 409 },
  [`post ${path}/server/confirm`]: { body: { code: '123456' }, status: 422 },
  [`delete ${path}/server`]: { status: 200 },
  [`put ${path}/domain`]: { body: { from: 'shop@example.com' }, status: 409 },
  [`post ${path}/domain/check`]: { status: 409 },
  [`delete ${path}/domain`]: { status: 200 },
  [`get ${path}/blocked`]: { status: 200 },
  [`post ${path}/allow`]: { body: { email: 'ada@example.com' }, status: 200 },
  [`get ${path}/texts`]: { status: 200 },
  [`patch ${path}/texts`]: {
    body: { texts: { en: { order: { subject: 'Your {files} from {shop}' } } } },
    status: 200,
  },
  [`post ${path}/texts/preview`]: { body: { mail: 'order', locale: 'de' }, status: 200 },
}
