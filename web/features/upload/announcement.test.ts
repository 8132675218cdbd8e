import { expect, test } from 'vitest'
import { announcementOf } from './announcement.ts'

const MB = 1024 ** 2

/** The announcements during an upload of 10 files of 1 MB, with these states after each file. */
function announced(states: readonly ('complete' | 'failed')[]): string[] {
  const texts: string[] = []
  let stage = ''
  for (let at = 0; at <= states.length; at++) {
    const ended = states.slice(0, at)
    const failed = ended.filter((state) => state === 'failed').length
    const totals = {
      total: 10,
      completed: at - failed,
      failed,
      remaining: 10 - at,
      bytes: 10 * MB,
      sent: at * MB,
    }
    const now = announcementOf({ totals, imports: [] })
    if (now.stage !== stage) texts.push(now.text)
    stage = now.stage
  }
  return texts
}

test('the start, each quarter and the end are announced', () => {
  expect(announced(Array.from({ length: 10 }, () => 'complete'))).toEqual([
    'Uploading 10 files',
    '25% of 10 files sent',
    '50% of 10 files sent',
    '75% of 10 files sent',
    'Uploads ended: 10 complete, 0 failed',
  ])
})

test('the first failure is announced, and the number of failures with each quarter', () => {
  expect(announced(Array.from({ length: 10 }, () => 'failed'))).toEqual([
    'Uploading 10 files',
    'Uploading 10 files, 1 failed',
    '25% of 10 files sent, 3 failed',
    '50% of 10 files sent, 5 failed',
    '75% of 10 files sent, 8 failed',
    'Uploads ended: 0 complete, 10 failed',
  ])
})

test('imports of an earlier visit are announced when they have ended', () => {
  const totals = { total: 0, completed: 0, failed: 0, remaining: 0, bytes: 0, sent: 0 }
  const text = (...imports: { ended: boolean; done: number }[]) =>
    announcementOf({ totals, imports }).text
  expect(text()).toBe('')
  expect(text({ ended: true, done: 1 }, { ended: false, done: 1 })).toBe('')
  expect(text({ ended: true, done: 1 }, { ended: true, done: 2 })).toBe(
    'The import has ended. 3 files were imported.',
  )
})

test('the end names the files that need a product', () => {
  const totals = { total: 3, completed: 3, failed: 0, remaining: 0, bytes: 3, sent: 3 }
  expect(announcementOf({ totals, unmapped: 2, imports: [] }).text).toBe(
    'Uploads ended: 3 complete, 0 failed. 3 imported, 2 need a product',
  )
})
