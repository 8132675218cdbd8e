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
  /(?:^|[ \t])(ssh-rsa|ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521))[ \t]+((?:[A-Za-z0-9+/]|\r?\n(?!ssh-|ecdsa-|sk-))+={0,2})[ \t]*([^\r\n]*)/gm
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

const linesIn = (text: string): PastedKey[] =>
  Array.from(text.trim().matchAll(LINE), ([, type = '', base64 = '', comment = '']) => ({
    key: `${type} ${base64.replaceAll(/\s/g, '')}`,
    comment: comment.trim(),
  }))

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
  try {
    const start = atob(base64.slice(0, 48))
    return start.slice(4, 4 + start.charCodeAt(3))
  } catch {
    return ''
  }
}
