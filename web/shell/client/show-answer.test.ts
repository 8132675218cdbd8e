import { QueryClient } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { showAnswer } from './show-answer.ts'

test('an answer stays although a read that began before it ends later', async () => {
  const client = new QueryClient()
  const key = ['csv', 'csv_1']
  let answerLate = (_: string) => {}
  const late = new Promise<string>((resolve) => (answerLate = resolve))
  client.setQueryData(key, 'old')
  const read = client.fetchQuery({ queryKey: key, queryFn: () => late })
  showAnswer(client, key, 'changed')
  answerLate('old')
  await read
  expect(client.getQueryData(key)).toBe('changed')
  expect(client.getQueryState(key)?.fetchStatus).toBe('idle')
})

test('reads of what is below it go on', async () => {
  const client = new QueryClient()
  const rows = client.fetchQuery({ queryKey: ['csv', 'csv_1', 'rows'], queryFn: () => 'rows' })
  showAnswer(client, ['csv', 'csv_1'], 'changed')
  expect(await rows).toBe('rows')
})
