// A product's picture, or its first letter if it has none. Decorative: its title is shown beside
// it.
import { useState } from 'react'
import { isDemo } from '../../shell/client/bridge.ts'
import './product-picture.css'

export function ProductPicture({ title, url }: { title: string; url: string | null }) {
  const [broken, setBroken] = useState(false)
  return (
    <span className="product-picture" aria-hidden="true">
      {/* Demo mode loads no pictures from other hosts. */}
      {url !== null && !broken && !isDemo() ? (
        <img
          src={url}
          alt=""
          loading="lazy"
          referrerPolicy="no-referrer"
          onError={() => setBroken(true)}
        />
      ) : (
        title.slice(0, 1).toUpperCase()
      )}
    </span>
  )
}
