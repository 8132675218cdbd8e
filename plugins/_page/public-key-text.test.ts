import { expect, it } from 'vitest'
import { readPublicKeys } from './public-key-text.ts'

const ED = 'AAAAC3NzaC1lZDI1NTE5AAAAIHn9GY+cKRNLYgTPKVOIU0iiWZzGOW6hmEnNRlkS/8bM'
const plain = `ssh-ed25519 ${ED}`

it.each([
  [`${plain} mary@laptop\n`, 'mary@laptop'],
  [plain, ''],
  [`  ${plain}   Mary’s laptop  `, 'Mary’s laptop'],
  [`no-pty,from="203.0.113.0/24" ${plain} mary`, 'mary'],
  [`ssh-ed25519 ${ED.slice(0, 30)}\r\n${ED.slice(30)} mary`, 'mary'],
  [
    `---- BEGIN SSH2 PUBLIC KEY ----\r\nComment: "eddsa-key-20261127"\r\n${ED.slice(0, 64)}\r\n${ED.slice(64)}\r\n---- END SSH2 PUBLIC KEY ----\r\n`,
    'eddsa-key-20261127',
  ],
])('%j is a key', (text, comment) => {
  expect(readPublicKeys(text)).toEqual([{ key: plain, comment }])
})

it('several lines are several keys', () => {
  expect(readPublicKeys(`# keys\n${plain} one\n${plain} two\n`)).toMatchObject([
    { comment: 'one' },
    { comment: 'two' },
  ])
  expect(readPublicKeys(`${plain}\n${plain}\n`)).toHaveLength(2)
})

it.each([
  ['no-pty', 'options without a value'],
  ['restrict', 'an option that is a word'],
  ['from="203.0.113.0/24"', 'options with a value'],
])('%s in the next line are not the rest of a key without a comment', (options) => {
  expect(readPublicKeys(`${plain}\n${options} ${plain} two\n`)).toEqual([
    { key: plain, comment: '' },
    { key: plain, comment: 'two' },
  ])
})

it.each(['# mary', 'mary', 'Thanks', `# ${plain} old`])(
  '%s in the next line is no comment',
  (line) => {
    expect(readPublicKeys(`${plain}\n${line}\n`)).toEqual([{ key: plain, comment: '' }])
  },
)

it('a key broken several times is one key', () => {
  const broken = `ssh-ed25519 ${ED.slice(0, 20)}\n${ED.slice(20, 40)}\n${ED.slice(40)}`
  expect(readPublicKeys(`${broken}\n${broken} two`)).toEqual([
    { key: plain, comment: '' },
    { key: plain, comment: 'two' },
  ])
})

it.each([
  ['-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk', 'private'],
  ['PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 2\n', 'private'],
  ['sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5 mary', 'device'],
  ['ssh-dss AAAAB3NzaC1kc3M mary', 'weak'],
  ['hello', 'none'],
  ['', 'none'],
])('%j is none: %s', (text, problem) => {
  expect(readPublicKeys(text)).toBe(problem)
})
