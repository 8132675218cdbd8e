import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addFile } from '../../../test/deliveries.ts'
import { openTestApp, type Answer, type TestApp } from '../../../test/app.ts'
import { bomb, documentOf, encrypted, numberedPages } from '../../../test/documents.ts'
import { wav } from '../../../test/sounds.ts'
import { sized, soakTest } from '../../../test/scale.ts'
import { findFfmpeg } from '../../ports/children/ffmpeg.ts'
import { parsePublicId, toPublicId } from '../../core/ids.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

/** A file with these bytes: its public id. */
const fileOf = async (filename: string, bytes: Buffer): Promise<string> =>
  toPublicId('file', await addFile(app.engine, filename, bytes))

const isBeingMade = ({ body }: Answer) => body?.error?.code === 'being_made'

/** Asks until the picture is made, or there is none. */
async function preview(id: string) {
  const ask = () => app.owner.call('GET', `/api/files/${id}/preview`)
  let answer = await ask()
  await expect
    .poll(async () => (isBeingMade(answer) ? isBeingMade((answer = await ask())) : false))
    .toBe(false)
  return answer
}
const kept = () =>
  app.owner.scope.query<{ made: boolean }>(
    'select image is not null as made from preview_images where shop_id = :shop order by 1',
  )

test('makes a small picture of an image once; other files and damaged images have none', async () => {
  const large = { width: 2400, height: 1200, channels: 3, background: '#a33' } as const
  const png = await sharp({ create: large }).png().toBuffer()
  const image = await fileOf('photo.png', png)
  const first = await preview(image)
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'image/webp'])
  expect(first.headers.get('cache-control')).toBe('private, max-age=86400')
  const [row] = await app.owner.scope.query<{ image: Buffer }>(
    'select image from preview_images where shop_id = :shop',
  )
  expect(await sharp(row?.image).metadata()).toMatchObject({ width: 160, height: 80 })
  expect((await preview(image)).status).toBe(200)
  const damaged = await fileOf('torn.png', png.subarray(0, 60))
  const text = await fileOf('notes.txt', Buffer.from('notes'))
  for (const id of [damaged, damaged, text]) expect((await preview(id)).status).toBe(404)
  expect(await kept()).toEqual([{ made: false }, { made: true }])
})

soakTest('of audio without a cover, WAV has its waveform', async () => {
  const sound = await fileOf('tone.wav', wav(2))
  expect((await preview(sound)).status).toBe(200)
  const [row] = await app.owner.scope.query<{ image: Buffer }>(
    `select p.image from preview_images p join versions v using (shop_id, hash)
     where p.shop_id = :shop and v.file_id = :id`,
    { id: parsePublicId('file', sound) },
  )
  const { channels } = await sharp(row?.image).stats()
  expect(await sharp(row?.image).metadata()).toMatchObject({ width: 160, height: 160 })
  // Bars on a background.
  expect(channels.every(({ stdev }) => stdev > 10)).toBe(true)
  expect((await preview(await fileOf('broken.wav', wav(1).subarray(0, 20)))).status).toBe(404)
})

soakTest(
  'a program waits for the picture with its first request, unless it prefers not to',
  async () => {
    const shape = { width: 300, height: 300, channels: 3, background: '#3a3' } as const
    const png = (background: string) =>
      sharp({ create: { ...shape, background } })
        .png()
        .toBuffer()
    const ask = async (id: string, prefer: string) =>
      app.owner.call('GET', `/api/files/${id}/preview`, undefined, { prefer })
    const waited = await ask(await fileOf('waited.png', await png('#3a3')), 'wait=120')
    expect([waited.status, waited.headers.get('preference-applied')]).toEqual([200, 'wait=120'])
    const soon = await ask(await fileOf('soon.png', await png('#33a')), 'wait=0')
    expect([soon.status, soon.body.error.code, soon.headers.get('retry-after')]).toEqual([
      404,
      'being_made',
      '2',
    ])
  },
)

/** The picture of a file, once it was asked for. */
async function pictureOf(file: string): Promise<Buffer> {
  expect((await preview(file)).status).toBe(200)
  const row = await app.owner.scope.one<{ image: Buffer }>(
    `select i.image from versions v join preview_images i on i.shop_id = v.shop_id and i.hash = v.hash
     where v.shop_id = :shop and v.file_id = :id`,
    { id: parsePublicId('file', file) },
  )
  return row.image
}

const sizeOf = async (file: string) => {
  const { width, height } = await sharp(await pictureOf(file)).metadata()
  return [width, height]
}

soakTest(
  'draws the first page of a PDF document; a hostile one has no preview, and is tried once',
  async () => {
    const document = documentOf([{ draws: '0 0 100 150 re f' }, ...numberedPages(2)])
    const bytes = await pictureOf(await fileOf('book.pdf', document))
    const { data, info } = await sharp(bytes)
      .greyscale()
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect([info.width, info.height]).toEqual([107, 160])
    const shade = (x: number, y: number) => data[y * info.width + x]!
    // The origin of a page is at its bottom.
    expect([shade(20, 140) < 40, shade(20, 20) > 215, shade(90, 140) > 215]).toEqual([
      true,
      true,
      true,
    ])

    const huge = documentOf([{ says: '/MediaBox [0 0 10000 10000]', draws: '0 0 9 9 re f' }])
    expect(await sizeOf(await fileOf('huge.pdf', huge))).toEqual([160, 160])
    const hostile = {
      'endless.pdf': documentOf([{ says: '/MediaBox [0 0 900000000 900000000]' }]),
      'closed.pdf': await encrypted(document, 'user', 'owner', 256),
      'torn.pdf': document.subarray(0, 100),
      ...sized({}, { 'bomb.pdf': bomb(2000) }),
      'no.pdf': Buffer.from('%PDF-1.7\n%%EOF'),
      'notes.pdf': Buffer.from('Not a document'),
    }
    const made = async () => (await kept()).length
    const before = await made()
    for (const [name, content] of Object.entries(hostile)) {
      const id = await fileOf(name, content)
      expect([name, (await preview(id)).status]).toEqual([name, 404])
      expect([name, (await preview(id)).status]).toEqual([name, 404])
    }
    expect(await made()).toBe(before + Object.keys(hostile).length)
    // Others are drawn after it.
    const after = await fileOf('after.pdf', documentOf(numberedPages(1)))
    expect((await preview(after)).status).toBe(200)
  },
)

/** An MP3 file of silence, with this picture in its tags. */
function trackWith(cover: Buffer): Buffer {
  const picture = Buffer.concat([Buffer.from('\0image/png\0\x03\0', 'latin1'), cover])
  const frame = Buffer.concat([Buffer.from('APIC'), Buffer.alloc(6), picture])
  frame.writeUInt32BE(picture.length, 4)
  const header = Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1')
  for (let at = 0; at < 4; at++) header[9 - at] = (frame.length >> (7 * at)) & 127
  const silence = Buffer.alloc(417)
  silence.set([0xff, 0xfb, 0x90, 0x00])
  return Buffer.concat([header, frame, ...Array.from({ length: 20 }, () => silence)])
}

test('shows the cover of an audio file', async () => {
  const cover = await sharp({
    create: { width: 600, height: 300, channels: 3, background: '#3a3' },
  })
    .png()
    .toBuffer()
  const song = await fileOf('song.mp3', trackWith(cover))
  expect(await sizeOf(song)).toEqual([160, 80])
  const bare = await fileOf('bare.mp3', trackWith(Buffer.alloc(0)))
  const torn = await fileOf('torn.mp3', Buffer.alloc(2000, 'ID3'))
  for (const id of [bare, torn]) expect((await preview(id)).status).toBe(404)
})

/** A video of one colour: Motion JPEG in Matroska, which needs no encoder to be written. */
async function videoOf(background: string): Promise<Buffer> {
  const [width, height] = [320, 160]
  const frame = await sharp({ create: { width, height, channels: 3, background } })
    .jpeg()
    .toBuffer()
  const element = (id: string, ...parts: (Buffer | string | number)[]): Buffer => {
    const data = Buffer.concat(
      parts.map((part) =>
        typeof part === 'number'
          ? Buffer.from([part >> 24, part >> 16, part >> 8, part].map((byte) => byte & 255))
          : typeof part === 'string'
            ? Buffer.from(part, 'latin1')
            : part,
      ),
    )
    const size = Buffer.alloc(8)
    size.writeBigUInt64BE(BigInt(data.length) | (1n << 56n))
    return Buffer.concat([Buffer.from(id, 'hex'), size, data])
  }
  const track = element(
    'ae',
    element('d7', 1),
    element('73c5', 1),
    element('83', 1),
    element('86', 'V_MJPEG'),
    element('e0', element('b0', width), element('ba', height)),
  )
  const blocks = [0, 100, 200].map((time) =>
    element('a3', Buffer.from([0x81, time >> 8, time & 255, 0x80]), frame),
  )
  return Buffer.concat([
    element('1a45dfa3', element('4282', 'matroska'), element('4287', 4), element('4285', 2)),
    element(
      '18538067',
      element('1549a966', element('2ad7b1', 1_000_000)),
      element('1654ae6b', track),
      element('1f43b675', element('e7', 0), ...blocks),
    ),
  ])
}

soakTest(
  'takes a frame of a video where ffmpeg is installed, and says so where it is not',
  async () => {
    const film = await fileOf('film.mkv', await videoOf('#33a'))
    const answer = await preview(film)
    if ((await findFfmpeg()) === null) {
      expect([answer.status, answer.body.error.code]).toEqual([404, 'ffmpeg_missing'])
      // Other kinds need no program.
      const text = await preview(await fileOf('read.txt', Buffer.from('text')))
      expect([text.status, text.body.error.code]).toEqual([404, 'not_found'])
      return
    }
    expect(answer.status).toBe(200)
    expect(await sizeOf(film)).toEqual([160, 80])
  },
)
