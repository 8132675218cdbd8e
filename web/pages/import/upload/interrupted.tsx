// The page was left while files were on their way: they are chosen again, and go on where they
// stopped.
import { Banner, BlockStack, Button, InlineStack } from '../../../ui/index.ts'
import { countText, numberText, sizeText } from '../../../labels/size.ts'
import { type KeptFile } from './kept.ts'

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
      title={`${countText(files.length, 'upload was', 'uploads were')} interrupted when this page was left`}
    >
      <BlockStack gap="200">
        <p>
          Choose the same files or the same folder again: what had arrived of them is not sent
          again.
        </p>
        <ul className="bullets">
          {files.slice(0, SHOWN).map(({ id, filename, folder, size }) => (
            <li key={id}>
              {folder === '' ? filename : `${folder}/${filename}`} ({sizeText(size)})
            </li>
          ))}
          {more > 0 && <li>and {numberText(more)} more</li>}
        </ul>
        <InlineStack>
          <Button onClick={onForget}>Forget them</Button>
        </InlineStack>
      </BlockStack>
    </Banner>
  )
}
