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

  'notReleased.title': 'Diese Datei ist noch nicht verfügbar',
  'notReleased.happened': 'Sie können sie ab {moment} herunterladen.',
  'notReleased.advice': 'Kommen Sie dann wieder. Dieser Link bleibt derselbe.',
  'customerTag.title': 'Für diese Datei brauchen Sie eine Mitgliedschaft',
  'customerTag.missing':
    '{shop} bietet diese Datei Kunden mit einer laufenden Mitgliedschaft oder einem Abo an, und Ihr Kundenkonto hat gerade keine.',
  'customerTag.guest':
    '{shop} bietet diese Datei Kunden mit einer laufenden Mitgliedschaft oder einem Abo an. Ihre Bestellung wurde ohne Kundenkonto aufgegeben.',
  'customerTag.advice': 'Wenn Sie eine haben oder Fragen haben, wenden Sie sich an {shop}.',
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

  'gate.emailTitle': 'Geben Sie Ihre E-Mail-Adresse ein',
  'gate.emailAbout':
    '{shop} öffnet diesen Link nur für den Käufer. Geben Sie die Adresse ein, an die der Link oder die Bestellbestätigung gesendet wurde.',
  'gate.anyEmailAbout': '{shop} fragt vor dem Download nach Ihrer E-Mail-Adresse.',
  'gate.seen': '{shop} sieht die Adresse, die Sie eingeben.',
  'gate.passwordTitle': 'Geben Sie das Passwort ein',
  'gate.passwordAbout':
    '{shop} hat diesen Link mit einem Passwort geschützt. Wenn Sie es nicht haben, fragen Sie {shop}.',
  'gate.email': 'Ihre E-Mail-Adresse',
  'gate.password': 'Passwort',
  'gate.continue': 'Weiter',
  'gate.noPassword': 'Geben Sie das Passwort ein',
  'gate.wrongEmail':
    'Der Link gehört nicht zu dieser Adresse. Prüfen Sie sie, oder versuchen Sie eine andere Ihrer Adressen.',
  'gate.wrongPassword': 'Dieses Passwort ist nicht richtig.',
  'gate.left':
    'Sie haben vorerst {count, plural, =0 {keinen Versuch} one {noch # Versuch} other {noch # Versuche}}.',
  'gate.closedTitle': 'Zu viele falsche Antworten',
  'gate.closed':
    'Sie können es in {minutes, plural, one {# Minute} other {# Minuten}} wieder versuchen.',
  'gate.closedAdvice': 'Wenn Sie die richtige Antwort nicht kennen, fragen Sie {shop}.',
  'gate.asks.email': 'fragt nach Ihrer E-Mail-Adresse',
  'gate.asks.password': 'fragt nach einem Passwort',
  'gate.unlock': 'Entsperren',
  'gate.unlockNamed': '{filename} entsperren',

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
  'order.availableFrom': 'Verfügbar ab {moment}',
  'order.needsTag': 'erfordert eine laufende Mitgliedschaft',
  'order.useHours': '{hours, plural, one {# Stunde} other {# Stunden}} ab dem ersten Download',
  'order.useDays': '{days, plural, one {# Tag} other {# Tage}} ab dem ersten Download',
  'order.licenceKey': 'Lizenzschlüssel {key}',
  'order.licenceWithdrawn': 'Lizenzschlüssel zurückgezogen',

  'library.title': 'Alle meine Downloads',
  'library.sendAbout': 'Wir senden einen Link an Ihre E-Mail-Adresse.',
  'library.requestTitle': 'Alle Ihre Downloads von {shop}',
  'library.requestAbout':
    'Geben Sie die E-Mail-Adresse Ihrer Bestellungen ein. Sie erhalten eine Nachricht mit einem Link zu allen Dateien, die Sie gekauft haben.',
  'library.email': 'E-Mail-Adresse',
  'library.request': 'Link senden',
  'library.sentTitle': 'Sehen Sie in Ihr Postfach',
  'library.sent':
    'Wenn {shop} Dateien für {email} hat, ist eine Nachricht mit einem Link dorthin unterwegs.',
  'library.sentToOrder':
    'Eine Nachricht mit einem Link zu allen Ihren Dateien ist an die E-Mail-Adresse dieser Bestellung unterwegs.',
  'library.sentAdvice':
    'Der Link gilt {days, plural, one {einen Tag} other {# Tage}}. Wenn nach einigen Minuten nichts ankommt, sehen Sie bei den unerwünschten Nachrichten nach, oder versuchen Sie es mit einer anderen Adresse.',
  'library.noAddressTitle': 'Diese Bestellung hat keine E-Mail-Adresse',
  'library.expiredAbout': 'Fordern Sie einen neuen an: Es dauert eine Minute.',
  'library.tooOften': 'Aus Ihrem Netz kamen zu viele Anfragen. Es wurde nichts gesendet.',
  'library.search': 'Datei, Produkt oder Bestellung suchen',
  'library.find': 'Suchen',
  'library.all': 'Alle zeigen',
  'library.found':
    '{count, plural, =0 {Nichts enthält „{search}“.} one {# Datei enthält „{search}“.} other {# Dateien enthalten „{search}“.}}',
  'library.foundMore': 'Mehr als {count, number} Dateien enthalten „{search}“.',
  'library.page': 'Seite {page, number}',
  'library.newer': 'Neuere',
  'library.older': 'Ältere',
  'library.empty':
    'Hier sind zurzeit keine Dateien. Dateien neuer Bestellungen erscheinen, sobald sie bereit sind.',
  'library.new': 'Neu seit Ihrem letzten Besuch',
  'library.bought': 'seit {day}',
  'library.version': 'Version {version, number}',
  'library.open': 'Öffnen',
  'library.openNamed': '{filename} öffnen',
  'library.again': '{shop} um mehr bitten',
  'library.buyAgain': 'Noch einmal kaufen',
  'library.mailSubject': 'Alle Ihre Downloads von {shop}',
  'library.mailIntro': 'Mit diesem Link sehen Sie alle Dateien, die Sie bei {shop} gekauft haben.',
  'library.mailButton': 'Alle meine Downloads zeigen',
  'library.mailUntil': 'Der Link gilt bis zum {date}. Danach können Sie einen neuen anfordern.',
  'library.mailKeep':
    'Wer diesen Link hat, kann ihn verwenden: Geben Sie ihn nicht weiter. Wenn Sie ihn nicht angefordert haben, können Sie diese Nachricht ignorieren.',
  'library.mailFooter':
    'Sie erhalten diese Nachricht, weil jemand bei {shop} die Downloads dieser Adresse angefordert hat.',
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
  'views.left':
    '{count, plural, =0 {keine Aufrufe übrig} one {noch # Aufruf} other {noch # Aufrufe}}',
  'views.leftAfter':
    '{count, plural, =0 {danach keine Aufrufe mehr} one {danach noch # Aufruf} other {danach noch # Aufrufe}}',
  'views.until': 'im Browser bis zum {day}',
  'views.ended': 'im Browser nur bis zum {day}',
  'views.running': 'in diesem Browser geöffnet bis {moment}',
  'views.start':
    'Sie können die Datei noch {count, plural, one {einmal} other {#-mal}} im Browser aufrufen. Danach öffnet dieser Browser sie {hours} Stunden lang beliebig oft, ohne dass es zählt.',
  'views.usedUpTitle': 'Für diese Datei sind keine Aufrufe übrig',
  'views.usedUp':
    'Sie konnte {limit, plural, one {einmal} other {#-mal}} im Browser aufgerufen werden.',
  'views.expiredTitle': 'Diese Datei kann nicht mehr im Browser aufgerufen werden',
  'views.expired': 'Das war bis zum {day} möglich.',
  'views.someUsedUp':
    '{which, select, only {Diese Datei wurde} some {Einige dieser Dateien wurden} other {Diese Dateien wurden}} so oft im Browser aufgerufen, wie dieser Link erlaubt.',
  'views.cookieTitle': 'Dieser Aufruf braucht ein Cookie',
  'views.cookie':
    'Die Datei kann nur begrenzt oft aufgerufen werden, und Ihr Browser lehnt das Cookie ab, an dem dieser Aufruf zu erkennen wäre. Es wurde nichts gezählt.',
  'views.cookieAdvice':
    'Erlauben Sie Cookies für diese Seite, gehen Sie zurück und öffnen Sie die Datei noch einmal.',
}
