// How names are written in one control connection.
import { nameCodec, type NameCodec } from '../name-encodings.ts'
import type { State } from './state.ts'

/** The encoding of names: as the client has shown, or as its account says. */
export const namesOf = ({ session, sendsUtf8 }: State): NameCodec =>
  nameCodec(sendsUtf8 ? 'utf-8' : (session?.account.name_encoding ?? 'utf-8'))

/** Decodes a line. A client that sends UTF-8 once gets UTF-8 from then on. */
export function readLine(state: State, line: Buffer): string {
  const text = namesOf(state).decode(line)
  const isAscii = line.every((byte) => byte < 128)
  if (!isAscii && text === nameCodec('utf-8').decode(line)) state.sendsUtf8 = true
  return text
}
