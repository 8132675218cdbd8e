// The logo: chosen, shown and removed. It is saved when it is chosen.
import { useRef, useState } from 'react'
import { toast } from '../../shell/client/bridge.ts'
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
import { useSetLogo, type BuyerPage } from './calls.ts'

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

// Makes a chosen image small enough for a logo, in the browser.

/** Twice the width on pages, for screens with two pixels per CSS pixel. */
const MAX_WIDTH = 800
const MAX_HEIGHT = 160
/** The server accepts 100 KB. */
const MAX_BYTES = 100 * 1024
/** Types that are drawn again: the server accepts no SVG, and Outlook shows no WebP in mails. */
const DRAWN = ['image/svg+xml', 'image/webp']

/** The image in base64. Rejects if the browser cannot read the file as an image. */
async function logoOf(file: Blob): Promise<string> {
  const image = await createImageBitmap(file)
  const scale = Math.min(1, MAX_WIDTH / image.width, MAX_HEIGHT / image.height)
  if (scale === 1 && file.size <= MAX_BYTES && !DRAWN.includes(file.type)) return base64Of(file)
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(image.width * scale))
  canvas.height = Math.max(1, Math.round(image.height * scale))
  const context = canvas.getContext('2d')!
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  return base64Of(await drawn(canvas, context))
}

/** PNG keeps edges and transparency; a photograph may need another type to be small enough. */
async function drawn(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D): Promise<Blob> {
  const as = (type: string) =>
    new Promise<Blob>((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No image'))), type, 0.9),
    )
  const png = await as('image/png')
  if (png.size <= MAX_BYTES) return png
  return as(isOpaque(context) ? 'image/jpeg' : 'image/webp')
}

function isOpaque(context: CanvasRenderingContext2D): boolean {
  const { width, height } = context.canvas
  const { data } = context.getImageData(0, 0, width, height)
  for (let alpha = 3; alpha < data.length; alpha += 4) if (data[alpha] !== 255) return false
  return true
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
