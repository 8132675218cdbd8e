// Reads the structure of a mail, as far as reports about mails need it. Reports come from all kinds
// of servers, so nothing in them is trusted to be well-formed, and everything is bounded.

export interface MimePart {
  /** The media type in lower case, without parameters. */
  type: string
  headers: readonly MimeField[]
  /** The decoded text of a part without parts. */
  text: string
  parts: readonly MimePart[]
}

/** A header or a field of a report; the name is in lower case, the value unfolded. */
export interface MimeField {
  name: string
  value: string
}

const MAX_DEPTH = 6
const MAX_PARTS = 60

export function parseMime(raw: string): MimePart {
  const budget = { parts: MAX_PARTS }
  return parsePart(raw.replace(/\r\n?/g, '\n'), 0, budget)
}

function parsePart(raw: string, depth: number, budget: { parts: number }): MimePart {
  const end = raw.startsWith('\n') ? 0 : raw.search(/\n\n/)
  const head = end === -1 ? raw : raw.slice(0, end)
  const body = end === -1 ? '' : raw.slice(end).replace(/^\n{1,2}/, '')
  const headers = parseFields(head)
  const contentType = valueOf(headers, 'content-type') ?? 'text/plain'
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
  const boundary = parameterOf(contentType, 'boundary')
  const bodies =
    type.startsWith('multipart/') && boundary !== null && depth < MAX_DEPTH
      ? splitParts(body, boundary)
      : []
  const parts: MimePart[] = []
  for (const one of bodies) {
    if (budget.parts === 0) break
    budget.parts -= 1
    parts.push(parsePart(one, depth + 1, budget))
  }
  const encoding = valueOf(headers, 'content-transfer-encoding') ?? ''
  return { type, headers, text: parts.length > 0 ? '' : decode(body, encoding), parts }
}

/** The fields of a block, in their order. A line that continues a field begins with a blank. */
export function parseFields(text: string): MimeField[] {
  const unfolded = text.replace(/\n[ \t]+/g, ' ')
  return unfolded.split('\n').flatMap((line) => {
    const [, name, value] = /^([!-9;-~]{1,80})[ \t]*:(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined
      ? []
      : [{ name: name.toLowerCase(), value: value.trim() }]
  })
}

export const valueOf = (fields: readonly MimeField[], name: string): string | null =>
  fields.find((field) => field.name === name)?.value ?? null

function parameterOf(header: string, name: string): string | null {
  const [, quoted, plain] =
    new RegExp(`;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;]+))`, 'i').exec(header) ??
    []
  return quoted?.replace(/\\(.)/g, '$1') ?? plain ?? null
}

/** The texts between the delimiters; a missing last delimiter is accepted. */
function splitParts(body: string, boundary: string): string[] {
  const delimiter = `--${boundary}`
  const parts: string[] = []
  let lines: string[] | null = null
  for (const line of body.split('\n')) {
    const trimmed = line.trimEnd()
    const isLast = trimmed === `${delimiter}--`
    if (trimmed === delimiter || isLast) {
      if (lines) parts.push(lines.join('\n'))
      lines = isLast ? null : []
      if (isLast) break
    } else lines?.push(line)
  }
  if (lines) parts.push(lines.join('\n'))
  return parts
}

function decode(body: string, encoding: string): string {
  const name = encoding.trim().toLowerCase()
  if (name === 'base64') return utf8(Buffer.from(body, 'base64'))
  if (name !== 'quoted-printable') return body
  const bytes = body
    .replace(/[ \t]*=\n/g, '')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return utf8(Buffer.from(bytes, 'latin1'))
}

const utf8 = (bytes: Buffer): string => bytes.toString('utf8').replace(/\r\n?/g, '\n')

/** All parts, from the outside to the inside. */
export const allParts = (part: MimePart): MimePart[] => [part, ...part.parts.flatMap(allParts)]
