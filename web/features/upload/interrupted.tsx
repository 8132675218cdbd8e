// The page was left during uploads: the files are chosen again, and their uploads resume where they
// stopped.
import { Banner, BlockStack, Button, InlineStack } from '../../shell/ui/index.ts'
import { sizeText } from '../../shell/labels/size.ts'
import { type KeptFile } from './kept.ts'
import { t } from '../../shell/messages/t.ts'

const SHOWN = 10

export function Interrupted({
  files,
  onForget,
}: {
  files: readonly KeptFile[]
  onForget: () => void
}) {
  const more = files.length - SHOWN
  return (
    <Banner
      tone="warning"
      title={t(
        '{count, plural, one {# upload was} other {# uploads were}} interrupted when you left this page',
        { count: files.length },
      )}
    >
      <BlockStack gap="200">
        <p>
          {t('Choose the same files or folder again. Parts that have arrived are not sent again.')}
        </p>
        <ul className="bullets">
          {files.slice(0, SHOWN).map(({ id, filename, folder, size }) => (
            <li key={id}>
              {folder === '' ? filename : `${folder}/${filename}`} ({sizeText(size)})
            </li>
          ))}
          {more > 0 && <li>{t('and {more, number} more', { more })}</li>}
        </ul>
        <InlineStack>
          <Button onClick={onForget}>{t('Discard uploads')}</Button>
        </InlineStack>
      </BlockStack>
    </Banner>
  )
}
