// Titles in Japanese, Korean and Chinese, and names of files that spell them in Latin letters, as
// people write and programs make them. Such a name is suggested, and never mapped without a person.
// What bounds it: Japanese kanji have a reading for each word, so that 東京ガイド is not found by
// `tokyo-gaido`: a dictionary of readings is 12 MB packed and 100 MB in memory, and words from English
// (ガイド) are spelled `guide` anyway. A Chinese sign with two readings gets that of the most probable word
// of simplified Chinese.
import type { LabelledName } from './labelled.ts'

/** A title, and names that sound like it. */
// oxfmt-ignore
const SOUNDING: readonly (readonly [title: string, ...names: string[]])[] = [
  ['おりがみ', 'origami.pdf', 'ORIGAMI_final.pdf'],
  ['しゃしんのほん', 'shashin-no-hon.pdf', 'Syasin no hon.pdf'],
  ['とうきょう さんぽ', 'Toukyou-Sanpo.pdf', 'tokyo_sanpo.pdf', 'Tōkyō Sampo.pdf'],
  ['コーヒー', 'kohi.pdf', 'koohii.pdf'],
  ['てんぷら レシピ', 'tempura-reshipi.pdf', 'Tenpura resipi.pdf'],
  ['がっこう ノート 2', 'gakkou-nooto-2.pdf', 'Gakko Noto 2.pdf'],
  ['まっちゃ', 'matcha.pdf', 'maccha.pdf'],
  ['つづき', 'tsuzuki.pdf', 'tuduki.pdf'],
  ['ファッション', 'fasshon.pdf'],
  ['かんじ れんしゅう', 'kanji-renshuu.pdf', 'Kanji Rensyu.pdf'],
  ['ひらがな', 'hiragana.pdf', 'Hiragana (1).pdf'],
  ['한글', 'hangul.pdf', 'Hangeul.pdf'],
  ['서울 여행', 'seoul-yeohaeng.pdf', 'Seoul_Yohaeng.pdf'],
  ['김치 요리', 'kimchi-yori.pdf', 'Gimchi Yori.pdf'],
  ['한국어 노트', 'hangugeo-noteu.pdf', 'Hankugo notu.pdf'],
  ['독립', 'dongnip.pdf', 'doklip.pdf'],
  ['신라', 'silla.pdf'],
  ['종로 지도', 'jongno-jido.pdf', 'Chongno_Chido.pdf'],
  ['비빔밥', 'bibimbap.pdf', 'Pibimbap.pdf'],
  ['불고기 3', 'bulgogi 3.pdf', 'pulgogi-3.pdf'],
  ['떡볶이', 'tteokbokki.pdf'],
  ['东京指南', 'dongjing-zhinan.pdf', 'DongjingZhinan.pdf', 'dong jing zhi nan.pdf'],
  ['北京旅行', 'beijing-lvxing.pdf', 'Beijing_lüxing.pdf', 'beijing luxing.pdf'],
  ['春节食谱', 'chunjie-shipu.pdf', 'Chūnjié shípǔ.pdf'],
  ['重庆火锅', 'chongqing-huoguo.pdf'],
  ['圖書館', 'tushuguan.pdf'],
  ['书法练习册 1', 'shufa-lianxice-1.pdf', 'shufa_lianxice_1_final.pdf'],
  ['茶道', 'chadao.pdf'],
  ['剪纸图案', 'jianzhi-tuan.pdf'],
  ['太极拳', 'taijiquan.pdf', 'tai-ji-quan.pdf'],
]

/** Titles in Latin letters, and names in the script. */
const IN_LATIN: typeof SOUNDING = [
  ['Dongjing Zhinan', '东京指南.pdf'],
  ['Taijiquan', '太极拳.pdf'],
  ['Origami no hon', 'おりがみのほん.pdf'],
  ['Kimchi Yori', '김치 요리.pdf'],
]

/** Names that are another product than the title. */
// oxfmt-ignore
const OTHERS: readonly (readonly [title: string, name: string])[] = [
  ['东京指南', 'nanjing-zhinan.pdf'],
  ['东京指南 1', 'dongjing-zhinan-2.pdf'],
  ['北京旅行', 'beijing.pdf'],
  ['おりがみ', 'origano.pdf'],
  ['おばさん 1', 'obasan-2.pdf'],
  ['き', 'ki.pdf'],
  ['茶', 'cha.pdf'],
  ['ジャズ', 'jazz.pdf'],
  ['한글 1', 'hangul-2.pdf'],
  ['독립', 'dokdo.pdf'],
  ['東京ガイド', 'dongjing-gaido.pdf'],
  ['東京ガイド', 'tokyo-guide.pdf'],
]

/** Each name with all titles of its list. */
const amongAll = (list: typeof SOUNDING) =>
  list.flatMap(([title, ...names]) =>
    names.map((name) => ({ name, title, titles: list.map(([one]) => one) })),
  )

/** Each with its catalog, and the title that is suggested first. */
export const ROMANISED_CASES: readonly (LabelledName & { titles: readonly string[] })[] = [
  ...amongAll(SOUNDING),
  ...amongAll(IN_LATIN),
  ...OTHERS.map(([title, name]) => ({ name, title: null, titles: [title] })),
]
