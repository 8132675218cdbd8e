import { expect, test } from 'vitest'
import { createLogger, plainLine } from './log.ts'

test('a log is JSON lines, and plain text where it is written for people', () => {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  createLogger('warn', write).warn('refused', { host: 'mail.example.com' })
  const people = createLogger('warn', write, plainLine)
  people.info('ready')
  people.warn('refused', { host: 'mail.example.com', tries: 3, reason: null })
  people.error('stopped')
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'warn', host: 'mail.example.com' })
  expect(lines.slice(1)).toEqual([
    'warn  refused (host mail.example.com, tries 3)\n',
    'error stopped\n',
  ])
})
