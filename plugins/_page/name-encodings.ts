// Encodings of the file names that FTP clients send: the server decodes them, and the page offers
// them.

/** Encodings with one byte or two for each character, in which ASCII is itself. */
export const NAME_ENCODINGS = [
  'utf-8',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'gb18030',
  'big5',
  'shift_jis',
  'euc-kr',
] as const

export type NameEncoding = (typeof NAME_ENCODINGS)[number]
