// Reads cells with settings of files: numbers, words, switches, lists, days and texts, as people and
// spreadsheets of several languages write them.
import { z } from 'zod'
import {
  ENTRY_SETTINGS,
  FILE_SETTINGS,
  say,
  sayPlain,
  textOf,
} from '../../../plugins/contract/index.ts'
import { firstOf } from '../../core/lazy.ts'
import type { Problem } from '../../files/rules.ts'

export type SettingValue = string | number | boolean | readonly string[] | null

/**
 * Do these cells fit a setting that takes only some words? Columns of other programs have similar headers.
 * True for settings that take any number or text.
 */
export function fitsWords(field: string, cells: readonly string[]): boolean {
  const setting = ENTRY_SETTINGS.find((name) => name === field)
  if (setting === undefined) return true
  const { entry } = FILE_SETTINGS[setting]
  if (!('switch' in entry || 'list' in entry || 'values' in entry)) return true
  return (
    cells.length > 0 && cells.every((cell) => !isProblem(settingIn(cell, FILE_SETTINGS[setting])))
  )
}

type CellSetting = (typeof FILE_SETTINGS)[(typeof ENTRY_SETTINGS)[number]]

export const isProblem = (read: SettingValue | Problem | undefined): read is Problem =>
  typeof read === 'object' && read !== null && 'code' in read

/** The setting that a cell with a text gives, or why it gives none. */
export function settingIn(
  text: string,
  { entry, schema }: CellSetting,
): SettingValue | Problem | undefined {
  if ('max' in entry) return wholeNumber(text, entry)
  if ('switch' in entry) return switchIn(text)
  if ('list' in entry) return isNone(text) ? [] : listOf(text, schema)
  if ('values' in entry && !('none' in entry && isNone(text))) return choice(text, entry.values)
  // A tag may be one of the other words: without it, the file would be open to all buyers.
  if ('maxLength' in entry)
    return text.toLowerCase() === entry.none ? null : validText(text, schema)
  if (isNone(text)) return null
  return 'day' in entry ? dayOf(text) : undefined
}

/** The words for no expiry, no limit and no other term. All are accepted in these columns. */
const NONE: ReadonlySet<string> = new Set([
  ...ENTRY_SETTINGS.flatMap((name) => {
    const { entry } = FILE_SETTINGS[name]
    return 'none' in entry ? [entry.none] : []
  }),
  // In German, French, Spanish, Italian, Portuguese, Dutch and Japanese.
  'nie',
  'unbegrenzt',
  'unbeschränkt',
  'jamais',
  'illimité',
  'nunca',
  'ilimitado',
  'mai',
  'illimitato',
  'nooit',
  'onbeperkt',
  '無期限',
  '無制限',
  'なし',
  '∞',
])

/** Is it a word for no value, in any column? */
export const isNone = (text: string): boolean => NONE.has(text.toLowerCase())

const WHOLE = /^\d{1,15}$/

const NEGATIVE = /^[-−]\s*\d{1,15}([.,]\d+)?$/
/** A whole number as spreadsheets write it. Three zeros are ambiguous: they may be thousands. */
const WITH_DECIMALS = /^(\d{1,15})[.,]0{1,2}$/

/** `1 000`: any kind of space separates thousands. */
const WITH_SPACES = /^\d{1,3}(?:[\s'’]\d{3}){1,4}$/
/** `1E+01`: Excel shows a number in this form in a narrow column. */
const EXPONENT = /^\d(?:[.,]\d{1,8})?E\+?\d{1,2}$/i

function digitsOf(text: string): string | undefined {
  const [, whole] = WITH_DECIMALS.exec(text) ?? []
  if (whole !== undefined) return whole
  if (WITH_SPACES.test(text)) return text.replaceAll(/\D/g, '')
  const number = EXPONENT.test(text) ? Number(text.replace(',', '.')) : NaN
  return Number.isSafeInteger(number) ? String(number) : undefined
}

/**
 * Writes the digits of any script as ASCII: `٦٠` (Arabic), `६०` (Hindi), `６０` (of full width, from
 * Japanese and Chinese keyboards).
 */
const asciiDigits = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll('٫', '.')
    .replaceAll(/[^\P{Nd}0-9]/gu, (digit) => {
      let value = 0
      // The ten digits of a script follow one another; a script with two sets has both in one row.
      for (let at = digit.codePointAt(0) ?? 0; isDigit(at - 1); at--) value++
      return String(value % 10)
    })
const isDigit = (code: number) => /^\p{Nd}$/u.test(String.fromCodePoint(code))

/** The number in a cell such as `60` or `60.0`; null for `never` and `unlimited`. */
function wholeNumber(
  written: string,
  { min = 1, max }: { min?: number; max: number },
): number | null | Problem {
  const text = WHOLE.test(written) ? written : asciiDigits(written).replace(/^\+(?=\d)/, '')
  const digits = WHOLE.test(text) ? text : digitsOf(text)
  if (digits === undefined && isNone(text)) return null
  if (digits === undefined && !NEGATIVE.test(text))
    return { code: 'invalid_type', message: sayPlain('This is not a whole number') }
  const value = Number(digits ?? -1)
  if (value < min || value > max)
    return {
      code: 'out_of_range',
      message:
        min === 1
          ? say('This is not a number from 1 to {most}', { most: max })
          : say('This is not a number from {least} to {most}', { least: min, most: max }),
    }
  return value
}

/** `2027年3月1日` and `2027년 3월 1일`; `2027. 3. 1.` of Korea and Hungary. */
const WITH_WORDS = /^(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일]$/
const WITH_SPACES_AND_DOTS = /^(\d{4})\. ?(\d{1,2})\. ?(\d{1,2})\.?$/
/** Year, month and day, in the only order in which all countries read them alike. */
const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ]0{1,2}:00(?::00(?:\.0+)?)?Z?)?$/

/** The day in a cell such as `2027-03-01`. `01.03.2027` and `3/1/2027` could be misread. */
function dayOf(written: string): string | Problem {
  const text = asciiDigits(written)
    .replace(WITH_WORDS, '$1-$2-$3')
    .replace(WITH_SPACES_AND_DOTS, '$1-$2-$3')
  const [, year = '', , month = '', day = ''] = YEAR_FIRST.exec(text) ?? []
  if (year === '')
    return {
      code: 'invalid_value',
      message: sayPlain('Write the day as year, month and day, like 2027-03-01'),
    }
  const iso = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const parsed = FILE_SETTINGS.available_from.schema.safeParse(iso)
  if (parsed.success) return iso
  const isDay = z.iso.date().safeParse(iso).success
  return {
    code: 'invalid_value',
    message: isDay ? firstOf(parsed.error.issues).message : sayPlain('There is no such day'),
  }
}

function validText(text: string, schema: z.ZodType): string | Problem {
  const parsed = schema.safeParse(text)
  return parsed.success
    ? text
    : { code: 'invalid_value', message: firstOf(parsed.error.issues).message }
}

/** The words of switches in English, German, French, Spanish, Italian, Portuguese, Dutch and Japanese. */
const ON =
  'yes,y,true,on,1,ja,wahr,ein,an,oui,vrai,activé,sí,si,sì,verdadero,activado,vero,attivo,sim,verdadeiro,ativado,waar,aan,はい,オン,有効,✓,✔'
const OFF =
  'no,n,false,off,0,nein,falsch,aus,non,faux,désactivé,falso,desactivado,disattivo,não,nao,desativado,nee,onwaar,uit,いいえ,オフ,無効,✗,✘'
const SWITCHES: ReadonlyMap<string, boolean> = new Map([
  ...ON.split(',').map((word) => [word, true] as const),
  ...OFF.split(',').map((word) => [word, false] as const),
])

function switchIn(written: string): boolean | Problem {
  const text = asciiDigits(written).toLowerCase()
  return (
    SWITCHES.get(digitsOf(text) ?? text) ?? {
      code: 'invalid_value',
      message: say('This is none of {values}', { values: 'yes, no, true, false, on, off, 1, 0' }),
    }
  )
}

/** The values of a list; spaces, line breaks and `,`, `;` and `|` separate them. */
function listOf(text: string, schema: z.ZodType): readonly string[] | Problem {
  const values = text.split(/[\s,;|]+/).filter((value) => value !== '')
  const parsed = schema.safeParse(values)
  if (parsed.success) return parsed.data as readonly string[]
  const { path, message } = firstOf(parsed.error.issues)
  const wrong = values[Number(path[0] ?? -1)]
  return {
    code: 'invalid_value',
    message:
      wrong === undefined
        ? message
        : say('{value}: {reason}', { value: wrong, reason: textOf(message) }),
  }
}

/** One of the words, however its letters and spaces are written. */
export function choice<Value extends string>(
  text: string,
  values: readonly Value[],
): Value | Problem {
  const word = text.toLowerCase().replaceAll(/[\s-]+/g, '_')
  return (
    values.find((value) => value === word) ?? {
      code: 'invalid_value',
      message: say('This is none of {values}', { values: values.join(', ') }),
    }
  )
}
