import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openDocumentHouse, type DocumentHouse } from '../../test/document-house.ts'
import {
  bomb,
  documentOf,
  encrypted,
  faultsOf,
  numberedPages,
  protectionOf,
  textsOf,
} from '../../test/documents.ts'
import { sized, soakTest } from '../../test/scale.ts'

let house: DocumentHouse
beforeAll(async () => void (house = await openDocumentHouse()))
afterAll(() => house.close())

const good = documentOf(numberedPages(3))
const CANARY = 'canary-of-a-password'

describe('a document with a password', () => {
  it.each(sized([256] as const, [40, 128, 256] as const))(
    'is opened with it, and its results keep it: %i bits',
    async (bits) => {
      const closed = await encrypted(good, 'user', 'owner', bits)
      await expect(house.watermark(closed)).rejects.toMatchObject({
        code: 'pdf_encrypted',
        message: 'The document is encrypted: its password is needed to open it',
      })
      await expect(house.watermark(closed, { password: 'wrong' })).rejects.toMatchObject({
        code: 'pdf_encrypted',
        message: 'The password does not open this document',
      })
      for (const password of ['user', 'owner']) {
        const { document } = await house.watermark(closed, { password })
        expect(await faultsOf(document)).toContain('invalid password')
        expect(await faultsOf(document, 'user')).toBe('')
        expect(await protectionOf(document, 'owner')).toContain(
          'Supplied password is owner password',
        )
      }
    },
  )
  soakTest('that is only needed for changes opens without it, and stays protected', async () => {
    const closed = await encrypted(good, '', 'owner')
    const { document } = await house.watermark(closed)
    expect(await faultsOf(document)).toBe('')
    expect(await protectionOf(document)).not.toBe('')
  })
  it('is opened without it if the document has none', async () => {
    expect(await textsOf((await house.watermark(good, { password: CANARY })).document)).toEqual([
      'page 1',
      'page 2',
      'page 3',
    ])
  })
})

describe('a damaged document', () => {
  soakTest('is repaired if its cross-reference table is missing, with a warning', async () => {
    const text = good.toString('latin1')
    const broken = {
      'a table that is cut off': good.subarray(0, good.lastIndexOf('xref\n0')),
      'a table somewhere else': Buffer.from(
        text.replace(/startxref\n\d+/, 'startxref\n7'),
        'latin1',
      ),
      'a wrong table': Buffer.from(text.replace(/\d{10} 00000 n/g, '0000000007 00000 n'), 'latin1'),
      'something before it': Buffer.concat([Buffer.alloc(500, 'junk\n'), good]),
    }
    for (const [name, bytes] of Object.entries(broken)) {
      const result = await house.watermark(bytes).catch((error: unknown) => error)
      if (!(result as { document?: Buffer }).document) {
        expect(result, name).toMatchObject({ code: 'pdf_damaged', retryable: false })
        expect(name).toBe('a table that is cut off')
        continue
      }
      const { document, warnings } = result as Awaited<ReturnType<DocumentHouse['watermark']>>
      expect(await faultsOf(document), name).toBe('')
      expect(await textsOf(document), name).toEqual(['page 1', 'page 2', 'page 3'])
      if (name !== 'something before it')
        expect(warnings, name).toMatchObject([{ code: 'pdf_repaired' }])
    }
  })
  soakTest('is repaired if only its catalog has no type', async () => {
    const untold = Buffer.from(
      good.toString('latin1').replace('/Type /Catalog', '/Tipe /Catalog'),
      'latin1',
    )
    const { document, warnings } = await house.watermark(untold)
    const { parts } = await house.split(untold, { every: 2 })
    const { document: merged } = await house.merge([untold, good])
    expect(await textsOf(document)).toEqual(['page 1', 'page 2', 'page 3'])
    expect(warnings).toMatchObject([{ code: 'pdf_repaired' }])
    for (const bytes of [document, merged, ...parts.map((part) => part.document)])
      expect(await faultsOf(bytes)).toBe('')
  })
  it('is refused if nothing can be repaired', async () => {
    for (const bytes of [
      good.subarray(0, 60),
      Buffer.from('%PDF-1.7\n%%EOF'),
      Buffer.from(`%PDF-1.4\n${'x'.repeat(9999)}`),
    ])
      await expect(house.watermark(bytes)).rejects.toMatchObject({
        code: 'pdf_damaged',
        retryable: false,
      })
  })
  it('is distinguished from a file that is not a document', async () => {
    for (const bytes of [Buffer.from('<html>'), Buffer.alloc(0), Buffer.from('GIF89a')])
      await expect(house.watermark(bytes)).rejects.toMatchObject({
        code: 'not_a_pdf',
        retryable: false,
      })
  })
})

describe('a document that is too large', () => {
  it('is refused for its size, alone or with others, before it is opened', async () => {
    const { documents } = house
    const itemOf = async (size_bytes: number) => {
      const item = await house.item(good)
      return { ...item, staged: { ...item.staged!, size_bytes } }
    }
    const never = new AbortController().signal
    await expect(documents.split(await itemOf(1.1e9), { every: 1 }, never)).rejects.toMatchObject({
      code: 'document_too_large',
      message: 'The document is too large to be opened: the limit is 1 GB',
    })
    await expect(
      documents.merge([await itemOf(6e8), await itemOf(6e8)], {}, never),
    ).rejects.toMatchObject({
      code: 'document_too_large',
      message: 'The documents are too large together: the limit is 1 GB',
    })
  })
})

describe('a malicious document', () => {
  const KNOWN = ['pdf_damaged', 'memory_limit', 'time_limit', 'processor_crashed']
  /** The result is a document of the declared type, or a refusal with a code. */
  const outcomeOf = (bytes: Buffer) =>
    house.watermark(bytes).then(
      async ({ document }) => (await faultsOf(document)) || 'right',
      (error: { code: string }) => error.code,
    )

  soakTest('that decompresses to a thousand times its size fails alone', async () => {
    const bytes = bomb()
    expect(bytes.length).toBeLessThan(1.6e6)
    const before = process.memoryUsage().rss
    const [hostile, ...others] = await Promise.all([
      outcomeOf(bytes),
      outcomeOf(good),
      outcomeOf(good),
    ])
    expect(hostile).toBe('memory_limit')
    expect(others).toEqual(['right', 'right'])
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 ** 2)
    const refused = { code: 'memory_limit', retryable: false }
    // Only in soak: each takes a gigabyte and seconds until it is refused.
    const ways = [
      () => house.merge([good, bytes]),
      () => house.optimize(bytes),
      () => house.split(bytes, { every: 1 }),
    ].slice(0, sized(0, 3))
    await Promise.all(ways.map((way) => expect(way()).rejects.toMatchObject(refused)))
    expect(await outcomeOf(good)).toBe('right')
  })
  it('that nests, loops or multiplies is refused, or processed as it is', async () => {
    const text = good.toString('latin1')
    const grown = documentOf([{}], {
      extra: Array.from(
        { length: 12 },
        (_, at) => `<< /Type /Pages /Count 10 /Kids [${`${at + 11} 0 R `.repeat(10)}] >>`,
      ),
    })
    const hostile = {
      'lists in lists': documentOf([{}], { extra: ['['.repeat(1_000_000)] }),
      'closed lists in lists': documentOf([{}], {
        extra: [`${'['.repeat(100_000)}${']'.repeat(100_000)}`],
        catalog: '/X 10 0 R',
      }),
      'pages above themselves': Buffer.from(
        text.replace('/Kids [10 0 R', '/Kids [2 0 R '),
        'latin1',
      ),
      'ten to the twelfth pages': Buffer.from(
        grown.toString('latin1').replace(/\/Kids \[34 0 R\]/, '/Kids [10 0 R]'),
        'latin1',
      ),
      'a box of itself': documentOf([{ says: '/MediaBox 10 0 R' }], { extra: ['10 0 R'] }),
      'a parent of itself': documentOf([{ says: '/Parent 10 0 R' }]),
    }
    for (const [name, bytes] of Object.entries(hostile))
      expect([...KNOWN, 'right'], name).toContain(await outcomeOf(bytes))
  })
  it('cannot name files of the server', async () => {
    const nosy = documentOf(numberedPages(1), {
      extra: [
        '<< /Type /Filespec /F (/etc/passwd) /EF << /F 11 0 R >> >>',
        '<< /F (/etc/passwd) /Length 0 >>\nstream\n\nendstream',
      ],
      catalog: '/Names << /EmbeddedFiles << /Names [(a) 10 0 R] >> >>',
    })
    const made = await house.watermark(nosy).then(
      ({ document }) => document.toString('latin1'),
      () => '',
    )
    expect(made).not.toContain('root:')
  })
})

describe('temporary files', () => {
  // A separate folder: other tests use the common one concurrently.
  let own: string
  beforeEach(async () => {
    own = await mkdtemp(path.join(tmpdir(), 'stevedore-hostile-'))
    vi.stubEnv('TMPDIR', own)
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await rm(own, { recursive: true })
  })

  it('are removed when the work is done, refused or interrupted', async () => {
    await house.watermark(good)
    await house.watermark(Buffer.from('no')).catch(() => {})
    const reason = new Error('paused')
    const { documents } = house
    const wanted = { text: 'a', position: 'center', opacity: 1 } as const
    const controller = new AbortController()
    const working = documents.watermark(await house.item(good), wanted, controller.signal)
    controller.abort(reason)
    await expect(working).rejects.toBe(reason)
    expect(await readdir(own)).toEqual([])
  })
  it('contain no password, and neither does a command line', async () => {
    const closed = await encrypted(documentOf(numberedPages(sized(100, 900))), CANARY, 'owner')
    let done = false
    const working = house
      .split(closed, { every: 100, password: CANARY })
      .finally(() => (done = true))
    // Looks while there were temporary files.
    let looks = 0
    while (!done) {
      for (const file of await commandLines()) expect(file).not.toContain(CANARY)
      let found = 0
      for (const name of await readdir(own))
        for (const file of await readdir(`${own}/${name}`).catch(() => [])) {
          found++
          if (/arguments|json/.test(file))
            expect(await readFile(`${own}/${name}/${file}`, 'utf8').catch(() => '')).not.toContain(
              CANARY,
            )
        }
      if (found > 0) looks++
      // What is looked for stays for as long as qpdf runs, which needs the processor too.
      await delay(5)
    }
    expect(looks).toBeGreaterThan(0)
    expect((await working).parts.length).toBe(sized(1, 9))
  })
})

async function commandLines(): Promise<string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  return Promise.all(
    processes.map((id) => readFile(`/proc/${id}/cmdline`, 'latin1').catch(() => '')),
  )
}
