// Headers that other programs and other languages use for the fields of an import.
import {
  FILE_SETTINGS,
  forEntrySettings,
  type ENTRY_SETTINGS,
} from '../../../plugins/contract/index.ts'

/** Longer headers are compared by their beginnings: a header may have as many characters as a row. */
const MAX_COMPARED = 200

/** The header in lower case, with letters and digits only. */
export const normalizeHeader = (header: string): string =>
  header
    .slice(0, MAX_COMPARED)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

type Field =
  | 'filename'
  | 'file_url'
  | 'link_url'
  | 'product_sku'
  | 'product_handle'
  | 'product_id'
  | 'pack'
  | 'tags'
  | 'id'
  | 'command'
  | 'sha256'
  | (typeof ENTRY_SETTINGS)[number]

const words = (text: string): string[] => text.split(',').map(normalizeHeader)

export const ENGLISH: Readonly<Record<Field, readonly string[]>> = {
  filename: words('filename,name,file,title,display name,file title,document,asset,attachment'),
  file_url: words(
    'file url,url,link,source,source url,download url,href,src,address,location,download link',
  ),
  link_url: words(
    'link url,link address,web link,external url,external link,target url,course url',
  ),
  product_sku: words(
    'product sku,sku,variant sku,item sku,article number,item number,product code',
  ),
  product_handle: words('product handle,handle,url handle'),
  product_id: words('product id,products,product ids,product mappings'),
  ...forEntrySettings((name) => FILE_SETTINGS[name].entry.headers),
  pack: words('pack,pack name,bundle'),
  tags: words('tags,tag,labels,keywords,categories'),
  id: words('id,file id'),
  command: words('command,action,operation'),
  sha256: words('sha256,sha-256 checksum,sha256sum'),
}

/**
 * Words for the fields in German, French, Spanish, Italian, Portuguese, Dutch and Japanese. A setting
 * without any is found by its English words.
 */
const OTHERS: Readonly<Partial<Record<Field, readonly string[]>>> = {
  filename: words(
    `Dateiname,Datei,Titel,
    nom du fichier,nom de fichier,nom fichier,fichier,nom,titre,
    nombre de archivo,nombre del archivo,nombre del fichero,archivo,fichero,nombre,título,
    nome file,nome del file,nome,titolo,
    nome do arquivo,nome do ficheiro,arquivo,ficheiro,
    bestandsnaam,bestand,naam,
    ファイル名,ファイル,名前,タイトル`,
  ),
  file_url: words(
    `Datei-URL,Adresse,Quelle,URL der Datei,Dateiadresse,
    URL du fichier,URL fichier,lien,lien de téléchargement,adresse du fichier,
    URL del archivo,URL de archivo,URL del fichero,enlace,enlace de descarga,dirección,
    URL del file,URL file,indirizzo,collegamento,link di download,
    URL do arquivo,URL do ficheiro,endereço,link para download,ligação,
    bestands-URL,URL van het bestand,adres,downloadlink,
    ファイルURL,ファイルのURL,アドレス,リンク,ダウンロードURL,ダウンロードリンク`,
  ),
  link_url: words(
    `Link-Adresse,Weblink,Ziel-URL,adresse du lien,URL du lien,URL del enlace,enlace externo,URL del collegamento,
    URL da ligação,URL do link,linkadres,リンク先URL`,
  ),
  product_sku: words(
    `Artikelnummer,Artikelnr,Artikel-Nr.,Produkt-SKU,Bestellnummer,
    SKU produit,SKU du produit,référence,référence produit,réf.,code produit,code article,
    SKU del producto,SKU de producto,referencia,código de producto,código,
    SKU prodotto,SKU del prodotto,codice prodotto,codice articolo,codice,riferimento,
    SKU do produto,código do produto,referência,
    product-SKU,productcode,artikelcode,
    商品コード,商品SKU,商品のSKU,品番,商品番号,型番`,
  ),
  product_handle: words('Produkt-Handle,identifiant du produit,identificador del producto'),
  product_id: words(
    `Produkt-ID,Produkte,ID du produit,produits,ID del producto,productos,ID prodotto,prodotti,
    ID do produto,produtos,product-ID,producten,商品ID`,
  ),
  expiry_days: words(
    `Ablauf,Ablauftage,Ablauf in Tagen,Gültigkeit,Gültigkeitsdauer,Gültigkeit in Tagen,Tage,
    jours d’expiration,expiration en jours,jours de validité,validité,durée de validité,jours,
    días de caducidad,caducidad,días de validez,validez,vencimiento,días,
    giorni di scadenza,scadenza,giorni di validità,validità,giorni,
    dias de validade,validade,dias para expirar,expiração,dias,
    vervaldagen,geldigheid,geldigheidsdagen,geldig in dagen,dagen,
    有効日数,有効期限,期限`,
  ),
  download_limit: words(
    `Download-Limit,Downloadlimit,Anzahl Downloads,Max. Downloads,Maximale Downloads,
    limite de téléchargement,limite de téléchargements,téléchargements max,téléchargements maximum,nombre de téléchargements,
    límite de descargas,límite de descarga,descargas máximas,descargas permitidas,
    limite download,limite di download,limite dei download,download massimi,
    limite de downloads,limite de transferências,downloads máximos,
    downloadlimiet,maximum aantal downloads,aantal downloads,
    ダウンロード上限,ダウンロード回数,ダウンロード制限`,
  ),
  view_limit: words(
    `Ansichtslimit,Aufruflimit,Anzahl Aufrufe,Max. Aufrufe,limite de consultations,
    consultations max,límite de visualizaciones,visualizaciones máximas,limite visualizzazioni,
    limite de visualizações,weergavelimiet,閲覧上限,閲覧回数`,
  ),
  view_days: words(
    `Ansichtstage,Aufruftage,Aufrufbar in Tagen,jours de consultation,días de visualización,
    giorni di visualizzazione,dias de visualização,weergavedagen,閲覧日数,閲覧期限`,
  ),
  available_from: words(
    `Verfügbar ab,Erscheinungsdatum,disponible à partir du,date de sortie,disponible desde,
    fecha de publicación,disponibile dal,data di uscita,disponível a partir de,
    data de lançamento,beschikbaar vanaf,公開日,発売日`,
  ),
  available_after_days: words(
    `Verfügbar nach Tagen,disponible après jours,disponible después de días,
    disponibile dopo giorni,disponível após dias,beschikbaar na dagen,公開までの日数`,
  ),
  first_use_hours: words(
    `Stunden ab erster Nutzung,heures après première utilisation,horas desde el primer uso,
    ore dal primo uso,horas após o primeiro uso,uren na eerste gebruik,初回利用からの時間`,
  ),
  customer_tag: words(
    `Kundentag,Kunden-Tag,tag client,étiquette client,etiqueta de cliente,tag cliente,
    etiqueta do cliente,klanttag,顧客タグ`,
  ),
  buyer_text: words(
    `Text für Käufer,Anleitung,Hinweis für Käufer,texte pour les acheteurs,instructions,
    texto para compradores,instrucciones,testo per gli acquirenti,istruzioni,
    texto para os compradores,instruções,tekst voor kopers,購入者への説明`,
  ),
  visibility: words(
    `Sichtbarkeit,visibilité,visibilidad,visibilità,visibilidade,zichtbaarheid,公開設定,公開範囲`,
  ),
  download_notification: words(
    `Benachrichtigung,Download-Benachrichtigung,notification de téléchargement,
    notificación de descarga,notifica di download,notificação de download,downloadmelding,
    ダウンロード通知`,
  ),
  download_tracking: words(
    `Download-Tracking,suivi des téléchargements,seguimiento de descargas,
    tracciamento dei download,rastreamento de downloads,downloads volgen,ダウンロード記録`,
  ),
  allowed_referrers: words(
    `Erlaubte Referrer,Erlaubte Seiten,référents autorisés,sites autorisés,referentes permitidos,
    sitios permitidos,referrer consentiti,siti consentiti,referências permitidas,
    sites permitidos,toegestane verwijzers,許可するサイト`,
  ),
  sample_pages: words(
    `Leseprobe Seiten,pages d’extrait,páginas de muestra,pagine di anteprima,páginas de amostra,
    voorbeeldpagina’s,サンプルページ数`,
  ),
  sample_seconds: words(
    `Hörprobe Sekunden,secondes d’extrait,segundos de muestra,secondi di anteprima,
    segundos de amostra,voorbeeldseconden,サンプル秒数`,
  ),
  pack: words('Paket,paquete,pacchetto,pacote,pakket,パック'),
  ask_for: words(
    `Abfrage,Abfrage vor Download,demander,demande avant téléchargement,preguntar,pedir,
    chiedere,solicitar,vragen,確認方法`,
  ),
  view: words(
    `Ansicht,Ansehen,affichage,consultation,vista,visualización,visualizzazione,visualização,
    weergave,閲覧,表示`,
  ),
  tags: words(
    `Schlagwörter,Schlagworte,Stichwörter,Kategorien,
    étiquettes,mots-clés,mots clés,catégories,
    etiquetas,palabras clave,categorías,
    etichette,parole chiave,categorie,
    palavras-chave,categorias,marcadores,
    trefwoorden,categorieën,
    タグ,キーワード,カテゴリ,カテゴリー`,
  ),
  id: words(
    'Datei-ID,ID du fichier,ID del archivo,ID del file,ID do arquivo,bestands-ID,ファイルID',
  ),
}

/** Is it a word for some field? */
export const isKnownHeader = (header: string): boolean => KNOWN.has(normalizeHeader(header))

const KNOWN: ReadonlySet<string> = new Set(
  [...Object.values(ENGLISH), ...Object.values(OTHERS)].flat(),
)

/**
 * The position of the header (`normalizeHeader`) among the words for a field, English first; -1: it is
 * none of them.
 */
export function wordFor(field: Field, name: string): number {
  const english = ENGLISH[field].indexOf(name)
  if (english >= 0) return english
  const other = OTHERS[field]?.indexOf(name) ?? -1
  return other < 0 ? -1 : ENGLISH[field].length + other
}
