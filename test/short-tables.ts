// Short tables of many languages, of one, two or three names each, in the encodings in which programs of
// their countries write them. The bytes are made from the text by the decoder of the encoding.
import { decoderOf, type Encoding } from '../server/core/encoding.ts'

type ShortTable = readonly [encoding: Encoding, language: string, names: readonly string[]]

export const SHORT_TABLES: readonly ShortTable[] = [
  ['windows-1250', 'Czech', ['Příručka pro začátečníky.pdf', 'Žluťoučký kůň.pdf']],
  ['windows-1250', 'Czech', ['Střih na šaty.pdf', 'Dětské čepice.pdf', 'Návod.pdf']],
  ['windows-1250', 'Polish', ['Ćwiczenia z żółtą książką.pdf', 'Łódź.pdf']],
  ['windows-1250', 'Polish', ['Wykrój sukienki.pdf', 'Książka kucharska.pdf']],
  ['windows-1250', 'Polish', ['Ćwiczenia dla początkujących.pdf', 'Język polski.pdf']],
  [
    'windows-1250',
    'Croatian',
    ['Priručnik za početnike.pdf', 'Dječje pjesme.pdf', 'Žuti šešir.pdf'],
  ],
  ['windows-1250', 'Hungarian', ['Őszi dalok könyve.pdf', 'Gyűjtemény.pdf']],
  ['windows-1250', 'Hungarian', ['Szabásminta nőknek.pdf', 'Süteményes könyv.pdf']],
  ['windows-1250', 'Slovak', ['Príručka pre začiatočníkov.pdf', 'Ľudové piesne.pdf']],
  ['windows-1250', 'Slovenian', ['Priročnik za začetnike.pdf', 'Otroške pesmi.pdf', 'Žirafa.pdf']],
  ['windows-1250', 'Romanian', ['Cântece pentru copii.pdf', 'Caiet de învăţare.pdf']],
  ['iso-8859-2', 'Czech', ['Příručka pro začátečníky.pdf', 'Žluťoučký kůň.pdf']],
  ['iso-8859-2', 'Polish', ['Ćwiczenia z książką.pdf', 'Źródła pieśni.pdf']],
  ['iso-8859-2', 'Hungarian', ['Őszi dalok könyve.pdf', 'Gyűjtemény.pdf']],
  ['iso-8859-2', 'Croatian', ['Dječje pjesme.pdf', 'Žuti šešir.pdf', 'Početnica.pdf']],
  ['windows-1254', 'Turkish', ['Güneşli günler.pdf', 'Alıştırma kitabı.pdf']],
  ['windows-1254', 'Turkish', ['Çocuk şarkıları.pdf', 'Öğretmen için rehber.pdf', 'Işık.pdf']],
  ['windows-1254', 'Turkish', ['Dikiş kalıbı.pdf', 'Yemek tarifleri kitabı.pdf']],
  ['windows-1258', 'Vietnamese', ['Sách hướng dẫn.pdf', 'Bài tập tiếng Việt.pdf']],
  ['windows-1258', 'Vietnamese', ['Mẫu thêu.pdf', 'Công thức nấu ăn.pdf', 'Nhạc thiếu nhi.pdf']],
  [
    'windows-1257',
    'Lithuanian',
    ['Vadovas pradedantiesiems.pdf', 'Vaikų dainelės.pdf', 'Šaltibarščiai.pdf'],
  ],
  ['windows-1257', 'Latvian', ['Rokasgrāmata iesācējiem.pdf', 'Bērnu dziesmas.pdf']],
  ['windows-1257', 'Estonian', ['Õppematerjal.pdf', 'Käsiraamat algajatele.pdf', 'Šokolaad.pdf']],
  ['windows-1251', 'Russian', ['Путеводитель.pdf', 'Выкройка платья.pdf']],
  ['windows-1251', 'Ukrainian', ['Підручник.pdf', 'Українські пісні.pdf']],
  ['windows-1251', 'Bulgarian', ['Ръководство.pdf', 'Детски песни.pdf']],
  ['windows-1251', 'Serbian', ['Приручник.pdf', 'Дечје песме.pdf']],
  ['koi8-r', 'Russian', ['Путеводитель.pdf', 'Выкройка платья.pdf']],
  ['iso-8859-5', 'Russian', ['Путеводитель.pdf', 'Выкройка платья.pdf']],
  ['ibm866', 'Russian', ['Путеводитель.pdf', 'Выкройка платья.pdf']],
  ['windows-1253', 'Greek', ['Οδηγός για αρχάριους.pdf', 'Παιδικά τραγούδια.pdf']],
  ['iso-8859-7', 'Greek', ['Οδηγός.pdf', 'Παιδικά τραγούδια.pdf', 'Άνοιξη.pdf']],
  ['windows-1255', 'Hebrew', ['מדריך למתחילים.pdf', 'שירי ילדים.pdf']],
  ['windows-1256', 'Arabic', ['دليل المبتدئين.pdf', 'أغاني الأطفال.pdf']],
  ['windows-874', 'Thai', ['คู่มือ.pdf', 'เพลงเด็ก.pdf']],
  ['shift_jis', 'Japanese', ['型紙セット.pdf', '練習帳.pdf']],
  ['shift_jis', 'Japanese', ['楽譜.pdf', 'ガイド.pdf']],
  ['shift_jis', 'Japanese', ['レシピ集.pdf', '編み図.pdf', 'かばん.pdf']],
  ['euc-jp', 'Japanese', ['型紙セット.pdf', '練習帳.pdf']],
  ['euc-jp', 'Japanese', ['ファイル名.pdf', '楽譜.pdf']],
  ['iso-2022-jp', 'Japanese', ['楽譜.pdf', 'ガイド.pdf']],
  ['euc-kr', 'Korean', ['안내서.pdf', '어린이 노래.pdf']],
  ['euc-kr', 'Korean', ['뜨개질 도안.pdf', '한국어 문법.pdf']],
  ['gb18030', 'Chinese', ['指南.pdf', '儿童歌曲.pdf']],
  ['gb18030', 'Chinese', ['练习册.pdf', '编织图案.pdf', '菜谱.pdf']],
  ['big5', 'Chinese (Taiwan)', ['練習冊.pdf', '兒童歌曲.pdf']],
  ['big5', 'Chinese (Taiwan)', ['指南.pdf', '樂譜.pdf', '臺北地圖.pdf']],
  ['big5', 'Chinese (Hong Kong)', ['食譜大全.pdf', '編織圖案.pdf']],
  ['windows-1252', 'German', ['Übungsheft für Anfänger.pdf', 'Größe M.pdf']],
  ['windows-1252', 'French', ['Élèves à l’école.pdf', 'Pâtisserie française.pdf']],
  ['windows-1252', 'Spanish', ['Guía de España.pdf', 'Niños y niñas.pdf']],
  ['windows-1252', 'Portuguese', ['Coleção de canções.pdf', 'Manual básico.pdf']],
  ['windows-1252', 'Italian', ['Ricette per l’estate.pdf', 'Città perché.pdf']],
  ['windows-1252', 'Dutch', ['Ideeën voor België.pdf', 'Patroon.pdf']],
  ['windows-1252', 'Swedish', ['Mönster för tröja.pdf', 'Sånger på svenska.pdf']],
  ['windows-1252', 'Danish', ['Opskrifter på brød.pdf', 'Børnesange.pdf']],
  ['windows-1252', 'Norwegian', ['Mønster på genser.pdf', 'Håndbok.pdf']],
  ['windows-1252', 'Finnish', ['Käsityöohje.pdf', 'Lapsille tehtäviä.pdf']],
  ['windows-1252', 'Icelandic', ['Uppskrift að peysu.pdf', 'Þjóðsögur.pdf']],
  ['windows-1252', 'English', ['Kid’s Planner.pdf', 'Résumé – template.pdf']],
  ['macintosh', 'German', ['Übungsheft für Anfänger.pdf', 'Größe M.pdf']],
  ['macintosh', 'French', ['Élèves à l’école.pdf', 'Pâtisserie française.pdf']],
  ['ibm850', 'German', ['Übungsheft für Anfänger.pdf', 'Größe M.pdf']],
  ['ibm850', 'Spanish', ['Guía de España.pdf', 'Niños y niñas.pdf']],
  ['ibm850', 'English of CP437', ['Café menu.pdf', 'Piñata pattern.pdf']],
  ['ibm852', 'Czech', ['Příručka pro začátečníky.pdf', 'Žluťoučký kůň.pdf']],
  ['ibm852', 'Polish', ['Ćwiczenia z żółtą książką.pdf', 'Łódź.pdf']],
  ['utf-8', 'Polish', ['Ćwiczenia z żółtą książką.pdf', 'Łódź.pdf']],
  ['utf-8', 'Japanese', ['楽譜.pdf', 'ガイド.pdf']],
  ['utf-16le', 'Turkish', ['Güneşli günler.pdf', 'Alıştırma kitabı.pdf']],
  ['utf-16be', 'Vietnamese', ['Sách hướng dẫn.pdf', 'Bài tập tiếng Việt.pdf']],
]

/** The table as its program writes it. */
export const shortTable = (names: readonly string[]): string =>
  `filename,file_url\r\n${names.map((name, at) => `${name},https://files.example/${at + 1}\r\n`).join('')}`

const tables = new Map<Encoding, ReadonlyMap<string, Buffer>>()

/** The bytes of each character of the encoding, of one byte or of two. */
function bytesOfCharacters(encoding: Encoding): ReadonlyMap<string, Buffer> {
  const known = tables.get(encoding)
  if (known) return known
  const made = new Map<string, Buffer>()
  const add = (...bytes: number[]) => {
    const encoded = Buffer.from(bytes)
    const text = decoderOf(encoding).decode(encoded)
    if ([...text].length === 1 && text !== '\ufffd' && !made.has(text)) made.set(text, encoded)
  }
  for (let byte = 0; byte < 256; byte++) add(byte)
  if (/^(?:shift_jis|euc-jp|gb18030|big5|euc-kr)$/.test(encoding))
    for (let lead = 0x81; lead < 0xff; lead++)
      for (let trail = 0x40; trail < 0xff; trail++) add(lead, trail)
  tables.set(encoding, made)
  return made
}

/** Vietnamese letters of Windows-1258: a letter with its shape, then the tone as a mark. */
const withTones = (text: string) =>
  text.replaceAll(/\P{M}\p{M}*/gu, (letter) => {
    const [, base = letter, tone = ''] =
      /^(.*?)([\u0300\u0301\u0303\u0309\u0323])/u.exec(letter.normalize('NFD')) ?? []
    const rest = tone === '' ? '' : letter.normalize('NFD').slice(base.length + 1)
    return (base + rest).normalize('NFC') + tone
  })

/** Throws if the encoding lacks a character. */
export function encoded(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text)
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le')
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16()
  if (encoding === 'iso-2022-jp') return inEscapes(text)
  const bytes = bytesOfCharacters(encoding)
  const written = encoding === 'windows-1258' ? withTones(text) : text
  return Buffer.concat(
    Array.from(written, (character) => {
      const found = bytes.get(character)
      if (!found) throw new Error(`${encoding} has no ${character}`)
      return found
    }),
  )
}

/** ISO-2022-JP is EUC-JP without the high bits, between escape sequences. */
const inEscapes = (text: string): Buffer =>
  Buffer.concat(
    (text.match(/[\0-\x7f]+|[^\0-\x7f]+/g) ?? []).map((part) =>
      part.charCodeAt(0) < 0x80
        ? Buffer.from(part)
        : Buffer.concat([
            Buffer.from('\x1b$B'),
            encoded(part, 'euc-jp').map((byte) => byte & 0x7f),
            Buffer.from('\x1b(B'),
          ]),
    ),
  )
