import { expect, test } from 'vitest'
import { webhookBody, webhookDraft, webhookProblems } from './webhook-draft.ts'

const SAVED = {
  url: 'https://example.com/hook',
  description: 'Books',
  events: ['file.deleted' as const],
}

test('a form without its last event asks for one, and does not mean all events', () => {
  const draft = webhookDraft(SAVED)
  expect(webhookBody(draft)).toEqual(SAVED)
  const none = { ...draft, events: [] }
  expect(webhookProblems(none).map(({ param }) => param)).toEqual(['events'])
  const all = { ...none, some: false }
  expect(webhookProblems(all)).toEqual([])
  expect(webhookBody(all).events).toEqual([])
  expect(webhookProblems({ ...all, url: ' ' }).map(({ param }) => param)).toEqual(['url'])
})
