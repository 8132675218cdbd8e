// A real nginx in front of a test's server, configured as docs/operators.md describes: it forwards
// requests, and sends the blobs that X-Accel-Redirect names.
import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import path from 'node:path'
import { freePort } from './flows/server.ts'
import { findProgram } from './programs.ts'

/** The path of nginx; null: not available. */
export const findNginx = (): string | null => findProgram('nginx', 'nginx-light')

export interface Nginx {
  port: number
  stop(): Promise<void>
}

export interface NginxOptions {
  /** The path of the program. */
  nginx: string
  /** Its own folder for the files that it writes. */
  folder: string
  upstream: number
  /** As X_ACCEL_LOCATION. */
  location: string
  /** The folder of the blobs. */
  blobs: string
}

export async function startNginx(options: NginxOptions): Promise<Nginx> {
  const port = await freePort()
  await mkdir(options.folder, { recursive: true })
  return runNginx(options, await configuration(options, port), port)
}

/** Runs nginx with this configuration; resolves when it listens. */
export async function runNginx(
  { nginx, folder }: Pick<NginxOptions, 'nginx' | 'folder'>,
  text: string,
  port: number,
): Promise<Nginx> {
  const file = path.join(folder, 'nginx.conf')
  await writeFile(file, text)
  const child = spawn(nginx, ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => (said += String(chunk)))
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await Promise.race([answers(port), exited])
  if (child.exitCode !== null) throw new Error(`nginx ended: ${said}`)
  return {
    port,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/**
 * The part for operators is read from their document, so that the documented configuration is
 * tested.
 */
async function configuration(options: NginxOptions, port: number): Promise<string> {
  const { folder, upstream, location, blobs } = options
  const page = await readFile(path.resolve(import.meta.dirname, '../docs/operators.md'), 'utf8')
  const documented = /```nginx\n([^]*?)```/.exec(page)?.[1]
  if (!documented) throw new Error('docs/operators.md has no nginx configuration')
  const server = documented
    .replace(/server 127\.0\.0\.1:\d+;/, `server 127.0.0.1:${upstream};`)
    .replace(/listen [^;]+;/, `listen 127.0.0.1:${port}; keepalive_requests 1000000;`)
    .replace(/^.*(server_name|ssl_certificate|ssl_certificate_key) [^;]+;\n/gm, '')
    .replaceAll('/blobs/', `${location}/`)
    .replaceAll('/var/lib/stevedore/files/', `${blobs}/`)
  return `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    worker_processes 2;
    worker_rlimit_nofile 8192;
    pid ${folder}/nginx.pid;
    error_log ${folder}/error.log warn;
    events { worker_connections 1024; }
    http {
      access_log off;
      sendfile on;
      tcp_nopush on;
      ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
      ${server}
    }`
}

async function answers(port: number): Promise<void> {
  while (true) {
    const there = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, '127.0.0.1')
      socket.once('connect', () => (socket.destroy(), resolve(true)))
      socket.once('error', () => resolve(false))
    })
    if (there) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
