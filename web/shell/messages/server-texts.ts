// Fixed texts that the server writes in English: listed here so that the catalogs have them, and
// shown with `translated()`. Other texts are shown as the server wrote them.
import { IMPORT_TEMPLATES } from './import-texts.ts'
import { t } from './t.ts'

export const SERVER_TEXTS: readonly string[] = [
  // Templates of scheduled tasks.
  t('Delete old files that nobody uses'),
  t('Tag files by rule'),
  // The ways to read another shop's export.
  t('The file as it is'),
  t('One row for each file'),
  // What a file is whose name says otherwise.
  t('a PDF document'),
  t('a program'),
  t('an image'),
  t('an audio or video file'),
  // Why a file cannot get a name by a pattern.
  t('It has no product to be named after'),
  t('It has no SKU to be named after'),
  t('It has no tag to be named after'),
  t('It is in no pack to be named after'),
  t('It has no extension to be named after'),
  // Why a sync left a file as it was, or what it did at the provider.
  t('Sent to the provider'),
  t('Deleted at the provider, because it was deleted here'),
  t('It changed here and at the provider: both are kept, as two files'),
  // Images in documents.
  t('The image for the watermark cannot be opened'),
  // Why a link is not sent.
  t('It was created without an email address'),
  t('It was revoked'),
  t('Its file is in the trash, or lost its last product'),
  t('It has expired'),
  t('It has reached its download limit'),
  // Why the email of a delivery is not sent, and a delivery is not held or released.
  t('This delivery is held: release it first'),
  t('The order no longer entitles its buyer to these files'),
  t('This delivery was revoked, which is for good'),
  t('The order has no email address: enter one in the delivery first'),
  t('Buyers cannot open their library: turn it on in the settings of the buyer’s page'),
  t('This address has no files: nothing is ready, or all of it was revoked'),
  // Why a delivery is not ready.
  t('You revoked it.'),
  t('You hold it.'),
  t('Its workflow prepares the files.'),
  t('The platform advises against this order: release the delivery, or revoke it.'),
  t('The order was cancelled.'),
  t('The order was refunded.'),
  t('Its lines were refunded or removed.'),
  t('The order is not paid.'),
  // Lines that are not licence keys.
  t('A key has at most 500 characters'),
  t('A key cannot contain control characters, and the file must be UTF-8'),
  t('The file contains no keys: write one per line, or in the first column'),
  t('A line is too long: write one key per line, or in the first column'),
  t('Another list has this name'),
  // Why a licence key or a list of them is not changed.
  t('This key was replaced by another one'),
  t('This key was refunded: restore it first'),
  t('The list of this key was deleted'),
  t('This list generates its keys: none can be added'),
  t('Only letters and digits of ASCII and . _ : / + # - are possible'),
  t('This server cannot send to this address: use one on the public internet, on port 80 or 443'),
  // What a missing scope disables.
  t('Files cannot be matched to products.'),
  t(
    'Orders cannot be read: buyers do not get their files automatically, and orders are not tagged.',
  ),
  t(
    'Delivered lines are not marked as fulfilled, and the platform’s own mail cannot bring the files.',
  ),
  // Why a file belongs to a product.
  t('Its name is the title'),
  t('Its name is like the title'),
  t('Chosen manually'),
  // Imports of past orders.
  t('Import past orders'),
  t('An import of orders is running: wait for its end'),
  t(
    'The storefront shows only the orders of the last 60 days: choose a later day, or get the permission read_all_orders',
  ),
]

/** Marks a message for the catalogs. */
const template = (message: string): string => message

/** Texts with values, shown with `serverText()`: of those that fit, the first counts. */
export const SERVER_TEMPLATES: readonly string[] = [
  ...IMPORT_TEMPLATES,
  template('It was sent {count} times within an hour'),
  template('This link was sent {count} times within an hour: wait before you send it again'),
  template('This email was sent {count} times within an hour: wait before you send it again'),
  template('The list “{name}” has no keys left: add keys first'),
  template('The import names the SKU {sku}'),
  template('The export names the product {name}'),
  template('The export names the handle {name}'),
  template('The export names the title {name}'),
  template('Its columns: {names}'),
  template('Move buyers'),
  template('Links for buyers of another app, with an email'),
  template('Links for buyers of another app, without an email'),
  template('Its buyers have links already'),
  template('This export has been imported already'),
  template('Your shop has all files of this export already'),
  template('No buyer of this export lacks a link'),
  template(
    'No app was recognised: the table needs a column with addresses of files, or columns with email addresses and products',
  ),
  template('The filename begins with the SKU {sku}'),
  template('The filename contains the SKU {sku}'),
  template('The filename has a part like the SKU {sku}'),
  template('The file has the name of the SKU {sku}'),
  template('One of its tags is the SKU {sku}'),
  template('The product has the same tag {tags}'),
  template('The product has the same tags {tags}'),
  template('Its name is {count} % like the title'),
  template('The shop’s rule: names that start with {text}'),
  template('The shop’s rule: names that contain {text}'),
  template('The shop’s rule: the name {text}'),
  template('The file has {size} MB: up to {most} MB are recommended'),
  template('“{name}” is taken'),
  template(
    'The plan “{plan}” allows {limit} files: delete files that are not needed, or choose another plan under Settings, Plan',
  ),
  template(
    'The plan “{plan}” allows {size} of storage: delete files or old versions, or choose another plan under Settings, Plan',
  ),
]
