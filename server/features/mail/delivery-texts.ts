// The texts of the mail that brings an order's files, in the languages of buyers.
import type { Locale } from '../downloads/translate.ts'

/** The texts as ICU messages, into which values are inserted as text. */
interface DeliveryTexts {
  subject: string
  intro: string
  updateSubject: string
  updateIntro: string
  addedSubject: string
  addedIntro: string
  readySubject: string
  readyIntro: string
  availableSubject: string
  availableIntro: string
  laterIntro: string
  later: string
  preparing: string
  button: string
  expires: string
  licences: string
  keep: string
  footer: string
  /** The text message; the link follows. */
  text: string
}

export const DELIVERY_TEXTS: Readonly<Record<Locale, DeliveryTexts>> = {
  en: {
    subject: 'Your files of order {order} from {shop}',
    intro:
      'Thank you for your order {order}. {count, plural, one {Your file is} other {Your # files are}} ready.',
    updateSubject: 'New version: your files of order {order} from {shop}',
    updateIntro:
      '{shop} has a new version of what you bought with order {order}. Your link gives you the new files.',
    addedSubject: 'Further files for your order {order} from {shop}',
    addedIntro:
      '{shop} has added {count, plural, one {a file} other {# files}} to what you bought with order {order}. Your link gives you {count, plural, one {it} other {them}} too.',
    readySubject: 'Now ready: your files of order {order} from {shop}',
    readyIntro:
      'All files of your order {order} are ready now, also those that were still being prepared.',
    availableSubject: 'Now available: files of your order {order} from {shop}',
    availableIntro:
      '{count, plural, one {A file} other {# files}} of your order {order} can be downloaded now.',
    laterIntro:
      'Thank you for your order {order}. Its files become available later, at the times below. Your link stays the same.',
    later: 'Available later:',
    preparing:
      '{waiting, plural, one {One file is} other {# files are}} still being prepared: {names}. We write again when {waiting, plural, one {it is} other {they are}} ready.',
    button: '{count, plural, one {Download your file} other {Download your files}}',
    expires: 'You can download until {date}.',
    licences: 'Your licence keys:',
    keep: 'Anyone who has this link can use it: keep it to yourself.',
    footer: 'You get this message because of your order {order} from {shop}.',
    text: '{shop}: download the files of your order {order} here:',
  },
  de: {
    subject: 'Ihre Dateien zur Bestellung {order} bei {shop}',
    intro:
      'Vielen Dank für Ihre Bestellung {order}. {count, plural, one {Ihre Datei liegt} other {Ihre # Dateien liegen}} bereit.',
    updateSubject: 'Neue Version: Ihre Dateien zur Bestellung {order} bei {shop}',
    updateIntro:
      'Bei {shop} gibt es eine neue Version dessen, was Sie mit der Bestellung {order} gekauft haben. Ihr Link führt zu den neuen Dateien.',
    addedSubject: 'Weitere Dateien zur Bestellung {order} bei {shop}',
    addedIntro:
      '{shop} hat {count, plural, one {eine Datei} other {# Dateien}} zu dem hinzugefügt, was Sie mit der Bestellung {order} gekauft haben. Ihr Link führt auch zu {count, plural, one {ihr} other {ihnen}}.',
    readySubject: 'Jetzt bereit: Ihre Dateien zur Bestellung {order} bei {shop}',
    readyIntro:
      'Alle Dateien Ihrer Bestellung {order} liegen jetzt bereit, auch die, die noch vorbereitet wurden.',
    availableSubject: 'Jetzt verfügbar: Dateien Ihrer Bestellung {order} bei {shop}',
    availableIntro:
      '{count, plural, one {Eine Datei Ihrer Bestellung {order} kann} other {# Dateien Ihrer Bestellung {order} können}} jetzt heruntergeladen werden.',
    laterIntro:
      'Vielen Dank für Ihre Bestellung {order}. Ihre Dateien werden später verfügbar, zu den Zeiten unten. Ihr Link bleibt derselbe.',
    later: 'Später verfügbar:',
    preparing:
      '{waiting, plural, one {Eine Datei wird} other {# Dateien werden}} noch vorbereitet: {names}. Wir schreiben Ihnen wieder, wenn {waiting, plural, one {sie bereit ist} other {sie bereit sind}}.',
    button: '{count, plural, one {Datei herunterladen} other {Dateien herunterladen}}',
    expires: 'Sie können bis zum {date} herunterladen.',
    licences: 'Ihre Lizenzschlüssel:',
    keep: 'Wer diesen Link hat, kann ihn verwenden: Geben Sie ihn nicht weiter.',
    footer: 'Sie erhalten diese Nachricht wegen Ihrer Bestellung {order} bei {shop}.',
    text: '{shop}: Die Dateien Ihrer Bestellung {order} können Sie hier herunterladen:',
  },
  fr: {
    subject: 'Vos fichiers de la commande {order} chez {shop}',
    intro:
      'Merci pour votre commande {order}. {count, plural, one {Votre fichier est prêt} other {Vos # fichiers sont prêts}}.',
    updateSubject: 'Nouvelle version : vos fichiers de la commande {order} chez {shop}',
    updateIntro:
      '{shop} propose une nouvelle version de ce que vous avez acheté avec la commande {order}. Votre lien donne accès aux nouveaux fichiers.',
    addedSubject: 'De nouveaux fichiers pour la commande {order} chez {shop}',
    addedIntro:
      '{shop} a ajouté {count, plural, one {un fichier} other {# fichiers}} à ce que vous avez acheté avec la commande {order}. Votre lien y donne aussi accès.',
    readySubject: 'Prêts maintenant : vos fichiers de la commande {order} chez {shop}',
    readyIntro:
      'Tous les fichiers de votre commande {order} sont prêts, y compris ceux qui étaient encore en préparation.',
    availableSubject: 'Disponible maintenant : des fichiers de votre commande {order} chez {shop}',
    availableIntro:
      '{count, plural, one {Un fichier de votre commande {order} peut} other {# fichiers de votre commande {order} peuvent}} maintenant être {count, plural, one {téléchargé} other {téléchargés}}.',
    laterIntro:
      'Merci pour votre commande {order}. Ses fichiers seront disponibles plus tard, aux dates ci-dessous. Votre lien reste le même.',
    later: 'Disponibles plus tard :',
    preparing:
      '{waiting, plural, one {Un fichier est encore en préparation} other {# fichiers sont encore en préparation}} : {names}. Nous vous écrirons de nouveau {waiting, plural, one {quand il sera prêt} other {quand ils seront prêts}}.',
    button: '{count, plural, one {Télécharger votre fichier} other {Télécharger vos fichiers}}',
    expires: 'Vous pouvez télécharger jusqu’au {date}.',
    licences: 'Vos clés de licence :',
    keep: 'Toute personne qui possède ce lien peut l’utiliser : gardez-le pour vous.',
    footer: 'Vous recevez ce message en raison de votre commande {order} chez {shop}.',
    text: '{shop} : téléchargez ici les fichiers de votre commande {order} :',
  },
  es: {
    subject: 'Sus archivos del pedido {order} en {shop}',
    intro:
      'Gracias por su pedido {order}. {count, plural, one {Su archivo está listo} other {Sus # archivos están listos}}.',
    updateSubject: 'Nueva versión: sus archivos del pedido {order} en {shop}',
    updateIntro:
      '{shop} tiene una nueva versión de lo que compró con el pedido {order}. Su enlace le da los archivos nuevos.',
    addedSubject: 'Más archivos para el pedido {order} en {shop}',
    addedIntro:
      '{shop} ha añadido {count, plural, one {un archivo} other {# archivos}} a lo que compró con el pedido {order}. Su enlace también le da acceso.',
    readySubject: 'Ya listos: sus archivos del pedido {order} en {shop}',
    readyIntro:
      'Todos los archivos de su pedido {order} están listos, también los que aún se estaban preparando.',
    availableSubject: 'Ya disponible: archivos de su pedido {order} en {shop}',
    availableIntro:
      '{count, plural, one {Un archivo de su pedido {order} ya se puede} other {# archivos de su pedido {order} ya se pueden}} descargar.',
    laterIntro:
      'Gracias por su pedido {order}. Sus archivos estarán disponibles más adelante, en las fechas de abajo. Su enlace no cambia.',
    later: 'Disponibles más adelante:',
    preparing:
      '{waiting, plural, one {Un archivo aún se está preparando} other {# archivos aún se están preparando}}: {names}. Le escribiremos de nuevo {waiting, plural, one {cuando esté listo} other {cuando estén listos}}.',
    button: '{count, plural, one {Descargar el archivo} other {Descargar los archivos}}',
    expires: 'Puede descargar hasta el {date}.',
    licences: 'Sus claves de licencia:',
    keep: 'Quien tenga este enlace puede usarlo: no lo comparta.',
    footer: 'Recibe este mensaje por su pedido {order} en {shop}.',
    text: '{shop}: descargue aquí los archivos de su pedido {order}:',
  },
  ja: {
    subject: '{shop} のご注文 {order} のファイル',
    intro:
      'ご注文 {order} をありがとうございます。{count, plural, other {# 件のファイルをご用意しました。}}',
    updateSubject: '新しいバージョン: {shop} のご注文 {order} のファイル',
    updateIntro:
      'ご注文 {order} でお求めになったファイルの新しいバージョンが {shop} にあります。お持ちのリンクからダウンロードできます。',
    addedSubject: '{shop} のご注文 {order} にファイルが追加されました',
    addedIntro:
      'ご注文 {order} でお求めになった商品に、{shop} が {count, plural, other {# 件のファイル}}を追加しました。お持ちのリンクからダウンロードできます。',
    readySubject: '準備ができました: {shop} のご注文 {order} のファイル',
    readyIntro:
      'ご注文 {order} のすべてのファイルの準備ができました。準備中だったファイルもダウンロードできます。',
    availableSubject: 'ご利用いただけます: {shop} のご注文 {order} のファイル',
    availableIntro:
      '{count, plural, other {ご注文 {order} の # 件のファイルをダウンロードできるようになりました。}}',
    laterIntro:
      'ご注文 {order} をありがとうございます。ファイルは下記の日時からご利用いただけます。リンクは変わりません。',
    later: '後日利用可能:',
    preparing:
      '{waiting, plural, other {# 件のファイルを準備しています}}: {names}。準備ができましたら、もう一度ご連絡します。',
    button: '{count, plural, other {ファイルをダウンロード}}',
    expires: '{date}までダウンロードできます。',
    licences: 'ライセンスキー:',
    keep: 'このリンクを持つ人は誰でも利用できます。他の人に渡さないでください。',
    footer: 'このメールはご注文 {order} のために {shop} からお送りしました。',
    text: '{shop}: ご注文 {order} のファイルはこちらからダウンロードできます:',
  },
}
