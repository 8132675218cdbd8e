// A limited child process that follows the test's instructions, including bad ones.
import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { Refusal, serveRequests } from '../../plugins/contract/sandbox.ts'

// Node has it, but the types of Node do not declare it.
declare const WebAssembly: {
  Memory: new (pages: { initial: number; maximum: number }) => {
    buffer: ArrayBuffer
    grow(pages: number): number
  }
}
const kept: unknown[] = []

const BEHAVIOURS: Record<string, (given: string) => unknown> = {
  echo: (given) => given,
  pid: () => process.pid,
  environment: () => ({ ...process.env }),
  copy: async (given) => writeFile(`${given}.out`, await readFile(given)).then(() => 'copied'),
  write: (given) =>
    writeFile(given, Buffer.alloc(2 ** 20)).catch(({ code }: { code: string }) => code),
  refuse: () => {
    throw new Refusal('image_damaged', 'The image is damaged and cannot be opened')
  },
  fail: () => {
    throw new Error('a secret of the inside')
  },
  // Each fills another kind of memory: the JavaScript heap, buffers, WebAssembly memory.
  heap: () => {
    for (;;) kept.push(Array.from({ length: 1e5 }, (_, at) => `${at}`))
  },
  hoard: () => kept.push(Buffer.alloc(200 * 1024 ** 2, 1)),
  buffers: () => {
    for (;;) kept.push(Buffer.alloc(2 ** 25, 1))
  },
  wasm: () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536 })
    for (;;) {
      const from = memory.grow(512) * 65_536
      new Uint8Array(memory.buffer, from).fill(1)
    }
  },
  spin: () => {
    for (;;);
  },
  sleep: () => wait(60_000),
  exit: () => process.exit(3),
  segfault: () => process.kill(process.pid, 'SIGSEGV'),
}

serveRequests(
  async ({ deed, given = '' }: { deed: string; given?: string }) =>
    (await BEHAVIOURS[deed]!(given)) as never,
)
