// The function of docs/merchants/webhooks.md, as a receiver copies it, against our signatures.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { newWebhookSecret, signatureHeaders } from './signatures.ts'

const text = readFileSync(new URL('../../../docs/merchants/webhooks.md', import.meta.url), 'utf8')
const code = /^```python\n(.*?)^```$/ms.exec(text)?.[1] ?? ''

/** What the function of the document says about each. */
const judged = (cases: readonly { secret: string; headers: object; body: string }[]): boolean[] => {
  const program = `${code}
import json, sys

print(json.dumps([is_genuine(c["secret"], c["headers"], c["body"].encode()) for c in json.load(sys.stdin)]))
`
  const input = JSON.stringify(cases)
  return JSON.parse(
    execFileSync('python3', ['-c', program], { input, encoding: 'utf8' }),
  ) as boolean[]
}

test('the function of the document accepts our messages, and no others', () => {
  const [secret, previous, other] = Array.from({ length: 3 }, newWebhookSecret)
  const body = JSON.stringify({ type: 'file.imported', data: { name: 'größe – 本.pdf' } })
  const now = new Date()
  const headers = signatureHeaders([secret!, previous!], 'message_1', now, body)
  const hourAgo = new Date(+now - 3_600_000)
  expect(
    judged([
      { secret: secret!, headers, body },
      { secret: previous!, headers, body },
      { secret: other!, headers, body },
      { secret: secret!, headers, body: `${body} ` },
      { secret: secret!, headers: { ...headers, 'webhook-id': 'message_2' }, body },
      { secret: secret!, headers: signatureHeaders([secret!], 'message_1', hourAgo, body), body },
    ]),
  ).toEqual([true, true, false, false, false, false])
})
