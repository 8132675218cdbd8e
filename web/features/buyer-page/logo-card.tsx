// The logo: chosen, shown and removed. It is saved when it is chosen.
import { useRef, useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
import { useSetLogo, type BuyerPage } from './calls.ts'
import { DeleteDialog } from '../../shell/components/delete-dialog.tsx'
import { Problem } from '../../shell/components/problem.tsx'
import { t } from '../../shell/messages/t.ts'
import {
  BlockStack,
  Button,
  Card,
  Heading,
  Hint,
  InlineError,
  InlineStack,
  Text,
} from '../../shell/ui/index.ts'
import { logoOf } from './logo.ts'

/** Saves a chosen image. `unreadable`: the last chosen file was none. */
function useLogoChoice() {
  const save = useSetLogo()
  const [unreadable, setUnreadable] = useState(false)
  const choose = async (file: File | undefined) => {
    if (!file) return
    setUnreadable(false)
    const image = await logoOf(file).catch(() => null)
    if (image === null) return setUnreadable(true)
    save.mutate(image, { onSuccess: () => toast(t('Logo saved')) })
  }
  return { save, unreadable, choose }
}

export function LogoCard({ logo }: Pick<BuyerPage, 'logo'>) {
  const { save, unreadable, choose } = useLogoChoice()
  const [removing, setRemoving] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  return (
    <Card>
      <BlockStack gap="300">
        <Heading>{t('Logo')}</Heading>
        {save.error && <Problem error={save.error} what={t('The logo could not be saved')} />}
        {logo ? (
          <img className="logo-shown" src={logo.url} alt={t('Your logo')} />
        ) : (
          <Hint>{t('Without a logo the pages show the shop’s name.')}</Hint>
        )}
        {unreadable && (
          <InlineError
            fieldID="logo"
            message={t('This is not an image: choose a PNG, JPEG, WebP or GIF')}
          />
        )}
        <input
          ref={input}
          id="logo"
          type="file"
          hidden
          accept="image/png,image/jpeg,image/webp,image/gif"
          aria-label={t('Logo')}
          onChange={(event) => {
            void choose(event.target.files?.[0])
            event.target.value = ''
          }}
        />
        <InlineStack gap="200">
          <Button loading={save.isPending} onClick={() => input.current?.click()}>
            {logo ? t('Replace') : t('Choose an image')}
          </Button>
          {logo && (
            <Button tone="critical" variant="plain" onClick={() => setRemoving(true)}>
              {t('Remove')}
            </Button>
          )}
        </InlineStack>
        {removing && <RemoveLogo onClose={() => setRemoving(false)} />}
      </BlockStack>
    </Card>
  )
}

function RemoveLogo({ onClose }: { onClose: () => void }) {
  const save = useSetLogo()
  return (
    <DeleteDialog
      open
      title={t('Remove the logo?')}
      button={t('Remove')}
      problem={t('The logo could not be removed')}
      deleting={save.isPending}
      error={save.error}
      onDelete={() =>
        save.mutate(null, {
          onSuccess: () => {
            toast(t('Logo removed'))
            onClose()
          },
        })
      }
      onClose={onClose}
    >
      <Text as="p">{t('The buyer’s pages then show the shop’s name. The image is deleted.')}</Text>
    </DeleteDialog>
  )
}
