// The texts of the mail with a link that the shop has made for one buyer, in the languages of
// buyers.
import type { Locale } from '../downloads/translate.ts'

interface LinkTexts {
  subject: string
  intro: string
  button: string
  keep: string
  footer: string
  terms: string
  release: string
  rental: string
  linksSubject: string
  linksIntro: string
  linksKeep: string
  linksFooter: string
}

/** ICU messages. In `terms`, -1 downloads are unlimited ones; in `rental`, whole days are not hours. */
export const LINK_TEXTS: Readonly<Record<Locale, LinkTexts>> = {
  en: {
    subject: 'Your download from {shop}: {name}',
    intro:
      '{shop} has sent you a link to {pack, select, true {the files of {name}} other {{name}}}.',
    button: '{pack, select, true {Open the files} other {Download}}',
    keep: 'Anyone who has this link can use it, and each download counts: keep it to yourself.',
    footer:
      'You get this because {shop} sent you the link. Ask the shop if you did not expect it, or if the link does not work.',
    terms:
      'It works {times, plural, =-1 {as often as you like} one {once} other {# times}}{ends, select, true {, until {date}} other { and does not expire}}.',
    release: 'It becomes available on {date}.',
    rental:
      'It ends {days, plural, =0 {{hours, plural, one {# hour} other {# hours}}} one {# day} other {# days}} after the first download.',
    linksSubject: 'Your downloads from {shop}',
    linksIntro:
      '{shop} has sent you the links to your {count, plural, one {file} other {# files}}.',
    linksKeep:
      'Anyone who has these links can use them, and each download counts: keep them to yourself.',
    linksFooter:
      'You get this because {shop} sent you the links. Ask the shop if you did not expect them, or if a link does not work.',
  },
  de: {
    subject: 'Ihr Download von {shop}: {name}',
    intro:
      '{shop} hat Ihnen einen Link zu {pack, select, true {den Dateien von {name}} other {{name}}} geschickt.',
    button: '{pack, select, true {Dateien öffnen} other {Herunterladen}}',
    keep: 'Wer diesen Link hat, kann ihn verwenden, und jeder Download zählt: Geben Sie ihn nicht weiter.',
    footer:
      'Sie erhalten diese Nachricht, weil {shop} Ihnen den Link geschickt hat. Fragen Sie den Shop, wenn Sie sie nicht erwartet haben oder wenn der Link nicht funktioniert.',
    terms:
      'Er funktioniert {times, plural, =-1 {beliebig oft} one {einmal} other {# Mal}}{ends, select, true {, bis zum {date}} other { und läuft nicht ab}}.',
    release: 'Er ist ab dem {date} verfügbar.',
    rental:
      'Er endet {days, plural, =0 {{hours, plural, one {# Stunde} other {# Stunden}}} one {# Tag} other {# Tage}} nach dem ersten Download.',
    linksSubject: 'Ihre Downloads von {shop}',
    linksIntro:
      '{shop} hat Ihnen die Links zu {count, plural, one {Ihrer Datei} other {Ihren # Dateien}} geschickt.',
    linksKeep:
      'Wer diese Links hat, kann sie verwenden, und jeder Download zählt: Geben Sie sie nicht weiter.',
    linksFooter:
      'Sie erhalten diese Nachricht, weil {shop} Ihnen die Links geschickt hat. Fragen Sie den Shop, wenn Sie sie nicht erwartet haben oder wenn ein Link nicht funktioniert.',
  },
  fr: {
    subject: 'Votre téléchargement de {shop} : {name}',
    intro:
      '{shop} vous a envoyé un lien vers {pack, select, true {les fichiers de {name}} other {{name}}}.',
    button: '{pack, select, true {Ouvrir les fichiers} other {Télécharger}}',
    keep: 'Toute personne qui possède ce lien peut l’utiliser, et chaque téléchargement compte : gardez-le pour vous.',
    footer:
      'Vous recevez ce message parce que {shop} vous a envoyé le lien. Adressez-vous à la boutique si vous ne l’attendiez pas ou si le lien ne fonctionne pas.',
    terms:
      'Il fonctionne {times, plural, =-1 {aussi souvent que vous le souhaitez} one {une fois} other {# fois}}{ends, select, true {, jusqu’au {date}} other { et n’expire pas}}.',
    release: 'Il sera disponible le {date}.',
    rental:
      'Il expire {days, plural, =0 {{hours, plural, one {# heure} other {# heures}}} one {# jour} other {# jours}} après le premier téléchargement.',
    linksSubject: 'Vos téléchargements de {shop}',
    linksIntro:
      '{shop} vous a envoyé les liens vers {count, plural, one {votre fichier} other {vos # fichiers}}.',
    linksKeep:
      'Toute personne qui possède ces liens peut les utiliser, et chaque téléchargement compte : gardez-les pour vous.',
    linksFooter:
      'Vous recevez ce message parce que {shop} vous a envoyé les liens. Adressez-vous à la boutique si vous ne les attendiez pas ou si un lien ne fonctionne pas.',
  },
  es: {
    subject: 'Su descarga de {shop}: {name}',
    intro:
      '{shop} le ha enviado un enlace a {pack, select, true {los archivos de {name}} other {{name}}}.',
    button: '{pack, select, true {Abrir los archivos} other {Descargar}}',
    keep: 'Quien tenga este enlace puede usarlo, y cada descarga cuenta: no lo comparta.',
    footer:
      'Recibe este mensaje porque {shop} le ha enviado el enlace. Pregunte a la tienda si no lo esperaba o si el enlace no funciona.',
    terms:
      'Funciona {times, plural, =-1 {tantas veces como quiera} one {una vez} other {# veces}}{ends, select, true {, hasta el {date}} other { y no caduca}}.',
    release: 'Estará disponible el {date}.',
    rental:
      'Caduca {days, plural, =0 {{hours, plural, one {# hora} other {# horas}}} one {# día} other {# días}} después de la primera descarga.',
    linksSubject: 'Sus descargas de {shop}',
    linksIntro:
      '{shop} le ha enviado los enlaces a {count, plural, one {su archivo} other {sus # archivos}}.',
    linksKeep: 'Quien tenga estos enlaces puede usarlos, y cada descarga cuenta: no los comparta.',
    linksFooter:
      'Recibe este mensaje porque {shop} le ha enviado los enlaces. Pregunte a la tienda si no los esperaba o si un enlace no funciona.',
  },
  ja: {
    subject: '{shop} からのダウンロード: {name}',
    intro:
      '{shop} から {pack, select, true {{name} のファイル} other {{name}}} へのリンクが届きました。',
    button: '{pack, select, true {ファイルを開く} other {ダウンロード}}',
    keep: 'このリンクを持つ人は誰でも利用でき、ダウンロードは毎回数えられます。他の人に渡さないでください。',
    footer:
      'このメールは {shop} がリンクをお送りしたために届いています。お心当たりがない場合や、リンクが使えない場合は、ショップにお問い合わせください。',
    terms:
      '{times, plural, =-1 {何度でも} other {# 回}}ご利用いただけます{ends, select, true {（{date}まで）} other {。期限はありません}}。',
    release: '{date}からご利用いただけます。',
    rental:
      '最初のダウンロードから{days, plural, =0 {{hours, plural, other {# 時間}}} other {# 日}}で終了します。',
    linksSubject: '{shop} からのダウンロード',
    linksIntro: '{shop} から {count, plural, other {# 件のファイル}}へのリンクが届きました。',
    linksKeep:
      'これらのリンクを持つ人は誰でも利用でき、ダウンロードは毎回数えられます。他の人に渡さないでください。',
    linksFooter:
      'このメールは {shop} がリンクをお送りしたために届いています。お心当たりがない場合や、リンクが使えない場合は、ショップにお問い合わせください。',
  },
}
