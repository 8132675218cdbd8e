// Messages with tags: `See <link>the file</link>.` is one sentence, of which a part is a link.
import { Fragment, createElement, type ReactNode } from 'react'
import { formatParts, type MessageValues, type TagRenderer } from './format.ts'
import { translationOf } from './t.ts'

/**
 * Translates a message with tags: `tRich('See <link>{name}</link>.', { name }, { link: (text) =>
 * <Link url="/">{text}</Link> })`. `message` must be a literal, as with `t`.
 */
export const tRich = (
  message: string,
  values: MessageValues,
  tags: Readonly<Record<string, TagRenderer<ReactNode>>>,
): ReactNode =>
  formatParts<ReactNode>(translationOf(message), values, tags).map((part, index) =>
    createElement(Fragment, { key: index }, part),
  )
