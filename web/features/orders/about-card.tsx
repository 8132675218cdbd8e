// The buyer, the order, the link to the buyer's page, and what was sent and opened.
import { type DeliveryDetail } from './calls.ts'
import { Copy } from '../../shell/components/copy.tsx'
import { Facts } from '../../shell/components/facts.tsx'
import { StatusBadge } from '../operations/status.tsx'
import { Titled } from '../../shell/components/titled.tsx'
import { downloadedText, holdText, isText, openedText, sentWord } from './labels.ts'
import { momentText } from '../../shell/labels/time.ts'
import { t } from '../../shell/messages/t.ts'
import { Button, InlineStack, Link } from '../../shell/ui/index.ts'

interface Props {
  delivery: DeliveryDetail
  onCorrect: () => void
}

export function AboutCard({ delivery, onCorrect }: Props) {
  const { confirmation_number, email, phone, locale, created_at, url, status } = delivery
  const hold = holdText(delivery)
  return (
    <Titled
      title={t('Delivery')}
      action={
        status === 'revoked' ? null : (
          <Button onClick={onCorrect}>
            {email !== null
              ? t('Correct the address')
              : phone !== null
                ? t('Correct the number')
                : t('Add an address')}
          </Button>
        )
      }
    >
      <Facts
        rows={[
          [t('Buyer'), email ?? phone ?? t('No address: nothing could be sent')],
          ...(confirmation_number
            ? [[t('Confirmation number'), confirmation_number] as const]
            : []),
          ...(locale ? [[t('Language'), languageName(locale)] as const] : []),
          [t('Delivered', {}, 'time'), momentText(created_at)],
          [t('Order read'), momentText(delivery.order_read_at)],
          ...(hold ? [[t('Hold', {}, 'reason'), hold] as const] : []),
          [
            isText(delivery) ? t('Text message') : t('Email'),
            <Sent key="sent" delivery={delivery} />,
          ],
          [t('Page'), openedText(delivery)],
          [t('Downloads'), downloadedText(delivery)],
          ...(url && status !== 'revoked'
            ? [[t('Address'), <Address key="url" url={url} />] as const]
            : []),
        ]}
      />
    </Titled>
  )
}

/** `de` → `German`, in the language of the browser. */
function languageName(locale: string): string {
  try {
    return new Intl.DisplayNames(undefined, { type: 'language' }).of(locale) ?? locale
  } catch {
    return locale
  }
}

function Sent({ delivery }: { delivery: DeliveryDetail }) {
  const word = sentWord(delivery)
  if (!word || !delivery.sent) return t('Not sent')
  return (
    <InlineStack gap="200" blockAlign="center">
      <StatusBadge word={word} />
      {momentText(delivery.sent.at)}
    </InlineStack>
  )
}

/** Opening it counts nothing. */
const Address = ({ url }: { url: string }) => (
  <InlineStack gap="200" blockAlign="center">
    <Link url={`${url}&preview=1`} target="_blank">
      {t('See the page of the buyer')}
    </Link>
    <Copy text={url} what={t('link of the buyer')} label={t('Copy link')} />
  </InlineStack>
)
