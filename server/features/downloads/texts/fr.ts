// What buyers read, in French. The apostrophe is ’: a straight one quotes in ICU messages.
import type { Messages } from './en.ts'

export const fr: Messages = {
  'page.toShop': 'Aller à {shop}',
  'page.logo': 'Logo de {shop}',

  'size.bytes': '{count, plural, one {# octet} other {# octets}}',
  'size.KB': '{value} Ko',
  'size.MB': '{value} Mo',
  'size.GB': '{value} Go',
  'size.TB': '{value} To',

  'notReleased.title': 'Ce fichier n’est pas encore disponible',
  'notReleased.happened': 'Vous pourrez le télécharger à partir du {moment}.',
  'notReleased.advice': 'Revenez à ce moment-là. Ce lien reste le même.',
  'customerTag.title': 'Ce fichier nécessite un abonnement',
  'customerTag.missing':
    '{shop} propose ce fichier aux clients ayant un abonnement en cours, et votre compte client n’en a pas actuellement.',
  'customerTag.guest':
    '{shop} propose ce fichier aux clients ayant un abonnement en cours. Votre commande a été passée sans compte client.',
  'customerTag.advice': 'Si vous en avez un, ou pour toute question, adressez-vous à {shop}.',
  'expired.title': 'Ce lien a expiré',
  'expired.happened': 'Il pouvait être utilisé jusqu’au {day}.',
  'exhausted.title': 'Ce lien est épuisé',
  'exhausted.happened':
    'Il pouvait être utilisé {limit, plural, one {une fois} other {# fois}}, et il l’a été.',
  'withdrawn.title': 'Ce lien a été retiré',
  'withdrawn.happened':
    '{pack, select, true {Les fichiers ne sont plus proposés} other {Le fichier n’est plus proposé}} par ce lien.',
  'advice.askShop': 'Si vous en avez encore besoin, demandez à {shop}.',
  'advice.askSender': 'Demandez un nouveau lien à la boutique qui vous l’a envoyé.',
  'advice.asked': '{shop} a déjà reçu votre demande : attendez sa réponse.',
  'unavailable.title': 'Ce lien ne fonctionne pas',
  'unavailable.happened': 'L’adresse est peut-être incomplète, ou le lien n’existe plus.',
  'unavailable.advice':
    'Vérifiez que vous l’avez copiée en entier, ou demandez un nouveau lien à la boutique.',
  'noFile.title': 'Il n’y a pas de fichier à cette adresse',
  'noFile.happened': 'L’adresse est peut-être incomplète, ou le fichier n’est plus proposé ici.',
  'noFile.advice':
    'Vérifiez que vous l’avez copiée en entier, ou demandez une autre adresse à l’expéditeur.',
  'referrer.title': 'Pas depuis ce site',
  'referrer.happened': 'Ce fichier ne peut pas être téléchargé depuis le site d’où vous venez.',
  'referrer.advice':
    'Allez sur le site de la boutique, ou ouvrez le lien dans le message où vous l’avez reçu.',
  'tooOften.title': 'Trop de messages',
  'tooOften.happened':
    'Votre message n’a pas été envoyé : votre réseau en a envoyé un trop grand nombre.',
  'tooOften.advice': 'Réessayez dans une heure.',
  'tooLong.title': 'Message trop long',
  'tooLong.happened': 'Votre message n’a pas été envoyé : il est trop long.',
  'tooLong.advice': 'Revenez en arrière, raccourcissez-le et envoyez-le de nouveau.',
  'invalid.title': 'Vérifiez votre message',
  'invalid.happened': 'Il n’a pas encore été envoyé.',
  notCounted: 'Ceci n’a pas été compté comme un téléchargement.',
  'damaged.title': 'Ce fichier est endommagé',
  'damaged.advice':
    'La boutique en a été informée. Réessayez plus tard, ou demandez-lui le fichier.',
  'away.title': 'Le téléchargement n’a pas pu commencer',
  'away.advice': 'Réessayez dans une minute.',
  'range.title': 'Le fichier n’a pas cette partie',
  'changed.title': 'Le fichier a changé',
  'again.advice': 'Recommencez le téléchargement depuis le début.',
  'refused.title': 'Cette demande n’a pas été comprise',
  'refused.advice': 'Revenez en arrière et ouvrez de nouveau le lien de votre message.',

  'gate.emailTitle': 'Saisissez votre adresse e-mail',
  'gate.emailAbout':
    '{shop} n’ouvre ce lien qu’à son acheteur. Saisissez l’adresse à laquelle le lien ou la confirmation de commande a été envoyé.',
  'gate.anyEmailAbout': '{shop} demande votre adresse e-mail avant le téléchargement.',
  'gate.seen': '{shop} voit l’adresse que vous saisissez.',
  'gate.passwordTitle': 'Saisissez le mot de passe',
  'gate.passwordAbout':
    '{shop} a protégé ce lien par un mot de passe. Si vous ne l’avez pas, demandez-le à {shop}.',
  'gate.email': 'Votre adresse e-mail',
  'gate.password': 'Mot de passe',
  'gate.continue': 'Continuer',
  'gate.noPassword': 'Saisissez le mot de passe',
  'gate.wrongEmail':
    'Le lien n’appartient pas à cette adresse. Vérifiez-la ou essayez une autre de vos adresses.',
  'gate.wrongPassword': 'Ce mot de passe n’est pas le bon.',
  'gate.left':
    'Il vous reste {count, plural, =0 {aucun essai} one {# essai} other {# essais}} pour le moment.',
  'gate.closedTitle': 'Trop de mauvaises réponses',
  'gate.closed': 'Vous pourrez réessayer dans {minutes, plural, one {# minute} other {# minutes}}.',
  'gate.closedAdvice': 'Si vous ne connaissez pas la bonne réponse, demandez à {shop}.',
  'gate.asks.email': 'demande votre adresse e-mail',
  'gate.asks.password': 'demande un mot de passe',
  'gate.unlock': 'Déverrouiller',
  'gate.unlockNamed': 'Déverrouiller {filename}',

  'pack.summary': '{count, plural, one {# fichier} other {# fichiers}}, {size}',
  'pack.empty': 'Il est vide pour le moment. Revenez plus tard, ou demandez à {shop}.',
  'pack.until': 'Vous pouvez télécharger jusqu’au {day}.',
  'pack.download': 'Télécharger',
  'pack.downloadNamed': 'Télécharger {filename}',
  'pack.left':
    '{count, plural, =0 {aucun téléchargement restant} one {# téléchargement restant} other {# téléchargements restants}}',
  'pack.usedUp':
    '{which, select, only {Ce fichier a été téléchargé} some {Certains de ces fichiers ont été téléchargés} other {Ces fichiers ont été téléchargés}} autant de fois que ce lien le permet.',
  'pack.askMore': 'S’il vous en faut plus, demandez à {shop}.',

  'ask.heading': 'Demander plus à {shop}',
  'ask.email': 'Votre adresse e-mail, pour la réponse',
  'ask.message': 'Message, si vous le souhaitez',
  'ask.send': 'Envoyer à {shop}',
  'ask.wrongEmail': 'Écrivez une adresse e-mail',
  'ask.wrongMessage': 'Écrivez au plus {max} caractères',
  'ask.sent': 'Votre message a été envoyé',
  'ask.sentHappened': '{shop} a été informé de votre demande.',
  'ask.sentTo': 'La réponse peut vous parvenir à {email}.',
  'ask.sentThere': 'La réponse peut vous parvenir à l’adresse où le lien vous a été envoyé.',
  'ask.before': 'Vous avez déjà demandé',
  'ask.beforeHappened':
    '{shop} a été informé au cours du dernier jour ; ceci n’a pas été envoyé de nouveau.',
  'ask.beforeAdvice': 'Attendez sa réponse.',

  'order.title': 'Vos téléchargements',
  'order.number': 'Commande {order}',
  'order.preparing': 'Vos fichiers sont en préparation. Rechargez cette page dans une minute.',
  'order.filePreparing':
    'Ce fichier est en préparation. Nous vous écrirons de nouveau quand il sera prêt.',
  'order.preparingTitle': 'Vos fichiers ne sont pas encore prêts',
  'order.delayed': 'Vos fichiers n’ont pas encore pu être préparés. {shop} en a été informé.',
  'order.held':
    '{shop} vérifie votre commande. Vous recevrez vos fichiers dès qu’elle sera validée.',
  'order.endedTitle': 'Il n’y a plus rien à télécharger',
  'order.ended': 'Les fichiers ont été téléchargés autant de fois que permis, ou ont expiré.',
  'order.heldTitle': 'Votre commande est en cours de vérification',
  'order.heldAdvice': 'Revenez plus tard. Ce lien reste le même.',
  'order.goneTitle': 'Ces fichiers ne sont plus proposés',
  'order.askIfWrong': 'Demandez à {shop} si vous pensez à une erreur.',
  'order.refused': '{shop} ne propose plus ces fichiers.',
  'order.cancelled': 'Cette commande a été annulée : ses fichiers ne sont plus proposés.',
  'order.refunded': 'Cette commande a été remboursée : ses fichiers ne sont plus proposés.',
  'order.downloadAll': 'Tout télécharger',
  'order.downloadAllAbout': 'Un fichier ZIP, {size}',
  'order.version': 'Nouvelle version du {day}',
  'order.until': 'jusqu’au {day}',
  'order.fileExpired': 'expiré le {day}',
  'order.availableFrom': 'Disponible à partir du {moment}',
  'order.needsTag': 'nécessite un abonnement en cours',
  'order.useHours':
    '{hours, plural, one {# heure} other {# heures}} à partir du premier téléchargement',
  'order.useDays':
    '{days, plural, one {# jour} other {# jours}} à partir du premier téléchargement',
  'order.licenceKey': 'clé de licence {key}',
  'order.licenceWithdrawn': 'clé de licence retirée',

  'library.title': 'Tous mes téléchargements',
  'library.sendAbout': 'Nous envoyons un lien à votre adresse e-mail.',
  'library.requestTitle': 'Tous vos téléchargements chez {shop}',
  'library.requestAbout':
    'Saisissez l’adresse e-mail de vos commandes. Vous recevrez un message avec un lien vers tous les fichiers que vous avez achetés.',
  'library.email': 'Adresse e-mail',
  'library.request': 'Envoyer le lien',
  'library.sentTitle': 'Consultez votre boîte de réception',
  'library.sent': 'Si {shop} a des fichiers pour {email}, un message avec un lien est en route.',
  'library.sentToOrder':
    'Un message avec un lien vers tous vos fichiers est en route vers l’adresse e-mail de cette commande.',
  'library.sentAdvice':
    'Le lien est valable {days, plural, one {# jour} other {# jours}}. Si rien n’arrive au bout de quelques minutes, regardez dans les messages indésirables, ou essayez une autre adresse.',
  'library.noAddressTitle': 'Cette commande n’a pas d’adresse e-mail',
  'library.expiredAbout': 'Demandez-en un nouveau : cela prend une minute.',
  'library.tooOften': 'Trop de demandes sont venues de votre réseau. Rien n’a été envoyé.',
  'library.search': 'Chercher un fichier, un produit ou une commande',
  'library.find': 'Chercher',
  'library.all': 'Tout afficher',
  'library.found':
    '{count, plural, =0 {Rien ne contient « {search} ».} one {# fichier contient « {search} ».} other {# fichiers contiennent « {search} ».}}',
  'library.foundMore': 'Plus de {count, number} fichiers contiennent « {search} ».',
  'library.page': 'Page {page, number}',
  'library.newer': 'Plus récents',
  'library.older': 'Plus anciens',
  'library.empty':
    'Il n’y a aucun fichier ici pour le moment. Les fichiers de nouvelles commandes apparaissent dès qu’ils sont prêts.',
  'library.new': 'Nouveau depuis votre dernière visite',
  'library.bought': 'depuis le {day}',
  'library.version': 'version {version, number}',
  'library.open': 'Ouvrir',
  'library.openNamed': 'Ouvrir {filename}',
  'library.again': 'Demander plus à {shop}',
  'library.buyAgain': 'Acheter à nouveau',
  'library.mailSubject': 'Tous vos téléchargements chez {shop}',
  'library.mailIntro': 'Ce lien montre tous les fichiers que vous avez achetés chez {shop}.',
  'library.mailButton': 'Afficher tous mes téléchargements',
  'library.mailUntil':
    'Le lien est valable jusqu’au {date}. Ensuite, vous pourrez en demander un nouveau.',
  'library.mailKeep':
    'Toute personne qui a ce lien peut l’utiliser : ne le transmettez pas. Si vous ne l’avez pas demandé, vous pouvez ignorer ce message.',
  'library.mailFooter':
    'Vous recevez ce message parce que quelqu’un a demandé à {shop} les téléchargements de cette adresse.',
  'view.read': 'Lire',
  'view.play': 'Lancer',
  'view.open': 'Ouvrir',
  'view.readNamed': 'Lire {filename}',
  'view.playNamed': 'Lancer {filename}',
  'view.openNamed': 'Ouvrir {filename}',
  'view.failed':
    'Votre navigateur ne peut pas afficher ce fichier. Essayez un autre navigateur ou demandez à la boutique.',
  'view.changed': 'Le fichier a changé. Rechargez cette page.',
  'view.zoom': 'Taille réelle',
  'view.reader': 'Pages',
  'view.previous': 'Page précédente',
  'view.next': 'Page suivante',
  'view.pageNumber': 'Page',
  'view.smaller': 'Réduire',
  'view.larger': 'Agrandir',
  'view.noScript': 'Activez JavaScript pour cette page afin de voir le fichier.',
  'view.allFiles': 'Tous les fichiers',
  'view.onlyTitle': 'Ce fichier se consulte ici',
  'view.onlyHappened': 'La boutique le propose dans le navigateur, sans téléchargement.',
  'view.endedTitle': 'Cette consultation est terminée',
  'view.endedAdvice': 'Ouvrez de nouveau la page du fichier.',
  'views.left':
    '{count, plural, =0 {aucune consultation restante} one {# consultation restante} other {# consultations restantes}}',
  'views.leftAfter':
    '{count, plural, =0 {aucune consultation restante ensuite} one {# consultation restante ensuite} other {# consultations restantes ensuite}}',
  'views.until': 'dans le navigateur jusqu’au {day}',
  'views.ended': 'dans le navigateur seulement jusqu’au {day}',
  'views.running': 'ouvert dans ce navigateur jusqu’au {moment}',
  'views.start':
    'Il reste {count, plural, one {# consultation} other {# consultations}}, et ouvrir le fichier en utilise une. Pendant les {hours} heures qui suivent, ce navigateur l’ouvre de nouveau sans en utiliser d’autre.',
  'views.usedUpTitle': 'Il ne reste aucune consultation pour ce fichier',
  'views.usedUp':
    'Il pouvait être consulté {limit, plural, one {une fois} other {# fois}} dans le navigateur.',
  'views.expiredTitle': 'Ce fichier ne peut plus être consulté',
  'views.expired': 'Il pouvait être consulté dans le navigateur jusqu’au {day}.',
  'views.someUsedUp':
    '{which, select, only {Ce fichier a été consulté} some {Certains de ces fichiers ont été consultés} other {Ces fichiers ont été consultés}} dans le navigateur autant de fois que ce lien le permet.',
  'views.cookieTitle': 'Cette consultation nécessite un cookie',
  'views.cookie':
    'Ce fichier peut être consulté un nombre limité de fois, et votre navigateur refuse le cookie qui permettrait de reconnaître cette consultation. Rien n’a été compté.',
  'views.cookieAdvice':
    'Autorisez les cookies pour cette page, revenez en arrière et ouvrez de nouveau le fichier.',
}
