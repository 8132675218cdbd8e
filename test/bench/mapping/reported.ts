// Titles and names of files as public projects write or report them: issues of beets, Lidarr, Jellyfin,
// groonga, meilisearch, slugify, copyparty, Open Food Facts and Catalogue of Life; the files of Google
// Fonts, Mutopia, IMSLP and of scores for LilyPond. The tests of the matching and its bench read them.
import type { LabelledName } from './labelled.ts'

/** A title, and the name of its file. */
export const REPORTED_SAME: readonly (readonly [title: string, name: string])[] = [
  // Letters of two scripts in one word.
  ['Е322 Лецитины', 'E322 Лецитины.pdf'],
  ['Clojure на производстве', 'Сlojure на производстве.pdf'],
  ['Регистрация в СEIDG', 'Регистрация в CEIDG.pdf'],
  ['Список символов', 'Cписок символов.pdf'],
  ['Cucumaria croceoida', 'Cucumaria croceoϊda.pdf'],
  ['Carpelimus rougemonti', 'Carpelimus rougemoпti.pdf'],
  ['Мрії про небо', 'Мрiї про небо.pdf'],
  ['Витамин А', 'Витамин A.pdf'],
  ['Орёл в городах', 'Орел в городах.pdf'],
  // Music.
  ['Sinfonia No. 2 in C minor', 'sinfonia-no2-C-min.pdf'],
  ['Sinfonia No. 1 in C major', 'sinfonia-no1-C-maj.pdf'],
  ['BWV 1007 Menuet II', 'bwv1007_menuet_ii.pdf'],
  ['BWV 1006a', 'bwv-1006a.pdf'],
  ['Cello Suite 3', 'cellosuite3.pdf'],
  ['Prélude No. 1', 'Prelude no 1.pdf'],
  ['La Bohème', 'La Boheme.pdf'],
  ['Piano Concerto No. 26, K. 537', 'Piano_Concerto_No.26,_K.537.pdf'],
  ['B♭ Clarinet 1', 'Bb Clarinet 1.pdf'],
  ['L’Orfeo', "L'Orfeo.pdf"],
  ['I. Allegro ma non troppo', 'I._Allegro_ma_non_troppo.pdf'],
  // Fonts.
  ['Crimson Pro Bold Italic', 'CrimsonPro-BoldItalic.ttf'],
  ['Crimson Pro ExtraLight', 'CrimsonPro-ExtraLight.ttf'],
  ['Open Sans Semi Bold', 'OpenSans-SemiBold.ttf'],
  ['Saira SemiExpanded Black', 'SairaSemiExpanded-Black.otf'],
  // Apostrophes.
  ['Phantoms Can’t Hang', "09 - Phantoms Can't Hang.mp3"],
  ["93 'Til Infinity", '93 ’til Infinity.flac'],
  ["It Ain't Hard to Tell", 'It Ain‘t Hard to Tell.flac'],
  ["Janie's Got a Gun", 'Janieʼs Got a Gun.mp3'],
  ["DMA's", 'DMA’s.zip'],
  ["The World's End", 'The Worlds End.zip'],
  ["Pee-Wee's Big Adventure", 'Pee-Wees Big Adventure.zip'],
  ["Good Apollo, I'm Burning Star IV", 'Good.Apollo.I’m.Burning.Star.IV.zip'],
  ['L’Opéra imaginaire', "l'opera imaginaire.pdf"],
  // Letters that become two, or another one.
  ['Übermann', 'Uebermann.epub'],
  ['Übermann', 'Ubermann.epub'],
  ['Das angemessene Maß an Vertrauen', 'Das angemessene Mass an Vertrauen.mp4'],
  ['Märchen à la carte über das Örtchen', 'Marchen_a_la_carte_uber_das_Ortchen.txt'],
  ['Märchen à la carte über das Örtchen', 'Maerchen_a_la_carte_ueber_das_Oertchen.txt'],
  [
    'Läsionskette Verdauungstrakt – Wirbelsäule',
    'Laesionskette_Verdauungstrakt_-_Wirbelsaeule.pdf',
  ],
  ['Österreich', 'Oesterreich.pdf'],
  ['Bør', 'boer.pdf'],
  ['større end', 'stoerre-end.pdf'],
  ['større end', 'storre-end.pdf'],
  ['Å å Æ æ Ø ø', 'aa-aa-ae-ae-oe-oe.pdf'],
  // Turkish.
  ['ISPANAK', 'ıspanak.pdf'],
  ['İSPANYA', 'ispanya.pdf'],
  ['Işık TV', 'ISIK TV.pdf'],
  ['Ünlü Şan', 'unlu-san.pdf'],
  ['Orhan Kılavuzu', 'ORHAN KILAVUZU.pdf'],
  // Numerals.
  ['Final Destination Ⅲ', 'Final Destination III.pdf'],
  ['Final Destination Ⅻ', 'final-destination-12.pdf'],
  ['Fight Against Evil II', 'Fight.Against.Evil.Ⅱ.pdf'],
  // Japanese.
  ['わがはい', 'ﾜｶﾞﾊｲ.pdf'],
  ['わがはい', 'ワガハイ.pdf'],
  ['ロンドン', 'ﾛﾝﾄﾞﾝ.pdf'],
  ['キャプテン', 'ｷｬﾌﾟﾃﾝ.pdf'],
  ['ダイエット', 'タ\u3099イエット.pdf'],
  ['ターン・アンド・フロンティア', 'ターン・アント ゙・フロンティア.png'],
  ['プログラミング', 'プログラミング.pdf'.normalize('NFD')],
  ['Gintama', 'Ｇｉｎｔａｍａ.zip'],
  // Korean.
  [
    '서경혜 온라인교사공동체의협력적전문성개발',
    '서경혜-온라인교사공동체의협력적전문성개발.pdf'.normalize('NFD'),
  ],
  ['학점인정', '학점인정.md'.normalize('NFD')],
  // Arabic and Persian.
  ['كتاب', 'کتاب.pdf'],
  ['الذي', 'الذی.pdf'],
  ['الله', 'اللہ.pdf'],
  ['رحمة', 'رحمۃ.pdf'],
  ['قهوه', 'قەوە.pdf'],
  ['برای', 'براي.pdf'],
]

/** A title, and the name of a file of another product. */
export const REPORTED_OTHER: readonly (readonly [title: string, name: string])[] = [
  ['Sinfonia No. 1 in C major', 'sinfonia-no2-C-min.pdf'],
  ['BWV 1007 Menuet I', 'bwv1007_menuet_ii.pdf'],
  ['BWV 1006', 'bwv-1006a.pdf'],
  ['BWV 1006a', 'bwv-1006.pdf'],
  ['Partita 1 Viola', 'partita-1-violin.pdf'],
  ['No. 1 Intermezzo', 'No. 2 - Intermezzo.pdf'],
  ['B♭ Clarinet 1', 'Eb Clarinet 1.pdf'],
  ['Crimson Pro Bold', 'CrimsonPro-BoldItalic.ttf'],
  ['Final Destination Ⅱ', 'Final Destination III.pdf'],
  ['테스트 맥', '테스트_윈도우.txt'],
  ['ジャ', 'ヂャ.pdf'],
  ['Мой город', 'Мои город.pdf'],
  ['Filter 10 μm', 'Filter 10 mm.pdf'],
  ['圖書館', '图书馆.pdf'],
]

/** A name, the titles of a catalog, and which of them it is. */
export const REPORTED_AMONG: readonly (readonly [
  name: string,
  titles: readonly string[],
  becomes: string,
])[] = [
  ['Aepfel.pdf', ['Apfel', 'Äpfel'], 'Äpfel'],
  ['boer.pdf', ['Bor', 'Bør'], 'Bør'],
  ['Oesterreich.pdf', ['Osterreich', 'Österreich', 'Oesterreich'], 'Oesterreich'],
  ['ヒカリ.pdf', ['ひかり', 'ヒカリ'], 'ヒカリ'],
  ['ひかり.pdf', ['ひかり', 'ヒカリ'], 'ひかり'],
  ['CCCP.pdf', ['СССР', 'CCCP'], 'CCCP'],
  ['СССР.pdf', ['СССР', 'CCCP'], 'СССР'],
  ['CrimsonPro-Bold.ttf', ['Crimson Pro Bold', 'Crimson Pro Bold Italic'], 'Crimson Pro Bold'],
  ['moi.pdf', ['мой', 'мои'], 'review'],
]

/** Each case with the titles of its catalog. */
export const REPORTED_CASES: readonly (LabelledName & { titles: readonly string[] })[] = [
  ...REPORTED_OTHER.map(([title, name]) => ({ name, title: null, titles: [title] })),
  ...REPORTED_SAME.map(([title, name]) => ({ name, title, titles: [title] })),
  ...REPORTED_AMONG.map(([name, titles, becomes]) => ({
    name,
    title: becomes === 'review' ? null : becomes,
    titles,
  })),
]
