// What the comparison with the shop's files shows: how far it is, and the files that were left out.
import { BlockStack, Button, Card, InlineStack, Link, Text } from '../../shell/ui/index.ts'
import { t } from '../../shell/messages/t.ts'
import type { Comparing, LeftOut } from './use-comparison.ts'

const SHOWN = 50

export const ComparingLine = ({ comparing: { done, total, stop } }: { comparing: Comparing }) => (
  <InlineStack gap="300" blockAlign="center">
    <Text as="p" tone="subdued">
      <span className="tabular">
        {t('Comparing with the files of your shop: {done, number} of {total, number}', {
          done,
          total,
        })}
      </span>
    </Text>
    <Button variant="plain" onClick={stop}>
      {t('Send without comparing')}
    </Button>
  </InlineStack>
)

interface Props {
  left: LeftOut
  onLeave: () => void
  onSend: () => void
}

export function SameFiles({ left: { files, of }, onLeave, onSend }: Props) {
  const more = files.length - SHOWN
  return (
    <Card>
      <BlockStack gap="300">
        <Text as="h2" variant="headingMd">
          {t(
            '{count, number} of {of, plural, one {# file} other {# files}} {count, plural, one {is} other {are}} here already',
            { count: files.length, of },
          )}
        </Text>
        <Text as="p">
          {t(
            '{count, plural, one {It is} other {They are}} not sent. The files of your shop stay as they are.',
            { count: files.length },
          )}
        </Text>
        <ul className="bullets" aria-label={t('Files that are here already')}>
          {files.slice(0, SHOWN).map(({ file: { path }, as }) => (
            <li key={path}>
              <Text as="p" fontWeight="medium" breakWord>
                {path}
              </Text>
              <Text as="p" variant="bodySm" tone="subdued" breakWord>
                {`${t('The same bytes are here already:')} `}
                <Link url={`/files/${as.file_id}`}>{as.filename}</Link>
              </Text>
            </li>
          ))}
          {more > 0 && <li>{t('and {more, number} more', { more })}</li>}
        </ul>
        <InlineStack gap="200">
          <Button variant="primary" onClick={onLeave}>
            {t('{count, plural, one {Leave it out} other {Leave them out}}', {
              count: files.length,
            })}
          </Button>
          <Button onClick={onSend}>{t('Send all the same')}</Button>
        </InlineStack>
      </BlockStack>
    </Card>
  )
}
