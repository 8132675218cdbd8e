// Building the admin page when it is missing or older than its sources, in a process of its own whose memory goes with it.
import { spawn } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { WEB } from '../http/page.ts'
import type { Logger } from '../log.ts'

export async function ensurePage(log: Logger): Promise<void> {
  const built = await stat(path.join(WEB, 'dist', 'index.html')).catch(() => null)
  if (built && built.mtimeMs > (await newestSource())) return
  log.info('building the admin page')
  const vite = createRequire(import.meta.url).resolve('vite/package.json')
  const child = spawn(
    process.execPath,
    [
      path.join(path.dirname(vite), 'bin/vite.js'),
      'build',
      '--config',
      path.join(WEB, 'vite.config.ts'),
      '--logLevel',
      'error',
    ],
    { cwd: WEB, stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let output = ''
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`The admin page could not be built:\n${output}`)
}

async function newestSource(): Promise<number> {
  const entries = await readdir(WEB, { recursive: true, withFileTypes: true })
  const sources = entries.filter((entry) => entry.isFile() && !entry.parentPath.startsWith(path.join(WEB, 'dist')))
  const times = await Promise.all(sources.map((entry) => stat(path.join(entry.parentPath, entry.name))))
  return Math.max(0, ...times.map(({ mtimeMs }) => mtimeMs))
}
