// A page without and with the watermark as it is in the form, and a warning if its image no longer exists.
import { isMissing } from '../../shell/client/error.ts'
import { type ReactNode, useEffect, useState } from 'react'
import { useFile, useFileBytes } from '../../shell/client/queries.ts'
import { type ShopSettings } from '../../shell/client/types.ts'
import { t } from '../../shell/messages/t.ts'
import { Banner, BlockStack, Text } from '../../shell/ui/index.ts'
import { PAGE, placeMark, ratioOf } from './watermark-place.ts'
import './watermark.css'

/** A form that is not complete yet lacks defaults. */
type Watermark = Partial<NonNullable<ShopSettings['watermark']>>

const USUAL_OPACITY = 0.3

export function WatermarkPreview({ watermark }: { watermark: Watermark }) {
  const { text = '', picture } = watermark
  return (
    <BlockStack gap="200">
      <Text as="h3" variant="headingSm">
        {t('Preview')}
      </Text>
      <div className="watermark-pages">
        <figure>
          <PageWith label={t('A page without the watermark')} />
          <figcaption>{t('Before', {}, 'picture')}</figcaption>
        </figure>
        <figure>
          {picture === undefined ? (
            <PageWith>{text.trim() !== '' && <TextMark watermark={watermark} />}</PageWith>
          ) : (
            <PicturePreview key={picture} watermark={watermark} id={picture} />
          )}
          <figcaption>{t('After', {}, 'picture')}</figcaption>
        </figure>
      </div>
      <Text as="p" variant="bodySm" tone="subdued">
        {t('About as it appears on a page. A preview of the action shows which files get it.')}
      </Text>
    </BlockStack>
  )
}

function PicturePreview({ watermark, id }: { watermark: Watermark; id: string }) {
  const { data: file, error } = useFile(id)
  const gone = isMissing(error)
  const { data: bytes } = useFileBytes(id, file?.version ?? 0, file !== undefined)
  const picture = usePicture(bytes)
  if (id === '') return <PageWith />
  return (
    <>
      {gone && (
        <Banner tone="critical" title={t('The image of the watermark was deleted')}>
          <p>
            {t('Documents get no watermark until you choose another image or restore this one.')}
          </p>
        </Banner>
      )}
      <PageWith>{picture && <PictureMark watermark={watermark} {...picture} />}</PageWith>
    </>
  )
}

interface Picture {
  url: string
  /** The width of the image divided by its height. */
  ratio: number
}

function usePicture(bytes: Blob | undefined): Picture | null {
  const [picture, setPicture] = useState<Picture | null>(null)
  useEffect(() => {
    if (!bytes) return
    const url = URL.createObjectURL(bytes)
    const image = new Image()
    image.addEventListener('load', () =>
      setPicture({ url, ratio: image.naturalWidth / Math.max(image.naturalHeight, 1) }),
    )
    image.src = url
    return () => URL.revokeObjectURL(url)
  }, [bytes])
  return picture
}

const PageWith = ({
  label = t('A page with the watermark'),
  children,
}: {
  label?: string
  children?: ReactNode
}) => (
  <svg
    className="watermark-page"
    viewBox={`0 0 ${PAGE.width} ${PAGE.height}`}
    role="img"
    aria-label={label}
  >
    <rect width={PAGE.width} height={PAGE.height} className="watermark-paper" />
    {LINES.map(({ y, width }) => (
      <rect key={y} x={70} y={y} width={width} height={9} rx={4} className="watermark-line" />
    ))}
    {children}
  </svg>
)

/** The lines of a text. */
const LINES = Array.from({ length: 26 }, (_, at) => ({
  y: 90 + at * 25,
  width: at % 6 === 5 ? 250 : 455,
}))

function TextMark({ watermark }: { watermark: Watermark }) {
  const { text = '', opacity = USUAL_OPACITY } = watermark
  const { x, y, width, height, turn } = placeMark(watermark, ratioOf(text.trim()))
  return (
    <text
      x={x}
      y={y}
      fontSize={height}
      textLength={width}
      lengthAdjust="spacingAndGlyphs"
      textAnchor="middle"
      dominantBaseline="central"
      fill="#808080"
      opacity={opacity}
      transform={`rotate(${turn} ${x} ${y})`}
    >
      {text.trim()}
    </text>
  )
}

function PictureMark({ watermark, url, ratio }: Picture & { watermark: Watermark }) {
  const { x, y, width, height, turn } = placeMark(watermark, ratio)
  return (
    <image
      href={url}
      x={x - width / 2}
      y={y - height / 2}
      width={width}
      height={height}
      opacity={watermark.opacity ?? USUAL_OPACITY}
      transform={`rotate(${turn} ${x} ${y})`}
    />
  )
}
