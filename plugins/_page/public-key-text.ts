// The text of a public key as people paste it: the line of a .pub file, also with options in front
// or broken by a terminal, or the file that PuTTYgen saves (RFC 4716).

/** A key as a line of OpenSSH without its comment. */
export interface PastedKey {
  key: string
  comment: string
}

/** Why a text has no key that can be used. */
export type KeyTextProblem = 'private' | 'device' | 'weak' | 'none'

const LINE =
  /(?:^|[ \t])(ssh-rsa|ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521))[ \t]+([A-Za-z0-9+/]+={0,2})(?:[ \t]+(.*))?$/
/** The rest of a key that a terminal has broken, and its comment. */
const REST = /^([A-Za-z0-9+/]+={0,2}|={1,2})(?:[ \t]+(.*))?$/
const BLOCK = /^---- BEGIN SSH2 PUBLIC KEY ----\r?\n([^]*?)\r?\n---- END SSH2 PUBLIC KEY ----/gm
/** `Comment: "mary"`; a backslash continues it in the next line. */
const HEADERS = /^([A-Za-z-]+): ?((?:[^\r\n]*\\\r?\n)*[^\r\n]*)\r?\n/gm

/** Finds the keys in a text, in order; if there is none, says why. */
export function readPublicKeys(text: string): readonly PastedKey[] | KeyTextProblem {
  const keys = [...blocksIn(text), ...linesIn(text)]
  if (keys.length > 0) return keys
  if (/PRIVATE KEY-----|^PuTTY-User-Key-File/m.test(text)) return 'private'
  if (/(?:^|\s)sk-(?:ssh|ecdsa)-/.test(text)) return 'device'
  return /(?:^|\s)ssh-dss\s/.test(text) ? 'weak' : 'none'
}

function linesIn(text: string): PastedKey[] {
  const keys: PastedKey[] = []
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const found = line.startsWith('#') ? null : LINE.exec(line)
    if (!found) continue
    let [base64 = '', comment = ''] = found.slice(2)
    // A complete key is not continued: the next line may be the options of another one.
    while (comment === '' && !isComplete(base64)) {
      const next = lines[at + 1] ?? ''
      const rest = LINE.test(next) ? null : REST.exec(next)
      if (!rest) break
      base64 += rest[1] ?? ''
      comment = rest[2] ?? ''
      at++
    }
    keys.push({ key: `${found[1]} ${base64}`, comment: comment.trim() })
  }
  return keys
}

/** The fields of the smallest key: its type, and its point. */
const LEAST_FIELDS = 2

/** Whether the key ends with one of its fields, each of which begins with its length. */
function isComplete(base64: string): boolean {
  const bytes = bytesOf(base64)
  let [at, fields] = [0, 0]
  for (; at + 4 <= bytes.length; fields++)
    at += 4 + [0, 1, 2, 3].reduce((sum, n) => sum * 256 + bytes.charCodeAt(at + n), 0)
  return at === bytes.length && fields >= LEAST_FIELDS
}

/** The decoded bytes, each as a character; none: it is not the whole of a base64 text. */
function bytesOf(base64: string): string {
  try {
    return atob(base64)
  } catch {
    return ''
  }
}

function blocksIn(text: string): PastedKey[] {
  return Array.from(text.matchAll(BLOCK), ([, body = '']) => {
    const comments = Array.from(body.matchAll(HEADERS))
      .filter(([, name = '']) => name.toLowerCase() === 'comment')
      .map(([, , value = '']) => value.replaceAll(/\\\r?\n/g, '').replace(/^"(.*)"$/, '$1'))
    const base64 = body.replaceAll(HEADERS, '').replaceAll(/\s/g, '')
    return { key: `${typeIn(base64)} ${base64}`, comment: comments.join(' ') }
  })
}

/** The key begins with the length and the name of its type. */
function typeIn(base64: string): string {
  const start = bytesOf(base64.slice(0, 48))
  return start === '' ? '' : start.slice(4, 4 + start.charCodeAt(3))
}
