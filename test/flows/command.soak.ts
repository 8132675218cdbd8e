// The command with many files and a large one, killed twice, and with a program that still writes
// into the watched folder. Bytes are counted on their way to the server.
import { once } from 'node:events'
import { appendFile, open } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { contentOf } from '../fakes/content.ts'
import { installCommand, jsonLines, type InstalledCommand } from './command.ts'
import { startCountingProxy, type CountingProxy } from './counting-proxy.ts'
import { startLocalServer } from './local-server.ts'
import { removeDataDir, type RunningServer } from './server.ts'

const GB = 1024 ** 3
const FILES = 1000
const FILE_BYTES = 100_000
const LARGE_BYTES = 2 * GB
/** A piece that was on its way when the command was killed is sent again: four are, at most. */
const LARGEST_PIECE = 16 * 1024 ** 2
const KILLS = 2

let server: RunningServer
let proxy: CountingProxy
let command: InstalledCommand

beforeAll(async () => {
  server = await startLocalServer()
  proxy = await startCountingProxy(server.url)
  command = await installCommand(server)
  return async () => {
    await command.remove()
    await proxy.close()
    await server.stop()
    await removeDataDir(server.dataDir)
  }
})

test('1,000 files and one of 2 GB arrive once, although the command is killed twice', async () => {
  for (let at = 0; at < FILES; at++)
    await command.write(`many/file-${at}.bin`, contentOf(FILE_BYTES, `many ${at}`))
  const large = await open(await command.write('many/large.bin', ''), 'w')
  const part = contentOf(64 * 1024 ** 2, 'large')
  for (let written = 0; written < LARGE_BYTES; written += part.length) await large.write(part)
  await large.close()
  const env = { STEVEDORE_URL: proxy.url }
  const total = FILES * FILE_BYTES + LARGE_BYTES
  for (const share of [0.02, 0.5]) {
    const child = command.start(['import', './many'], env)
    const exited = once(child, 'exit')
    await proxy.holdAfter(total * share, () => child.kill('SIGKILL'))
    await exited
  }
  const ended = await command.run(['import', './many', '--json'], env)
  expect(jsonLines(ended.out).filter(({ status }) => status === 'failed')).toEqual([])
  expect(ended.code).toBe(0)
  expect(proxy.uploaded()).toBeGreaterThanOrEqual(total)
  expect(proxy.uploaded() - total).toBeLessThanOrEqual(KILLS * 4 * LARGEST_PIECE)
  const listed = await command.run(['files', '--filter', 'type=bin', '--limit', '0', '--json'])
  expect(jsonLines(listed.out)).toHaveLength(FILES + 1)
  const again = await command.run(['import', './many', '--json'], env)
  expect(again.code).toBe(0)
})

test('a watched file is not taken while another program still writes it', async () => {
  const place = await command.write('written/slow.bin', 'begin ')
  const child = command.start(['import', './written', '--watch', '--settle', '5', '--json'])
  const exited = once(child, 'exit')
  let out = ''
  child.stdout!.on('data', (chunk) => (out += String(chunk)))
  const piece = contentOf(10_000, 'slow')
  for (let at = 0; at < 20; at++) {
    await appendFile(place, piece)
    await sleep(1000)
    expect(out).toBe('')
  }
  await expect.poll(() => out).toContain(path.basename(place))
  child.kill('SIGINT')
  expect(await exited).toEqual([0, null])
  expect(jsonLines(out)[0]).toMatchObject({ status: 'imported', size_bytes: 6 + 20 * 10_000 })
})
