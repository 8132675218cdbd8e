// Fixed texts that the server writes in English: listed here so that the catalogs have them, and
// shown with `translated()`. Other texts are shown as the server wrote them.
import { t } from './t.ts'

export const SERVER_TEXTS: readonly string[] = [
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
  t('There is no key in it: write one a line, or in the first column'),
  t('A line is too long: write one key a line, or in the first column'),
  t('Another list has this name'),
  // What a missing scope disables.
  t('Files cannot be matched to products.'),
  t(
    'Orders cannot be read: buyers do not get their files automatically, and orders are not tagged.',
  ),
  t(
    'Delivered lines are not marked as fulfilled, and the platform’s own mail cannot bring the files.',
  ),
  // Titles of notices.
  t('A customer asks for their data'),
  t('A list is running out of licence keys'),
  t('Shopify Flow does not take a trigger'),
  t('An email could not be sent'),
  t('An email may not have arrived'),
  t('An email was not sent to all recipients'),
  t('A callback could not be delivered'),
  t('A text message could not be sent'),
  t('A text message may not have arrived'),
]
