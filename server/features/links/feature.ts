// Download links that merchants create for buyers.
import { linksExamples } from './examples.ts'
import { linkEffect } from './effect.ts'
import { linkRoutes, type LinkRouteParts } from './routes.ts'
import { linkChangeRoutes } from './routes/change-endpoints.ts'
import { defineFeature } from '../feature.ts'

export const linksFeature = defineFeature({
  name: 'links',
  examples: linksExamples,
  endpoints: (parts: LinkRouteParts) => [...linkRoutes(parts), ...linkChangeRoutes(parts)],
  changesDelivery: true,
  effects: ({ secrets }) => [linkEffect(secrets)],
  tables: {
    links: { about: 'Download links', columns: ['email'], keeps: ['pack_name'], how: 'link' },
    used_up_links: 'ids of links',
  },
})
