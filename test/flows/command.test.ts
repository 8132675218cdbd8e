// The command against a real server: what it sends, what it writes, and how it ends. What passes
// between them is counted by a proxy.
import { once } from 'node:events'
import { chmod, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { contentOf } from '../fakes/content.ts'
import { installCommand, jsonLines, type InstalledCommand } from './command.ts'
import { startCountingProxy, type CountingProxy } from './counting-proxy.ts'
import { startLocalServer } from './local-server.ts'
import { removeDataDir, type RunningServer } from './server.ts'
import { openDatabase } from '../../server/core/db/database.ts'
import { forShop } from '../../server/core/db/for-shop.ts'
import { createApiKey } from '../../server/http/auth.ts'
import { SCOPES } from '../../server/http/endpoint.ts'
import { createTestShop, silent } from '../database.ts'
import { soakTest } from '../scale.ts'

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

/** Runs an import through the proxy; resolves with its lines and the bytes that were sent. */
async function importing(...args: readonly string[]) {
  const before = proxy.uploaded()
  const ended = await command.run(['import', ...args, '--json'], { STEVEDORE_URL: proxy.url })
  const lines = jsonLines(ended.out)
  const files = lines.filter(({ event }) => event === 'file')
  const of = (name: string) => files.find(({ filename }) => filename === name)
  return { ...ended, lines, files, of, sent: proxy.uploaded() - before }
}

const fileNamed = async (name: string) => {
  const found = await server.call('GET', `/api/files?search=${encodeURIComponent(name)}`)
  const { data } = (await found.json()) as {
    data: { filename: string; tags: string[]; pack: { name: string } | null }[]
  }
  return data.find(({ filename }) => filename === name)
}

describe('the package', () => {
  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${server.url}/stevedore.tgz`, { method, headers })
  test('is the same each time, has a type and an ETag, and is not sent again', async () => {
    const [one, two] = [await get(), await get()]
    const bytes = Buffer.from(await one.arrayBuffer())
    expect(bytes.equals(Buffer.from(await two.arrayBuffer()))).toBe(true)
    const etag = one.headers.get('etag')!
    expect(etag).toMatch(/^"[0-9a-f]{16}-[0-9a-f]{8}"$/)
    expect(one.headers.get('content-type')).toBe('application/gzip')
    const again = await get({ 'if-none-match': etag })
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0])
    const head = await get({}, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
    expect((await get({}, 'POST')).status).toBe(405)
  })
  soakTest('has the address by which it was fetched, and no other packages', async () => {
    const read = async (folder: string) =>
      JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as {
        stevedore: { url: string }
        engines: { node: string }
        dependencies?: object
      }
    const own = await read(command.package)
    expect(own).toMatchObject({ stevedore: { url: server.url }, engines: { node: '>=20' } })
    expect(own.dependencies).toBeUndefined()
    const other = await installCommand({ url: proxy.url, apiKey: server.apiKey })
    expect((await read(other.package)).stevedore.url).toBe(proxy.url)
    await other.remove()
  })
  test('imports only modules of Node 20', async () => {
    for (const name of ['command.js', 'client.js']) {
      const code = await readFile(path.join(command.package, name), 'utf8')
      const modules = [...code.matchAll(/^(?:import|export)[^;]*?from "([^"]+)"/gm)]
      expect(modules.length).toBeGreaterThan(0)
      expect(modules.filter(([, from]) => !from!.startsWith('node:'))).toEqual([])
      expect(code).not.toMatch(/\bimport\(|\brequire\(/)
    }
  })
})

soakTest(
  'a command that npx has kept runs that of the installation, and an installed one says it',
  async () => {
    const old = await installCommand(server)
    const manifest = path.join(old.package, 'package.json')
    const text = await readFile(manifest, 'utf8')
    await writeFile(manifest, text.replace(/"build": "\w+"/, '"build": "0123456789abcdef"'))
    expect(await old.run(['files'])).toMatchObject({
      code: 0,
      error: `${server.url} has a newer command: install ${server.url}/stevedore.tgz again\n`,
    })
    const npm = await old.write('npm.js', 'console.log(JSON.stringify(process.argv.slice(2)))')
    const ended = await old.run(['files', '--limit', '1'], {
      npm_command: 'exec',
      npm_execpath: npm,
    })
    const build = /"build": "(\w+)"/.exec(text)![1]
    expect([ended.code, JSON.parse(ended.out)]).toEqual([
      0,
      [
        'exec',
        '--yes',
        `--package=${server.url}/stevedore.tgz?${build}`,
        '--',
        'stevedore',
        'files',
        '--limit',
        '1',
      ],
    ])
    await old.remove()
  },
)

describe('import', () => {
  test('says what it would send, and sends it with its product, tags and pack', async () => {
    await command.write('spring/EB-001_guide.pdf', '%PDF-1.4 spring guide')
    await command.write('spring/course/one.zip', contentOf(5000, 'one'))
    await command.write('spring/.hidden', 'x')
    await command.write('spring/Thumbs.db', 'x')
    const options = ['./spring', '--sku-from-name', '--pack-from-folder', '--tag', 'spring']
    const planned = await importing(...options, '--dry-run')
    expect([planned.code, planned.sent]).toEqual([0, 0])
    expect(planned.files).toMatchObject([
      { status: 'would_send', path: 'EB-001_guide.pdf', products: ['The Tide Tables of Memory'] },
      { status: 'would_send', path: 'course/one.zip', products: [] },
    ])
    expect(await fileNamed('one.zip')).toBeUndefined()
    const done = await importing(...options)
    expect([done.code, done.sent]).toEqual([0, 21 + 5000])
    expect(done.files).toHaveLength(2)
    expect(done.of('EB-001_guide.pdf')).toMatchObject({
      status: 'imported',
      file_id: expect.stringMatching(/^file_/),
      products: ['The Tide Tables of Memory'],
    })
    expect(done.lines.at(-1)).toMatchObject({ event: 'summary', imported: 2 })
    expect(await fileNamed('one.zip')).toMatchObject({ tags: ['spring'], pack: { name: 'course' } })
    expect(await fileNamed('EB-001_guide.pdf')).toMatchObject({ pack: { name: 'spring' } })
  })
  soakTest('sends nothing that the shop has, and asks what to do with a taken name', async () => {
    await command.write('again/fresh.zip', contentOf(3000, 'fresh'))
    await command.write('again/same-name.zip', contentOf(3000, 'first'))
    expect((await importing('./again')).code).toBe(0)
    await expect
      .poll(async () => (await importing('./again', '--dry-run')).files)
      .toMatchObject([{ status: 'unchanged' }, { status: 'unchanged' }])
    await command.write('again/copy.zip', contentOf(3000, 'fresh'))
    await command.write('again/same-name.zip', contentOf(3100, 'second'))
    const some = await importing('./again')
    expect([some.code, some.sent]).toEqual([1, 0])
    expect(some.of('fresh.zip')).toMatchObject({ status: 'unchanged' })
    expect(some.of('copy.zip')).toMatchObject({ status: 'same_bytes', message: 'as fresh.zip' })
    expect(some.of('same-name.zip')).toMatchObject({
      status: 'failed',
      code: 'duplicate_filename',
    })
    const replaced = await importing('./again', '--on-conflict', 'new-version')
    expect([replaced.code, replaced.sent]).toEqual([0, 3100])
  })
  soakTest('continues after a kill, and sends no byte twice', async () => {
    const bytes = contentOf(9_000_000, 'large')
    await command.write('large/large.zip', bytes)
    await command.write('large/small.zip', contentOf(10, 'small'))
    const before = proxy.uploaded()
    const child = command.start(['import', './large'], { STEVEDORE_URL: proxy.url })
    const exited = once(child, 'exit')
    // Some pieces have arrived, and the next one has not begun.
    await proxy.holdAfter(before + 3_000_000, () => child.kill('SIGKILL'))
    await exited
    expect(proxy.uploaded() - before).toBeLessThan(9_000_000)
    const rest = await importing('./large')
    expect(rest.code).toBe(0)
    expect(rest.files.map(({ status }) => status)).toEqual(['imported', 'imported'])
    expect(proxy.uploaded() - before).toBe(9_000_010)
    const id = String(rest.of('large.zip')!.file_id)
    const content = await server.call('GET', `/api/files/${id}/content`)
    expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true)
    const state = path.join(command.home, '.local/state/stevedore/uploads')
    const kept = await Promise.all(
      (await readdir(state)).map((host) => readdir(path.join(state, host))),
    )
    expect(kept.flat()).toEqual([])
  })
  soakTest(
    'shows names that would steer a terminal, and says in which row a list is wrong',
    async () => {
      await command.write('odd/a\u001b[2J.zip', 'odd')
      const odd = await command.run(['import', './odd'])
      expect(odd.code).toBe(1)
      expect(odd.out).toContain('a\\u001b[2J.zip')
      expect(odd.out + odd.error).not.toContain('\u001b')
      await command.write('list.csv', 'filename,file_url\nx.pdf,no address\n')
      const list = await command.run(['import', 'list.csv'])
      expect(list).toMatchObject({ code: 1, out: expect.stringContaining('error in row 2') })
      await command.write('list.ndjson', '\n{"filename":"x.pdf","url":"no address"}\n')
      const lines = await command.run(['import', 'list.ndjson'])
      expect(lines).toMatchObject({ code: 2, error: expect.stringContaining('entry 1, url: ') })
    },
  )
  soakTest('watches: takes a file when it has its name, until Ctrl-C', async () => {
    const place = await command.write('watched/first.zip', contentOf(2000, 'watched'))
    await writeFile(path.join(path.dirname(place), 'next.zip.part'), 'half')
    const child = command.start(['import', './watched', '--watch', '--settle', '0.2', '--json'])
    const exited = once(child, 'exit')
    let out = ''
    child.stdout!.on('data', (chunk) => (out += String(chunk)))
    await expect.poll(() => out).toContain('first.zip')
    expect(out).not.toContain('next.zip')
    const part = path.join(path.dirname(place), 'next.zip.part')
    await writeFile(part, contentOf(4000, 'whole'))
    await rename(part, path.join(path.dirname(place), 'next.zip'))
    await expect.poll(() => out).toContain('next.zip')
    child.kill('SIGINT')
    expect(await exited).toEqual([0, null])
    expect(jsonLines(out)).toMatchObject([
      { filename: 'first.zip', status: 'imported', size_bytes: 2000 },
      { filename: 'next.zip', status: 'imported', size_bytes: 4000 },
      { event: 'summary', imported: 2 },
    ])
  })
})

describe('a run ends with', () => {
  const codeOf = async (args: readonly string[], env?: Record<string, string>) => {
    const { code, error } = await command.run(args, env)
    return [code, error] as const
  }
  soakTest('2 if it is used in a wrong way, with a sentence that says why', async () => {
    const wrong = async (why: RegExp, args: readonly string[], env?: Record<string, string>) => {
      const [code, error] = await codeOf(args, env)
      expect([args, code, error]).toEqual([args, 2, expect.stringMatching(why)])
    }
    await wrong(/There is no command fetch/, ['fetch'])
    await wrong(/--nonsense/, ['files', '--nonsense'])
    await wrong(/no file or folder/, ['import', './missing'])
    await wrong(/There is no filter colour/, ['files', '--filter', 'colour=red'])
    await wrong(/for all files/, ['run', 'tag-files'])
    await wrong(/Nobody can be asked/, ['run', 'delete-files', '--filter', 'tags=none-has-it'])
    await wrong(/begins with one \//, ['api', 'GET', '//elsewhere.example.com/'])
    await wrong(/STEVEDORE_KEY/, ['files'], { STEVEDORE_KEY: '' })
    await wrong(/not valid/, ['files'], { STEVEDORE_KEY: 'sdk_test_wrong' })
    await wrong(/is no address/, ['files'], { STEVEDORE_URL: 'files.example.com' })
  })
  soakTest('3 if the installation is not reached', async () => {
    const env = { STEVEDORE_URL: 'http://127.0.0.1:2' }
    expect(await codeOf(['files'], env)).toEqual([
      3,
      expect.stringContaining('was not reached: connect ECONNREFUSED'),
    ])
  })
  test('the key of a file that only its owner can read', async () => {
    const file = await command.write('own.key', `${server.apiKey}\n`)
    await chmod(file, 0o644)
    const args = ['files', '--key-file', file]
    expect(await codeOf(args, { STEVEDORE_KEY: '' })).toEqual([
      2,
      expect.stringContaining('mode 0644'),
    ])
    await chmod(file, 0o600)
    expect((await codeOf(args, { STEVEDORE_KEY: '' }))[0]).toBe(0)
  })
})

soakTest(
  'run previews, discards with --dry-run, changes with --yes, and undo restores',
  async () => {
    await command.write('run/tagged.zip', contentOf(700, 'tagged'))
    expect((await importing('./run', '--tag', 'to-run')).code).toBe(0)
    const args = ['run', 'tag-files', '--filter', 'tags=to-run', '--json']
    const options = ['--option', 'mode=add', '--option', 'tags=later,sale']
    const preview = await command.run([...args, ...options, '--dry-run'])
    expect(jsonLines(preview.out)).toMatchObject([
      { event: 'preview', total: 1, foreseen: { changed: 1 } },
    ])
    expect(await fileNamed('tagged.zip')).toMatchObject({ tags: ['to-run'] })
    const done = jsonLines((await command.run([...args, ...options, '--yes'])).out).at(-1)!
    expect(done).toMatchObject({ event: 'operation', status: 'success', done: 1 })
    expect((await fileNamed('tagged.zip'))!.tags.toSorted()).toEqual(['later', 'sale', 'to-run'])
    expect((await command.run(['undo', String(done.id)])).code).toBe(0)
    expect(await fileNamed('tagged.zip')).toMatchObject({ tags: ['to-run'] })
  },
)

const workflowText = (name: string, tag: string) =>
  `stevedore: workflow/1\nname: ${name}\ndo:\n  - tag-files: { mode: add, tags: [${tag}] }\n`

test('pull and apply: what differs is shown and changed, and a newer state is told', async () => {
  await command.write('shop/workflows/guides.yaml', workflowText('Guides', 'guide'))
  await command.write(
    'shop/workflows/broken.yaml',
    workflowText('Broken', 'a').replace('add', 'ad'),
  )
  const dry = await command.run(['apply', 'shop', '--dry-run'])
  expect([dry.code, dry.out]).toEqual([
    1,
    expect.stringMatching(
      /broken\.yaml:4 do\[0\]\.tag-files\.mode: .*\n.*new +workflows\/guides\.yaml\n +Name: .*\n +Step 1, added: Adds guide/,
    ),
  ])
  await command.write('shop/workflows/broken.yaml', workflowText('Broken', 'a'))
  const unasked = await command.run(['apply', 'shop'])
  expect([unasked.code, unasked.error]).toEqual([2, expect.stringContaining('--yes')])
  expect((await command.run(['apply', 'shop', '--yes'])).code).toBe(0)
  const again = await command.run(['apply', 'shop', '--yes'])
  expect([again.code, again.out]).toEqual([0, expect.stringContaining('nothing to change')])
  const file = path.join(command.folder, 'shop/workflows/guides.yaml')
  const read = () => readFile(file, 'utf8')
  expect((await command.run(['pull', 'shop'])).code).toBe(0)
  expect(await read()).toBe(workflowText('Guides', 'guide'))
  await writeFile(file, workflowText('Guides', 'mine'))
  const kept = await command.run(['pull', 'shop'])
  expect([kept.code, kept.error]).toEqual([1, expect.stringContaining('--force')])
  expect((await command.run(['pull', 'shop', '--force'])).code).toBe(0)
  const text = await read()
  expect(text).toContain('tags: [ guide ]')
  // Somebody else changes it.
  const route = '/api/workflows/by-name/Guides'
  await server.call('PUT', route, {
    stevedore: 'workflow/1',
    do: [{ 'tag-files': { mode: 'add', tags: ['theirs'] } }],
  })
  await writeFile(file, text.replace('guide ]', 'mine ]'))
  await command.write('shop/workflows/broken.yaml', workflowText('Broken', 'b'))
  const stale = await command.run(['apply', 'shop', '--yes', '--json'])
  const events = jsonLines(stale.out).map(({ event, file: of, status, stale: isStale }) =>
    [event, of, status, isStale].filter((part) => part !== undefined).join(' '),
  )
  expect([stale.code, events]).toEqual([
    1,
    [
      'planned workflows/broken.yaml changed false',
      'planned workflows/guides.yaml changed true',
      'applied workflows/broken.yaml changed',
    ],
  ])
  expect((await command.run(['apply', 'shop', '--yes', '--overwrite'])).code).toBe(0)
})

soakTest('20 workflows are applied to 20 shops of a list', async () => {
  const [shops, workflows] = [20, 20]
  for (let n = 0; n < workflows; n++)
    await command.write(`many/workflows/w-${n}.yaml`, workflowText(`W ${n}`, `tag-${n}`))
  const database = openDatabase(server.databaseUrl, 2, silent)
  const lines: string[] = []
  try {
    for (let n = 0; n < shops; n++) {
      const shop = await createTestShop(database, `many-${n}.myshopify.com`)
      const about = { name: 'apply', scopes: SCOPES, demo: true }
      const { key } = await createApiKey(forShop(database, shop), about)
      lines.push(`shop-${n} ${proxy.url} ${key}`)
    }
  } finally {
    await database.close()
  }
  const list = await command.write('shops.txt', lines.join('\n'))
  await chmod(list, 0o644)
  const open = await command.run(['apply', 'many', '--shops', 'shops.txt', '--yes'])
  expect([open.code, open.error]).toEqual([2, expect.stringContaining('chmod 600')])
  await chmod(list, 0o600)
  const before = proxy.requests()
  const began = Date.now()
  const applied = await command.run(['apply', 'many', '--shops', 'shops.txt', '--yes'])
  const seconds = (Date.now() - began) / 1000
  const created = applied.out.match(/: created /g)
  expect([applied.code, created?.length]).toEqual([0, shops * workflows])
  const requests = proxy.requests() - before
  const second = Date.now()
  const again = await command.run(['apply', 'many', '--shops', 'shops.txt', '--yes'])
  expect([again.code, again.out.match(/nothing to change/g)?.length]).toEqual([0, shops])
  // Figures for docs/scale.md.
  process.stdout.write(
    `20 workflows to 20 shops: ${seconds} s, ${requests} requests; again ${(Date.now() - second) / 1000} s\n`,
  )
  expect(requests).toBe(2 * shops + 1)
})
