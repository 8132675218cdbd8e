import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { importCommand } from './import-command.ts'

test('a shell parses the command as intended', () => {
  const printed = importCommand('https://files.example.com').replace(/^curl /, "printf '%s\\n' ")
  const words = execFileSync('sh', ['-c', printed], { encoding: 'utf8' })
  const body = words.slice(words.indexOf('{'))
  expect(
    words.startsWith('https://files.example.com/api/files/import\n-H\nAuthorization: Bearer '),
  ).toBe(true)
  expect(JSON.parse(body)).toMatchObject({ files: [{ filename: 'guide.pdf' }], auto_map: true })
})
