// What buyers read, in German.
import type { Messages } from './en.ts'

export const de: Messages = {
  'page.toShop': 'Zu {shop}',
  'page.logo': 'Logo von {shop}',

  'size.bytes': '{count, plural, one {# Byte} other {# Bytes}}',
  'size.KB': '{value} KB',
  'size.MB': '{value} MB',
  'size.GB': '{value} GB',
  'size.TB': '{value} TB',

  'expired.title': 'Dieser Link ist abgelaufen',
  'expired.happened': 'Er war bis zum {day} gültig.',
  'exhausted.title': 'Dieser Link ist aufgebraucht',
  'exhausted.happened':
    'Er konnte {limit, plural, one {einmal} other {#-mal}} benutzt werden, und das ist geschehen.',
  'withdrawn.title': 'Dieser Link wurde zurückgezogen',
  'withdrawn.happened':
    '{pack, select, true {Die Dateien werden} other {Die Datei wird}} über diesen Link nicht mehr angeboten.',
  'advice.askShop': 'Wenn Sie sie wieder brauchen, fragen Sie {shop}.',
  'advice.askSender': 'Bitten Sie den Shop, der ihn geschickt hat, um einen neuen Link.',
  'advice.asked': '{shop} hat Ihre Anfrage schon: Warten Sie auf die Antwort.',
  'unavailable.title': 'Dieser Link funktioniert nicht',
  'unavailable.happened':
    'Die Adresse ist vielleicht unvollständig, oder den Link gibt es nicht mehr.',
  'unavailable.advice':
    'Prüfen Sie, ob Sie die ganze Adresse kopiert haben, oder bitten Sie den Shop um einen neuen Link.',
  'noFile.title': 'Unter dieser Adresse gibt es keine Datei',
  'noFile.happened':
    'Die Adresse ist vielleicht unvollständig, oder die Datei wird hier nicht mehr angeboten.',
  'noFile.advice':
    'Prüfen Sie, ob Sie die ganze Adresse kopiert haben, oder bitten Sie den Absender um eine neue.',
  'referrer.title': 'Nicht von dieser Website aus',
  'referrer.happened':
    'Diese Datei darf nicht von der Website aus geladen werden, von der Sie kommen.',
  'referrer.advice':
    'Gehen Sie zum Shop selbst, oder öffnen Sie den Link in der Nachricht, in der Sie ihn bekamen.',
  'tooOften.title': 'Das war zu oft',
  'tooOften.happened': 'Ihre Nachricht wurde nicht gesendet: Aus Ihrem Netz kamen zu viele.',
  'tooOften.advice': 'Versuchen Sie es in einer Stunde wieder.',
  'tooLong.title': 'Das war zu viel',
  'tooLong.happened': 'Ihre Nachricht wurde nicht gesendet: Sie ist zu lang.',
  'tooLong.advice': 'Gehen Sie zurück, kürzen Sie sie und senden Sie sie noch einmal.',
  'invalid.title': 'Sehen Sie Ihre Nachricht noch einmal an',
  'invalid.happened': 'Sie wurde noch nicht gesendet.',
  notCounted: 'Das wurde nicht als Download gezählt.',
  'damaged.title': 'Diese Datei ist beschädigt',
  'damaged.advice':
    'Der Shop weiß davon. Versuchen Sie es später wieder, oder fragen Sie den Shop nach der Datei.',
  'away.title': 'Der Download konnte nicht beginnen',
  'away.advice': 'Versuchen Sie es in einer Minute wieder.',
  'range.title': 'Diesen Teil hat die Datei nicht',
  'changed.title': 'Die Datei hat sich geändert',
  'again.advice': 'Beginnen Sie den Download noch einmal von vorn.',
  'refused.title': 'Diese Anfrage wurde nicht verstanden',
  'refused.advice': 'Gehen Sie zurück und öffnen Sie den Link aus Ihrer Nachricht noch einmal.',

  'pack.summary': '{count, plural, one {# Datei} other {# Dateien}}, {size}',
  'pack.empty': 'Im Moment ist nichts darin. Kommen Sie später wieder, oder fragen Sie {shop}.',
  'pack.until': 'Sie können bis zum {day} herunterladen.',
  'pack.download': 'Herunterladen',
  'pack.downloadNamed': '{filename} herunterladen',
  'pack.left':
    '{count, plural, =0 {keine Downloads übrig} one {noch # Download} other {noch # Downloads}}',
  'pack.usedUp':
    '{which, select, only {Diese Datei wurde} some {Einige dieser Dateien wurden} other {Diese Dateien wurden}} so oft heruntergeladen, wie dieser Link erlaubt.',
  'pack.askMore': 'Wenn Sie mehr brauchen, fragen Sie {shop}.',

  'ask.heading': '{shop} um mehr bitten',
  'ask.email': 'Ihre E-Mail-Adresse für die Antwort',
  'ask.message': 'Nachricht, wenn Sie möchten',
  'ask.send': 'An {shop} senden',
  'ask.wrongEmail': 'Schreiben Sie eine E-Mail-Adresse',
  'ask.wrongMessage': 'Schreiben Sie höchstens {max} Zeichen',
  'ask.sent': 'Ihre Nachricht wurde gesendet',
  'ask.sentHappened': '{shop} hat Ihre Bitte um mehr Downloads erhalten.',
  'ask.sentTo': 'Die Antwort kann an {email} gehen.',
  'ask.sentThere': 'Die Antwort kann an die Adresse gehen, an die der Link geschickt wurde.',
  'ask.before': 'Sie haben schon gefragt',
  'ask.beforeHappened':
    '{shop} wurde am letzten Tag benachrichtigt; dies wurde nicht noch einmal gesendet.',
  'ask.beforeAdvice': 'Warten Sie auf die Antwort.',

  'order.title': 'Ihre Downloads',
  'order.number': 'Bestellung {order}',
  'order.preparing': 'Ihre Dateien werden vorbereitet. Laden Sie diese Seite in einer Minute neu.',
  'order.filePreparing':
    'Diese Datei wird vorbereitet. Wir schreiben Ihnen wieder, wenn sie bereit ist.',
  'order.preparingTitle': 'Ihre Dateien sind noch nicht bereit',
  'order.delayed': 'Ihre Dateien konnten noch nicht vorbereitet werden. {shop} weiß davon.',
  'order.held':
    '{shop} prüft Ihre Bestellung. Sie bekommen Ihre Dateien, sobald sie freigegeben ist.',
  'order.endedTitle': 'Es gibt nichts mehr herunterzuladen',
  'order.ended': 'Die Dateien wurden so oft heruntergeladen wie erlaubt, oder sie sind abgelaufen.',
  'order.heldTitle': 'Ihre Bestellung wird geprüft',
  'order.heldAdvice': 'Kommen Sie später wieder. Dieser Link bleibt gleich.',
  'order.goneTitle': 'Diese Dateien werden nicht mehr angeboten',
  'order.askIfWrong': 'Fragen Sie {shop}, wenn das nicht stimmt.',
  'order.refused': '{shop} bietet diese Dateien nicht mehr an.',
  'order.cancelled': 'Diese Bestellung wurde storniert; ihre Dateien werden nicht mehr angeboten.',
  'order.refunded': 'Diese Bestellung wurde erstattet; ihre Dateien werden nicht mehr angeboten.',
  'order.downloadAll': 'Alles herunterladen',
  'order.downloadAllAbout': 'Eine ZIP-Datei, {size}',
  'order.version': 'Neue Version vom {day}',
  'order.until': 'bis zum {day}',
  'order.fileExpired': 'abgelaufen am {day}',
  'order.licenceKey': 'Lizenzschlüssel {key}',

  'view.read': 'Lesen',
  'view.play': 'Abspielen',
  'view.open': 'Öffnen',
  'view.readNamed': '{filename} lesen',
  'view.playNamed': '{filename} abspielen',
  'view.openNamed': '{filename} öffnen',
  'view.failed':
    'Ihr Browser kann diese Datei nicht zeigen. Versuchen Sie es mit einem anderen Browser oder fragen Sie den Shop.',
  'view.changed': 'Die Datei hat sich geändert. Laden Sie diese Seite neu.',
  'view.zoom': 'Volle Größe',
  'view.reader': 'Seiten',
  'view.previous': 'Vorherige Seite',
  'view.next': 'Nächste Seite',
  'view.pageNumber': 'Seite',
  'view.smaller': 'Kleiner',
  'view.larger': 'Größer',
  'view.noScript': 'Schalten Sie JavaScript für diese Seite ein, um die Datei anzusehen.',
  'view.allFiles': 'Alle Dateien',
  'view.onlyTitle': 'Diese Datei können Sie hier ansehen',
  'view.onlyHappened': 'Der Shop bietet sie im Browser an, ohne Download.',
  'view.endedTitle': 'Diese Ansicht ist beendet',
  'view.endedAdvice': 'Öffnen Sie die Seite der Datei noch einmal.',
}
