// The keys that work on every page, and those of the open one.
import { t } from '../messages/t.ts'
import { Button } from '../ui/index.ts'
import { COMMAND_KEY, PALETTE_KEY } from './command-key.ts'
import { NativeDialog } from './native-dialog.tsx'
import { pageKeys } from './page-keys.ts'

const KEYS: readonly { keys: readonly string[]; does: string }[] = [
  { keys: [COMMAND_KEY, PALETTE_KEY], does: t('Find pages, files, orders and actions') },
  { keys: ['/'], does: t('Search on this page') },
  { keys: ['?'], does: t('List the keyboard shortcuts') },
  { keys: ['Esc'], does: t('Close a dialog') },
]

export function KeysList({ onClose }: { onClose: () => void }) {
  const own = pageKeys().map(({ key, does }) => ({ keys: [key], does }))
  return (
    <NativeDialog label={t('Keyboard shortcuts')} onClose={onClose}>
      <h2 className="palette-title">{t('Keyboard shortcuts')}</h2>
      <dl className="palette-keys">
        {[...own, ...KEYS].map(({ keys, does }) => (
          <div key={does}>
            <dt>{does}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <div className="palette-close">
        <Button onClick={onClose}>{t('Close')}</Button>
      </div>
    </NativeDialog>
  )
}
