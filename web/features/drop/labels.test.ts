import { expect, test } from 'vitest'
import { PROGRAMS } from './programs.ts'
import { connectionWord, passwordAge, refusalText, sentText } from './labels.ts'

test('a password shows its age, and an old one is marked', () => {
  const age = (password_age_days: number) => passwordAge({ password_age_days })
  expect(age(0)).toEqual({ text: 'Password: set today', old: false })
  expect(age(1)).toEqual({ text: 'Password: 1 day old', old: false })
  expect(age(113)).toEqual({ text: 'Password: 113 days old', old: true })
})

test('a refusal says what to do, even if the page does not know its code', () => {
  expect(refusalText('address not allowed').advice).toMatch(/allowed addresses/)
  expect(refusalText('too many sessions')).toEqual({
    text: 'too many sessions',
    advice: 'Check username, password and port, then connect again.',
  })
})

test('a connection is open, ended or refused', () => {
  const connection = { refused: null, ended_at: null } as Parameters<typeof connectionWord>[0]
  expect(connectionWord(connection).text).toBe('Connected')
  expect(connectionWord({ ...connection, ended_at: '2026-11-22T12:00:00Z' }).text).toBe('Ended')
  expect(connectionWord({ ...connection, refused: 'wrong password' }).tone).toBe('critical')
  expect(sentText({ files: 0, bytes: 0 })).toBe('No files')
  expect(sentText({ files: 2, bytes: 3072 })).toBe('2 files, 3 KB')
})

test('every program gets its connection data, and ports have no thousands separator', () => {
  const values = {
    host: 'drop.example.com',
    path: '/uploads/7/',
    username: 'drop-1',
    sftp_port: 2222,
    ftp_port: 2121,
  }
  for (const { name, steps, commands } of PROGRAMS) {
    const text = [...steps(values), ...(commands?.(values) ?? []).map(({ text }) => text)].join(' ')
    expect(text, name).toContain('drop.example.com')
    expect(text, name).toMatch(/\b2222\b/)
    expect(text, name).toContain('drop-1')
  }
})
