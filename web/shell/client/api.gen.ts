// Generated from /api/openapi.json by `npm run api-types`. Do not edit.
export type paths = Record<string, never>
export type webhooks = Record<string, never>
export interface components {
  schemas: {
    Activity: {
      /** @description The newest operation; null: none yet */
      latest_operation: string | null
      /** @description Open reviews, counted up to 1000 */
      reviews: number
      /** @description Whether an operation is running */
      running: boolean
      /** @description Unread notices */
      unread: number
    }
    AddressCorrection: {
      /** Format: email */
      email?: string
      phone?: string
    }
    AgencyKey: {
      /** @description Of the key */
      name: string
      /** @description Whose key it is */
      shop: {
        domain: string
        name: string
      }
    }
    ApiKey: {
      /** @description Owners of other shops let the key act there by this code; null: in its shop alone */
      agency_code: string | null
      /** Format: date-time */
      created_at: string
      /** @description null: never */
      expires_at: string | null
      /** @description The key of this other shop acts here; null: it is a key of this shop */
      granted_shop: string | null
      /** @description The first characters of the key */
      hint: string
      id: string
      /** @description To the minute */
      last_used_at: string | null
      name: string
      revoked_at: string | null
      scopes: string[]
    }
    ApiKeyRequest: {
      /** @description It can act in other shops too, once their owners grant it access */
      agency?: boolean
      expires_in_days?: number | null
      /** @description Its name in history */
      name: string
      /** @description Only scopes that the caller has */
      scopes: (
        | 'files:read'
        | 'files:write'
        | 'files:delete'
        | 'files:purge'
        | 'imports:write'
        | 'links:write'
        | 'operations:read'
        | 'operations:write'
        | 'settings:write'
        | 'drop:read'
        | 'drop:write'
        | 'cloud:read'
        | 'cloud:write'
      )[]
    }
    AppliedConfiguration: {
      data: {
        /** @description What it changes, in words */
        differences: components['schemas']['Difference'][]
        error: {
          code: string
          /** @description Every problem, up to the first 100 */
          details: {
            code: string
            index?: number
            /** @description Of a body of lines, counted from 1 */
            line?: number
            message: string
            /** @description Absent: the English text has no values, so it is its own message */
            message_text?: components['schemas']['Text']
            param: string
          }[]
          message: string
          /** @description Absent: the English text has no values, so it is its own message */
          message_text?: components['schemas']['Text']
        } | null
        file: string
        /** @description null: the shop has one of this kind, or none */
        id: string | null
        kind: string | null
        name: string | null
        /**
         * @description `unchanged`: the shop has it like this already, and nothing was saved
         * @enum {string}
         */
        status: 'created' | 'changed' | 'unchanged' | 'refused'
        /** @description Of what it is now, in a dry run of what it would be */
        tag: string | null
        /** @description null: there was none */
        tag_before: string | null
      }[]
      /** @description The domain of the shop */
      shop: string
    }
    AppliedWorkflow: {
      /** @description What it changes, in words */
      differences: components['schemas']['Difference'][]
      /** @description null: it is not in the shop */
      id: string | null
      name: string
      /**
       * @description `unchanged`: the shop has it like this already, and nothing was saved
       * @enum {string}
       */
      status: 'created' | 'changed' | 'unchanged' | 'refused'
    }
    Attention: {
      /** @description What has happened in the shop so far */
      first_steps: {
        branded: boolean
        downloaded: boolean
        imported: boolean
        mapped: boolean
        ordered: boolean
      }
      /** @description What waits for somebody, the most important first */
      needs: {
        /** @description The code of the error, of failed and stopped imports: each cause is an entry */
        cause: string | null
        /** @description Exact up to 1000 */
        count: number
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
        /** @enum {string} */
        need:
          | 'held'
          | 'asked_runs'
          | 'asked'
          | 'blocked'
          | 'unreachable'
          | 'bounced'
          | 'unfiled_products'
          | 'new_files'
          | 'stopped_imports'
          | 'failed_imports'
          | 'reviews'
          | 'unmapped'
          | 'connections'
          | 'licence_lists'
          | 'quarantined'
          | 'damaged'
        /** @description The admin page where somebody can act */
        url: string
      }[]
    }
    Backup: {
      /** Format: date-time */
      created_at: string
      /** @description The file; it may be deleted */
      file_id: string
      /** @description Its name at that time */
      filename: string
      id: string
      location: string
      size_bytes: number
    }
    Because: {
      /** @description How many events or calls it took */
      count: number
      /** @description Of `event`: its name */
      event: string | null
      /** @description Of `imports`: the source */
      from: components['schemas']['ImportSource'] | null
      /** @description The name of the account, connection or key */
      from_name: string | null
      /**
       * @description `request`: `requested_by` asked for it. `times`: the scheduled task `schedule_id` was due. `event`: files of an event. `hook`: a program called the address of the workflow. `imports`: the workflow is for imports of a source. `if_not`: another workflow, the last of `led_by`, runs it on its failed files
       * @enum {string}
       */
      kind: 'request' | 'times' | 'event' | 'hook' | 'imports' | 'if_not'
      /** @description The operations whose events or failures led to it, first to last, each with what started it */
      led_by: {
        /** @description Of `event`: its name */
        event: string | null
        /** @description Of `imports`: the source */
        from: components['schemas']['ImportSource'] | null
        /** @description The name of the account, connection or key */
        from_name: string | null
        /**
         * @description `request`: `requested_by` asked for it. `times`: the scheduled task `schedule_id` was due. `event`: files of an event. `hook`: a program called the address of the workflow. `imports`: the workflow is for imports of a source. `if_not`: another workflow, the last of `led_by`, runs it on its failed files
         * @enum {string}
         */
        kind: 'request' | 'times' | 'event' | 'hook' | 'imports' | 'if_not'
        operation_id: string
        title: string
      }[]
    }
    BlockedAddress: {
      /** @description It reported a mail as spam: it gets no mails about new versions and added files */
      complaint: boolean
      /** Format: date-time */
      created_at: string
      email: string
      reason: string
      /** @description Absent: the English text has no values, so it is its own message */
      reason_text?: components['schemas']['Text']
    }
    BulkDeleteRequest: {
      /** @default false */
      backup_first?: boolean
      /**
       * @description Ids of files
       * @example [
       *       "file_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e"
       *     ]
       */
      file_ids: string[]
      /** @default false */
      permanent?: boolean
      /** @default false */
      remove_mappings?: boolean
    }
    BulkUpdateRequest: {
      /**
       * @description Ids of files
       * @example [
       *       "file_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e"
       *     ]
       */
      file_ids: string[]
      updates: {
        /**
         * @description Hosts that may link to the file, `*.example.com` for all subdomains; empty: any
         * @example [
         *       "shop.example.com"
         *     ]
         */
        allowed_referrers?: string[]
        /**
         * @description What a link asks for before the file can be downloaded or viewed: the buyer’s email address, or a `password`; null: nothing. Also at links that exist already. A password cannot be read again
         * @example email
         */
        ask_for?: ('email' | 'password') | null
        /**
         * @description Days after the purchase until buyers get the file; null: immediately. For a link without an order, days after the link was created
         * @example 7
         */
        available_after_days?: number | null
        /**
         * @description The day from which buyers get the file, in the shop’s time zone; null: immediately. With `available_after_days`, the later of both. The expiry counts from then
         * @example 2027-03-01
         */
        available_from?: string | null
        /**
         * @description A text for buyers of the file, such as instructions: on pages of deliveries and packs, in the library and in the mail about an order; null: none. Lines are kept, and addresses become links. Buyers see the current text, also of earlier orders
         * @example Unpack the ZIP file, then open Start.pdf.
         */
        buyer_text?: string | null
        cdn?: boolean
        /**
         * @description The tag that the customer of the order must have, now and at every download; null: none. Applies to orders placed while a file requires one. Links without an order need none
         * @example subscriber
         */
        customer_tag?: string | null
        /**
         * @description Downloads that a link allows; null: unlimited
         * @example 5
         */
        download_limit?: number | null
        download_notification?: boolean
        download_tracking?: boolean
        /**
         * @description Days a link stays valid; null: it never expires
         * @example 60
         */
        expiry_days?: number | null
        /**
         * @description Hours from a buyer’s first download or view after which the link expires; null: the first use changes nothing. `expiry_days` applies too: the earlier of both
         * @example 48
         */
        first_use_hours?: number | null
        /** @description The password that their links ask for. It cannot be read again */
        password?: string
        /**
         * @description The first pages of a PDF document that everyone may read as a sample, at most half of it; null: none
         * @example 5
         */
        sample_pages?: number | null
        /**
         * @description The first seconds of an audio file that everyone may hear as a sample, at most half of it; null: none
         * @example 30
         */
        sample_seconds?: number | null
        tags?: string[]
        /**
         * @default replace
         * @enum {string}
         */
        tags_mode?: 'replace' | 'add' | 'remove'
        /**
         * @description Whether buyers download the file, or read or play it in the browser. Other types than images, audio, video and PDF are always downloads
         * @enum {string}
         */
        view?: 'download' | 'both' | 'view_only'
        /**
         * @description Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`
         * @example 365
         */
        view_days?: number | null
        /**
         * @description Views in the browser that a link allows, counted apart from downloads; null: unlimited. Within four hours the same browser views the file again without a count. Without effect while `view` is `download`
         * @example 10
         */
        view_limit?: number | null
        /** @enum {string} */
        visibility?: 'private' | 'public'
      }
    }
    Buyer: {
      /** @description Of them, those whose downloads or views are used up or have ended */
      blocked_files: number
      downloads: number
      /** @description In lower case */
      email: string
      /** @description In deliveries and links that were not revoked */
      files: number
      last_download_at: string | null
      last_order_at: string | null
      orders: number
    }
    BuyerDetail: {
      /** @description Of them, those whose downloads or views are used up or have ended */
      blocked_files: number
      /** @description The last downloads of files with tracking, newest first */
      download_list: {
        address: string
        agent: string
        /** Format: date-time */
        at: string
        file_id: string
        filename: string
      }[]
      downloads: number
      /** @description In lower case */
      email: string
      /** @description In deliveries and links that were not revoked */
      files: number
      last_download_at: string | null
      last_order_at: string | null
      /** @description When its link was last sent, and when it was last opened */
      library: {
        opened_at: string | null
        sent_at: string | null
      }
      /** @description Keys that were shown to the buyer; only with `links:write` */
      licence_keys: {
        file_id: string
        filename: string
        key: string
        /** @description By the shop, or with a refund */
        revoked: boolean
      }[]
      /** @description Who answered what a link asks for, newest first: one for each link, address and minute; 50 of each link are kept */
      openings: {
        /** @description Shortened: 203.0.113.0/24 */
        address: string
        /** @description The program: Chrome (Windows) */
        agent: string
        /** Format: date-time */
        at: string
        /** @description The address that was entered; null: a password */
        email: string | null
        /** @description Null: the page of a pack */
        file_id: string | null
        filename: string | null
      }[]
      orders: number
      /** @description The last downloads that the buyer was refused, newest first; 20 of each link are kept */
      refusals: {
        /** @description Shortened: 203.0.113.0/24 */
        address: string
        /** @description The program: Chrome (Windows) */
        agent: string
        /** Format: date-time */
        at: string
        /**
         * @description `not_prepared`: the shop’s workflow has not prepared the file
         * @enum {string}
         */
        code:
          | 'used_up'
          | 'views_used_up'
          | 'views_expired'
          | 'expired'
          | 'revoked'
          | 'withdrawn'
          | 'not_prepared'
          | 'held'
          | 'site_not_allowed'
          | 'not_released'
          | 'customer_tag'
          | 'wrong_answer'
        /** @description Null: the page, or all files as one ZIP file */
        file_id: string | null
        filename: string | null
        /** @description Attempts within the same minute for the same reason */
        times: number
      }[]
      /** @description Files that were read or played in a browser, newest first: one for each link and hour; 20 of each link are kept */
      views: {
        /** @description Shortened: 203.0.113.0/24 */
        address: string
        /** @description The program: Chrome (Windows) */
        agent: string
        /**
         * Format: date-time
         * @description The last request of its hour
         */
        at: string
        file_id: string
        filename: string
      }[]
    }
    BuyerPage: {
      accent: string | null
      /** @description Buyers can ask for more of what is expired or used up */
      ask_again: boolean
      background: string | null
      /** @description Such files lead to their product in the shop */
      buy_again: boolean
      colours: components['schemas']['ColourReport']
      /**
       * @description What copied and listed links do: download the file, or open its page
       * @enum {string}
       */
      copied_links: 'direct' | 'page'
      /** @enum {string} */
      language: 'en' | 'de' | 'fr' | 'es' | 'ja' | 'pt'
      /** @description Buyers can ask for a link to all their downloads */
      library: boolean
      /** @description The pages of deliveries have a button “All my downloads” */
      library_link: boolean
      /**
       * Format: uri
       * @description Where buyers ask for the link to their downloads
       */
      library_url: string
      /** @description `url` is a data address */
      logo: {
        size_bytes: number
        type: string
        url: string
      } | null
      texts: {
        [key: string]: {
          footer: string
          intro: string
        }
      }
    }
    BuyerPageChange: {
      /** @description Buttons and links; null: the usual blue */
      accent?: string | null
      /** @description Buyers can ask for more time or downloads of files that are expired or used up */
      ask_again?: boolean
      /** @description The background of the page; null: light or dark, as the device prefers */
      background?: string | null
      /** @description Such files have a button that leads to their product in the shop */
      buy_again?: boolean
      /**
       * @description What **Copy** and lists of links give: addresses that download the file directly, or that open a page with a button, which counts nothing
       * @enum {string}
       */
      copied_links?: 'direct' | 'page'
      /**
       * @description For buyers whose language has no translation
       * @enum {string}
       */
      language?: 'en' | 'de' | 'fr' | 'es' | 'ja' | 'pt'
      /** @description Buyers can ask for a mail with a link to all their downloads, at `/library` */
      library?: boolean
      /** @description The pages of deliveries have a button “All my downloads”; only with `library` */
      library_link?: boolean
      /** @description By language; a missing one is replaced by that of `language` */
      texts?: {
        [key: string]: {
          /** @description At the end of every page */
          footer?: string
          /** @description Above the files */
          intro?: string
        }
      }
    }
    BuyerPagePreview: {
      /** @description Buttons and links; null: the usual blue */
      accent?: string | null
      /** @description Buyers can ask for more time or downloads of files that are expired or used up */
      ask_again?: boolean
      /** @description The background of the page; null: light or dark, as the device prefers */
      background?: string | null
      /** @description Such files have a button that leads to their product in the shop */
      buy_again?: boolean
      /**
       * @description What **Copy** and lists of links give: addresses that download the file directly, or that open a page with a button, which counts nothing
       * @enum {string}
       */
      copied_links?: 'direct' | 'page'
      /**
       * @description For buyers whose language has no translation
       * @enum {string}
       */
      language?: 'en' | 'de' | 'fr' | 'es' | 'ja' | 'pt'
      /** @description Buyers can ask for a mail with a link to all their downloads, at `/library` */
      library?: boolean
      /** @description The pages of deliveries have a button “All my downloads”; only with `library` */
      library_link?: boolean
      /**
       * @default en
       * @enum {string}
       */
      locale?: 'en' | 'de' | 'fr' | 'es' | 'ja' | 'pt'
      /** @description The page of files shows those of this pack, under its product */
      pack_id?: string
      /**
       * @default files
       * @enum {string}
       */
      page?: 'files' | 'ended'
      /** @description By language; a missing one is replaced by that of `language` */
      texts?: {
        [key: string]: {
          /** @description At the end of every page */
          footer?: string
          /** @description Above the files */
          intro?: string
        }
      }
    }
    CatalogMirror: {
      error: string | null
      /** @description Absent: the English text has no values, so it is its own message */
      error_text?: components['schemas']['Text']
      next_refresh_at: string | null
      products: number
      /** @description Rows read so far by a running refresh */
      progress: number | null
      refreshed_at: string | null
      /**
       * @description failed: the last refresh failed, and the list is from an earlier one
       * @enum {string}
       */
      status: 'never' | 'refreshing' | 'ready' | 'failed'
      variants: number
    }
    Channel: {
      id: string
      /** @description Null: its operations work on existing files */
      imports: {
        /** @description The imports that an attached workflow applies to: `CSV imports` */
        plural: string
        /** @description One import: `CSV import` */
        title: string
      } | null
      /** @description How an operation was started: `CSV` */
      title: string
    }
    CheckedName: {
      /** @description Why no file may have this name */
      error: {
        code: string
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
      } | null
      filename: string
      /** @description The file that has this name */
      taken: {
        file_id: string
        filename: string
        size_bytes: number
      } | null
    }
    CloudOffer: {
      callback_url: string
      providers: {
        available: boolean
        fields: {
          help: string
          multiline: boolean
          name: string
          required: boolean
          secret: boolean
          title: string
        }[]
        id: string
        /** @description Why it cannot be connected; null: it can */
        message: string | null
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
        needs_rclone: boolean
        presets: {
          endpoint: string | null
          id: string
          title: string
        }[]
        /** @enum {string} */
        sign_in: 'keys' | 'oauth' | 'none'
        title: string
      }[]
      rclone: {
        available: boolean
        /** @description What has to happen if it is missing */
        message: string | null
        version: string | null
      }
    }
    CloudRejection: {
      code: string
      message: string
      /** @description Absent: the English text has no values, so it is its own message */
      message_text?: components['schemas']['Text']
      path: string
      size_bytes: number
    }
    ColourReport: {
      /** @description The chosen colour is unreadable for links, so links have `link_colour` */
      adjusted: boolean
      /** @description Contrast of the text on a button, 1 to 21 */
      button: number
      /** @description Contrast of a link, after it was adjusted */
      link: number
      link_colour: string
    }
    Configuration: {
      data: {
        /** @description Where it is kept in a folder of files */
        file: string
        kind: string
        /** @description null: the shop has one of this kind */
        name: string | null
        /** @description For `known`, when it is applied */
        tag: string
        /** @description The document as YAML */
        text: string
      }[]
      /** @description Kinds that the key may not read */
      left_out: string[]
      /** @description The domain of the shop */
      shop: string
    }
    ConfigurationRequest: {
      documents: {
        /** @description The document, instead of `text` */
        document?: {
          [key: string]: unknown
        }
        /**
         * @description Its name, for the answer
         * @default
         */
        file?: string
        /** @description The tag of what it replaces; null: there is none. Absent: it is not compared */
        known?: string | null
        /** @description The document as YAML or JSON */
        text?: string
      }[]
    }
    Connection: {
      /** @description New files are matched to products */
      auto_map: boolean
      bytes: number
      /** @description The bandwidth limit of a sync; null: unlimited */
      bytes_per_second: number | null
      /** Format: date-time */
      created_at: string
      /**
       * @description What happens to files whose objects are deleted at the provider
       * @enum {string}
       */
      deletions: 'keep' | 'trash' | 'unmap'
      /**
       * @description from_provider: the provider is the source of truth
       * @enum {string}
       */
      direction: 'from_provider' | 'two_way'
      error: {
        code: string
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
      } | null
      /** @description Not paths that match one of these */
      exclude: string[]
      files: number
      frequency_hours: number | null
      id: string
      /** @description Only paths that match one of these; empty: all */
      include: string[]
      last_sync: components['schemas']['Sync'] | null
      /** @description Larger files are left out */
      max_bytes: number
      name: string
      /**
       * @description filename: the object’s name; path: with its folders, `a - b - name.pdf`
       * @enum {string}
       */
      names: 'filename' | 'path'
      next_sync_at: string | null
      /** @description Email at the end of each sync */
      notify: boolean
      /** @description New files go into a pack with the name of their subfolder */
      packs_from_subfolders: boolean
      progress: {
        listed: number
        operation_id: string
        /** @enum {string} */
        phase: 'listing' | 'syncing'
      } | null
      provider: string
      provider_title: string
      /** @description Files at the provider that cannot be imported */
      rejected: number
      settings: {
        [key: string]: string | null
      }
      /** @enum {string} */
      state: 'unauthorized' | 'ready' | 'failing'
    }
    ConnectionChange: {
      access_key?: string | null
      account?: string | null
      /** @description New files are matched to products */
      auto_map?: boolean
      bucket?: string | null
      /** @description The bandwidth limit of a sync; null: unlimited */
      bytes_per_second?: number | null
      /**
       * @description What happens to files whose objects are deleted at the provider
       * @enum {string}
       */
      deletions?: 'keep' | 'trash' | 'unmap'
      /**
       * @description from_provider: the provider is the source of truth
       * @enum {string}
       */
      direction?: 'from_provider' | 'two_way'
      drive_id?: string | null
      drive_type?: string | null
      endpoint?: string | null
      /** @description Not paths that match one of these */
      exclude?: string[]
      folder?: string | null
      /** @description Null: by hand */
      frequency_hours?: (1 | 6 | 12 | 24) | null
      /** @description Only paths that match one of these; empty: all */
      include?: string[]
      /** @description Larger files are left out */
      max_bytes?: number
      name?: string
      /**
       * @description filename: the object’s name; path: with its folders, `a - b - name.pdf`
       * @enum {string}
       */
      names?: 'filename' | 'path'
      /** @description Email at the end of each sync */
      notify?: boolean
      /** @description New files go into a pack with the name of their subfolder */
      packs_from_subfolders?: boolean
      prefix?: string | null
      preset?: string | null
      region?: string | null
      secret_key?: string | null
      service_account?: string | null
    }
    ConnectionRequest: {
      access_key?: string | null
      account?: string | null
      /** @description New files are matched to products */
      auto_map?: boolean
      bucket?: string | null
      /** @description The bandwidth limit of a sync; null: unlimited */
      bytes_per_second?: number | null
      /**
       * @description What happens to files whose objects are deleted at the provider
       * @enum {string}
       */
      deletions?: 'keep' | 'trash' | 'unmap'
      /**
       * @description from_provider: the provider is the source of truth
       * @enum {string}
       */
      direction?: 'from_provider' | 'two_way'
      drive_id?: string | null
      drive_type?: string | null
      endpoint?: string | null
      /** @description Not paths that match one of these */
      exclude?: string[]
      folder?: string | null
      /** @description Null: by hand */
      frequency_hours?: (1 | 6 | 12 | 24) | null
      /** @description Only paths that match one of these; empty: all */
      include?: string[]
      /** @description Larger files are left out */
      max_bytes?: number
      name?: string
      /**
       * @description filename: the object’s name; path: with its folders, `a - b - name.pdf`
       * @enum {string}
       */
      names?: 'filename' | 'path'
      /** @description Email at the end of each sync */
      notify?: boolean
      /** @description New files go into a pack with the name of their subfolder */
      packs_from_subfolders?: boolean
      prefix?: string | null
      preset?: string | null
      /** @enum {string} */
      provider:
        | 'google_drive'
        | 'dropbox'
        | 'onedrive'
        | 's3'
        | 'google_cloud_storage'
        | 'azure_blob'
        | 'demo'
      region?: string | null
      secret_key?: string | null
      service_account?: string | null
    }
    ContentGroup: {
      /** @description How many files have this content */
      count: number
      /** @description The first 100: the oldest that buyers have comes first, and is the one to keep */
      files: {
        /** @description Buyers who hold a link to it that works */
        buyers: number
        /** Format: date-time */
        created_at: string
        filename: string
        id: string
        /** @description The names of its packs */
        packs: string[]
        /** @description Titles of its products */
        products: string[]
      }[]
      /** @description The BLAKE3 hash of their bytes */
      id: string
      /** @description Of each file */
      size_bytes: number
    }
    CreatedWebhook: {
      /** Format: date-time */
      created_at: string
      description: string
      enabled: boolean
      /** @description Empty: all */
      events: (
        | 'file.imported'
        | 'sync.finished'
        | 'file.changed'
        | 'file.replaced'
        | 'file.trashed'
        | 'file.quarantined'
        | 'file.deleted'
        | 'link.exhausted'
        | 'link.refused'
        | 'buyer.asked'
        | 'delivery.downloaded'
        | 'file.released'
        | 'delivery.ready'
        | 'delivery.held'
        | 'order.refunded'
        | 'operation.finished'
        | 'workflow.failed'
        | 'workflow.recovered'
        | 'mapping.changed'
        | 'review.opened'
        | 'product.created'
        | 'notice.created'
        | 'workflow.call'
      )[]
      /** @description null: the last message arrived */
      failing_since: string | null
      id: string
      last_error: string | null
      /** @description Absent: the English text has no values, so it is its own message */
      last_error_text?: components['schemas']['Text']
      last_success_at: string | null
      /** @description Until then messages have a second signature, made with the previous secret */
      previous_secret_until: string | null
      /** @description As in Standard Webhooks, `whsec_…`; only this answer contains it. In the answer to a repeated request with the same `Idempotency-Key` it is null */
      secret: string | null
      /** @description It failed for days and was switched off by the server */
      switched_off: {
        /** Format: date-time */
        at: string
        reason: string
        /** @description Absent: the English text has no values, so it is its own message */
        reason_text?: components['schemas']['Text']
      } | null
      /** @description Without its query, which may contain a secret */
      url: string
    }
    CronCheck: {
      next_runs: string[]
      schedule_text: string
      time_zone: string
    }
    CsvCheck: {
      /**
       * @description Headers of the requests for the files, such as `Authorization`, also of the import. They are sealed, shown nowhere, and sent only to the host of each address: never after a redirect to another one. Absent: those of the check before; `{}`: none
       * @example {
       *       "Authorization": "Bearer …"
       *     }
       */
      headers?: {
        [key: string]: string
      }
      /**
       * @description `filename`: rows without an id change the file of their name, if there is one
       * @default id
       * @enum {string}
       */
      match?: 'id' | 'filename'
      /**
       * @description What to do if a name is taken
       * @default error
       * @enum {string}
       */
      on_conflict?: 'error' | 'skip' | 'rename' | 'overwrite' | 'new_version'
      /**
       * @description Of existing files: packs without signs are added to theirs, or replace them
       * @default replace
       * @enum {string}
       */
      packs?: 'add' | 'replace'
      /**
       * @description Check that each address answers
       * @default true
       */
      probe?: boolean
      /**
       * @description Of existing files: named products are added to theirs, or replace them
       * @default add
       * @enum {string}
       */
      products?: 'add' | 'replace'
      /**
       * @description Of existing files: tags without signs are added to theirs, or replace them
       * @default replace
       * @enum {string}
       */
      tags?: 'add' | 'replace'
    }
    CsvColumnMapping: {
      /** Format: date-time */
      created_at: string
      /** @description Those of the files that it applies to */
      headers: string[]
      id: string
      mapping: {
        allowed_referrers: string | null
        ask_for: string | null
        available_after_days: string | null
        available_from: string | null
        buyer_text: string | null
        cdn: string | null
        command: string | null
        customer_tag: string | null
        download_limit: string | null
        download_notification: string | null
        download_tracking: string | null
        expiry_days: string | null
        file_url: string | null
        filename: string | null
        first_use_hours: string | null
        id: string | null
        link_url: string | null
        pack: string | null
        product_handle: string | null
        product_id: string | null
        product_sku: string | null
        sample_pages: string | null
        sample_seconds: string | null
        sha256: string | null
        tags: string | null
        view: string | null
        view_days: string | null
        view_limit: string | null
        visibility: string | null
      }
      name: string
      /** Format: date-time */
      updated_at: string
    }
    CsvColumnMappingRequest: {
      headers: string[]
      /** @description Field → the header of its column; absent or null: no column */
      mapping: {
        allowed_referrers?: string | null
        ask_for?: string | null
        available_after_days?: string | null
        available_from?: string | null
        buyer_text?: string | null
        cdn?: string | null
        command?: string | null
        customer_tag?: string | null
        download_limit?: string | null
        download_notification?: string | null
        download_tracking?: string | null
        expiry_days?: string | null
        file_url?: string | null
        filename?: string | null
        first_use_hours?: string | null
        id?: string | null
        link_url?: string | null
        pack?: string | null
        product_handle?: string | null
        product_id?: string | null
        product_sku?: string | null
        sample_pages?: string | null
        sample_seconds?: string | null
        sha256?: string | null
        tags?: string | null
        view?: string | null
        view_days?: string | null
        view_limit?: string | null
        visibility?: string | null
      }
      name: string
    }
    CsvColumns: {
      /** @description Field → the header of its column; absent or null: no column */
      mapping: {
        allowed_referrers?: string | null
        ask_for?: string | null
        available_after_days?: string | null
        available_from?: string | null
        buyer_text?: string | null
        cdn?: string | null
        command?: string | null
        customer_tag?: string | null
        download_limit?: string | null
        download_notification?: string | null
        download_tracking?: string | null
        expiry_days?: string | null
        file_url?: string | null
        filename?: string | null
        first_use_hours?: string | null
        id?: string | null
        link_url?: string | null
        pack?: string | null
        product_handle?: string | null
        product_id?: string | null
        product_sku?: string | null
        sample_pages?: string | null
        sample_seconds?: string | null
        sha256?: string | null
        tags?: string | null
        view?: string | null
        view_days?: string | null
        view_limit?: string | null
        visibility?: string | null
      }
      /** @description Saves the mapping under this name; it is applied automatically to files with the same headers */
      save_as?: string
    }
    /**
     * @example {
     *       "encoding": "shift_jis"
     *     }
     */
    CsvEncoding: {
      /** @enum {string} */
      encoding:
        | 'utf-8'
        | 'utf-16le'
        | 'utf-16be'
        | 'windows-1250'
        | 'windows-1251'
        | 'windows-1252'
        | 'windows-1253'
        | 'windows-1254'
        | 'windows-1255'
        | 'windows-1256'
        | 'windows-1257'
        | 'windows-1258'
        | 'windows-874'
        | 'iso-8859-2'
        | 'iso-8859-4'
        | 'iso-8859-5'
        | 'iso-8859-6'
        | 'iso-8859-7'
        | 'iso-8859-8'
        | 'iso-8859-13'
        | 'iso-8859-15'
        | 'koi8-r'
        | 'koi8-u'
        | 'macintosh'
        | 'ibm850'
        | 'ibm852'
        | 'ibm866'
        | 'shift_jis'
        | 'euc-jp'
        | 'iso-2022-jp'
        | 'gb18030'
        | 'big5'
        | 'euc-kr'
    }
    CsvFile: {
      check: {
        /** @description Rows that move a file to the trash */
        delete_rows: number
        /** @description Rows with at least one error */
        error_rows: number
        errors: number
        /** @description Requests for the files have headers, which are not shown */
        has_headers: boolean
        /** @description Rows that do nothing */
        ignored_rows: number
        /** @description Rows without an error that import a file */
        import_rows: number
        /** @enum {string} */
        match: 'id' | 'filename'
        /** @enum {string} */
        on_conflict: 'error' | 'skip' | 'rename' | 'overwrite' | 'new_version'
        /** @enum {string} */
        packs: 'add' | 'replace'
        /** @enum {string} */
        phase: 'waiting' | 'rows' | 'skus' | 'urls' | 'done'
        probe: boolean
        /** @enum {string} */
        products: 'add' | 'replace'
        /** @description Rows that restore a file from the trash */
        restore_rows: number
        /** @description Rows read so far */
        rows: number
        skus: number
        skus_total: number
        /** @enum {string} */
        tags: 'add' | 'replace'
        /** @description Rows without an error that change an existing file */
        update_rows: number
        /** @description Addresses that were requested so far */
        urls: number
        urls_total: number
        warnings: number
      } | null
      /** @description The suggested column for each field, with its confidence (0 to 1) */
      columns: {
        allowed_referrers: {
          header: string
          reason: string
          sure: number
        } | null
        ask_for: {
          header: string
          reason: string
          sure: number
        } | null
        available_after_days: {
          header: string
          reason: string
          sure: number
        } | null
        available_from: {
          header: string
          reason: string
          sure: number
        } | null
        buyer_text: {
          header: string
          reason: string
          sure: number
        } | null
        cdn: {
          header: string
          reason: string
          sure: number
        } | null
        command: {
          header: string
          reason: string
          sure: number
        } | null
        customer_tag: {
          header: string
          reason: string
          sure: number
        } | null
        download_limit: {
          header: string
          reason: string
          sure: number
        } | null
        download_notification: {
          header: string
          reason: string
          sure: number
        } | null
        download_tracking: {
          header: string
          reason: string
          sure: number
        } | null
        expiry_days: {
          header: string
          reason: string
          sure: number
        } | null
        file_url: {
          header: string
          reason: string
          sure: number
        } | null
        filename: {
          header: string
          reason: string
          sure: number
        } | null
        first_use_hours: {
          header: string
          reason: string
          sure: number
        } | null
        id: {
          header: string
          reason: string
          sure: number
        } | null
        link_url: {
          header: string
          reason: string
          sure: number
        } | null
        pack: {
          header: string
          reason: string
          sure: number
        } | null
        product_handle: {
          header: string
          reason: string
          sure: number
        } | null
        product_id: {
          header: string
          reason: string
          sure: number
        } | null
        product_sku: {
          header: string
          reason: string
          sure: number
        } | null
        sample_pages: {
          header: string
          reason: string
          sure: number
        } | null
        sample_seconds: {
          header: string
          reason: string
          sure: number
        } | null
        sha256: {
          header: string
          reason: string
          sure: number
        } | null
        tags: {
          header: string
          reason: string
          sure: number
        } | null
        view: {
          header: string
          reason: string
          sure: number
        } | null
        view_days: {
          header: string
          reason: string
          sure: number
        } | null
        view_limit: {
          header: string
          reason: string
          sure: number
        } | null
        visibility: {
          header: string
          reason: string
          sure: number
        } | null
      }
      corrections: {
        can_undo: boolean
        /** @description Rows that are not imported */
        left_out: number
        /** @description Rows with corrected cells */
        rows: number
      }
      /** Format: date-time */
      created_at: string
      delimiter: string
      encoding: string
      /** @description false: another encoding fits nearly as well; choose it if the preview is wrong */
      encoding_sure: boolean
      /**
       * Format: date-time
       * @description The file is stored until then
       */
      expires_at: string
      /** @description Why the last check was not completed */
      failure: string | null
      filename: string
      /** @description The first rows, from which the header can be chosen */
      head: {
        cells: string[]
        row: number
      }[]
      /** @description The row of the header; 0: the file has none, and columns have numbers */
      header_row: number
      headers: string[]
      id: string
      /** @description Its text has no encoding and no delimiter */
      is_workbook: boolean
      /** @description The import, if it was started */
      job_id: string | null
      /** @description An export that has no addresses of files */
      kind: 'storefront_products' | null
      /** @description The sheet is another shop’s export, rewritten with one row for each file; choose the other sheet to read the file as it is */
      list: {
        files: number
        /** @enum {string} */
        id: 'woocommerce' | 'edd' | 'several_files'
        products: number
        /** @description Products without files, which are left out */
        without_files: number
      } | null
      /** @description The column from which each field is read */
      mapping: {
        allowed_referrers: string | null
        ask_for: string | null
        available_after_days: string | null
        available_from: string | null
        buyer_text: string | null
        cdn: string | null
        command: string | null
        customer_tag: string | null
        download_limit: string | null
        download_notification: string | null
        download_tracking: string | null
        expiry_days: string | null
        file_url: string | null
        filename: string | null
        first_use_hours: string | null
        id: string | null
        link_url: string | null
        pack: string | null
        product_handle: string | null
        product_id: string | null
        product_sku: string | null
        sample_pages: string | null
        sample_seconds: string | null
        sha256: string | null
        tags: string | null
        view: string | null
        view_days: string | null
        view_limit: string | null
        visibility: string | null
      }
      /** @description Required fields that have no column */
      missing: string[]
      preview: {
        problems: components['schemas']['CsvProblem'][]
        row: number
        values: {
          allowed_referrers: string | null
          ask_for: string | null
          available_after_days: string | null
          available_from: string | null
          buyer_text: string | null
          cdn: string | null
          command: string | null
          customer_tag: string | null
          download_limit: string | null
          download_notification: string | null
          download_tracking: string | null
          expiry_days: string | null
          file_url: string | null
          filename: string | null
          first_use_hours: string | null
          id: string | null
          link_url: string | null
          pack: string | null
          product_handle: string | null
          product_id: string | null
          product_sku: string | null
          sample_pages: string | null
          sample_seconds: string | null
          sha256: string | null
          tags: string | null
          view: string | null
          view_days: string | null
          view_limit: string | null
          visibility: string | null
        }
      }[]
      /** @description The first problems of its structure */
      problems: components['schemas']['CsvProblem'][]
      /** @description The check of corrected rows that is running; `check` and the problems are those of the check before it */
      recheck: {
        /** @enum {string} */
        phase: 'waiting' | 'rows' | 'skus' | 'urls' | 'done'
        urls: number
        /** @description New addresses */
        urls_total: number
      } | null
      rows: number
      /** @description The saved mapping that was applied */
      saved_mapping: string | null
      /** @description The sheet that is read */
      sheet: string | null
      /** @description The sheets of a workbook that have cells; of another shop’s export: the file as it is, and the list of its files; of other CSV files: none */
      sheets: string[]
      size_bytes: number
      /** @enum {string} */
      status: 'ready' | 'checking' | 'checked' | 'started'
      /** @description The operation over rows that change files */
      update_job_id: string | null
    }
    CsvFix: {
      fix:
        | {
            /** @constant */
            type: 'leave_out'
          }
        | {
            text: string
            /** @constant */
            type: 'set'
          }
        | {
            text: string
            /** @constant */
            type: 'prefix'
          }
        | {
            find: string
            /** @constant */
            type: 'replace'
            with: string
          }
        | {
            /** @constant */
            type: 'number'
          }
        | {
            /** @constant */
            type: 'from_address'
          }
        | {
            /** @constant */
            type: 'extension'
          }
        | {
            /** @constant */
            type: 'decode'
          }
        | {
            /** @constant */
            type: 'meant'
          }
      /** @description The id of a group of problems */
      group: string
      /** @description Only rows whose cells have this text; absent: all of the group */
      value?: string
    }
    /**
     * @example {
     *       "row": 3
     *     }
     */
    CsvHeader: {
      row: number
    }
    CsvProblem: {
      code: string
      /** @description The column’s header; null: the row as a whole */
      column: string | null
      detail: string | null
      /** @description Absent: the English text has no values, so it is its own message */
      detail_text?: components['schemas']['Text']
      message: string
      /** @description Absent: the English text has no values, so it is its own message */
      message_text?: components['schemas']['Text']
      /** @description As a spreadsheet counts: the header is row 1 */
      row: number
      /** @enum {string} */
      severity: 'error' | 'warning'
      /** @description The text of the cell */
      value: string | null
    }
    CsvProblemGroup: {
      code: string
      /** @description The column’s header; null: whole rows */
      column: string | null
      /** @description Null if it differs between the rows */
      detail: string | null
      /** @description Absent: the English text has no values, so it is its own message */
      detail_text?: components['schemas']['Text']
      /** @description How many different texts the cells have */
      different: number
      field:
        | (
            | 'filename'
            | 'file_url'
            | 'link_url'
            | 'product_sku'
            | 'product_handle'
            | 'product_id'
            | 'expiry_days'
            | 'download_limit'
            | 'visibility'
            | 'cdn'
            | 'download_notification'
            | 'download_tracking'
            | 'allowed_referrers'
            | 'view'
            | 'view_limit'
            | 'view_days'
            | 'available_from'
            | 'available_after_days'
            | 'first_use_hours'
            | 'customer_tag'
            | 'buyer_text'
            | 'ask_for'
            | 'sample_pages'
            | 'sample_seconds'
            | 'pack'
            | 'tags'
            | 'id'
            | 'command'
            | 'sha256'
          )
        | null
      /** @description The corrections that are meaningful for all of its rows */
      fixes: (
        | 'leave_out'
        | 'set'
        | 'prefix'
        | 'replace'
        | 'number'
        | 'from_address'
        | 'extension'
        | 'decode'
        | 'meant'
      )[]
      id: string
      message: string
      /** @description Absent: the English text has no values, so it is its own message */
      message_text?: components['schemas']['Text']
      rows: number
      /** @enum {string} */
      severity: 'error' | 'warning'
      /** @description The most frequent texts of the cells, at most 20 */
      values: {
        /** @description The SKU of the shop that an unknown one is a typing error of; null: none is known */
        did_you_mean: string | null
        rows: number
        value: string
      }[]
    }
    CsvRow: {
      left_out: boolean
      /** @description The texts of the file */
      original: {
        allowed_referrers: string | null
        ask_for: string | null
        available_after_days: string | null
        available_from: string | null
        buyer_text: string | null
        cdn: string | null
        command: string | null
        customer_tag: string | null
        download_limit: string | null
        download_notification: string | null
        download_tracking: string | null
        expiry_days: string | null
        file_url: string | null
        filename: string | null
        first_use_hours: string | null
        id: string | null
        link_url: string | null
        pack: string | null
        product_handle: string | null
        product_id: string | null
        product_sku: string | null
        sample_pages: string | null
        sample_seconds: string | null
        sha256: string | null
        tags: string | null
        view: string | null
        view_days: string | null
        view_limit: string | null
        visibility: string | null
      }
      problems: components['schemas']['CsvRowProblem'][]
      row: number
      /** @description The texts of the cells with the corrections; null: no column has the field */
      values: {
        allowed_referrers: string | null
        ask_for: string | null
        available_after_days: string | null
        available_from: string | null
        buyer_text: string | null
        cdn: string | null
        command: string | null
        customer_tag: string | null
        download_limit: string | null
        download_notification: string | null
        download_tracking: string | null
        expiry_days: string | null
        file_url: string | null
        filename: string | null
        first_use_hours: string | null
        id: string | null
        link_url: string | null
        pack: string | null
        product_handle: string | null
        product_id: string | null
        product_sku: string | null
        sample_pages: string | null
        sample_seconds: string | null
        sha256: string | null
        tags: string | null
        view: string | null
        view_days: string | null
        view_limit: string | null
        visibility: string | null
      }
    }
    CsvRowChanges: {
      rows: {
        /** @description true: the row is not imported; false: it is put back */
        left_out?: boolean
        /** @description As a spreadsheet counts */
        row: number
        /** @description The corrected texts; null: the text of the file */
        values?: {
          allowed_referrers?: string | null
          ask_for?: string | null
          available_after_days?: string | null
          available_from?: string | null
          buyer_text?: string | null
          cdn?: string | null
          command?: string | null
          customer_tag?: string | null
          download_limit?: string | null
          download_notification?: string | null
          download_tracking?: string | null
          expiry_days?: string | null
          file_url?: string | null
          filename?: string | null
          first_use_hours?: string | null
          id?: string | null
          link_url?: string | null
          pack?: string | null
          product_handle?: string | null
          product_id?: string | null
          product_sku?: string | null
          sample_pages?: string | null
          sample_seconds?: string | null
          sha256?: string | null
          tags?: string | null
          view?: string | null
          view_days?: string | null
          view_limit?: string | null
          visibility?: string | null
        }
      }[]
    }
    CsvRowProblem: {
      code: string
      /** @description The column’s header; null: the row as a whole */
      column: string | null
      detail: string | null
      /** @description Absent: the English text has no values, so it is its own message */
      detail_text?: components['schemas']['Text']
      /** @description The SKU of the shop that an unknown one is a typing error of; null: none is known */
      did_you_mean: string | null
      message: string
      /** @description Absent: the English text has no values, so it is its own message */
      message_text?: components['schemas']['Text']
      /** @description As a spreadsheet counts: the header is row 1 */
      row: number
      /** @enum {string} */
      severity: 'error' | 'warning'
      /** @description The text of the cell */
      value: string | null
    }
    /**
     * @example {
     *       "sheet": "Files"
     *     }
     */
    CsvSheet: {
      sheet: string
    }
    CsvStart: {
      auto_map?: boolean
      /**
       * @description Only preview what each row would do, until the operation is confirmed
       * @default false
       */
      dry_run?: boolean
      notify?: boolean
      /**
       * @description Absent, or the same as in the check
       * @enum {string}
       */
      on_conflict?: 'error' | 'skip' | 'rename' | 'overwrite' | 'new_version'
      /**
       * @description Leave out rows with errors
       * @default false
       */
      only_valid?: boolean
    }
    CsvStarted: {
      action: string
      /** @description The moves that are possible now, each the last part of an address */
      actions: ('pause' | 'resume' | 'cancel' | 'retry' | 'confirm' | 'undo')[]
      /** @description When its failed files are tried again, as the workflow’s `if_not` says. Null: no try waits */
      again: {
        /** Format: date-time */
        at: string
        /** @description The times after it, if files still fail */
        later: string[]
      } | null
      /** @description The document that it produced, and where to download it */
      artifact: {
        content_type: string
        filename: string
        size_bytes: number
        url: string
      } | null
      /** @description The question that its preview is: it runs when it is approved. Null: it asks nothing */
      asks: {
        answer: ('approved' | 'rejected') | null
        answered_at: string | null
        /** @description Null with an answer: nobody answered in time */
        answered_by: string | null
        /** @enum {string} */
        no_answer: 'remind' | 'approve' | 'reject'
        /** @description How often they were reminded */
        reminders: number
        starter_may_approve: boolean
        /** @description When the time to answer is over; null: it does not wait for an answer */
        until: string | null
        /** @description The addresses of those who may answer; empty: anyone who may run workflows */
        who: string[]
      } | null
      /** @description What started it */
      because: components['schemas']['Because']
      bytes: number
      /** @description How many bytes fewer its files have; negative if they have more */
      bytes_saved: number
      cancelled: number
      /** @description Steps whose effect cannot be undone */
      cannot_undo: string[]
      channel: string
      /** @description The parts of its workflow after it */
      continued_by: string[]
      /** @description The part of its workflow before it, which a wait ended */
      continues: string | null
      /** Format: date-time */
      created_at: string
      /** @description A preview that was cancelled or expired: no file was changed, and all count as `cancelled` */
      discarded: boolean
      done: number
      /** @description The duration of the latest round (a retry or a confirmation begins one), without pauses and the wait for confirmation */
      elapsed_seconds: number
      errors: number
      failed: number
      finished_at: string | null
      /** @description The result of its preview: files that would change, files that would stay unchanged, and files for which a person must choose a product. The first two count in the preview’s `done`, the third in `done` or `skipped`; files that would only be skipped or fail count in `skipped` and `failed` alone. A step that works on the bytes counts each of its files as changed, because its result is only known when it has run. Null: no preview, or it is not ready */
      foreseen: {
        candidates: number
        changed: number
        unchanged: number
      } | null
      id: string
      intention_texts: components['schemas']['Text'][]
      /** @description What its last steps would do, in a preview */
      intentions: string[]
      /** @description The import; null: no row imports a file */
      job_id: string | null
      /** @enum {string} */
      kind: 'import' | 'bulk'
      /** @description The first file of an import and the number of others, or the name of the CSV file; null: neither */
      label: string | null
      label_text: components['schemas']['Text'] | null
      paused_at: string | null
      /** @description The share of processed files, without cancelled ones */
      percentage: number
      /** @description How many of the `done` files of a sync existed before: it changed them, moved them to the trash or sent them */
      present: number
      /** @description It was started as a preview */
      preview: boolean
      /** @description More files may still arrive, such as the next file of an upload: `total` can grow */
      receiving: boolean
      /** @description Null if it cannot be estimated yet, or if more files may still arrive */
      remaining_seconds: number | null
      requested_by: string
      schedule_id: string | null
      skipped: number
      source:
        | {
            /** @constant */
            type: 'entries'
          }
        | {
            count: number
            /** @constant */
            type: 'files'
          }
        | {
            count: number
            /** @constant */
            type: 'rows'
          }
        | {
            filter: {
              [key: string]: unknown
            }
            /** @constant */
            type: 'filter'
          }
        | {
            id: string
            /** @constant */
            type: 'operation'
          }
      started_at: string | null
      /** @enum {string} */
      status:
        | 'previewing'
        | 'previewed'
        | 'queued'
        | 'running'
        | 'paused'
        | 'success'
        | 'partial'
        | 'failed'
        | 'cancelled'
        | 'undone'
      steps: {
        branch?: components['schemas']['StepBranch']
        id: string
        plugin: string
        summary: string
        summary_text: components['schemas']['Text']
        title: string
      }[]
      stopped: {
        code: string
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
        step: string
      } | null
      total: number
      /** @description How many of the `done` files were already as wanted, so that nothing was changed */
      unchanged: number
      undo_until: string | null
      undoes: string | null
      undone_by: string | null
      /** @description The operation on rows with an id; null: there are none */
      update_job_id: string | null
      /** @description When the next part of its workflow starts on the files that are done, and its steps */
      waits: {
        steps: {
          branch?: components['schemas']['StepBranch']
          id: string
          plugin: string
          summary: string
          summary_text: components['schemas']['Text']
          title: string
        }[]
        /** Format: date-time */
        until: string
      } | null
      warnings: {
        code: string
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
      }[]
      workflow: string
      workflow_title: string
      /** @description The version of a workflow of the shop that it runs; null: another workflow */
      workflow_version: number | null
    }
    CustomerData: {
      [key: string]: unknown
    }
    CustomerDataAnswer: {
      /** Format: date-time */
      created_at: string
      /** @description The platform’s id of the customer */
      customer_id: string | null
      /**
       * Format: date-time
       * @description It is deleted then
       */
      expires_at: string
      id: string
      order_ids: string[]
      size_bytes: number
    }
    Delivery: {
      /** @description The buyer asked for more and has no answer yet */
      asked: {
        /** Format: date-time */
        at: string
        email: string | null
        message: string | null
      } | null
      /** @description Why: a file may be used up and expired. One that is only viewed counts in `views_used_up` and `views_expired` alone */
      blocked_by: {
        expired: number
        not_prepared: number
        used_up: number
        views_expired: number
        views_used_up: number
      }
      /** @description Of them, those that the buyer cannot download, or cannot view: used up, expired, or not prepared */
      blocked_files: number
      /** @description The last email came back, or the last text message was not sent: correct the address or the number, or send it again */
      bounced_at: string | null
      confirmation_number: string | null
      /** Format: date-time */
      created_at: string
      downloads: number
      email: string | null
      files: number
      hold: {
        /** @enum {string} */
        by: 'risk' | 'merchant' | 'workflow'
        recommendation: string | null
        since: string | null
      } | null
      id: string
      last_download_at: string | null
      locale: string | null
      opened_at: string | null
      /** @description The platform’s id of the order */
      order_id: string
      order_name: string
      /**
       * Format: date-time
       * @description When the order was last read from the platform: the state follows it
       */
      order_read_at: string
      /** @description The number for a text to a buyer without an email address; only with `links:write` */
      phone: string | null
      /** @description Why it, or one of its files, is not ready */
      reason: string | null
      /** @description Absent: the English text has no values, so it is its own message */
      reason_text?: components['schemas']['Text']
      /** @description The last email or text message about it */
      sent: {
        /** Format: date-time */
        at: string
        /** @description Why it was not delivered */
        error: string | null
        /** @description Absent: the English text has no values, so it is its own message */
        error_text?: components['schemas']['Text']
        /** @description There is no mail server: the mail was stored and not sent */
        kept: boolean
        /** @enum {string} */
        kind: 'email' | 'sms'
        message_id: string
        /** @enum {string} */
        status: 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown' | 'bounced' | 'complained'
      } | null
      size_bytes: number
      /**
       * @description `withdrawn`: the order no longer entitles its buyer; `revoked`: revoked by the shop, which is final
       * @enum {string}
       */
      status: 'ready' | 'held' | 'withdrawn' | 'revoked'
      /** Format: date-time */
      updated_at: string
      /** @description The buyer’s page; only with `links:write` */
      url: string | null
    }
    DeliveryChange: {
      /** @description What the link asks for before a download or view: nothing, the buyer’s email address, or a `password`; null: what the file asks for */
      ask_for?: ('nothing' | 'email' | 'password') | null
      /**
       * @description Downloads that a link allows; null: unlimited
       * @example 5
       */
      download_limit?: number | null
      /** Format: email */
      email?: string
      /**
       * @description Days from now; null: never
       * @example 60
       */
      expiry_days?: number | null
      /** @description The files that the terms are for; absent: all */
      file_ids?: string[]
      /** @description Added to the limits of files that have one */
      more_downloads?: number
      /** @description Added to the limits of views of files that have one */
      more_views?: number
      /** @description The password that it asks for. It cannot be read again */
      password?: string
      /** @description The number for text messages, of a delivery without an email address */
      phone?: string
      /** @description The buyer gets the other file in its place */
      replace?: {
        file_id: string
        with: string
      }[]
      /** @description The terms of single files; they win over the terms for all */
      terms?: {
        /** @description When the buyer gets the file; null: now. It then no longer follows the file’s release date */
        available_at?: string | null
        /** @description The tag that the customer of the order must have, instead of that of the file; null: none */
        customer_tag?: string | null
        /**
         * @description Downloads that a link allows; null: unlimited
         * @example 5
         */
        download_limit?: number | null
        /** @description Null: never */
        expires_at?: string | null
        file_id: string
        /** @description Hours from the first download or view, also if that has been; null: the use ends nothing */
        first_use_hours?: number | null
        /** @description When it can be viewed no longer, before or after `expires_at`; null: as long as it is valid */
        view_expires_at?: string | null
        view_limit?: number | null
      }[]
      /** @description Days from now for views; null: as long as the link is valid. Absent: views that have ended work again if `expiry_days` is given */
      view_days?: number | null
      view_limit?: number | null
    }
    DeliveryDetail: {
      /** @description The buyer asked for more and has no answer yet */
      asked: {
        /** Format: date-time */
        at: string
        email: string | null
        message: string | null
      } | null
      /** @description Why: a file may be used up and expired. One that is only viewed counts in `views_used_up` and `views_expired` alone */
      blocked_by: {
        expired: number
        not_prepared: number
        used_up: number
        views_expired: number
        views_used_up: number
      }
      /** @description Of them, those that the buyer cannot download, or cannot view: used up, expired, or not prepared */
      blocked_files: number
      /** @description The last email came back, or the last text message was not sent: correct the address or the number, or send it again */
      bounced_at: string | null
      confirmation_number: string | null
      /** Format: date-time */
      created_at: string
      /** @description The last downloads of files with tracking, newest first */
      download_list: {
        address: string
        agent: string
        /** Format: date-time */
        at: string
        file_id: string
        filename: string
      }[]
      downloads: number
      email: string | null
      file_list: {
        /** @description The shop added it to this order; otherwise it belongs to one of its lines */
        added: boolean
        /** @description What it asks for before a download or view; null: nothing */
        ask_for: ('email' | 'password') | null
        /** @description When it becomes available, or did; null: when the buyer bought it */
        available_at: string | null
        /** @description The tag that the customer must have; null: none */
        customer_tag: string | null
        download_limit: number | null
        downloads: number
        expires_at: string | null
        file_id: string
        filename: string
        /** @description It expires this many hours after the first use; null: the use ends nothing */
        first_use_hours: number | null
        first_used_at: string | null
        last_download_at: string | null
        /** @description Licence keys of the buyer, separated by commas; only with `links:write` */
        licence_key: string | null
        /** @description The shop’s workflow has not prepared it: the buyer cannot download it yet */
        preparing: boolean
        size_bytes: number
        /** @enum {string} */
        status: 'active' | 'not_released' | 'expired' | 'exhausted' | 'revoked' | 'withdrawn'
        /** @description Why the tag closes the file: the customer does not have it, or the order has no customer */
        tag_problem: ('missing' | 'guest') | null
        /**
         * @description What the buyer may do with it now: `download` for types that no browser shows
         * @enum {string}
         */
        view: 'download' | 'both' | 'view_only'
        /** @description When it can be viewed no longer, before or after `expires_at`; null: as long as it is valid */
        view_expires_at: string | null
        /** @description Null: unlimited */
        view_limit: number | null
        /** @description Those that were counted: without `view_limit` none are */
        views: number
      }[]
      files: number
      hold: {
        /** @enum {string} */
        by: 'risk' | 'merchant' | 'workflow'
        recommendation: string | null
        since: string | null
      } | null
      id: string
      last_download_at: string | null
      lines: {
        entitled: boolean
        files: number
        line_id: string
        /** @description Units that are paid: those that an edit adds count once they are paid */
        quantity: number
        sku: string | null
        title: string
      }[]
      locale: string | null
      messages: {
        /** Format: date-time */
        created_at: string
        /** @description It is not sent before (`mail_delay_minutes`); null: it does not wait for a time */
        due_at: string | null
        error: string | null
        /** @description Absent: the English text has no values, so it is its own message */
        error_text?: components['schemas']['Text']
        id: string
        /** @description There is no mail server: the mail was stored and not sent */
        kept: boolean
        /** @enum {string} */
        kind: 'email' | 'sms'
        sent_at: string | null
        /** @enum {string} */
        status: 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown' | 'bounced' | 'complained'
        subject: string
        to: string[]
      }[]
      opened_at: string | null
      /** @description Who answered what a link asks for, newest first: one for each link, address and minute; 50 of each link are kept */
      openings: {
        /** @description Shortened: 203.0.113.0/24 */
        address: string
        /** @description The program: Chrome (Windows) */
        agent: string
        /** Format: date-time */
        at: string
        /** @description The address that was entered; null: a password */
        email: string | null
        /** @description Null: the page of a pack */
        file_id: string | null
        filename: string | null
      }[]
      /** @description The platform’s id of the order */
      order_id: string
      order_name: string
      /**
       * Format: date-time
       * @description When the order was last read from the platform: the state follows it
       */
      order_read_at: string
      /** @description The number for a text to a buyer without an email address; only with `links:write` */
      phone: string | null
      /** @description Why it, or one of its files, is not ready */
      reason: string | null
      /** @description Absent: the English text has no values, so it is its own message */
      reason_text?: components['schemas']['Text']
      /** @description The last downloads that the buyer was refused, newest first; 20 of each link are kept */
      refusals: {
        /** @description Shortened: 203.0.113.0/24 */
        address: string
        /** @description The program: Chrome (Windows) */
        agent: string
        /** Format: date-time */
        at: string
        /**
         * @description `not_prepared`: the shop’s workflow has not prepared the file
         * @enum {string}
         */
        code:
          | 'used_up'
          | 'views_used_up'
          | 'views_expired'
          | 'expired'
          | 'revoked'
          | 'withdrawn'
          | 'not_prepared'
          | 'held'
          | 'site_not_allowed'
          | 'not_released'
          | 'customer_tag'
          | 'wrong_answer'
        /** @description Null: the page, or all files as one ZIP file */
        file_id: string | null
        filename: string | null
        /** @description Attempts within the same minute for the same reason */
        times: number
      }[]
      /** @description The last email or text message about it */
      sent: {
        /** Format: date-time */
        at: string
        /** @description Why it was not delivered */
        error: string | null
        /** @description Absent: the English text has no values, so it is its own message */
        error_text?: components['schemas']['Text']
        /** @description There is no mail server: the mail was stored and not sent */
        kept: boolean
        /** @enum {string} */
        kind: 'email' | 'sms'
        message_id: string
        /** @enum {string} */
        status: 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown' | 'bounced' | 'complained'
      } | null
      size_bytes: number
      /**
       * @description `withdrawn`: the order no longer entitles its buyer; `revoked`: revoked by the shop, which is final
       * @enum {string}
       */
      status: 'ready' | 'held' | 'withdrawn' | 'revoked'
      /** Format: date-time */
      updated_at: string
      /** @description The buyer’s page; only with `links:write` */
      url: string | null
      /** @description Files that were read or played in a browser, newest first: one for each link and hour; 20 of each link are kept */
      views: {
        /** @description Shortened: 203.0.113.0/24 */
        address: string
        /** @description The program: Chrome (Windows) */
        agent: string
        /**
         * Format: date-time
         * @description The last request of its hour
         */
        at: string
        file_id: string
        filename: string
      }[]
    }
    Difference: {
      message: string
      message_text: components['schemas']['Text']
      param: string
    }
    Drop: {
      /** @description Off: files wait until they are imported by hand */
      auto_import: boolean
      /** @description Off: nobody can connect */
      enabled: boolean
      /**
       * @description How the name of a file’s folder is used
       * @enum {string}
       */
      folder_names: 'ignore' | 'tag' | 'pack'
      ftp_port: number
      host: string
      /** @description What SFTP clients show when they connect for the first time */
      host_keys: {
        fingerprint: string
        type: string
      }[]
      limits: {
        /** @description Of /processed/ and /failed/ */
        clear_after_days: number
        file_bytes: number
        quiet_seconds: number
      }
      /**
       * @description sku_prefix: by names like {product_sku}_{filename}.ext, others are mapped by hand; rules: by the shop’s settings
       * @enum {string}
       */
      match_by: 'sku_prefix' | 'rules'
      /** @description Imported files are moved to /processed/YYYY-MM-DD/; false: they are removed from the folder */
      move_to_processed: boolean
      /** @description Of the hourly schedule */
      next_import_at: string | null
      /** @description An email when an import has ended */
      notify: boolean
      /**
       * @description What to do if the shop has a file with the name
       * @enum {string}
       */
      on_conflict: 'error' | 'skip' | 'rename' | 'overwrite' | 'new_version'
      path: string
      quota: {
        max_bytes: number
        used_bytes: number
      }
      /** @description false: no drop server runs, so that nobody can connect; its log says why */
      running: boolean
      /**
       * @description hourly: at each full hour, files that nothing has changed for 30 seconds; realtime: each file as soon as it is complete; manual: only on request
       * @enum {string}
       */
      schedule: 'hourly' | 'realtime' | 'manual'
      sftp_port: number
      /** @description FTP is refused unless it is encrypted */
      tls_required: boolean
      waiting: {
        bytes: number
        files: number
      }
    }
    DropAccount: {
      allowed_addresses: string[]
      /** Format: date-time */
      created_at: string
      enabled: boolean
      id: string
      last_used_at: string | null
      name: string
      /** @enum {string} */
      name_encoding:
        | 'utf-8'
        | 'windows-1252'
        | 'windows-1250'
        | 'windows-1251'
        | 'gb18030'
        | 'big5'
        | 'shift_jis'
        | 'euc-kr'
      /** @description Change it regularly */
      password_age_days: number
      /** Format: date-time */
      password_changed_at: string
      public_keys: {
        fingerprint: string
        /** @description In OpenSSH’s format; a change must include the keys to keep */
        key: string
        name: string
        type: string
      }[]
      username: string
    }
    DropAccountChange: {
      /** @description CIDR; empty: any address */
      allowed_addresses?: string[]
      /** @description Off: nobody can sign in with it */
      enabled?: boolean
      name?: string
      /**
       * @description The encoding of file names of FTP clients that know no UTF-8; UTF-8 is still recognised
       * @enum {string}
       */
      name_encoding?:
        | 'utf-8'
        | 'windows-1252'
        | 'windows-1250'
        | 'windows-1251'
        | 'gb18030'
        | 'big5'
        | 'shift_jis'
        | 'euc-kr'
      /** @description For SFTP; replaces the current keys */
      public_keys?: {
        key: string
        name: string
      }[]
    }
    DropAccountRequest: {
      /** @description CIDR; empty: any address */
      allowed_addresses?: string[]
      /** @description Off: nobody can sign in with it */
      enabled?: boolean
      name: string
      /**
       * @description The encoding of file names of FTP clients that know no UTF-8; UTF-8 is still recognised
       * @enum {string}
       */
      name_encoding?:
        | 'utf-8'
        | 'windows-1252'
        | 'windows-1250'
        | 'windows-1251'
        | 'gb18030'
        | 'big5'
        | 'shift_jis'
        | 'euc-kr'
      /** @description For SFTP; replaces the current keys */
      public_keys?: {
        key: string
        name: string
      }[]
    }
    DropConnection: {
      account_id: string | null
      account_name: string | null
      address: string
      bytes: number
      /** Format: date-time */
      connected_at: string
      ended_at: string | null
      files: number
      id: string
      protocol: string
      /** @description The reason; null: it was accepted */
      refused: string | null
      username: string
    }
    DropCredentials: {
      allowed_addresses: string[]
      /** Format: date-time */
      created_at: string
      enabled: boolean
      ftp_port: number
      host: string
      id: string
      last_used_at: string | null
      name: string
      /** @enum {string} */
      name_encoding:
        | 'utf-8'
        | 'windows-1252'
        | 'windows-1250'
        | 'windows-1251'
        | 'gb18030'
        | 'big5'
        | 'shift_jis'
        | 'euc-kr'
      /** @description Change it regularly */
      password_age_days: number
      /** Format: date-time */
      password_changed_at: string
      path: string
      public_keys: {
        fingerprint: string
        /** @description In OpenSSH’s format; a change must include the keys to keep */
        key: string
        name: string
        type: string
      }[]
      sftp_port: number
      username: string
    }
    DropFile: {
      account_id: string | null
      account_name: string | null
      /** @description Of a running transfer */
      bytes_per_second: number | null
      /** @description When it is removed */
      cleared_at: string | null
      /** @description Why it failed */
      error: {
        code: string
        detail?: string
        /** @description Absent: the English text has no values, so it is its own message */
        detail_text?: components['schemas']['Text']
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
        retryable?: boolean
      } | null
      id: string
      /** @description The import that takes or took it */
      import_id: string | null
      /** Format: date-time */
      modified_at: string
      /** @description Relative to the home */
      path: string
      protocol: string | null
      /**
       * Format: date-time
       * @description The time of the last change
       */
      quiet_since: string
      size_bytes: number
      /** @enum {string} */
      state: 'writing' | 'partial' | 'waiting' | 'importing' | 'processed' | 'failed'
      /** @description What a waiting file needs before it is imported: a name that is not temporary (`rename`), the import.csv that is being sent (`manifest`), or the files that it names (`files`). `nothing`: an operating system made it, so it is not imported and is removed after a day */
      waits_for: ('rename' | 'nothing' | 'manifest' | 'files') | null
      writing_since: string | null
    }
    DropSettingsChange: {
      /** @description Off: files wait until they are imported by hand */
      auto_import?: boolean
      /** @description Off: nobody can connect */
      enabled?: boolean
      /**
       * @description How the name of a file’s folder is used
       * @enum {string}
       */
      folder_names?: 'ignore' | 'tag' | 'pack'
      /**
       * @description sku_prefix: by names like {product_sku}_{filename}.ext, others are mapped by hand; rules: by the shop’s settings
       * @enum {string}
       */
      match_by?: 'sku_prefix' | 'rules'
      /** @description Imported files are moved to /processed/YYYY-MM-DD/; false: they are removed from the folder */
      move_to_processed?: boolean
      /** @description An email when an import has ended */
      notify?: boolean
      /**
       * @description What to do if the shop has a file with the name
       * @enum {string}
       */
      on_conflict?: 'error' | 'skip' | 'rename' | 'overwrite' | 'new_version'
      /**
       * @description hourly: at each full hour, files that nothing has changed for 30 seconds; realtime: each file as soon as it is complete; manual: only on request
       * @enum {string}
       */
      schedule?: 'hourly' | 'realtime' | 'manual'
      /** @description FTP is refused unless it is encrypted */
      tls_required?: boolean
    }
    Endpoints: {
      'DELETE /api/api-keys/{id}': Record<string, never>
      'DELETE /api/backups/{id}': Record<string, never>
      'DELETE /api/connections/{id}': Record<string, never>
      'DELETE /api/csv/{id}': Record<string, never>
      'DELETE /api/csv/mappings/{id}': Record<string, never>
      'DELETE /api/customer-data/{id}': Record<string, never>
      'DELETE /api/deliveries/{id}/files/{file_id}': {
        answer: components['schemas']['DeliveryDetail']
      }
      'DELETE /api/drop/accounts/{id}': Record<string, never>
      'DELETE /api/drop/files/{id}': Record<string, never>
      'DELETE /api/feeds/{id}': Record<string, never>
      'DELETE /api/licence-lists/{id}': Record<string, never>
      'DELETE /api/mapping-rules/{id}': Record<string, never>
      'DELETE /api/moves/{id}': Record<string, never>
      'DELETE /api/operations/{id}/again': Record<string, never>
      'DELETE /api/operations/{id}/wait': Record<string, never>
      'DELETE /api/packs/{id}': Record<string, never>
      'DELETE /api/schedules/{id}': Record<string, never>
      'DELETE /api/settings/buyer-page/logo': {
        answer: components['schemas']['BuyerPage']
      }
      'DELETE /api/settings/mail/domain': {
        answer: components['schemas']['MailSettings']
      }
      'DELETE /api/settings/mail/server': {
        answer: components['schemas']['MailSettings']
      }
      'DELETE /api/tag-templates/{id}': Record<string, never>
      'DELETE /api/uploads/{id}': Record<string, never>
      'DELETE /api/views/{id}': Record<string, never>
      'DELETE /api/webhooks/{id}': Record<string, never>
      'DELETE /api/workflows/{id}': Record<string, never>
      'GET /api/activity': {
        answer: components['schemas']['Activity']
      }
      'GET /api/agency-key': {
        answer: components['schemas']['AgencyKey']
        query: {
          code?: string
        }
      }
      'GET /api/api-keys': {
        answer: {
          data: components['schemas']['ApiKey'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/attention': {
        answer: components['schemas']['Attention']
      }
      'GET /api/backups': {
        answer: {
          data: components['schemas']['Backup'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/buyers': {
        answer: {
          data: components['schemas']['Buyer'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
          search?: string
        }
      }
      'GET /api/buyers/detail': {
        answer: components['schemas']['BuyerDetail']
        query: {
          /** Format: email */
          email?: string
        }
      }
      'GET /api/change-log': {
        answer: {
          data: components['schemas']['LoggedChange'][]
          next_cursor: string | null
        }
        query: {
          by?: string
          cursor?: string
          /** @enum {string} */
          kind?:
            | 'settings'
            | 'api_key'
            | 'tag_template'
            | 'workflow'
            | 'schedule'
            | 'trigger'
            | 'mapping_rule'
            | 'column_mapping'
            | 'drop_settings'
            | 'drop_account'
            | 'connection'
            | 'feed'
            | 'mail'
            | 'mail_texts'
            | 'buyer_page'
            | 'webhook'
            | 'licence_list'
          limit?: number
          /** Format: date-time */
          since?: string
          /** Format: date-time */
          until?: string
        }
      }
      'GET /api/change-log/export.csv': {
        query: {
          by?: string
          /** @enum {string} */
          kind?:
            | 'settings'
            | 'api_key'
            | 'tag_template'
            | 'workflow'
            | 'schedule'
            | 'trigger'
            | 'mapping_rule'
            | 'column_mapping'
            | 'drop_settings'
            | 'drop_account'
            | 'connection'
            | 'feed'
            | 'mail'
            | 'mail_texts'
            | 'buyer_page'
            | 'webhook'
            | 'licence_list'
          /** Format: date-time */
          since?: string
          /** Format: date-time */
          until?: string
        }
      }
      'GET /api/channels': {
        answer: {
          data: components['schemas']['Channel'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/cloud': {
        answer: components['schemas']['CloudOffer']
      }
      'GET /api/configuration': {
        answer: components['schemas']['Configuration']
        query: {
          /** @enum {string} */
          kind?:
            | 'drop-settings'
            | 'mail-settings'
            | 'mail-texts'
            | 'tag-template'
            | 'csv-mapping'
            | 'mapping-rules'
            | 'workflow'
            | 'schedule'
        }
      }
      'GET /api/connections': {
        answer: {
          data: components['schemas']['Connection'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/connections/{id}': {
        answer: components['schemas']['Connection']
      }
      'GET /api/connections/{id}/folders': {
        answer: {
          data: {
            name: string
            path: string
          }[]
          next_cursor: string | null
          path: string
        }
        query: {
          cursor?: string
          limit?: number
          /** @default  */
          path?: string
        }
      }
      'GET /api/connections/{id}/rejections': {
        answer: {
          data: components['schemas']['CloudRejection'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/connections/{id}/syncs': {
        answer: {
          data: components['schemas']['Sync'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/csv': {
        answer: {
          data: components['schemas']['ListedCsvFile'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/csv/{id}': {
        answer: components['schemas']['CsvFile']
      }
      'GET /api/csv/{id}/corrected.csv': Record<string, never>
      'GET /api/csv/{id}/errors.csv': Record<string, never>
      'GET /api/csv/{id}/problem-groups': {
        answer: {
          data: components['schemas']['CsvProblemGroup'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/csv/{id}/problems': {
        answer: {
          data: components['schemas']['CsvProblem'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
          /** @enum {string} */
          severity?: 'error' | 'warning'
        }
      }
      'GET /api/csv/{id}/rows': {
        answer: {
          data: components['schemas']['CsvRow'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          group?: string
          limit?: number
          /** @enum {string} */
          only?: 'corrected' | 'left_out'
        }
      }
      'GET /api/csv/mappings': {
        answer: {
          data: components['schemas']['CsvColumnMapping'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/customer-data': {
        answer: {
          data: components['schemas']['CustomerDataAnswer'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/customer-data/{id}': {
        answer: components['schemas']['CustomerData']
      }
      'GET /api/deliveries': {
        answer: {
          data: components['schemas']['Delivery'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          email?: string
          file_id?: string
          limit?: number
          order?: string
          product?: string
          /** @constant */
          reach?: 'unreachable'
          search?: string
          /** @constant */
          state?: 'blocked'
          /** @enum {string} */
          status?: 'ready' | 'held' | 'withdrawn' | 'revoked'
        }
      }
      'GET /api/deliveries/{id}': {
        answer: components['schemas']['DeliveryDetail']
      }
      'GET /api/drop': {
        answer: components['schemas']['Drop']
      }
      'GET /api/drop-account': {
        answer: components['schemas']['DropCredentials']
        query: {
          account?: string
        }
      }
      'GET /api/drop/accounts': {
        answer: {
          data: components['schemas']['DropAccount'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/drop/accounts/{id}': {
        answer: components['schemas']['DropAccount']
      }
      'GET /api/drop/connections': {
        answer: {
          data: components['schemas']['DropConnection'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/drop/files': {
        answer: {
          data: components['schemas']['DropFile'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
          /** @enum {string} */
          state?: 'writing' | 'partial' | 'waiting' | 'importing' | 'processed' | 'failed'
        }
      }
      'GET /api/feeds': {
        answer: {
          data: components['schemas']['Feed'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/feeds/{id}': {
        answer: components['schemas']['Feed']
      }
      'GET /api/feeds/{id}/runs': {
        answer: {
          data: components['schemas']['FeedRun'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/feeds/{id}/runs/{run}/changes': {
        answer: {
          data: components['schemas']['FeedRowChange'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/files': {
        answer: {
          data: components['schemas']['File'][]
          next_cursor: string | null
          total: number
          /** @description false: there are more than that; totals are counted up to 10,000 */
          total_is_exact: boolean
        }
        query: {
          /** Any of these */
          any?: {
            changed_after?: string
            changed_before?: string
            channel?: string[]
            connection?: string
            delivered?: boolean
            downloaded_after?: string
            downloaded_before?: string
            drop_account?: string
            folder?: string
            larger_than?: number
            linked?: boolean
            mapped?: boolean
            name_begins?: string
            name_ends?: string
            name_like?: string
            not_downloaded_for_days?: number
            older_than_days?: number
            pack?: string
            pack_none?: boolean
            product?: string
            product_tag?: string
            search?: string
            smaller_than?: number
            tags?: string[]
            tags_any?: string[]
            tags_none?: string[]
            type?: string[]
            uploaded_after?: string
            uploaded_before?: string
            version_above?: number
          }[]
          backed_up?: boolean
          /** Changed after */
          changed_after?: string
          /** Changed before */
          changed_before?: string
          /** Channel */
          channel?: string[]
          /** Cloud connection */
          connection?: string
          cursor?: string
          deleted?: boolean
          /** Delivered */
          delivered?: boolean
          /** Downloaded after */
          downloaded_after?: string
          /** Downloaded before */
          downloaded_before?: string
          /** Drop account */
          drop_account?: string
          exact?: boolean
          find?: string
          /** Folder */
          folder?: string
          /** Larger than */
          larger_than?: number
          licence_list?: string
          limit?: number
          /** Linked */
          linked?: boolean
          /** Mapped */
          mapped?: boolean
          /** Name begins with */
          name_begins?: string
          name_contains?: string
          /** Name ends with */
          name_ends?: string
          /** Name is like */
          name_like?: string
          /** Not downloaded for */
          not_downloaded_for_days?: number
          offset?: number
          /** Uploaded more than */
          older_than_days?: number
          /** Pack */
          pack?: string
          /** In no pack */
          pack_none?: boolean
          /** Product */
          product?: string
          /** Tag of its product */
          product_tag?: string
          quarantined?: boolean
          released?: boolean
          /** Search */
          search?: string
          /** Smaller than */
          smaller_than?: number
          /**
           * @default -created_at
           * @enum {string}
           */
          sort?:
            | 'created_at'
            | '-created_at'
            | 'filename'
            | '-filename'
            | 'size_bytes'
            | '-size_bytes'
            | 'downloads'
            | '-downloads'
            | 'pack_position'
            | '-pack_position'
          /** @enum {string} */
          storage?: 'primary' | 'backup'
          /** Tags */
          tags?: string[]
          /** Has one of these tags */
          tags_any?: string[]
          /** Has none of these tags */
          tags_none?: string[]
          /** Type */
          type?: string[]
          /** Uploaded after */
          uploaded_after?: string
          /** Uploaded before */
          uploaded_before?: string
          /** Version above */
          version_above?: number
        }
      }
      'GET /api/files/{id}': {
        answer: {
          /**
           * @description Hosts that may link to the file, `*.example.com` for all subdomains; empty: any
           * @example [
           *       "shop.example.com"
           *     ]
           */
          allowed_referrers: string[]
          /**
           * @description What a link asks for before the file can be downloaded or viewed: the buyer’s email address, or a `password`; null: nothing. Also at links that exist already. A password cannot be read again
           * @example email
           */
          ask_for: ('email' | 'password') | null
          /**
           * @description Days after the purchase until buyers get the file; null: immediately. For a link without an order, days after the link was created
           * @example 7
           */
          available_after_days: number | null
          /**
           * @description The day from which buyers get the file, in the shop’s time zone; null: immediately. With `available_after_days`, the later of both. The expiry counts from then
           * @example 2027-03-01
           */
          available_from: string | null
          /**
           * @description A text for buyers of the file, such as instructions: on pages of deliveries and packs, in the library and in the mail about an order; null: none. Lines are kept, and addresses become links. Buyers see the current text, also of earlier orders
           * @example Unpack the ZIP file, then open Start.pdf.
           */
          buyer_text: string | null
          cdn: boolean
          content_type: string
          /** Format: date-time */
          created_at: string
          /**
           * @description The tag that the customer of the order must have, now and at every download; null: none. Applies to orders placed while a file requires one. Links without an order need none
           * @example subscriber
           */
          customer_tag: string | null
          /** @description When it was moved to the trash */
          deleted_at: string | null
          /**
           * @description Downloads that a link allows; null: unlimited
           * @example 5
           */
          download_limit: number | null
          download_notification: boolean
          download_tracking: boolean
          downloads: number
          /**
           * @description Days a link stays valid; null: it never expires
           * @example 60
           */
          expiry_days: number | null
          filename: string
          /**
           * @description Hours from a buyer’s first download or view after which the link expires; null: the first use changes nothing. `expiry_days` applies too: the earlier of both
           * @example 48
           */
          first_use_hours: number | null
          id: string
          /** @description The address that buyers of a link are sent to; null: it is no link */
          link_url: string | null
          links_active: number
          mappings: {
            /** Format: date-time */
            created_at: string
            /** @enum {string} */
            method: 'sku' | 'filename' | 'title' | 'tags' | 'manual' | 'pack' | 'rule'
            product_id: string
            product_title: string
            reason: string
            /** @description Absent: the English text has no values, so it is its own message */
            reason_text?: components['schemas']['Text']
            score: number
            sku: string | null
            variant_id: string | null
          }[]
          /** @description In a list that was searched: the fields in which words were found, with their text */
          matched?: {
            /** @enum {string} */
            field: 'name' | 'tag' | 'product' | 'sku' | 'barcode' | 'pack'
            value: string
          }[]
          /** @description The first of `packs` */
          pack: {
            id: string
            name: string
          } | null
          /** @description In the order in which it entered them */
          packs: {
            id: string
            name: string
          }[]
          /** @description The number of orders that it was ever delivered with */
          paid_by: number
          /** @description Why it cannot be downloaded: its bytes are damaged, or a virus was found in them */
          problem: {
            code: string
            message: string
          } | null
          products: string[]
          /** @description Its address while it is public and asks for nothing */
          public_url: string | null
          sample: components['schemas']['FileSample'] | null
          /**
           * @description The first pages of a PDF document that everyone may read as a sample, at most half of it; null: none
           * @example 5
           */
          sample_pages: number | null
          /**
           * @description The first seconds of an audio file that everyone may hear as a sample, at most half of it; null: none
           * @example 30
           */
          sample_seconds: number | null
          /** @description The SHA-256 digest of its bytes in hex; null while it is not computed yet: reading the file alone computes it */
          sha256: string | null
          size_bytes: number
          storage: components['schemas']['FileStorage']
          tags: string[]
          /** Format: date-time */
          updated_at: string
          /**
           * Format: date
           * @description The day of its upload in the time zone of the shop
           */
          upload_date: string
          version: number
          /**
           * @description Whether buyers download the file, or read or play it in the browser. Other types than images, audio, video and PDF are always downloads
           * @enum {string}
           */
          view: 'download' | 'both' | 'view_only'
          /**
           * @description Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`
           * @example 365
           */
          view_days: number | null
          /**
           * @description Views in the browser that a link allows, counted apart from downloads; null: unlimited. Within four hours the same browser views the file again without a count. Without effect while `view` is `download`
           * @example 10
           */
          view_limit: number | null
          /** @enum {string} */
          visibility: 'private' | 'public'
        }
      }
      'GET /api/files/{id}/buyers': {
        answer: {
          buyers: number
        }
      }
      'GET /api/files/{id}/content': Record<string, never>
      'GET /api/files/{id}/downloads': {
        answer: {
          data: {
            address: string
            agent: string
            /** Format: date-time */
            at: string
            /** @description null: through its public address */
            link_id: string | null
          }[]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/files/{id}/history': {
        answer: {
          data: components['schemas']['FileHistoryEntry'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/files/{id}/holders': {
        answer: {
          data: components['schemas']['FileHolder'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/files/{id}/preview': Record<string, never>
      'GET /api/files/{id}/versions': {
        answer: {
          data: components['schemas']['Version'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/files/{id}/versions/{n}/content': Record<string, never>
      'GET /api/files/duplicates': {
        answer: {
          /** @description The bytes of all of their files but one of each */
          bytes: number
          data: components['schemas']['ContentGroup'][]
          next_cursor: string | null
          /** @description How many groups there are */
          total: number
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/home/figures': {
        answer: components['schemas']['Figures']
        query: {
          /**
           * @default 30
           * @enum {string}
           */
          days?: '7' | '30' | '90'
        }
      }
      'GET /api/jobs/{id}': {
        answer: components['schemas']['Operation']
      }
      'GET /api/licence-lists': {
        answer: {
          data: components['schemas']['LicenceList'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/licence-lists/{id}': {
        answer: components['schemas']['LicenceList']
      }
      'GET /api/licence-lists/{id}/keys': {
        answer: {
          data: components['schemas']['LicenceKey'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
          /** @default  */
          search?: string
          /** @enum {string} */
          status?: 'active' | 'expired' | 'revoked' | 'replaced'
        }
      }
      'GET /api/links': {
        answer: {
          data: components['schemas']['Link'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          email?: string
          file_id?: string
          limit?: number
          operation_id?: string
          own?: boolean
          pack_id?: string
          search?: string
          /** @enum {string} */
          status?: 'active' | 'not_released' | 'expired' | 'exhausted' | 'revoked' | 'withdrawn'
        }
      }
      'GET /api/links/{id}/openings': {
        answer: components['schemas']['LinkOpenings']
      }
      'GET /api/links/export.csv': {
        query: {
          email?: string
          file_id?: string
          operation_id?: string
          own?: boolean
          pack_id?: string
          search?: string
          /** @enum {string} */
          status?: 'active' | 'not_released' | 'expired' | 'exhausted' | 'revoked' | 'withdrawn'
        }
      }
      'GET /api/mapping-rules': {
        answer: {
          data: components['schemas']['MappingRule'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/mapping-rules/{id}': {
        answer: components['schemas']['MappingRule']
      }
      'GET /api/mapping-rules/count': {
        answer: components['schemas']['MappingRuleCount']
        query: {
          pattern?: string
        }
      }
      'GET /api/messages': {
        answer: {
          data: components['schemas']['Message'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          /**
           * @default email
           * @enum {string}
           */
          kind?: 'email' | 'callback' | 'webhook' | 'sms' | 'flow'
          limit?: number
          /** @enum {string} */
          status?: 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown' | 'bounced' | 'complained'
        }
      }
      'GET /api/messages/{id}': {
        answer: components['schemas']['MessageDetail']
      }
      'GET /api/moves': {
        answer: {
          data: components['schemas']['Move'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/moves/{id}': {
        answer: components['schemas']['Move']
      }
      'GET /api/new-files': {
        answer: {
          data: components['schemas']['NewFiles'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/new-files/products': {
        answer: {
          data: components['schemas']['ProductNewFiles'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/notices': {
        answer: {
          data: components['schemas']['Notice'][]
          next_cursor: string | null
          unread: number
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/operations': {
        answer: {
          data: components['schemas']['Operation'][]
          next_cursor: string | null
        }
        query: {
          action?: string
          channel?: string
          cursor?: string
          error?: string
          from?: string
          /** @enum {string} */
          kind?: 'import' | 'bulk'
          limit?: number
          requested_by?: string
          schedule_id?: string
          search?: string
          /** @enum {string} */
          status?:
            | 'previewing'
            | 'previewed'
            | 'queued'
            | 'running'
            | 'paused'
            | 'success'
            | 'partial'
            | 'failed'
            | 'cancelled'
            | 'undone'
          to?: string
          waiting?: boolean
          workflow?: string
        }
      }
      'GET /api/operations/{id}': {
        answer: components['schemas']['Operation']
      }
      'GET /api/operations/{id}/artifact': Record<string, never>
      'GET /api/operations/{id}/events': Record<string, never>
      'GET /api/operations/{id}/items': {
        answer: {
          data: components['schemas']['Item'][]
          next_cursor: string | null
          /** @description How many of the operation’s items have a warning, regardless of the filter; null while it runs */
          warned: number | null
        }
        query: {
          cursor?: string
          error?: string
          limit?: number
          search?: string
          status?: ('pending' | 'running' | 'done' | 'failed' | 'skipped' | 'cancelled')[]
          step?: string
          /** @enum {string} */
          step_result?: 'changed' | 'unchanged' | 'kept' | 'skipped' | 'failed'
          warned?: boolean
        }
      }
      'GET /api/operations/{id}/log.csv': Record<string, never>
      'GET /api/operations/{id}/log.json': Record<string, never>
      'GET /api/operations/{id}/mails': {
        answer: components['schemas']['OperationMails']
      }
      'GET /api/operations/{id}/retry': {
        answer: components['schemas']['Retry']
      }
      'GET /api/operations/{id}/steps': {
        answer: components['schemas']['OperationSteps']
      }
      'GET /api/orders': {
        answer: {
          data: components['schemas']['FoundOrder'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
          order?: string
        }
      }
      'GET /api/orders/import': {
        answer: components['schemas']['PastOrdersAccess']
      }
      'GET /api/packs': {
        answer: {
          data: components['schemas']['Pack'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
          /** @default  */
          search?: string
        }
      }
      'GET /api/packs/{id}': {
        answer: components['schemas']['Pack']
      }
      'GET /api/plan': {
        answer: components['schemas']['PlanState']
        query: {
          /** @enum {string} */
          refresh?: '1'
        }
      }
      'GET /api/plugins': {
        answer: {
          /** @description Actions in the history that a channel starts: they are in no menu */
          channel_actions: {
            id: string
            title: string
          }[]
          data: components['schemas']['Plugin'][]
          /** @description The sections of the menu, in order */
          groups: {
            /** @enum {string} */
            id: 'products' | 'deliver' | 'organize' | 'documents' | 'tags' | 'automate' | 'trash'
            title: string
          }[]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/products': {
        answer: {
          data: components['schemas']['Product'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
          /** @default  */
          search?: string
        }
      }
      'GET /api/products/mirror': {
        answer: components['schemas']['CatalogMirror']
      }
      'GET /api/reports/activations.csv': {
        query: {
          by?: ('product' | 'file' | 'buyer' | 'month')[]
          email?: string
          file_id?: string
          /** Format: date */
          from?: string
          list_id?: string
          product?: string
          /** @enum {string} */
          status?: 'active' | 'expired' | 'revoked' | 'replaced'
          /** Format: date */
          to?: string
        }
      }
      'GET /api/reports/activations.json': {
        answer: {
          rows: {
            activations: number
            /** @description The email address, in lower case; null: unknown */
            buyer?: string | null
            /** @description null: none */
            file_id?: string | null
            /** @description null: the file was deleted */
            filename?: string | null
            keys: number
            /** @description As 2026-01, in the time zone of the shop */
            month?: string | null
            /** @description null: none */
            product_id?: string | null
            /** @description As it is now, or was last */
            product_title?: string | null
          }[]
        }
        query: {
          by?: ('product' | 'file' | 'buyer' | 'month')[]
          email?: string
          file_id?: string
          /** Format: date */
          from?: string
          list_id?: string
          product?: string
          /** @enum {string} */
          status?: 'active' | 'expired' | 'revoked' | 'replaced'
          /** Format: date */
          to?: string
        }
      }
      'GET /api/reports/deliveries.csv': {
        query: {
          by?: ('product' | 'file' | 'buyer' | 'month')[]
          email?: string
          file_id?: string
          /** Format: date */
          from?: string
          order?: string
          product?: string
          /** @constant */
          reach?: 'unreachable'
          search?: string
          /** @constant */
          state?: 'blocked'
          /** @enum {string} */
          status?: 'ready' | 'held' | 'withdrawn' | 'revoked'
          /** Format: date */
          to?: string
        }
      }
      'GET /api/reports/deliveries.json': {
        answer: {
          rows: {
            /** @description The email address, in lower case; null: unknown */
            buyer?: string | null
            deliveries: number
            /** @description null: none */
            file_id?: string | null
            /** @description null: the file was deleted */
            filename?: string | null
            /** @description As 2026-01, in the time zone of the shop */
            month?: string | null
            opened: number
            /** @description null: none */
            product_id?: string | null
            /** @description As it is now, or was last */
            product_title?: string | null
            withdrawn: number
          }[]
        }
        query: {
          by?: ('product' | 'file' | 'buyer' | 'month')[]
          email?: string
          file_id?: string
          /** Format: date */
          from?: string
          order?: string
          product?: string
          /** @constant */
          reach?: 'unreachable'
          search?: string
          /** @constant */
          state?: 'blocked'
          /** @enum {string} */
          status?: 'ready' | 'held' | 'withdrawn' | 'revoked'
          /** Format: date */
          to?: string
        }
      }
      'GET /api/reports/downloads.csv': {
        query: {
          by?: ('product' | 'file' | 'buyer' | 'month')[]
          email?: string
          file_id?: string
          /** Format: date */
          from?: string
          product?: string
          /** Format: date */
          to?: string
        }
      }
      'GET /api/reports/downloads.json': {
        answer: {
          rows: {
            /** @description The email address, in lower case; null: unknown */
            buyer?: string | null
            downloads: number
            /** @description null: none */
            file_id?: string | null
            /** @description null: the file was deleted */
            filename?: string | null
            /** @description As 2026-01, in the time zone of the shop */
            month?: string | null
            /** @description null: none */
            product_id?: string | null
            /** @description As it is now, or was last */
            product_title?: string | null
          }[]
        }
        query: {
          by?: ('product' | 'file' | 'buyer' | 'month')[]
          email?: string
          file_id?: string
          /** Format: date */
          from?: string
          product?: string
          /** Format: date */
          to?: string
        }
      }
      'GET /api/reports/refusals.csv': {
        query: {
          by?: ('product' | 'file' | 'buyer' | 'month')[]
          email?: string
          file_id?: string
          /** Format: date */
          from?: string
          product?: string
          /** @enum {string} */
          reason?:
            | 'used_up'
            | 'views_used_up'
            | 'views_expired'
            | 'expired'
            | 'revoked'
            | 'withdrawn'
            | 'not_prepared'
            | 'held'
            | 'site_not_allowed'
            | 'not_released'
            | 'customer_tag'
            | 'wrong_answer'
          /** Format: date */
          to?: string
        }
      }
      'GET /api/reports/refusals.json': {
        answer: {
          rows: {
            /** @description The email address, in lower case; null: unknown */
            buyer?: string | null
            /** @description null: none */
            file_id?: string | null
            /** @description null: the file was deleted */
            filename?: string | null
            /** @description As 2026-01, in the time zone of the shop */
            month?: string | null
            /** @description null: none */
            product_id?: string | null
            /** @description As it is now, or was last */
            product_title?: string | null
            refusals: number
          }[]
        }
        query: {
          by?: ('product' | 'file' | 'buyer' | 'month')[]
          email?: string
          file_id?: string
          /** Format: date */
          from?: string
          product?: string
          /** @enum {string} */
          reason?:
            | 'used_up'
            | 'views_used_up'
            | 'views_expired'
            | 'expired'
            | 'revoked'
            | 'withdrawn'
            | 'not_prepared'
            | 'held'
            | 'site_not_allowed'
            | 'not_released'
            | 'customer_tag'
            | 'wrong_answer'
          /** Format: date */
          to?: string
        }
      }
      'GET /api/reviews': {
        answer: {
          data: components['schemas']['Review'][]
          next_cursor: string | null
          open: number
        }
        query: {
          cursor?: string
          like?: string
          limit?: number
          /**
           * @default open
           * @enum {string}
           */
          status?: 'open' | 'accepted' | 'rejected'
        }
      }
      'GET /api/reviews/{id}': {
        answer: components['schemas']['Review']
      }
      'GET /api/reviews/accept': {
        answer: {
          above: number
          count: number
          /** @description Up to 8 of them, the lowest scores first */
          least_certain: components['schemas']['Review'][]
          /** @description The same count for other scores */
          scores: {
            above: number
            count: number
          }[]
        }
        query: {
          above?: number
        }
      }
      'GET /api/reviews/groups': {
        answer: {
          data: components['schemas']['ReviewGroup'][]
          next_cursor: string | null
          open: number
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/schedules': {
        answer: {
          data: components['schemas']['Schedule'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/schedules/{id}': {
        answer: components['schemas']['Schedule']
      }
      'GET /api/schedules/templates': {
        answer: {
          data: components['schemas']['ScheduleRequestOutput'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/session': {
        answer: components['schemas']['Session']
      }
      'GET /api/settings': {
        answer: components['schemas']['Settings']
      }
      'GET /api/settings/buyer-page': {
        answer: components['schemas']['BuyerPage']
      }
      'GET /api/settings/mail': {
        answer: components['schemas']['MailSettings']
      }
      'GET /api/settings/mail/blocked': {
        answer: {
          data: components['schemas']['BlockedAddress'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/settings/mail/texts': {
        answer: components['schemas']['MailTexts']
      }
      'GET /api/shops': {
        answer: {
          data: components['schemas']['ReachableShop'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/stats': {
        answer: components['schemas']['Stats']
        query: {
          /**
           * @default 30
           * @enum {string}
           */
          days?: '7' | '30' | '90'
          /** @enum {string} */
          metric?: 'downloads' | 'orders' | 'deliveries' | 'imported_files' | 'bounced_mails'
        }
      }
      'GET /api/storefront': {
        answer: components['schemas']['StorefrontAccess']
      }
      'GET /api/tag-templates': {
        answer: {
          data: components['schemas']['TagTemplate'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/tag-templates/{id}': {
        answer: components['schemas']['TagTemplate']
      }
      'GET /api/tags': {
        answer: {
          data: components['schemas']['TagCount'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
          /** @default  */
          search?: string
        }
      }
      'GET /api/unfiled-products': {
        answer: {
          data: components['schemas']['UnfiledProduct'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/uploads/batches/{id}': {
        answer: components['schemas']['UploadBatch']
      }
      'GET /api/views': {
        answer: {
          data: components['schemas']['SavedView'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
          /**
           * @default files
           * @enum {string}
           */
          list?: 'files' | 'deliveries' | 'links' | 'operations'
        }
      }
      'GET /api/views/{id}': {
        answer: components['schemas']['SavedView']
      }
      'GET /api/webhook-events': {
        answer: {
          data: components['schemas']['WebhookEvent'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/webhooks': {
        answer: {
          data: components['schemas']['Webhook'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/webhooks/{id}': {
        answer: components['schemas']['Webhook']
      }
      'GET /api/webhooks/{id}/deliveries': {
        answer: {
          data: components['schemas']['Message'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
          /** @enum {string} */
          status?: 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown' | 'bounced' | 'complained'
        }
      }
      'GET /api/webhooks/secret': {
        answer: {
          secret: string
        }
      }
      'GET /api/workflows': {
        answer: {
          data: components['schemas']['Workflow'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/workflows/{id}': {
        answer: components['schemas']['Workflow']
      }
      'GET /api/workflows/{id}.json': Record<string, never>
      'GET /api/workflows/{id}.yaml': Record<string, never>
      'GET /api/workflows/{id}/versions': {
        answer: {
          data: components['schemas']['WorkflowVersion'][]
          next_cursor: string | null
        }
        query: {
          cursor?: string
          limit?: number
        }
      }
      'GET /api/workflows/{id}/versions/{version}': {
        answer: components['schemas']['WholeWorkflowVersion']
      }
      'PATCH /api/connections/{id}': {
        answer: components['schemas']['Connection']
        body: components['schemas']['ConnectionChange']
      }
      'PATCH /api/csv/{id}/rows': {
        answer: {
          file: components['schemas']['CsvFile']
          rows: components['schemas']['CsvRow'][]
        }
        body: components['schemas']['CsvRowChanges']
      }
      'PATCH /api/deliveries/{id}': {
        answer: components['schemas']['DeliveryDetail']
        body: components['schemas']['DeliveryChange']
      }
      'PATCH /api/drop': {
        answer: components['schemas']['Drop']
        body: components['schemas']['DropSettingsChange']
      }
      'PATCH /api/drop/accounts/{id}': {
        answer: components['schemas']['DropAccount']
        body: components['schemas']['DropAccountChange']
      }
      'PATCH /api/feeds/{id}': {
        answer: components['schemas']['Feed']
        body: components['schemas']['FeedChange']
      }
      'PATCH /api/files/{id}': {
        answer: {
          /**
           * @description Hosts that may link to the file, `*.example.com` for all subdomains; empty: any
           * @example [
           *       "shop.example.com"
           *     ]
           */
          allowed_referrers: string[]
          /**
           * @description What a link asks for before the file can be downloaded or viewed: the buyer’s email address, or a `password`; null: nothing. Also at links that exist already. A password cannot be read again
           * @example email
           */
          ask_for: ('email' | 'password') | null
          /**
           * @description Days after the purchase until buyers get the file; null: immediately. For a link without an order, days after the link was created
           * @example 7
           */
          available_after_days: number | null
          /**
           * @description The day from which buyers get the file, in the shop’s time zone; null: immediately. With `available_after_days`, the later of both. The expiry counts from then
           * @example 2027-03-01
           */
          available_from: string | null
          /**
           * @description A text for buyers of the file, such as instructions: on pages of deliveries and packs, in the library and in the mail about an order; null: none. Lines are kept, and addresses become links. Buyers see the current text, also of earlier orders
           * @example Unpack the ZIP file, then open Start.pdf.
           */
          buyer_text: string | null
          cdn: boolean
          content_type: string
          /** Format: date-time */
          created_at: string
          /**
           * @description The tag that the customer of the order must have, now and at every download; null: none. Applies to orders placed while a file requires one. Links without an order need none
           * @example subscriber
           */
          customer_tag: string | null
          /** @description When it was moved to the trash */
          deleted_at: string | null
          /**
           * @description Downloads that a link allows; null: unlimited
           * @example 5
           */
          download_limit: number | null
          download_notification: boolean
          download_tracking: boolean
          downloads: number
          /**
           * @description Days a link stays valid; null: it never expires
           * @example 60
           */
          expiry_days: number | null
          filename: string
          /**
           * @description Hours from a buyer’s first download or view after which the link expires; null: the first use changes nothing. `expiry_days` applies too: the earlier of both
           * @example 48
           */
          first_use_hours: number | null
          id: string
          /** @description The address that buyers of a link are sent to; null: it is no link */
          link_url: string | null
          links_active: number
          mappings: {
            /** Format: date-time */
            created_at: string
            /** @enum {string} */
            method: 'sku' | 'filename' | 'title' | 'tags' | 'manual' | 'pack' | 'rule'
            product_id: string
            product_title: string
            reason: string
            /** @description Absent: the English text has no values, so it is its own message */
            reason_text?: components['schemas']['Text']
            score: number
            sku: string | null
            variant_id: string | null
          }[]
          /** @description In a list that was searched: the fields in which words were found, with their text */
          matched?: {
            /** @enum {string} */
            field: 'name' | 'tag' | 'product' | 'sku' | 'barcode' | 'pack'
            value: string
          }[]
          /** @description The first of `packs` */
          pack: {
            id: string
            name: string
          } | null
          /** @description In the order in which it entered them */
          packs: {
            id: string
            name: string
          }[]
          /** @description The number of orders that it was ever delivered with */
          paid_by: number
          /** @description Why it cannot be downloaded: its bytes are damaged, or a virus was found in them */
          problem: {
            code: string
            message: string
          } | null
          products: string[]
          /** @description Its address while it is public and asks for nothing */
          public_url: string | null
          sample: components['schemas']['FileSample'] | null
          /**
           * @description The first pages of a PDF document that everyone may read as a sample, at most half of it; null: none
           * @example 5
           */
          sample_pages: number | null
          /**
           * @description The first seconds of an audio file that everyone may hear as a sample, at most half of it; null: none
           * @example 30
           */
          sample_seconds: number | null
          /** @description The SHA-256 digest of its bytes in hex; null while it is not computed yet: reading the file alone computes it */
          sha256: string | null
          size_bytes: number
          storage: components['schemas']['FileStorage']
          tags: string[]
          /** Format: date-time */
          updated_at: string
          /**
           * Format: date
           * @description The day of its upload in the time zone of the shop
           */
          upload_date: string
          version: number
          /**
           * @description Whether buyers download the file, or read or play it in the browser. Other types than images, audio, video and PDF are always downloads
           * @enum {string}
           */
          view: 'download' | 'both' | 'view_only'
          /**
           * @description Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`
           * @example 365
           */
          view_days: number | null
          /**
           * @description Views in the browser that a link allows, counted apart from downloads; null: unlimited. Within four hours the same browser views the file again without a count. Without effect while `view` is `download`
           * @example 10
           */
          view_limit: number | null
          /** @enum {string} */
          visibility: 'private' | 'public'
        }
        body: components['schemas']['FileChange']
      }
      'PATCH /api/licence-lists/{id}': {
        answer: components['schemas']['LicenceList']
        body: components['schemas']['LicenceListChange']
      }
      'PATCH /api/mapping-rules/{id}': {
        answer: components['schemas']['MappingRule']
        body: components['schemas']['MappingRuleChange']
      }
      'PATCH /api/packs/{id}': {
        answer: {
          /** Format: date-time */
          created_at: string
          /** @description Their number, trash excluded */
          files: number
          id: string
          job_id: string | null
          name: string
          products: {
            product_id: string
            product_title: string
            sku: string | null
            variant_id: string | null
          }[]
          /** @description The size of all of them */
          size_bytes: number
          /** Format: date-time */
          updated_at: string
        }
        body: components['schemas']['PackChange']
      }
      'PATCH /api/settings': {
        answer: components['schemas']['Settings']
        body: components['schemas']['SettingsChange']
      }
      'PATCH /api/settings/buyer-page': {
        answer: components['schemas']['BuyerPage']
        body: components['schemas']['BuyerPageChange']
      }
      'PATCH /api/settings/mail': {
        answer: components['schemas']['MailSettings']
        body: components['schemas']['MailSettingsChange']
      }
      'PATCH /api/settings/mail/texts': {
        answer: components['schemas']['MailTexts']
        body: components['schemas']['MailTextsChange']
      }
      'PATCH /api/tag-templates/{id}': {
        answer: components['schemas']['TagTemplate']
        body: components['schemas']['TagTemplateChange']
      }
      'PATCH /api/uploads/{id}': Record<string, never>
      'PATCH /api/uploads/batches/{id}': {
        answer: components['schemas']['UploadBatch']
        body: components['schemas']['UploadBatchChange']
      }
      'PATCH /api/views/{id}': {
        answer: components['schemas']['SavedView']
        body: components['schemas']['SavedViewChange']
      }
      'PATCH /api/webhooks/{id}': {
        answer: components['schemas']['Webhook']
        body: components['schemas']['WebhookChange']
      }
      'POST /api/api-keys': {
        answer: {
          /** @description Owners of other shops let the key act there by this code; null: in its shop alone */
          agency_code: string | null
          /** Format: date-time */
          created_at: string
          /** @description null: never */
          expires_at: string | null
          /** @description The key of this other shop acts here; null: it is a key of this shop */
          granted_shop: string | null
          /** @description The first characters of the key */
          hint: string
          id: string
          key: string | null
          /** @description To the minute */
          last_used_at: string | null
          name: string
          revoked_at: string | null
          scopes: string[]
        }
        body: components['schemas']['ApiKeyRequest']
      }
      'POST /api/api-keys/grants': {
        answer: components['schemas']['ApiKey']
        body: components['schemas']['KeyGrantRequest']
      }
      'POST /api/buyers/library': {
        answer: {
          email: string
        }
        body: components['schemas']['LibraryRequest']
      }
      'POST /api/configuration': {
        answer: components['schemas']['AppliedConfiguration']
        body: components['schemas']['ConfigurationRequest']
        query: {
          dry_run?: boolean
        }
      }
      'POST /api/connections': {
        answer: components['schemas']['Connection']
        body: components['schemas']['ConnectionRequest']
      }
      'POST /api/connections/{id}/authorize': {
        answer: {
          url: string
        }
      }
      'POST /api/connections/{id}/authorized': {
        answer: components['schemas']['Connection']
        body: {
          code: string
          state: string
        }
      }
      'POST /api/connections/{id}/sync': {
        answer: components['schemas']['Operation']
        /** @default {} */
        body: {
          dry_run?: boolean
          /** @description Files that could not be imported are tried again */
          retry_rejected?: boolean
        }
      }
      'POST /api/csv': {
        answer: components['schemas']['CsvFile']
        query: {
          filename?: string
        }
      }
      'POST /api/csv/{id}/check': {
        answer: components['schemas']['CsvFile']
        body: components['schemas']['CsvCheck']
      }
      'POST /api/csv/{id}/fixes': {
        answer: {
          file: components['schemas']['CsvFile']
          rows: number
        }
        body: components['schemas']['CsvFix']
      }
      'POST /api/csv/{id}/recheck': {
        answer: components['schemas']['CsvFile']
      }
      'POST /api/csv/{id}/start': {
        answer: components['schemas']['CsvStarted']
        body: components['schemas']['CsvStart']
      }
      'POST /api/csv/{id}/stop': {
        answer: components['schemas']['CsvFile']
      }
      'POST /api/csv/{id}/undo': {
        answer: components['schemas']['CsvFile']
      }
      'POST /api/csv/mappings': {
        answer: components['schemas']['CsvColumnMapping']
        body: components['schemas']['CsvColumnMappingRequest']
      }
      'POST /api/deliveries/{id}/correct-address': {
        answer: components['schemas']['DeliveryDetail']
        body: components['schemas']['AddressCorrection']
      }
      'POST /api/deliveries/{id}/hold': {
        answer: components['schemas']['DeliveryDetail']
      }
      'POST /api/deliveries/{id}/release': {
        answer: components['schemas']['DeliveryDetail']
      }
      'POST /api/deliveries/{id}/resend': {
        answer: components['schemas']['DeliveryDetail']
      }
      'POST /api/deliveries/{id}/revoke': {
        answer: components['schemas']['DeliveryDetail']
      }
      'POST /api/drop-account': {
        answer: {
          allowed_addresses: string[]
          /** Format: date-time */
          created_at: string
          enabled: boolean
          ftp_port: number
          host: string
          id: string
          last_used_at: string | null
          name: string
          /** @enum {string} */
          name_encoding:
            | 'utf-8'
            | 'windows-1252'
            | 'windows-1250'
            | 'windows-1251'
            | 'gb18030'
            | 'big5'
            | 'shift_jis'
            | 'euc-kr'
          /** @description Shown once; null in the answer to a repeated request */
          password: string | null
          /** @description Change it regularly */
          password_age_days: number
          /** Format: date-time */
          password_changed_at: string
          path: string
          public_keys: {
            fingerprint: string
            /** @description In OpenSSH’s format; a change must include the keys to keep */
            key: string
            name: string
            type: string
          }[]
          sftp_port: number
          username: string
        }
        /**
         * @default {
         *       "name": "Drop account"
         *     }
         */
        body: {
          /** @description CIDR; empty: any address */
          allowed_addresses?: string[]
          /** @description Off: nobody can sign in with it */
          enabled?: boolean
          /** @default Drop account */
          name?: string
          /**
           * @description The encoding of file names of FTP clients that know no UTF-8; UTF-8 is still recognised
           * @enum {string}
           */
          name_encoding?:
            | 'utf-8'
            | 'windows-1252'
            | 'windows-1250'
            | 'windows-1251'
            | 'gb18030'
            | 'big5'
            | 'shift_jis'
            | 'euc-kr'
          /** @description For SFTP; replaces the current keys */
          public_keys?: {
            key: string
            name: string
          }[]
        }
      }
      'POST /api/drop/accounts': {
        answer: {
          allowed_addresses: string[]
          /** Format: date-time */
          created_at: string
          enabled: boolean
          id: string
          last_used_at: string | null
          name: string
          /** @enum {string} */
          name_encoding:
            | 'utf-8'
            | 'windows-1252'
            | 'windows-1250'
            | 'windows-1251'
            | 'gb18030'
            | 'big5'
            | 'shift_jis'
            | 'euc-kr'
          /** @description Shown once; null in the answer to a repeated request */
          password: string | null
          /** @description Change it regularly */
          password_age_days: number
          /** Format: date-time */
          password_changed_at: string
          public_keys: {
            fingerprint: string
            /** @description In OpenSSH’s format; a change must include the keys to keep */
            key: string
            name: string
            type: string
          }[]
          username: string
        }
        body: components['schemas']['DropAccountRequest']
      }
      'POST /api/drop/accounts/{id}/password': {
        answer: {
          allowed_addresses: string[]
          /** Format: date-time */
          created_at: string
          enabled: boolean
          id: string
          last_used_at: string | null
          name: string
          /** @enum {string} */
          name_encoding:
            | 'utf-8'
            | 'windows-1252'
            | 'windows-1250'
            | 'windows-1251'
            | 'gb18030'
            | 'big5'
            | 'shift_jis'
            | 'euc-kr'
          /** @description Shown once; null in the answer to a repeated request */
          password: string | null
          /** @description Change it regularly */
          password_age_days: number
          /** Format: date-time */
          password_changed_at: string
          public_keys: {
            fingerprint: string
            /** @description In OpenSSH’s format; a change must include the keys to keep */
            key: string
            name: string
            type: string
          }[]
          username: string
        }
      }
      'POST /api/drop/files/{id}/retry': {
        answer: components['schemas']['DropFile']
      }
      'POST /api/drop/import': {
        answer: components['schemas']['Operation']
        /** @default {} */
        body: {
          dry_run?: boolean
        }
        query: {
          file_id?: string
        }
      }
      'POST /api/feeds': {
        answer: components['schemas']['Feed']
        body: components['schemas']['FeedRequest']
      }
      'POST /api/feeds/{id}/run': {
        answer: components['schemas']['FeedRun']
        body: components['schemas']['FeedRunRequest']
      }
      'POST /api/feeds/table': {
        answer: components['schemas']['FeedTable']
        body: components['schemas']['FeedTableRequest']
      }
      'POST /api/files/{id}/public-address': {
        answer: {
          /**
           * @description Hosts that may link to the file, `*.example.com` for all subdomains; empty: any
           * @example [
           *       "shop.example.com"
           *     ]
           */
          allowed_referrers: string[]
          /**
           * @description What a link asks for before the file can be downloaded or viewed: the buyer’s email address, or a `password`; null: nothing. Also at links that exist already. A password cannot be read again
           * @example email
           */
          ask_for: ('email' | 'password') | null
          /**
           * @description Days after the purchase until buyers get the file; null: immediately. For a link without an order, days after the link was created
           * @example 7
           */
          available_after_days: number | null
          /**
           * @description The day from which buyers get the file, in the shop’s time zone; null: immediately. With `available_after_days`, the later of both. The expiry counts from then
           * @example 2027-03-01
           */
          available_from: string | null
          /**
           * @description A text for buyers of the file, such as instructions: on pages of deliveries and packs, in the library and in the mail about an order; null: none. Lines are kept, and addresses become links. Buyers see the current text, also of earlier orders
           * @example Unpack the ZIP file, then open Start.pdf.
           */
          buyer_text: string | null
          cdn: boolean
          content_type: string
          /** Format: date-time */
          created_at: string
          /**
           * @description The tag that the customer of the order must have, now and at every download; null: none. Applies to orders placed while a file requires one. Links without an order need none
           * @example subscriber
           */
          customer_tag: string | null
          /** @description When it was moved to the trash */
          deleted_at: string | null
          /**
           * @description Downloads that a link allows; null: unlimited
           * @example 5
           */
          download_limit: number | null
          download_notification: boolean
          download_tracking: boolean
          downloads: number
          /**
           * @description Days a link stays valid; null: it never expires
           * @example 60
           */
          expiry_days: number | null
          filename: string
          /**
           * @description Hours from a buyer’s first download or view after which the link expires; null: the first use changes nothing. `expiry_days` applies too: the earlier of both
           * @example 48
           */
          first_use_hours: number | null
          id: string
          /** @description The address that buyers of a link are sent to; null: it is no link */
          link_url: string | null
          links_active: number
          mappings: {
            /** Format: date-time */
            created_at: string
            /** @enum {string} */
            method: 'sku' | 'filename' | 'title' | 'tags' | 'manual' | 'pack' | 'rule'
            product_id: string
            product_title: string
            reason: string
            /** @description Absent: the English text has no values, so it is its own message */
            reason_text?: components['schemas']['Text']
            score: number
            sku: string | null
            variant_id: string | null
          }[]
          /** @description In a list that was searched: the fields in which words were found, with their text */
          matched?: {
            /** @enum {string} */
            field: 'name' | 'tag' | 'product' | 'sku' | 'barcode' | 'pack'
            value: string
          }[]
          /** @description The first of `packs` */
          pack: {
            id: string
            name: string
          } | null
          /** @description In the order in which it entered them */
          packs: {
            id: string
            name: string
          }[]
          /** @description The number of orders that it was ever delivered with */
          paid_by: number
          /** @description Why it cannot be downloaded: its bytes are damaged, or a virus was found in them */
          problem: {
            code: string
            message: string
          } | null
          products: string[]
          /** @description Its address while it is public and asks for nothing */
          public_url: string | null
          sample: components['schemas']['FileSample'] | null
          /**
           * @description The first pages of a PDF document that everyone may read as a sample, at most half of it; null: none
           * @example 5
           */
          sample_pages: number | null
          /**
           * @description The first seconds of an audio file that everyone may hear as a sample, at most half of it; null: none
           * @example 30
           */
          sample_seconds: number | null
          /** @description The SHA-256 digest of its bytes in hex; null while it is not computed yet: reading the file alone computes it */
          sha256: string | null
          size_bytes: number
          storage: components['schemas']['FileStorage']
          tags: string[]
          /** Format: date-time */
          updated_at: string
          /**
           * Format: date
           * @description The day of its upload in the time zone of the shop
           */
          upload_date: string
          version: number
          /**
           * @description Whether buyers download the file, or read or play it in the browser. Other types than images, audio, video and PDF are always downloads
           * @enum {string}
           */
          view: 'download' | 'both' | 'view_only'
          /**
           * @description Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`
           * @example 365
           */
          view_days: number | null
          /**
           * @description Views in the browser that a link allows, counted apart from downloads; null: unlimited. Within four hours the same browser views the file again without a count. Without effect while `view` is `download`
           * @example 10
           */
          view_limit: number | null
          /** @enum {string} */
          visibility: 'private' | 'public'
        }
      }
      'POST /api/files/{id}/versions': {
        answer: components['schemas']['Import']
        body: components['schemas']['VersionRequest']
      }
      'POST /api/files/{id}/versions/{n}/restore': {
        answer: components['schemas']['File']
      }
      'POST /api/files/bulk-delete': {
        answer:
          | {
              deleted: number
              errors: {
                code: string
                file_id: string | null
                message: string
              }[]
              failed: number
              job_id: string
            }
          | {
              deleted: number
              errors: {
                code: string
                file_id: string | null
                message: string
              }[]
              failed: number
              job_id: string
              /** @constant */
              status: 'processing'
            }
        body: components['schemas']['BulkDeleteRequest']
      }
      'POST /api/files/impact': {
        answer: components['schemas']['FilesImpact']
        body: components['schemas']['FilesImpactRequest']
      }
      'POST /api/files/import': {
        answer: components['schemas']['Import']
        body: components['schemas']['ImportRequest']
      }
      'POST /api/files/rename-preview': {
        answer: components['schemas']['RenamePreview']
        body: components['schemas']['RenamePreviewRequest']
      }
      'POST /api/licence-keys/{id}/reset': {
        answer: components['schemas']['LicenceKey']
      }
      'POST /api/licence-keys/{id}/restore': {
        answer: components['schemas']['LicenceKey']
      }
      'POST /api/licence-keys/{id}/revoke': {
        answer: components['schemas']['LicenceKey']
      }
      'POST /api/licence-keys/{id}/rotate': {
        answer: components['schemas']['LicenceKey']
      }
      'POST /api/licence-lists': {
        answer: components['schemas']['LicenceList']
        body: components['schemas']['LicenceListRequest']
      }
      'POST /api/licence-lists/{id}/keys': {
        answer: components['schemas']['LicenceKeysAdded']
      }
      'POST /api/licences/activate': {
        answer: components['schemas']['LicenceState']
        body: components['schemas']['LicenceActivation']
      }
      'POST /api/licences/deactivate': {
        answer: components['schemas']['LicenceState']
        body: components['schemas']['LicenceActivation']
      }
      'POST /api/licences/verify': {
        answer: components['schemas']['LicenceState']
        body: components['schemas']['LicenceVerification']
      }
      'POST /api/links': {
        answer:
          | {
              data: components['schemas']['Link'][]
              next_cursor: string | null
            }
          | components['schemas']['Operation']
        body: components['schemas']['LinksRequest']
      }
      'POST /api/links/{id}/ask': {
        answer: components['schemas']['Link']
        body: components['schemas']['LinkAsk']
      }
      'POST /api/links/{id}/extend': {
        answer: components['schemas']['Link']
        body: {
          /**
           * @description Days a link stays valid; null: it never expires
           * @example 60
           */
          expiry_days?: number | null
          /**
           * @description Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`
           * @example 365
           */
          view_days?: number | null
        }
      }
      'POST /api/links/{id}/reset': {
        answer: components['schemas']['Link']
      }
      'POST /api/links/{id}/revoke': {
        answer: components['schemas']['Link']
      }
      'POST /api/links/email': {
        answer: components['schemas']['LinksEmailed']
        body: {
          link_ids: string[]
        }
      }
      'POST /api/links/revoke': {
        answer: {
          revoked: number
        }
        body: {
          link_ids: string[]
        }
      }
      'POST /api/mapping-rules': {
        answer: components['schemas']['MappingRule']
        body: components['schemas']['MappingRuleRequest']
      }
      'POST /api/mapping-rules/{id}/apply': {
        answer: {
          files: number
          /** @description Null: there is no such file */
          job_id: string | null
        }
      }
      'POST /api/messages/{id}/send': {
        answer: components['schemas']['Message']
      }
      'POST /api/moves': {
        answer: components['schemas']['Move']
        query: {
          filename?: string
        }
      }
      'POST /api/moves/{id}/start': {
        answer: components['schemas']['Operation']
        body: components['schemas']['MoveStart']
      }
      'POST /api/new-files/buyers': {
        answer: components['schemas']['PastBuyers']
        body: components['schemas']['PastBuyersRequest']
      }
      'POST /api/new-files/dismiss': {
        body: components['schemas']['NewFilesDismissal']
      }
      'POST /api/notices/read': {
        answer: {
          unread: number
        }
        body:
          | {
              ids: string[]
            }
          | {
              /** @constant */
              all: true
            }
      }
      'POST /api/operations': {
        answer: components['schemas']['Operation']
        body: components['schemas']['OperationRequest']
      }
      'POST /api/operations/{id}/answer': {
        answer: components['schemas']['Operation']
        body: components['schemas']['OperationAnswer']
      }
      'POST /api/operations/{id}/cancel': {
        answer: components['schemas']['Operation']
      }
      'POST /api/operations/{id}/confirm': {
        answer: components['schemas']['Operation']
      }
      'POST /api/operations/{id}/continue': {
        answer: components['schemas']['Operation']
      }
      'POST /api/operations/{id}/pause': {
        answer: components['schemas']['Operation']
      }
      'POST /api/operations/{id}/resume': {
        answer: components['schemas']['Operation']
      }
      'POST /api/operations/{id}/retry': {
        answer: components['schemas']['Operation']
        body: components['schemas']['RetryRequest']
      }
      'POST /api/operations/{id}/undo': {
        answer: components['schemas']['Operation']
        body: components['schemas']['UndoRequest']
      }
      'POST /api/orders/files': {
        answer: components['schemas']['DeliveryDetail']
        body: components['schemas']['OrderFiles']
      }
      'POST /api/orders/import': {
        answer: components['schemas']['Operation']
        body: components['schemas']['PastOrdersRequest']
      }
      'POST /api/packs': {
        answer: components['schemas']['Pack']
        body: components['schemas']['PackRequest']
      }
      'POST /api/packs/{id}/product': {
        answer: {
          /** Format: date-time */
          created_at: string
          /** @description Their number, trash excluded */
          files: number
          id: string
          job_id: string | null
          name: string
          product: {
            /**
             * Format: uri
             * @description Its page in the admin of the store
             */
            admin_url: string
            /** @description False: it was created before */
            is_new: boolean
            product_id: string
            product_title: string
          }
          products: {
            product_id: string
            product_title: string
            sku: string | null
            variant_id: string | null
          }[]
          /** @description The size of all of them */
          size_bytes: number
          /** Format: date-time */
          updated_at: string
        }
        body: components['schemas']['PackSale']
      }
      'POST /api/plan': {
        answer: {
          confirmation_url: string
        }
        body: components['schemas']['PlanRequest']
      }
      'POST /api/products/refresh': {
        answer: components['schemas']['CatalogMirror']
      }
      'POST /api/reviews/{id}/accept': {
        answer: {
          accepted: number
          /** @description The operation that maps the files; null if there were none to map */
          job_id: string | null
          /** @description How many reviews are still open */
          open: number
        }
        body: components['schemas']['ReviewAcceptance']
      }
      'POST /api/reviews/{id}/accept-alike': {
        answer: {
          accepted: number
          /** @description The operation that maps the files; null if there were none to map */
          job_id: string | null
          /** @description How many reviews are still open */
          open: number
        }
        body: components['schemas']['ReviewAcceptance']
      }
      'POST /api/reviews/{id}/reject': {
        answer: components['schemas']['Review']
      }
      'POST /api/reviews/{id}/reject-alike': {
        answer: {
          ids: string[]
          open: number
        }
      }
      'POST /api/reviews/accept': {
        answer: {
          accepted: number
          /** @description The operation that maps the files; null if there were none to map */
          job_id: string | null
          /** @description How many reviews are still open */
          open: number
        }
        body: components['schemas']['ReviewsAcceptance']
      }
      'POST /api/reviews/reopen': {
        answer: {
          open: number
          reopened: number
        }
        body: {
          ids: string[]
        }
      }
      'POST /api/schedules': {
        answer: components['schemas']['Schedule']
        body: components['schemas']['ScheduleRequest']
      }
      'POST /api/schedules/{id}/run': {
        answer: components['schemas']['Operation']
      }
      'POST /api/schedules/check': {
        answer: components['schemas']['CronCheck']
        body: {
          /**
           * @description Five fields, in the shop’s time zone
           * @example 0 2 1 * *
           */
          cron: string
          /** @description Absent: the shop’s */
          time_zone?: string
        }
      }
      'POST /api/schedules/match': {
        answer: components['schemas']['ScheduleMatch']
        body: {
          /**
           * @description A bulk action: a plugin’s id
           * @default null
           */
          action?: string | null
          filter?: {
            /**
             * Any of these
             * @description At least one of these holds: each has the same fields, all of which must hold. As a query parameter it is JSON, like [{"name_like":"A-*"},{"tags":["guide"]}]
             */
            any?: {
              changed_after?: string
              changed_before?: string
              channel?: string[]
              connection?: string
              delivered?: boolean
              downloaded_after?: string
              downloaded_before?: string
              drop_account?: string
              folder?: string
              larger_than?: number
              linked?: boolean
              mapped?: boolean
              name_begins?: string
              name_ends?: string
              name_like?: string
              not_downloaded_for_days?: number
              older_than_days?: number
              pack?: string
              pack_none?: boolean
              product?: string
              product_tag?: string
              search?: string
              smaller_than?: number
              tags?: string[]
              tags_any?: string[]
              tags_none?: string[]
              type?: string[]
              uploaded_after?: string
              uploaded_before?: string
              version_above?: number
            }[]
            /** @description Has a backup, or has none */
            backed_up?: boolean
            /**
             * Changed after
             * @description Last changed on or after this time, or this day, which begins at midnight in the shop’s time zone
             */
            changed_after?: string
            /**
             * Changed before
             * @description Last changed before this time, or this day, which begins at midnight in the shop’s time zone
             */
            changed_before?: string
            /**
             * Channel
             * @description Was imported through one of these channels: csv, api, upload, drop, cloud
             */
            channel?: string[]
            /**
             * Cloud connection
             * @description Is synced with this cloud connection: its id
             */
            connection?: string
            /** @description Is in the trash; absent: is not in the trash */
            deleted?: boolean
            /**
             * Delivered
             * @description Was ever in a delivery (true), or never (false)
             */
            delivered?: boolean
            /**
             * Downloaded after
             * @description A download, or a view in the browser, was on or after this time, or this day, which begins at midnight in the shop’s time zone
             */
            downloaded_after?: string
            /**
             * Downloaded before
             * @description Its last download, or view in the browser, was before this time, or this day, which begins at midnight in the shop’s time zone
             */
            downloaded_before?: string
            /**
             * Drop account
             * @description Was sent through this account of the drop folder: its id
             */
            drop_account?: string
            /** @description As `search`: more words that must be found */
            find?: string
            /**
             * Folder
             * @description Is synced with this folder of a cloud connection or with one below it, like Guides/2026
             */
            folder?: string
            /**
             * Larger than
             * @description Bytes
             */
            larger_than?: number
            /** @description Buyers of it were given licence keys of this list: its id */
            licence_list?: string
            /**
             * Linked
             * @description A link to it or its public address was ever made (true), or never (false)
             */
            linked?: boolean
            /**
             * Mapped
             * @description Is mapped to a product, or is not
             */
            mapped?: boolean
            /**
             * Name begins with
             * @description The name begins with this text, without regard to case
             */
            name_begins?: string
            /** @description The name contains this text, without regard to case and accents */
            name_contains?: string
            /**
             * Name ends with
             * @description The name with its extension ends with this text, without regard to case
             */
            name_ends?: string
            /**
             * Name is like
             * @description The whole name is like this, without regard to case: * is any text, as in A-*
             */
            name_like?: string
            /**
             * Not downloaded for
             * @description No download in this many days, and no view in the browser; views are known for 13 months
             */
            not_downloaded_for_days?: number
            /**
             * Uploaded more than
             * @description Uploaded more than this many days ago
             */
            older_than_days?: number
            /**
             * Pack
             * @description Is in this pack: its id
             */
            pack?: string
            /**
             * In no pack
             * @description Is in no pack (true), or is in a pack (false)
             */
            pack_none?: boolean
            /**
             * Product
             * @description Belongs to this product: its id on the platform
             */
            product?: string
            /**
             * Tag of its product
             * @description Belongs to a product with this tag, without regard to case
             */
            product_tag?: string
            /** @description Is in quarantine: a virus scanner found something in it; or is not */
            quarantined?: boolean
            /** @description Has a release date that has not come in the shop’s time zone (false), or is available to buyers of today (true) */
            released?: boolean
            /**
             * Search
             * @description Words in any order, without regard to case and accents. Each is in the name or in a tag, or in the title, the SKU or the barcode of a product or in the name of the pack. A number is found where it begins. More than 8 words are a part of the name
             */
            search?: string
            /**
             * Smaller than
             * @description Bytes
             */
            smaller_than?: number
            /**
             * @description Its bytes, or a kept copy of them, are in this storage location
             * @enum {string}
             */
            storage?: 'primary' | 'backup'
            /**
             * Tags
             * @description Has all of these tags
             */
            tags?: string[]
            /**
             * Has one of these tags
             * @description Has at least one of these tags
             */
            tags_any?: string[]
            /**
             * Has none of these tags
             * @description Has none of these tags
             */
            tags_none?: string[]
            /**
             * Type
             * @description Extensions, or document, image, video, audio, archive
             */
            type?: string[]
            /**
             * Uploaded after
             * @description Uploaded on or after this time, or this day, which begins at midnight in the shop’s time zone
             */
            uploaded_after?: string
            /**
             * Uploaded before
             * @description Uploaded before this time, or this day, which begins at midnight in the shop’s time zone
             */
            uploaded_before?: string
            /**
             * Version above
             * @description The number of its version is greater: 1 means replaced
             */
            version_above?: number
          }
          /**
           * @description The id of the workflow, instead of an action
           * @default null
           */
          workflow?: string | null
        }
      }
      'POST /api/settings/buyer-page/preview': {
        answer: {
          colours: components['schemas']['ColourReport']
          html: string
        }
        body: components['schemas']['BuyerPagePreview']
      }
      'POST /api/settings/mail/allow': {
        answer: {
          allowed: boolean
        }
        body: {
          email: string
        }
      }
      'POST /api/settings/mail/domain/check': {
        answer: components['schemas']['MailSettings']
      }
      'POST /api/settings/mail/server/confirm': {
        answer: components['schemas']['MailSettings']
        body: {
          code: string
        }
      }
      'POST /api/settings/mail/server/test': {
        answer: components['schemas']['MailSettings']
        body: {
          /** Format: email */
          email: string
        }
      }
      'POST /api/settings/mail/texts/preview': {
        answer: {
          html: string
          subject: string
          text: string
        }
        body: components['schemas']['MailPreview']
      }
      'POST /api/tag-templates': {
        answer: components['schemas']['TagTemplate']
        body: components['schemas']['TagTemplateRequest']
      }
      'POST /api/triggers/{id}/address': {
        answer: components['schemas']['HookAddress']
      }
      'POST /api/unfiled-products/dismiss': {
        body: components['schemas']['UnfiledDismissal']
      }
      'POST /api/uploads': Record<string, never>
      'POST /api/uploads/{id}/pieces': {
        answer: components['schemas']['UploadPiece']
        body: components['schemas']['UploadPieceRequest']
      }
      'POST /api/uploads/batches': {
        answer: components['schemas']['UploadBatch']
        body: components['schemas']['UploadBatchRequest']
      }
      'POST /api/uploads/batches/{id}/start': {
        answer: components['schemas']['Operation']
      }
      'POST /api/uploads/check': {
        answer: {
          data: {
            /** @description The file that the status is about */
            file: {
              file_id: string
              filename: string
            } | null
            /**
             * @description A file of this size has no digest yet, so that it may have these bytes
             * @enum {string}
             */
            reason?: 'digest_pending'
            /** @description A file that has these bytes */
            same_bytes_as: {
              file_id: string
              filename: string
            } | null
            /**
             * @description `unchanged`: the file of this name has these bytes; `same_bytes_as`: a file of another name has them; `name_taken`: the file of this name has others
             * @enum {string}
             */
            status: 'new' | 'unchanged' | 'same_bytes_as' | 'name_taken'
          }[]
        }
        body: components['schemas']['UploadCheckRequest']
      }
      'POST /api/uploads/check-names': {
        answer: {
          data: components['schemas']['CheckedName'][]
        }
        body: {
          filenames: string[]
        }
      }
      'POST /api/uploads/results': {
        answer: {
          data: components['schemas']['UploadResult'][]
        }
        body: {
          upload_ids: string[]
        }
      }
      'POST /api/views': {
        answer: components['schemas']['SavedView']
        body: components['schemas']['SavedViewRequest']
      }
      'POST /api/web-vitals': {
        body: components['schemas']['WebVitals']
      }
      'POST /api/webhooks': {
        answer: components['schemas']['CreatedWebhook']
        body: components['schemas']['WebhookRequest']
      }
      'POST /api/webhooks/{id}/deliveries/{message}/replay': {
        answer: components['schemas']['Message']
      }
      'POST /api/webhooks/{id}/rotate': {
        answer: components['schemas']['CreatedWebhook']
        body: components['schemas']['WebhookRotation']
      }
      'POST /api/webhooks/{id}/test': {
        answer: components['schemas']['Message']
      }
      'POST /api/workflows': {
        answer: components['schemas']['Workflow']
        body: components['schemas']['WorkflowRequest']
      }
      'POST /api/workflows/{id}/restore': {
        answer: components['schemas']['Workflow']
        body: components['schemas']['WorkflowRestore']
      }
      'POST /api/workflows/{id}/resume': Record<string, never>
      'POST /api/workflows/{id}/stop': {
        answer: components['schemas']['StoppedRuns']
      }
      'POST /api/workflows/check': {
        answer: components['schemas']['WorkflowCheck']
        body: components['schemas']['WorkflowRequest']
      }
      'POST /api/workflows/try': {
        answer: components['schemas']['WorkflowTrial']
        body: components['schemas']['WorkflowTrialRequest']
      }
      'POST /licences/activate': {
        answer: components['schemas']['LicenceState']
        body: components['schemas']['LicenceActivation']
      }
      'POST /licences/deactivate': {
        answer: components['schemas']['LicenceState']
        body: components['schemas']['LicenceActivation']
      }
      'POST /licences/verify': {
        answer: components['schemas']['LicenceState']
        body: components['schemas']['LicenceVerification']
      }
      'PUT /api/csv/{id}/columns': {
        answer: components['schemas']['CsvFile']
        body: components['schemas']['CsvColumns']
      }
      'PUT /api/csv/{id}/encoding': {
        answer: components['schemas']['CsvFile']
        body: components['schemas']['CsvEncoding']
      }
      'PUT /api/csv/{id}/header': {
        answer: components['schemas']['CsvFile']
        body: components['schemas']['CsvHeader']
      }
      'PUT /api/csv/{id}/sheet': {
        answer: components['schemas']['CsvFile']
        body: components['schemas']['CsvSheet']
      }
      'PUT /api/files/bulk-update': {
        answer:
          | {
              errors: {
                code: string
                file_id: string | null
                message: string
              }[]
              failed: number
              job_id: string
              updated: number
            }
          | {
              errors: {
                code: string
                file_id: string | null
                message: string
              }[]
              failed: number
              job_id: string
              /** @constant */
              status: 'processing'
              updated: number
            }
        body: components['schemas']['BulkUpdateRequest']
      }
      'PUT /api/new-files/products': {
        body: components['schemas']['ProductNewFilesChoice']
      }
      'PUT /api/packs/{id}/order': {
        answer: components['schemas']['Pack']
        body: components['schemas']['PackOrder']
      }
      'PUT /api/schedules/{id}': {
        answer: components['schemas']['Schedule']
        body: components['schemas']['ScheduleRequest']
      }
      'PUT /api/settings/buyer-page/logo': {
        answer: components['schemas']['BuyerPage']
        body: components['schemas']['LogoRequest']
      }
      'PUT /api/settings/mail/domain': {
        answer: components['schemas']['MailSettings']
        body: components['schemas']['MailDomainChange']
      }
      'PUT /api/settings/mail/server': {
        answer: components['schemas']['MailSettings']
        body: components['schemas']['MailServerChange']
      }
      'PUT /api/workflows/{id}': {
        answer: components['schemas']['Workflow']
        body: components['schemas']['WorkflowRequest']
      }
      'PUT /api/workflows/by-name/{name}': {
        answer: components['schemas']['AppliedWorkflow']
        query: {
          dry_run?: boolean
        }
      }
    }
    Error: {
      error: {
        code: string
        /** @description With `changed_meanwhile`: the record as it is now */
        current?: {
          [key: string]: unknown
        }
        /** @description Every problem, up to the first 100 */
        details: {
          code: string
          index?: number
          /** @description Of a body of lines, counted from 1 */
          line?: number
          message: string
          /** @description Absent: the English text has no values, so it is its own message */
          message_text?: components['schemas']['Text']
          param: string
        }[]
        /** @description How many problems there are */
        details_total: number
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
        param: string | null
        request_id: string
        status: number
        type: string
      }
    }
    Feed: {
      /** @description Whether products of new files are found by their names */
      auto_map: boolean
      /** Format: date-time */
      created_at: string
      cron: string | null
      enabled: boolean
      /** @description Why the last run failed; null: it did not */
      error: {
        code: string
        detail?: string
        /** @description Absent: the English text has no values, so it is its own message */
        detail_text?: components['schemas']['Text']
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
      } | null
      /** @description Rows that failed when they were tried last */
      failing: number
      /** @description Files that its rows have */
      files: number
      /** @description The names of the headers; their values are not shown */
      headers: string[]
      id: string
      key_column: string | null
      last_run: components['schemas']['FeedRun'] | null
      mapping: {
        allowed_referrers: string | null
        ask_for: string | null
        available_after_days: string | null
        available_from: string | null
        buyer_text: string | null
        cdn: string | null
        command: string | null
        customer_tag: string | null
        download_limit: string | null
        download_notification: string | null
        download_tracking: string | null
        expiry_days: string | null
        file_url: string | null
        filename: string | null
        first_use_hours: string | null
        id: string | null
        link_url: string | null
        pack: string | null
        product_handle: string | null
        product_id: string | null
        product_sku: string | null
        sample_pages: string | null
        sample_seconds: string | null
        sha256: string | null
        tags: string | null
        view: string | null
        view_days: string | null
        view_limit: string | null
        visibility: string | null
      }
      name: string
      next_run_at: string | null
      /** @description Whether the recipients of the settings get a mail after a run */
      notify: boolean
      /**
       * @description Products of a row are added to those of its file, or replace them
       * @enum {string}
       */
      products: 'add' | 'replace'
      /** @example Daily at 02:00 */
      schedule_text: string | null
      /**
       * @description Tags of a row without signs are added to those of its file, or replace them
       * @enum {string}
       */
      tags: 'add' | 'replace'
      /** @description Without its query, which may contain a secret */
      url: string
      /**
       * @description What happens to the file of a row that the table has no more
       * @enum {string}
       */
      vanished: 'keep' | 'trash' | 'tag'
      /** @description With `vanished: tag`: the tag that the file gets */
      vanished_tag: string | null
    }
    FeedChange: {
      /** @description Whether products of new files are found by their names */
      auto_map?: boolean
      /**
       * @description Five fields, in the shop’s time zone; null: by hand
       * @example 0 2 * * *
       */
      cron?: string | null
      /** @description false: it is paused */
      enabled?: boolean
      /**
       * @description Of the requests for the table, and for files at its host. They replace those before, and no answer shows them; another address at another host drops them
       * @example {
       *       "Authorization": "Bearer …"
       *     }
       */
      headers?: {
        [key: string]: string
      }
      /** @description The column that names a row for ever; null: its id, or its filename */
      key_column?: string | null
      /** @description Field → the header of its column; absent or null: no column */
      mapping?: {
        allowed_referrers?: string | null
        ask_for?: string | null
        available_after_days?: string | null
        available_from?: string | null
        buyer_text?: string | null
        cdn?: string | null
        command?: string | null
        customer_tag?: string | null
        download_limit?: string | null
        download_notification?: string | null
        download_tracking?: string | null
        expiry_days?: string | null
        file_url?: string | null
        filename?: string | null
        first_use_hours?: string | null
        id?: string | null
        link_url?: string | null
        pack?: string | null
        product_handle?: string | null
        product_id?: string | null
        product_sku?: string | null
        sample_pages?: string | null
        sample_seconds?: string | null
        sha256?: string | null
        tags?: string | null
        view?: string | null
        view_days?: string | null
        view_limit?: string | null
        visibility?: string | null
      }
      name?: string
      /** @description Whether the recipients of the settings get a mail after a run */
      notify?: boolean
      /**
       * @description Products of a row are added to those of its file, or replace them
       * @enum {string}
       */
      products?: 'add' | 'replace'
      /**
       * @description Tags of a row without signs are added to those of its file, or replace them
       * @enum {string}
       */
      tags?: 'add' | 'replace'
      /**
       * @description The address from which the file is fetched
       * @example https://cdn.example.com/guide.pdf
       */
      url?: string
      /**
       * @description What happens to the file of a row that the table has no more
       * @enum {string}
       */
      vanished?: 'keep' | 'trash' | 'tag'
      /** @description With `vanished: tag`: the tag that the file gets */
      vanished_tag?: string | null
    }
    FeedRequest: {
      /** @description Whether products of new files are found by their names */
      auto_map?: boolean
      /**
       * @description Five fields, in the shop’s time zone; null: by hand
       * @example 0 2 * * *
       */
      cron?: string | null
      /** @description false: it is paused */
      enabled?: boolean
      /**
       * @description Of the requests for the table, and for files at its host. They replace those before, and no answer shows them; another address at another host drops them
       * @example {
       *       "Authorization": "Bearer …"
       *     }
       */
      headers?: {
        [key: string]: string
      }
      /** @description The column that names a row for ever; null: its id, or its filename */
      key_column?: string | null
      /** @description Field → the header of its column; absent or null: no column */
      mapping: {
        allowed_referrers?: string | null
        ask_for?: string | null
        available_after_days?: string | null
        available_from?: string | null
        buyer_text?: string | null
        cdn?: string | null
        command?: string | null
        customer_tag?: string | null
        download_limit?: string | null
        download_notification?: string | null
        download_tracking?: string | null
        expiry_days?: string | null
        file_url?: string | null
        filename?: string | null
        first_use_hours?: string | null
        id?: string | null
        link_url?: string | null
        pack?: string | null
        product_handle?: string | null
        product_id?: string | null
        product_sku?: string | null
        sample_pages?: string | null
        sample_seconds?: string | null
        sha256?: string | null
        tags?: string | null
        view?: string | null
        view_days?: string | null
        view_limit?: string | null
        visibility?: string | null
      }
      name: string
      /** @description Whether the recipients of the settings get a mail after a run */
      notify?: boolean
      /**
       * @description Products of a row are added to those of its file, or replace them
       * @enum {string}
       */
      products?: 'add' | 'replace'
      /**
       * @description Tags of a row without signs are added to those of its file, or replace them
       * @enum {string}
       */
      tags?: 'add' | 'replace'
      /**
       * @description The address from which the file is fetched
       * @example https://cdn.example.com/guide.pdf
       */
      url: string
      /**
       * @description What happens to the file of a row that the table has no more
       * @enum {string}
       */
      vanished?: 'keep' | 'trash' | 'tag'
      /** @description With `vanished: tag`: the tag that the file gets */
      vanished_tag?: string | null
    }
    FeedRowChange: {
      /** @description The fields that differ from the last time */
      fields: string[]
      file_id: string | null
      filename: string
      /** @enum {string} */
      kind: 'new' | 'version' | 'change' | 'delete' | 'restore' | 'trash' | 'tag' | 'problem'
      /** @description Why the row cannot be taken */
      problem: {
        code: string
        detail?: string
        /** @description Absent: the English text has no values, so it is its own message */
        detail_text?: components['schemas']['Text']
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
      } | null
      /** @description As a spreadsheet counts; null: the table has it no more */
      row: number | null
    }
    FeedRun: {
      changed: number
      /** @description It only lists what would change */
      dry_run: boolean
      error: {
        code: string
        detail?: string
        /** @description Absent: the English text has no values, so it is its own message */
        detail_text?: components['schemas']['Text']
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
      } | null
      finished_at: string | null
      /** @description Rows that have failed 3 times: they are tried again when they change */
      given_up: number
      id: string
      /** @description A row could not be read: vanished rows were not looked for */
      incomplete: boolean
      new: number
      operations: {
        discarded: boolean
        done: number
        failed: number
        id: string
        /**
         * @description New files and versions; changed files; files of vanished rows
         * @enum {string}
         */
        part: 'imports' | 'updates' | 'vanished'
        /** @enum {string} */
        status:
          | 'previewing'
          | 'previewed'
          | 'queued'
          | 'running'
          | 'paused'
          | 'success'
          | 'partial'
          | 'failed'
          | 'cancelled'
          | 'undone'
      }[]
      /** @description Rows that cannot be taken */
      problems: number
      rows: number
      /** Format: date-time */
      started_at: string
      /**
       * @description `waiting`: what it would do to files of vanished rows must be confirmed. `unchanged`: nothing differed
       * @enum {string}
       */
      status:
        | 'reading'
        | 'running'
        | 'waiting'
        | 'unchanged'
        | 'listed'
        | 'done'
        | 'partial'
        | 'failed'
      unchanged: number
      vanished: number
    }
    /** @default {} */
    FeedRunRequest: {
      dry_run?: boolean
    }
    FeedTable: {
      headers: string[]
      /** @description The suggested column of each field */
      mapping: {
        allowed_referrers: string | null
        ask_for: string | null
        available_after_days: string | null
        available_from: string | null
        buyer_text: string | null
        cdn: string | null
        command: string | null
        customer_tag: string | null
        download_limit: string | null
        download_notification: string | null
        download_tracking: string | null
        expiry_days: string | null
        file_url: string | null
        filename: string | null
        first_use_hours: string | null
        id: string | null
        link_url: string | null
        pack: string | null
        product_handle: string | null
        product_id: string | null
        product_sku: string | null
        sample_pages: string | null
        sample_seconds: string | null
        sha256: string | null
        tags: string | null
        view: string | null
        view_days: string | null
        view_limit: string | null
        visibility: string | null
      }
      rows: number
      sample: {
        cells: string[]
        row: number
      }[]
      saved_mapping: string | null
    }
    FeedTableRequest: {
      /** @description A feed whose address and headers are used where none are given */
      feed_id?: string
      /**
       * @example {
       *       "Authorization": "Bearer …"
       *     }
       */
      headers?: {
        [key: string]: string
      }
      /**
       * @description The address from which the file is fetched
       * @example https://cdn.example.com/guide.pdf
       */
      url?: string
    }
    Figures: {
      /** @description Oldest first, in UTC */
      days: {
        /** @description Emails that could not be sent, or came back */
        bounced_mails: number
        /** Format: date */
        day: string
        /** @description Deliveries that were created */
        deliveries: number
        /** @description Downloads by buyers */
        downloads: number
        /** @description Files that imports brought */
        imported_files: number
        /** @description Orders with files, on the day of the order */
        orders: number
      }[]
      failures: {
        code: string
        files: number
        message: string
      }[]
      imports: {
        channel: string
        files: number
        imports: number
      }[]
      storage: {
        bytes: number
        extension: string
        files: number
      }[]
      top_files: {
        downloads: number
        file_id: string
        filename: string
      }[]
      top_products: {
        downloads: number
        product_id: string
        title: string
      }[]
      /** @description Of the period, and of the equally long one before it */
      totals: {
        before: {
          /** @description Emails that could not be sent, or came back */
          bounced_mails: number
          /** @description Deliveries that were created */
          deliveries: number
          /** @description Downloads by buyers */
          downloads: number
          /** @description Files that imports brought */
          imported_files: number
          /** @description Orders with files, on the day of the order */
          orders: number
        }
        now: {
          /** @description Emails that could not be sent, or came back */
          bounced_mails: number
          /** @description Deliveries that were created */
          deliveries: number
          /** @description Downloads by buyers */
          downloads: number
          /** @description Files that imports brought */
          imported_files: number
          /** @description Orders with files, on the day of the order */
          orders: number
        }
      }
    }
    File: {
      /**
       * @description Hosts that may link to the file, `*.example.com` for all subdomains; empty: any
       * @example [
       *       "shop.example.com"
       *     ]
       */
      allowed_referrers: string[]
      /**
       * @description What a link asks for before the file can be downloaded or viewed: the buyer’s email address, or a `password`; null: nothing. Also at links that exist already. A password cannot be read again
       * @example email
       */
      ask_for: ('email' | 'password') | null
      /**
       * @description Days after the purchase until buyers get the file; null: immediately. For a link without an order, days after the link was created
       * @example 7
       */
      available_after_days: number | null
      /**
       * @description The day from which buyers get the file, in the shop’s time zone; null: immediately. With `available_after_days`, the later of both. The expiry counts from then
       * @example 2027-03-01
       */
      available_from: string | null
      /**
       * @description A text for buyers of the file, such as instructions: on pages of deliveries and packs, in the library and in the mail about an order; null: none. Lines are kept, and addresses become links. Buyers see the current text, also of earlier orders
       * @example Unpack the ZIP file, then open Start.pdf.
       */
      buyer_text: string | null
      cdn: boolean
      content_type: string
      /** Format: date-time */
      created_at: string
      /**
       * @description The tag that the customer of the order must have, now and at every download; null: none. Applies to orders placed while a file requires one. Links without an order need none
       * @example subscriber
       */
      customer_tag: string | null
      /** @description When it was moved to the trash */
      deleted_at: string | null
      /**
       * @description Downloads that a link allows; null: unlimited
       * @example 5
       */
      download_limit: number | null
      download_notification: boolean
      download_tracking: boolean
      downloads: number
      /**
       * @description Days a link stays valid; null: it never expires
       * @example 60
       */
      expiry_days: number | null
      filename: string
      /**
       * @description Hours from a buyer’s first download or view after which the link expires; null: the first use changes nothing. `expiry_days` applies too: the earlier of both
       * @example 48
       */
      first_use_hours: number | null
      id: string
      /** @description The address that buyers of a link are sent to; null: it is no link */
      link_url: string | null
      mappings: {
        /** Format: date-time */
        created_at: string
        /** @enum {string} */
        method: 'sku' | 'filename' | 'title' | 'tags' | 'manual' | 'pack' | 'rule'
        product_id: string
        product_title: string
        reason: string
        /** @description Absent: the English text has no values, so it is its own message */
        reason_text?: components['schemas']['Text']
        score: number
        sku: string | null
        variant_id: string | null
      }[]
      /** @description In a list that was searched: the fields in which words were found, with their text */
      matched?: {
        /** @enum {string} */
        field: 'name' | 'tag' | 'product' | 'sku' | 'barcode' | 'pack'
        value: string
      }[]
      /** @description The first of `packs` */
      pack: {
        id: string
        name: string
      } | null
      /** @description In the order in which it entered them */
      packs: {
        id: string
        name: string
      }[]
      /** @description The number of orders that it was ever delivered with */
      paid_by: number
      /** @description Why it cannot be downloaded: its bytes are damaged, or a virus was found in them */
      problem: {
        code: string
        message: string
      } | null
      products: string[]
      /** @description Its address while it is public and asks for nothing */
      public_url: string | null
      /**
       * @description The first pages of a PDF document that everyone may read as a sample, at most half of it; null: none
       * @example 5
       */
      sample_pages: number | null
      /**
       * @description The first seconds of an audio file that everyone may hear as a sample, at most half of it; null: none
       * @example 30
       */
      sample_seconds: number | null
      /** @description The SHA-256 digest of its bytes in hex; null while it is not computed yet: reading the file alone computes it */
      sha256: string | null
      size_bytes: number
      tags: string[]
      /** Format: date-time */
      updated_at: string
      /**
       * Format: date
       * @description The day of its upload in the time zone of the shop
       */
      upload_date: string
      version: number
      /**
       * @description Whether buyers download the file, or read or play it in the browser. Other types than images, audio, video and PDF are always downloads
       * @enum {string}
       */
      view: 'download' | 'both' | 'view_only'
      /**
       * @description Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`
       * @example 365
       */
      view_days: number | null
      /**
       * @description Views in the browser that a link allows, counted apart from downloads; null: unlimited. Within four hours the same browser views the file again without a count. Without effect while `view` is `download`
       * @example 10
       */
      view_limit: number | null
      /** @enum {string} */
      visibility: 'private' | 'public'
    }
    FileChange: {
      /**
       * @description Hosts that may link to the file, `*.example.com` for all subdomains; empty: any
       * @example [
       *       "shop.example.com"
       *     ]
       */
      allowed_referrers?: string[]
      /**
       * @description What a link asks for before the file can be downloaded or viewed: the buyer’s email address, or a `password`; null: nothing. Also at links that exist already. A password cannot be read again
       * @example email
       */
      ask_for?: ('email' | 'password') | null
      /**
       * @description Days after the purchase until buyers get the file; null: immediately. For a link without an order, days after the link was created
       * @example 7
       */
      available_after_days?: number | null
      /**
       * @description The day from which buyers get the file, in the shop’s time zone; null: immediately. With `available_after_days`, the later of both. The expiry counts from then
       * @example 2027-03-01
       */
      available_from?: string | null
      /**
       * @description A text for buyers of the file, such as instructions: on pages of deliveries and packs, in the library and in the mail about an order; null: none. Lines are kept, and addresses become links. Buyers see the current text, also of earlier orders
       * @example Unpack the ZIP file, then open Start.pdf.
       */
      buyer_text?: string | null
      cdn?: boolean
      /**
       * @description The tag that the customer of the order must have, now and at every download; null: none. Applies to orders placed while a file requires one. Links without an order need none
       * @example subscriber
       */
      customer_tag?: string | null
      /**
       * @description Downloads that a link allows; null: unlimited
       * @example 5
       */
      download_limit?: number | null
      download_notification?: boolean
      download_tracking?: boolean
      /**
       * @description Days a link stays valid; null: it never expires
       * @example 60
       */
      expiry_days?: number | null
      /**
       * @description Display name, unique in the shop
       * @example guide.pdf
       */
      filename?: string
      /**
       * @description Hours from a buyer’s first download or view after which the link expires; null: the first use changes nothing. `expiry_days` applies too: the earlier of both
       * @example 48
       */
      first_use_hours?: number | null
      pack_id?: string | null
      pack_ids?: string[]
      /** @description The password that it asks for. It cannot be read again */
      password?: string
      /**
       * @description The first pages of a PDF document that everyone may read as a sample, at most half of it; null: none
       * @example 5
       */
      sample_pages?: number | null
      /**
       * @description The first seconds of an audio file that everyone may hear as a sample, at most half of it; null: none
       * @example 30
       */
      sample_seconds?: number | null
      tags?: string[]
      /**
       * @description Whether buyers download the file, or read or play it in the browser. Other types than images, audio, video and PDF are always downloads
       * @enum {string}
       */
      view?: 'download' | 'both' | 'view_only'
      /**
       * @description Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`
       * @example 365
       */
      view_days?: number | null
      /**
       * @description Views in the browser that a link allows, counted apart from downloads; null: unlimited. Within four hours the same browser views the file again without a count. Without effect while `view` is `download`
       * @example 10
       */
      view_limit?: number | null
      /** @enum {string} */
      visibility?: 'private' | 'public'
    }
    FileHistoryEntry:
      | {
          /** @description As the operation’s items show it */
          after: {
            [key: string]: unknown
          } | null
          /** Format: date-time */
          at: string
          before: {
            [key: string]: unknown
          } | null
          error: {
            code: string
            detail?: string
            /** @description Absent: the English text has no values, so it is its own message */
            detail_text?: components['schemas']['Text']
            message: string
            /** @description Absent: the English text has no values, so it is its own message */
            message_text?: components['schemas']['Text']
            retryable: boolean
          } | null
          /** @description How many files the operation changed */
          files: number
          /** @constant */
          kind: 'operation'
          operation_id: string
          requested_by: string
          /** @enum {string} */
          status: 'done' | 'failed'
          /** @description Of its workflow */
          title: string
          /** @description Until when the operation can be undone; null: it cannot */
          undo_until: string | null
          undone: boolean
        }
      | {
          /** Format: date-time */
          at: string
          email: string | null
          /** @constant */
          kind: 'link'
          revoked_at: string | null
        }
      | {
          /** Format: date-time */
          at: string
          delivery_id: string
          email: string | null
          /** @constant */
          kind: 'delivery'
          order_name: string
          withdrawn: boolean
        }
      | {
          /** Format: date-time */
          at: string
          /**
           * Format: date
           * @description In UTC
           */
          day: string
          downloads: number
          /** @constant */
          kind: 'downloads'
        }
      | {
          /** @description Shortened: 203.0.113.0/24 */
          address: string
          agent: string
          /**
           * Format: date-time
           * @description The last attempt of its minute
           */
          at: string
          delivery_id: string | null
          email: string | null
          /** @constant */
          kind: 'refused'
          order_name: string | null
          /**
           * @description `not_prepared`: the shop’s workflow has not prepared the file
           * @enum {string}
           */
          reason:
            | 'used_up'
            | 'views_used_up'
            | 'views_expired'
            | 'expired'
            | 'revoked'
            | 'withdrawn'
            | 'not_prepared'
            | 'held'
            | 'site_not_allowed'
            | 'not_released'
            | 'customer_tag'
            | 'wrong_answer'
          times: number
        }
      | {
          /** @description Shortened: 203.0.113.0/24 */
          address: string
          agent: string
          /**
           * Format: date-time
           * @description The last request of its hour
           */
          at: string
          delivery_id: string | null
          email: string | null
          /** @constant */
          kind: 'view'
          order_name: string | null
        }
    FileHolder: {
      /**
       * Format: date-time
       * @description Since when
       */
      at: string
      delivery_id: string | null
      /** @description Of this file */
      downloads: number
      email: string | null
      /** @description It was withdrawn or revoked, or has expired */
      ended: boolean
      /** @enum {string} */
      kind: 'delivery' | 'link' | 'pack_link'
      last_download_at: string | null
      link_id: string | null
      order_name: string | null
      pack_name: string | null
    }
    /** @description What everyone may read or hear of the file */
    FileSample: {
      /** @description Why it cannot be made */
      problem: {
        /** @enum {string} */
        code: 'encrypted' | 'damaged' | 'too_short' | 'too_large' | 'not_supported'
        message: string
      } | null
      size_bytes: number | null
      /** @description null while it is being made, or if it cannot be */
      url: string | null
    }
    FilesImpact: {
      /** @description Files of the selection, without unknown ids */
      files: number
      /** @description Links to them that work now */
      live_links: number
      /** @description Of these, mapped to a product */
      mapped: number
      /** @description Paid deliveries that contain one of them: their buyers lose it */
      paid_deliveries: number
      /** @description Products that they are mapped to, each once */
      products: number
    }
    FilesImpactRequest: {
      /** @description The files: their ids, or a filter as in `GET /api/files` */
      select:
        | {
            /**
             * @description Ids of files
             * @example [
             *       "file_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e"
             *     ]
             */
            file_ids: string[]
          }
        | {
            filter: {
              /**
               * Any of these
               * @description At least one of these holds: each has the same fields, all of which must hold. As a query parameter it is JSON, like [{"name_like":"A-*"},{"tags":["guide"]}]
               */
              any?: {
                changed_after?: string
                changed_before?: string
                channel?: string[]
                connection?: string
                delivered?: boolean
                downloaded_after?: string
                downloaded_before?: string
                drop_account?: string
                folder?: string
                larger_than?: number
                linked?: boolean
                mapped?: boolean
                name_begins?: string
                name_ends?: string
                name_like?: string
                not_downloaded_for_days?: number
                older_than_days?: number
                pack?: string
                pack_none?: boolean
                product?: string
                product_tag?: string
                search?: string
                smaller_than?: number
                tags?: string[]
                tags_any?: string[]
                tags_none?: string[]
                type?: string[]
                uploaded_after?: string
                uploaded_before?: string
                version_above?: number
              }[]
              /** @description Has a backup, or has none */
              backed_up?: boolean
              /**
               * Changed after
               * @description Last changed on or after this time, or this day, which begins at midnight in the shop’s time zone
               */
              changed_after?: string
              /**
               * Changed before
               * @description Last changed before this time, or this day, which begins at midnight in the shop’s time zone
               */
              changed_before?: string
              /**
               * Channel
               * @description Was imported through one of these channels: csv, api, upload, drop, cloud
               */
              channel?: string[]
              /**
               * Cloud connection
               * @description Is synced with this cloud connection: its id
               */
              connection?: string
              /** @description Is in the trash; absent: is not in the trash */
              deleted?: boolean
              /**
               * Delivered
               * @description Was ever in a delivery (true), or never (false)
               */
              delivered?: boolean
              /**
               * Downloaded after
               * @description A download, or a view in the browser, was on or after this time, or this day, which begins at midnight in the shop’s time zone
               */
              downloaded_after?: string
              /**
               * Downloaded before
               * @description Its last download, or view in the browser, was before this time, or this day, which begins at midnight in the shop’s time zone
               */
              downloaded_before?: string
              /**
               * Drop account
               * @description Was sent through this account of the drop folder: its id
               */
              drop_account?: string
              /** @description As `search`: more words that must be found */
              find?: string
              /**
               * Folder
               * @description Is synced with this folder of a cloud connection or with one below it, like Guides/2026
               */
              folder?: string
              /**
               * Larger than
               * @description Bytes
               */
              larger_than?: number
              /** @description Buyers of it were given licence keys of this list: its id */
              licence_list?: string
              /**
               * Linked
               * @description A link to it or its public address was ever made (true), or never (false)
               */
              linked?: boolean
              /**
               * Mapped
               * @description Is mapped to a product, or is not
               */
              mapped?: boolean
              /**
               * Name begins with
               * @description The name begins with this text, without regard to case
               */
              name_begins?: string
              /** @description The name contains this text, without regard to case and accents */
              name_contains?: string
              /**
               * Name ends with
               * @description The name with its extension ends with this text, without regard to case
               */
              name_ends?: string
              /**
               * Name is like
               * @description The whole name is like this, without regard to case: * is any text, as in A-*
               */
              name_like?: string
              /**
               * Not downloaded for
               * @description No download in this many days, and no view in the browser; views are known for 13 months
               */
              not_downloaded_for_days?: number
              /**
               * Uploaded more than
               * @description Uploaded more than this many days ago
               */
              older_than_days?: number
              /**
               * Pack
               * @description Is in this pack: its id
               */
              pack?: string
              /**
               * In no pack
               * @description Is in no pack (true), or is in a pack (false)
               */
              pack_none?: boolean
              /**
               * Product
               * @description Belongs to this product: its id on the platform
               */
              product?: string
              /**
               * Tag of its product
               * @description Belongs to a product with this tag, without regard to case
               */
              product_tag?: string
              /** @description Is in quarantine: a virus scanner found something in it; or is not */
              quarantined?: boolean
              /** @description Has a release date that has not come in the shop’s time zone (false), or is available to buyers of today (true) */
              released?: boolean
              /**
               * Search
               * @description Words in any order, without regard to case and accents. Each is in the name or in a tag, or in the title, the SKU or the barcode of a product or in the name of the pack. A number is found where it begins. More than 8 words are a part of the name
               */
              search?: string
              /**
               * Smaller than
               * @description Bytes
               */
              smaller_than?: number
              /**
               * @description Its bytes, or a kept copy of them, are in this storage location
               * @enum {string}
               */
              storage?: 'primary' | 'backup'
              /**
               * Tags
               * @description Has all of these tags
               */
              tags?: string[]
              /**
               * Has one of these tags
               * @description Has at least one of these tags
               */
              tags_any?: string[]
              /**
               * Has none of these tags
               * @description Has none of these tags
               */
              tags_none?: string[]
              /**
               * Type
               * @description Extensions, or document, image, video, audio, archive
               */
              type?: string[]
              /**
               * Uploaded after
               * @description Uploaded on or after this time, or this day, which begins at midnight in the shop’s time zone
               */
              uploaded_after?: string
              /**
               * Uploaded before
               * @description Uploaded before this time, or this day, which begins at midnight in the shop’s time zone
               */
              uploaded_before?: string
              /**
               * Version above
               * @description The number of its version is greater: 1 means replaced
               */
              version_above?: number
            }
          }
    }
    /** @description Where the bytes are */
    FileStorage: {
      /** @description When it was last backed up */
      backed_up_at: string | null
      /** @description Other storage locations with a copy of the current version */
      copies: string[]
      location: string
    }
    FoundOrder: {
      /** @description Null: it has no delivery, because none of its products had a file */
      delivery_id: string | null
      email: string | null
      /** @description The platform’s id of the order */
      order_id: string
      order_name: string
      /** Format: date-time */
      ordered_at: string
    }
    HookAddress: {
      address: string
    }
    IfNot: {
      /**
       * @description The runs in a row with failed files after which the shop is told and `run` starts
       * @default 1
       */
      after?: number
      /**
       * @description When the failed files of a run are tried again, up to 6 days after it
       * @default []
       */
      again?: string[]
      /**
       * @description Who gets a mail, once until it works again: `true`: the recipients in the settings; or these addresses. A notice is always created
       * @default false
       */
      mail?: boolean | string[]
      /**
       * @description Whether those who were told are also told when it works again
       * @default true
       */
      on_recovery?: boolean
      /**
       * @description The workflow that runs on the files of a run that still fail when no try is left
       * @default null
       */
      run?: string | null
    }
    IfNotOutput: {
      /**
       * @description The runs in a row with failed files after which the shop is told and `run` starts
       * @default 1
       */
      after: number
      /**
       * @description When the failed files of a run are tried again, up to 6 days after it
       * @default []
       */
      again: string[]
      /**
       * @description Who gets a mail, once until it works again: `true`: the recipients in the settings; or these addresses. A notice is always created
       * @default false
       */
      mail: boolean | string[]
      /**
       * @description Whether those who were told are also told when it works again
       * @default true
       */
      on_recovery: boolean
      /**
       * @description The workflow that runs on the files of a run that still fail when no try is left
       * @default null
       */
      run: string | null
    }
    Import: {
      failed: number
      /** @description The first 1,000: `/api/operations/{id}/items` has all of them */
      files: {
        error?: {
          code: string
          detail?: string
          /** @description Absent: the English text has no values, so it is its own message */
          detail_text?: components['schemas']['Text']
          message: string
          /** @description Absent: the English text has no values, so it is its own message */
          message_text?: components['schemas']['Text']
          retryable: boolean
        }
        file_id: string | null
        filename: string
        product_mapped: boolean
        /**
         * @description `unchanged`: the file has these bytes, and all that the entry states
         * @enum {string}
         */
        status: 'imported' | 'unchanged' | 'unpacked' | 'failed' | 'skipped' | 'queued'
        warnings?: {
          code: string
          message: string
          /** @description Absent: the English text has no values, so it is its own message */
          message_text?: components['schemas']['Text']
        }[]
      }[]
      imported: number
      job_id: string
      /** @description Files that were left out, such as those of taken names */
      skipped: number
      /** @enum {string} */
      status: 'success' | 'partial' | 'failed' | 'processing'
      /** @description Files that have the bytes already */
      unchanged: number
    }
    ImportEntry: {
      /**
       * @description Hosts that may link to the file, `*.example.com` for all subdomains; empty: any
       * @example [
       *       "shop.example.com"
       *     ]
       */
      allowed_referrers?: string[]
      /**
       * @description What a link asks for before the file can be downloaded or viewed: the buyer’s email address, or a `password`; null: nothing. Also at links that exist already. A password cannot be read again
       * @example email
       */
      ask_for?: 'email' | null
      /**
       * @description Days after the purchase until buyers get the file; null: immediately. For a link without an order, days after the link was created
       * @example 7
       */
      available_after_days?: number | null
      /**
       * @description The day from which buyers get the file, in the shop’s time zone; null: immediately. With `available_after_days`, the later of both. The expiry counts from then
       * @example 2027-03-01
       */
      available_from?: string | null
      /**
       * @description A text for buyers of the file, such as instructions: on pages of deliveries and packs, in the library and in the mail about an order; null: none. Lines are kept, and addresses become links. Buyers see the current text, also of earlier orders
       * @example Unpack the ZIP file, then open Start.pdf.
       */
      buyer_text?: string | null
      cdn?: boolean
      /**
       * @description The tag that the customer of the order must have, now and at every download; null: none. Applies to orders placed while a file requires one. Links without an order need none
       * @example subscriber
       */
      customer_tag?: string | null
      /**
       * @description Downloads that a link allows; null: unlimited
       * @example 5
       */
      download_limit?: number | null
      download_notification?: boolean
      download_tracking?: boolean
      /**
       * @description Days a link stays valid; null: it never expires
       * @example 60
       */
      expiry_days?: number | null
      /**
       * @description Display name, unique in the shop
       * @example guide.pdf
       */
      filename: string
      /**
       * @description Hours from a buyer’s first download or view after which the link expires; null: the first use changes nothing. `expiry_days` applies too: the earlier of both
       * @example 48
       */
      first_use_hours?: number | null
      /**
       * @description Headers of its request, before those of the import
       * @example {
       *       "Authorization": "Bearer …"
       *     }
       */
      headers?: {
        [key: string]: string
      }
      /**
       * @description Makes the file a link: nothing is fetched, and buyers are sent to this address. Its name gets the ending `.url`
       * @example https://courses.example.com/lino-printing
       */
      link_url?: string
      /** @description The name of its only pack, created if there is none; null: it is in no pack */
      pack?: string | null
      /** @description The names of all its packs, instead of `pack` */
      packs?: string[]
      /** @description Maps to the product with this handle; several with `;` between them */
      product_handle?: string
      /**
       * @description Maps to the product with this id, or number of its id; several with `;` between them
       * @example gid://shopify/Product/1
       */
      product_id?: string
      /** @description Always maps to the product with this SKU; several with `;` between them. A SKU that contains `;` is looked up whole first */
      product_sku?: string
      /** @description Maps to all products with these SKUs; an unknown one is a warning */
      product_skus?: string[]
      /**
       * @description The first pages of a PDF document that everyone may read as a sample, at most half of it; null: none
       * @example 5
       */
      sample_pages?: number | null
      /**
       * @description The first seconds of an audio file that everyone may hear as a sample, at most half of it; null: none
       * @example 30
       */
      sample_seconds?: number | null
      /** @description The SHA-256 hash that the bytes must have, in hex */
      sha256?: string
      tags?: string[]
      /**
       * @description Where the file is fetched; not with `link_url`
       * @example https://cdn.example.com/guide.pdf
       */
      url?: string
      /**
       * @description Whether buyers download the file, or read or play it in the browser. Other types than images, audio, video and PDF are always downloads
       * @enum {string}
       */
      view?: 'download' | 'both' | 'view_only'
      /**
       * @description Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`
       * @example 365
       */
      view_days?: number | null
      /**
       * @description Views in the browser that a link allows, counted apart from downloads; null: unlimited. Within four hours the same browser views the file again without a count. Without effect while `view` is `download`
       * @example 10
       */
      view_limit?: number | null
      /** @enum {string} */
      visibility?: 'private' | 'public'
    }
    ImportRequest: {
      /** @description Guess products from names and titles; absent: the shop’s setting */
      auto_map?: boolean
      /**
       * @description The job is posted to this address when the import has ended, signed as in Standard Webhooks
       * @example https://tools.example.com/stevedore
       */
      callback_url?: string
      /** @description Only a preview until it is confirmed: 202, then follow `Location` */
      dry_run?: boolean
      files: components['schemas']['ImportEntry'][]
      /**
       * @description Headers of the requests for the files, such as `Authorization`. They are sealed, shown nowhere, and sent only to the host of each address: never after a redirect to another one
       * @example {
       *       "Authorization": "Bearer …"
       *     }
       */
      headers?: {
        [key: string]: string
      }
      /** @description Send the import email; absent: the shop’s setting */
      notify?: boolean
      /**
       * @description `skip`: leaves out files of taken names; `overwrite` and `new_version` need `files:write` too
       * @default error
       * @enum {string}
       */
      on_conflict?: 'error' | 'skip' | 'rename' | 'overwrite' | 'new_version'
    }
    ImportSource: {
      /** @description API imports with this key */
      api_key?: string
      /** @description All imports of a channel */
      channel?: string
      /** @description A cloud connection */
      connection?: string
      /** @description The name of a saved column mapping */
      csv_mapping?: string
      /** @description An account of the drop folder */
      drop_account?: string
      /** @description A table at an address */
      feed?: string
      /** @description With `drop_account`: a folder in the home of the drop folder */
      folder?: string
    }
    Item: {
      /** @description The same fields after the change (in a preview: planned); tags, mappings and packs as {added, removed} */
      after: {
        [key: string]: unknown
      } | null
      attempt: number
      /** @description The fields that changed, before */
      before: {
        [key: string]: unknown
      } | null
      /** @description Products from which a person must choose */
      candidates: {
        product_id: string
        product_title: string
        reason: string
        /** @description Absent: the English text has no values, so it is its own message */
        reason_text?: components['schemas']['Text']
        score: number
        variant_id: string | null
      }[]
      error: {
        code: string
        detail?: string
        /** @description Absent: the English text has no values, so it is its own message */
        detail_text?: components['schemas']['Text']
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
        retryable: boolean
      } | null
      file_id: string | null
      filename: string
      finished_at: string | null
      position: number
      product_mapped: boolean
      /** @enum {string} */
      status: 'pending' | 'running' | 'done' | 'failed' | 'skipped' | 'cancelled'
      /** @description The address from which an import fetched it, without query, user info and fragment */
      url: string | null
      warnings: {
        code: string
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
      }[]
    }
    KeyGrantRequest: {
      /** @description The code of the key */
      code: string
      expires_in_days?: number | null
      /** @description Only scopes that the caller has */
      scopes: (
        | 'files:read'
        | 'files:write'
        | 'files:delete'
        | 'files:purge'
        | 'imports:write'
        | 'links:write'
        | 'operations:read'
        | 'operations:write'
        | 'settings:write'
        | 'drop:read'
        | 'drop:write'
        | 'cloud:read'
        | 'cloud:write'
      )[]
    }
    LibraryRequest: {
      /** Format: email */
      email: string
    }
    LicenceActivation: {
      /**
       * @description A name that your program chooses for the device or site, the same each time
       * @default default
       */
      instance?: string
      /** @description The licence key, as its buyer got it */
      key: string
      /** @description The domain of the shop, as in `example.myshopify.com`, if several have the key */
      shop?: string
    }
    LicenceKey: {
      activation_limit: number | null
      activations: number
      /** Format: date-time */
      assigned_at: string
      delivery_id: string
      email: string | null
      expires_at: string | null
      file_id: string
      filename: string | null
      id: string
      /** @description The latest 20 */
      instances: {
        /** Format: date-time */
        activated_at: string
        /** @description From where it was activated */
        address: string
        instance: string
        /**
         * Format: date-time
         * @description When it last activated or verified the key, to the day
         */
        seen_at: string
      }[]
      /** @description null until the buyer or the shop could see it: it may still be taken back */
      key: string | null
      list_id: string
      order_name: string | null
      revoked_at: string | null
      revoked_by: ('merchant' | 'refund' | 'rotation') | null
      /** @enum {string} */
      status: 'active' | 'expired' | 'revoked' | 'replaced'
    }
    LicenceKeysAdded: {
      /** @description Instances at which a key can be activated at one time; null: unlimited */
      activation_limit: number | null
      added: number
      /** Format: date-time */
      created_at: string
      /** @description Keys that the shop had already */
      duplicates: number
      /** @description Days from the assignment; null: never */
      expiry_days: number | null
      /** @description null: you add the keys */
      generate: components['schemas']['LicencePatternOutput'] | null
      /** @description Keys that buyers have */
      given: number
      id: string
      /** @description Keys that can still be given; null: the list generates its keys */
      left: number | null
      name: string
      /** @description Keys of refunded and cancelled units are revoked */
      revoke_on_refund: boolean
    }
    LicenceList: {
      /** @description Instances at which a key can be activated at one time; null: unlimited */
      activation_limit: number | null
      /** Format: date-time */
      created_at: string
      /** @description Days from the assignment; null: never */
      expiry_days: number | null
      /** @description null: you add the keys */
      generate: components['schemas']['LicencePatternOutput'] | null
      /** @description Keys that buyers have */
      given: number
      id: string
      /** @description Keys that can still be given; null: the list generates its keys */
      left: number | null
      name: string
      /** @description Keys of refunded and cancelled units are revoked */
      revoke_on_refund: boolean
    }
    LicenceListChange: {
      /** @description Instances at one time; null: unlimited */
      activation_limit?: number | null
      /**
       * @description Days a link stays valid; null: it never expires
       * @example 60
       */
      expiry_days?: number | null
      generate?: components['schemas']['LicencePattern']
      name?: string
      revoke_on_refund?: boolean
    }
    LicenceListRequest: {
      /** @description Instances at one time; null: unlimited */
      activation_limit?: number | null
      /**
       * @description Days a link stays valid; null: it never expires
       * @example 60
       */
      expiry_days?: number | null
      generate?: components['schemas']['LicencePattern']
      name: string
      revoke_on_refund?: boolean
    }
    LicencePattern: {
      /**
       * @description A check character follows, with which programs find typing errors
       * @default false
       */
      checksum?: boolean
      /**
       * @description `X`: a letter or digit, `9`: a digit, `A`: a letter, without those that are easily confused; all other characters stand for themselves
       * @example XXXXX-XXXXX-XXXXX
       */
      pattern: string
      /**
       * @description Before the pattern, as it is
       * @default
       * @example PRO-
       */
      prefix?: string
    }
    LicencePatternOutput: {
      /**
       * @description A check character follows, with which programs find typing errors
       * @default false
       */
      checksum: boolean
      /**
       * @description `X`: a letter or digit, `9`: a digit, `A`: a letter, without those that are easily confused; all other characters stand for themselves
       * @example XXXXX-XXXXX-XXXXX
       */
      pattern: string
      /**
       * @description Before the pattern, as it is
       * @default
       * @example PRO-
       */
      prefix: string
    }
    LicenceState: {
      /** @description null: unlimited */
      activation_limit: number | null
      activations: number
      /** @description null: never */
      expires_at: string | null
      /** @description The name of the file */
      file: string | null
      /** @description The name of the order */
      order: string | null
      /** @enum {string} */
      status: 'active' | 'expired' | 'revoked' | 'not_activated' | 'limit_reached' | 'unknown'
      /** @description The key is active and, with `instance`, activated there */
      valid: boolean
    }
    LicenceVerification: {
      /** @description A name that your program chooses for the device or site, the same each time */
      instance?: string
      /** @description The licence key, as its buyer got it */
      key: string
      /** @description The domain of the shop, as in `example.myshopify.com`, if several have the key */
      shop?: string
    }
    Link: {
      /** @description What it asks for before a download or view; null: nothing */
      ask_for: ('email' | 'password') | null
      /** @description When it becomes available, or did; null: when it was created */
      available_at: string | null
      /** @description The address to give to a buyer, as `copied_links` of the buyer’s page says; only with `links:write` */
      copy_url: string | null
      /** Format: date-time */
      created_at: string
      download_limit: number | null
      downloads: number
      email: string | null
      expires_at: string | null
      file_id: string | null
      /** @description The name of the file or the pack */
      filename: string
      /** @description It expires this many hours after its first use; null: the use ends nothing */
      first_use_hours: number | null
      first_used_at: string | null
      id: string
      pack_id: string | null
      /**
       * @description Of its downloads; for a file that is only viewed, of its views
       * @enum {string}
       */
      status: 'active' | 'not_released' | 'expired' | 'exhausted' | 'revoked' | 'withdrawn'
      /** @description Only with `links:write` */
      url: string | null
      /** @description What the buyer may do with the file now: `download` for types that no browser shows; null: a pack’s link */
      view: ('download' | 'both' | 'view_only') | null
      /** @description When it can be viewed no longer, before or after `expires_at`; null: as long as it is valid */
      view_expires_at: string | null
      /** @description Null: unlimited */
      view_limit: number | null
      /** @description Those that were counted: a link without `view_limit` counts none */
      views: number
    }
    LinkAsk: {
      /** @description What the link asks for before a download or view: nothing, the buyer’s email address, or a `password`; null: what the file asks for */
      ask_for?: ('nothing' | 'email' | 'password') | null
      /** @description The password that it asks for. It cannot be read again */
      password?: string
    }
    LinkOpenings: {
      openings: {
        /** @description Shortened: 203.0.113.0/24 */
        address: string
        /** @description The program: Chrome (Windows) */
        agent: string
        /** Format: date-time */
        at: string
        /** @description The address that was entered; null: a password */
        email: string | null
        /** @description Null: the page of a pack */
        file_id: string | null
        filename: string | null
      }[]
      refusals: {
        /** @description Shortened: 203.0.113.0/24 */
        address: string
        /** @description The program: Chrome (Windows) */
        agent: string
        /** Format: date-time */
        at: string
        /**
         * @description `not_prepared`: the shop’s workflow has not prepared the file
         * @enum {string}
         */
        code:
          | 'used_up'
          | 'views_used_up'
          | 'views_expired'
          | 'expired'
          | 'revoked'
          | 'withdrawn'
          | 'not_prepared'
          | 'held'
          | 'site_not_allowed'
          | 'not_released'
          | 'customer_tag'
          | 'wrong_answer'
        /** @description Null: the page, or all files as one ZIP file */
        file_id: string | null
        filename: string | null
        /** @description Attempts within the same minute for the same reason */
        times: number
      }[]
    }
    LinksEmailed: {
      queued: number
      skipped: {
        link_id: string
        reason: string
        /** @description Absent: the English text has no values, so it is its own message */
        reason_text?: components['schemas']['Text']
      }[]
    }
    LinksRequest: {
      /** @description What the link asks for before a download or view: nothing, the buyer’s email address, or a `password`; null: what the file asks for */
      ask_for?: ('nothing' | 'email' | 'password') | null
      /**
       * @description Downloads that a link allows; null: unlimited
       * @example 5
       */
      download_limit?: number | null
      email?: string | null
      /**
       * @description Days a link stays valid; null: it never expires
       * @example 60
       */
      expiry_days?: number | null
      /**
       * @description Ids of files
       * @example [
       *       "file_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e"
       *     ]
       */
      file_ids?: string[]
      /** @description Instead of files: one link for all files of the pack */
      pack_id?: string
      /** @description The password that it asks for. It cannot be read again */
      password?: string
      per_file?: {
        /** @enum {string} */
        ask_for?: 'nothing' | 'email'
        /**
         * @description Downloads that a link allows; null: unlimited
         * @example 5
         */
        download_limit?: number | null
        email?: string | null
        /**
         * @description Days a link stays valid; null: it never expires
         * @example 60
         */
        expiry_days?: number | null
        file_id: string
        /**
         * @description Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`
         * @example 365
         */
        view_days?: number | null
        /**
         * @description Views in the browser that a link allows, counted apart from downloads; null: unlimited. Within four hours the same browser views the file again without a count. Without effect while `view` is `download`
         * @example 10
         */
        view_limit?: number | null
      }[]
      /**
       * @description Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`
       * @example 365
       */
      view_days?: number | null
      /**
       * @description Views in the browser that a link allows, counted apart from downloads; null: unlimited. Within four hours the same browser views the file again without a count. Without effect while `view` is `download`
       * @example 10
       */
      view_limit?: number | null
    }
    ListedCsvFile: {
      check: {
        /** @description Rows that move a file to the trash */
        delete_rows: number
        /** @description Rows with at least one error */
        error_rows: number
        errors: number
        /** @description Requests for the files have headers, which are not shown */
        has_headers: boolean
        /** @description Rows that do nothing */
        ignored_rows: number
        /** @description Rows without an error that import a file */
        import_rows: number
        /** @enum {string} */
        match: 'id' | 'filename'
        /** @enum {string} */
        on_conflict: 'error' | 'skip' | 'rename' | 'overwrite' | 'new_version'
        /** @enum {string} */
        packs: 'add' | 'replace'
        /** @enum {string} */
        phase: 'waiting' | 'rows' | 'skus' | 'urls' | 'done'
        probe: boolean
        /** @enum {string} */
        products: 'add' | 'replace'
        /** @description Rows that restore a file from the trash */
        restore_rows: number
        /** @description Rows read so far */
        rows: number
        skus: number
        skus_total: number
        /** @enum {string} */
        tags: 'add' | 'replace'
        /** @description Rows without an error that change an existing file */
        update_rows: number
        /** @description Addresses that were requested so far */
        urls: number
        urls_total: number
        warnings: number
      } | null
      /** Format: date-time */
      created_at: string
      /**
       * Format: date-time
       * @description The file is stored until then
       */
      expires_at: string
      /** @description Why the last check was not completed */
      failure: string | null
      filename: string
      id: string
      /** @description The import, if it was started */
      job_id: string | null
      rows: number
      size_bytes: number
      /** @enum {string} */
      status: 'ready' | 'checking' | 'checked' | 'started'
      /** @description The operation over rows that change files */
      update_job_id: string | null
    }
    LoggedChange: {
      by: {
        /** @description null: a person in the admin page */
        api_key_id: string | null
        /** @description The person’s or the key’s name then */
        name: string
      }
      /** Format: date-time */
      created_at: string
      /** @description What differs, as a GET shows it before and after the change */
      fields: {
        /** @description As the record has it; the beginning of its JSON above 4,000 characters */
        after: unknown
        /** @description As the record has it; the beginning of its JSON above 4,000 characters */
        before: unknown
        field: string
      }[]
      id: string
      /** @enum {string} */
      kind:
        | 'settings'
        | 'api_key'
        | 'tag_template'
        | 'workflow'
        | 'schedule'
        | 'trigger'
        | 'mapping_rule'
        | 'column_mapping'
        | 'drop_settings'
        | 'drop_account'
        | 'connection'
        | 'feed'
        | 'mail'
        | 'mail_texts'
        | 'buyer_page'
        | 'webhook'
        | 'licence_list'
      /** @description The name of what was changed */
      name: string | null
      /** @description Fields that no answer shows, such as passwords: they were replaced */
      secrets: string[]
      /** @description null: the shop has one of this kind */
      subject_id: string | null
      /** @enum {string} */
      verb: 'created' | 'changed' | 'deleted'
    }
    LogoRequest: {
      image: string
    }
    MailDnsRecord: {
      /** @description The value that is there instead */
      found: string | null
      /** @enum {string} */
      kind: 'dkim' | 'spf' | 'dmarc' | 'return_path'
      name: string
      required: boolean
      /**
       * @description `different`: there is another value; `unanswered`: the name servers were silent
       * @enum {string}
       */
      state: 'unchecked' | 'found' | 'missing' | 'different' | 'unanswered'
      /** @enum {string} */
      type: 'TXT' | 'CNAME'
      value: string
    }
    MailDomainChange: {
      /** Format: email */
      from: string
    }
    MailPreview: {
      /** @enum {string} */
      locale: 'en' | 'de' | 'fr' | 'es' | 'ja' | 'pt'
      /** @enum {string} */
      mail:
        | 'order'
        | 'edited'
        | 'update'
        | 'added'
        | 'ready'
        | 'available'
        | 'link'
        | 'links'
        | 'library'
        | 'text'
      /** @description By language and mail; null: the usual text */
      texts?: {
        [key: string]: {
          added?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          available?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          edited?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          library?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          link?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          links?: {
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          order?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          ready?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          text?: {
            intro?: string | null
          }
          update?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
        }
      }
    }
    MailServerChange: {
      /** Format: email */
      from: string
      host: string
      /** @description Absent: the saved one */
      password?: string
      port: number
      /**
       * @description Mails that come back are reported to the installation: its address is the sender of the envelope, which the server must accept. Only with `reports_offered`
       * @default false
       */
      reports?: boolean
      /**
       * @description `tls`: from the beginning (port 465); `starttls`: required after the greeting (587)
       * @enum {string}
       */
      security: 'tls' | 'starttls' | 'none'
      /** @default  */
      user?: string
    }
    MailSettings: {
      domain: {
        checked_at: string | null
        confirmed_at: string | null
        from: string
        name: string
        records: components['schemas']['MailDnsRecord'][]
      } | null
      /** @description The installation has a mail server, which can sign for a domain */
      domain_offered: boolean
      /** @description The sender of the next mail */
      from: {
        email: string
        name: string
      }
      /** @description The name that buyers see; null: that of the installation */
      name: string | null
      /** @description Where answers of buyers go; null: to the sender */
      reply_to: string | null
      /** @description The installation reads reports about mails, also those of a shop’s own server */
      reports_offered: boolean
      server: {
        confirmed_at: string | null
        /** Format: email */
        from: string
        has_password: boolean
        host: string
        port: number
        reports: boolean
        /**
         * @description `tls`: from the beginning (port 465); `starttls`: required after the greeting (587)
         * @enum {string}
         */
        security: 'tls' | 'starttls' | 'none'
        /** @description The last test mail, whose code was not entered yet */
        test: {
          /** Format: date-time */
          expires_at: string
          to: string
        } | null
        /** @default  */
        user: string
      } | null
      /**
       * @description The way of the next mail
       * @enum {string}
       */
      used: 'installation' | 'server' | 'domain'
      /**
       * @description `server`: the shop’s own mail server; `domain`: the installation’s server, signed for the shop’s domain. Each counts once it is confirmed
       * @enum {string}
       */
      way: 'installation' | 'server' | 'domain'
    }
    MailSettingsChange: {
      /** @description The name that buyers see; null: that of the installation */
      name?: string | null
      /** @description Where answers of buyers go; null: to the sender */
      reply_to?: string | null
      /**
       * @description `server`: the shop’s own mail server; `domain`: the installation’s server, signed for the shop’s domain. Each counts once it is confirmed
       * @enum {string}
       */
      way?: 'installation' | 'server' | 'domain'
    }
    MailTexts: {
      texts: {
        fields: {
          /** @enum {string} */
          field: 'subject' | 'intro' | 'button' | 'keep' | 'footer'
          max_length: number
          own: string | null
          /** @description The usual text, with variables where they stand alone */
          usual: string
        }[]
        /** @enum {string} */
        locale: 'en' | 'de' | 'fr' | 'es' | 'ja' | 'pt'
        /** @enum {string} */
        mail:
          | 'order'
          | 'edited'
          | 'update'
          | 'added'
          | 'ready'
          | 'available'
          | 'link'
          | 'links'
          | 'library'
          | 'text'
        variables: string[]
      }[]
    }
    MailTextsChange: {
      /** @description By language and mail; null: the usual text */
      texts: {
        [key: string]: {
          added?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          available?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          edited?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          library?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          link?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          links?: {
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          order?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          ready?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
          text?: {
            intro?: string | null
          }
          update?: {
            button?: string | null
            footer?: string | null
            intro?: string | null
            keep?: string | null
            subject?: string | null
          }
        }
      }
    }
    MappingRule: {
      /** Format: date-time */
      created_at: string
      created_by: string
      id: string
      /** @description Of the product */
      image: string | null
      /** @description The catalog has the product no longer: the rule is passed over */
      missing: boolean
      /** @description Whether files that it maps to a product that was sold go to its past buyers; null: as the product or the shop says */
      new_files: ('never' | 'ask' | 'always') | null
      pattern: string
      /** @description Null: `sku_template` names it */
      product_id: string | null
      product_title: string | null
      sku_template: string | null
      variant_id: string | null
      variant_title: string | null
    }
    MappingRuleChange: {
      /** @description Whether files that it maps to a product that was sold go to its past buyers; null: as the product or the shop says */
      new_files?: ('never' | 'ask' | 'always') | null
      /** @description The name of a file, with or without its extension; `*` is any text: `WS-*`, `*workbook*`, `*_guide.pdf`. Case is ignored. */
      pattern?: string
      /** @description From 1: the first rule that a name matches counts */
      position?: number
      product_id?: string
      /** @description The SKU of the product, instead of `product_id`: `{1}` is the text of the first `*`, `{2}` of the second. A file whose SKU is unknown is left to the next rules. */
      sku_template?: string
      /** @description Null: the whole product */
      variant_id?: string | null
    }
    MappingRuleCount: {
      /** @description Some of their names */
      examples: string[]
      files: number
      /** @description Of them, those that never had a product */
      unmapped: number
    }
    MappingRuleRequest: {
      /**
       * @description Whether files that it maps to a product that was sold go to its past buyers; null: as the product or the shop says
       * @default null
       */
      new_files?: ('never' | 'ask' | 'always') | null
      /** @description The name of a file, with or without its extension; `*` is any text: `WS-*`, `*workbook*`, `*_guide.pdf`. Case is ignored. */
      pattern: string
      /** @description Absent: the last */
      position?: number
      product_id?: string
      /** @description The SKU of the product, instead of `product_id`: `{1}` is the text of the first `*`, `{2}` of the second. A file whose SKU is unknown is left to the next rules. */
      sku_template?: string
      /** @description Null: the whole product */
      variant_id?: string | null
    }
    Message: {
      attempts: number
      /** Format: date-time */
      created_at: string
      /** @description Why the last attempt failed, or why it came back */
      error: string | null
      /** @description Absent: the English text has no values, so it is its own message */
      error_text?: components['schemas']['Text']
      id: string
      /** @description No mail server is configured: it was stored and not sent */
      kept: boolean
      /** @enum {string} */
      kind: 'email' | 'callback' | 'webhook' | 'sms' | 'flow'
      operation_id: string | null
      /** @description The words with which the mail server accepted it */
      reply: string | null
      /** @description The address in `From` */
      sender: string | null
      sent_at: string | null
      /**
       * @description `sent`: the mail server accepted it; `bounced`: it came back later; `complained`: it was reported as spam; `unknown`: it may or may not have arrived, and is not sent again automatically
       * @enum {string}
       */
      status: 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown' | 'bounced' | 'complained'
      subject: string
      /** @description The email as text, or the body that was posted */
      text: string
      to: string[]
    }
    MessageDetail: {
      attempts: number
      /** Format: date-time */
      created_at: string
      /** @description Why the last attempt failed, or why it came back */
      error: string | null
      /** @description Absent: the English text has no values, so it is its own message */
      error_text?: components['schemas']['Text']
      /** @description What mail servers reported about it, oldest first */
      events: {
        /** Format: date-time */
        at: string
        /** @description The status code, like 5.1.1 */
        code: string | null
        /** @enum {string} */
        event: 'delivered' | 'delayed' | 'bounced' | 'complained'
        /** @description The address is wrong */
        permanent: boolean
        /** @description The words of the server */
        reason: string
        recipient: string | null
      }[]
      id: string
      /** @description No mail server is configured: it was stored and not sent */
      kept: boolean
      /** @enum {string} */
      kind: 'email' | 'callback' | 'webhook' | 'sms' | 'flow'
      operation_id: string | null
      /** @description The words with which the mail server accepted it */
      reply: string | null
      /** @description The address in `From` */
      sender: string | null
      sent_at: string | null
      /**
       * @description `sent`: the mail server accepted it; `bounced`: it came back later; `complained`: it was reported as spam; `unknown`: it may or may not have arrived, and is not sent again automatically
       * @enum {string}
       */
      status: 'waiting' | 'sending' | 'sent' | 'failed' | 'unknown' | 'bounced' | 'complained'
      subject: string
      /** @description The email as text, or the body that was posted */
      text: string
      to: string[]
    }
    Move: {
      /**
       * @description `other`: a list with columns of these kinds
       * @enum {string}
       */
      app: 'woocommerce' | 'edd' | 'sendowl' | 'shopify' | 'other'
      buyers: {
        /** @description Access that has expired, or has no downloads left */
        ended: number
        /** @description The files of these links */
        files: number
        /** @description Links that an import would create */
        links: number
        /** @description Buyers who have a link to the file already */
        present: number
        /** @description Different addresses of buyers */
        total: number
        /** @description Access to products without a file here */
        without_file: number
      } | null
      columns: {
        /** @enum {string} */
        field:
          | 'file_url'
          | 'filename'
          | 'product_sku'
          | 'product_title'
          | 'product_handle'
          | 'product_id'
          | 'download_id'
          | 'tags'
          | 'download_limit'
          | 'expiry_days'
          | 'email'
          | 'downloads_left'
          | 'expires_at'
          | 'ordered_at'
          | 'status'
          | 'order'
        header: string
      }[]
      /** Format: date-time */
      created_at: string
      filename: string
      files: {
        /** @description Files that an import would create */
        fresh: number
        /** @description The shop has the file from an earlier move */
        present: number
        /** @description Different products, by how they were found in this shop */
        products: {
          handle: number
          id: number
          none: number
          sku: number
          title: number
        }
        /** @description Different addresses */
        total: number
        /** @description Products without files */
        without_files: number
      } | null
      /** @description What was noticed in the rows, by cause */
      findings: components['schemas']['MoveFinding'][]
      id: string
      /**
       * @description What it is imported as
       * @enum {string}
       */
      kind: 'files' | 'buyers'
      /** @description The import, if it was started */
      operation_id: string | null
      rows: number
      started_at: string | null
      /**
       * @description Which table of the app it is
       * @enum {string}
       */
      table: 'products' | 'permissions' | 'orders' | 'sales' | 'list'
      /** @description The import was undone */
      undone: boolean
      /** @description Columns that are not read */
      unknown_columns: string[]
    }
    MoveFinding: {
      count: number
      message: string
      /** @description Absent: the English text has no values, so it is its own message */
      message_text?: components['schemas']['Text']
      /** @description The first 20 rows */
      rows: number[]
      /** @enum {string} */
      severity: 'error' | 'warning'
    }
    MoveStart: {
      /**
       * @description Each buyer gets one email with all links. Files ignore this.
       * @default false
       */
      email?: boolean
    }
    NewFiles: {
      /** @description Their different buyers */
      buyers: number
      /** @description Its new files that a past buyer lacks */
      files: {
        file_id: string
        filename: string
      }[]
      /** @description The choice of the product; null: as the setting of the shop */
      new_files: ('never' | 'ask' | 'always') | null
      /** @description Orders that lack at least one of them */
      orders: number
      product_id: string
      title: string
    }
    NewFilesDismissal: {
      product_id: string
    }
    Notice: {
      /** @description What is wrong with the address of the delivery: correcting it sends the email. Null: nothing */
      asks_for_address: ('missing' | 'wrong') | null
      body: string
      body_text: components['schemas']['Text']
      /** Format: date-time */
      created_at: string
      delivery_id: string | null
      id: string
      /** @enum {string} */
      level: 'info' | 'success' | 'warning' | 'critical'
      operation_id: string | null
      read_at: string | null
      title: string
      title_text: components['schemas']['Text']
    }
    Operation: {
      action: string
      /** @description The moves that are possible now, each the last part of an address */
      actions: ('pause' | 'resume' | 'cancel' | 'retry' | 'confirm' | 'undo')[]
      /** @description When its failed files are tried again, as the workflow’s `if_not` says. Null: no try waits */
      again: {
        /** Format: date-time */
        at: string
        /** @description The times after it, if files still fail */
        later: string[]
      } | null
      /** @description The document that it produced, and where to download it */
      artifact: {
        content_type: string
        filename: string
        size_bytes: number
        url: string
      } | null
      /** @description The question that its preview is: it runs when it is approved. Null: it asks nothing */
      asks: {
        answer: ('approved' | 'rejected') | null
        answered_at: string | null
        /** @description Null with an answer: nobody answered in time */
        answered_by: string | null
        /** @enum {string} */
        no_answer: 'remind' | 'approve' | 'reject'
        /** @description How often they were reminded */
        reminders: number
        starter_may_approve: boolean
        /** @description When the time to answer is over; null: it does not wait for an answer */
        until: string | null
        /** @description The addresses of those who may answer; empty: anyone who may run workflows */
        who: string[]
      } | null
      /** @description What started it */
      because: components['schemas']['Because']
      bytes: number
      /** @description How many bytes fewer its files have; negative if they have more */
      bytes_saved: number
      cancelled: number
      /** @description Steps whose effect cannot be undone */
      cannot_undo: string[]
      channel: string
      /** @description The parts of its workflow after it */
      continued_by: string[]
      /** @description The part of its workflow before it, which a wait ended */
      continues: string | null
      /** Format: date-time */
      created_at: string
      /** @description A preview that was cancelled or expired: no file was changed, and all count as `cancelled` */
      discarded: boolean
      done: number
      /** @description The duration of the latest round (a retry or a confirmation begins one), without pauses and the wait for confirmation */
      elapsed_seconds: number
      errors: number
      failed: number
      finished_at: string | null
      /** @description The result of its preview: files that would change, files that would stay unchanged, and files for which a person must choose a product. The first two count in the preview’s `done`, the third in `done` or `skipped`; files that would only be skipped or fail count in `skipped` and `failed` alone. A step that works on the bytes counts each of its files as changed, because its result is only known when it has run. Null: no preview, or it is not ready */
      foreseen: {
        candidates: number
        changed: number
        unchanged: number
      } | null
      id: string
      intention_texts: components['schemas']['Text'][]
      /** @description What its last steps would do, in a preview */
      intentions: string[]
      /** @enum {string} */
      kind: 'import' | 'bulk'
      /** @description The first file of an import and the number of others, or the name of the CSV file; null: neither */
      label: string | null
      label_text: components['schemas']['Text'] | null
      paused_at: string | null
      /** @description The share of processed files, without cancelled ones */
      percentage: number
      /** @description How many of the `done` files of a sync existed before: it changed them, moved them to the trash or sent them */
      present: number
      /** @description It was started as a preview */
      preview: boolean
      /** @description More files may still arrive, such as the next file of an upload: `total` can grow */
      receiving: boolean
      /** @description Null if it cannot be estimated yet, or if more files may still arrive */
      remaining_seconds: number | null
      requested_by: string
      schedule_id: string | null
      skipped: number
      source:
        | {
            /** @constant */
            type: 'entries'
          }
        | {
            count: number
            /** @constant */
            type: 'files'
          }
        | {
            count: number
            /** @constant */
            type: 'rows'
          }
        | {
            filter: {
              [key: string]: unknown
            }
            /** @constant */
            type: 'filter'
          }
        | {
            id: string
            /** @constant */
            type: 'operation'
          }
      started_at: string | null
      /** @enum {string} */
      status:
        | 'previewing'
        | 'previewed'
        | 'queued'
        | 'running'
        | 'paused'
        | 'success'
        | 'partial'
        | 'failed'
        | 'cancelled'
        | 'undone'
      steps: {
        branch?: components['schemas']['StepBranch']
        id: string
        plugin: string
        summary: string
        summary_text: components['schemas']['Text']
        title: string
      }[]
      stopped: {
        code: string
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
        step: string
      } | null
      total: number
      /** @description How many of the `done` files were already as wanted, so that nothing was changed */
      unchanged: number
      undo_until: string | null
      undoes: string | null
      undone_by: string | null
      /** @description When the next part of its workflow starts on the files that are done, and its steps */
      waits: {
        steps: {
          branch?: components['schemas']['StepBranch']
          id: string
          plugin: string
          summary: string
          summary_text: components['schemas']['Text']
          title: string
        }[]
        /** Format: date-time */
        until: string
      } | null
      warnings: {
        code: string
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
      }[]
      workflow: string
      workflow_title: string
      /** @description The version of a workflow of the shop that it runs; null: another workflow */
      workflow_version: number | null
    }
    OperationAnswer: {
      /** @enum {string} */
      answer: 'approve' | 'reject'
    }
    OperationMails: {
      /** @description When the last one is sent, if they are sent at a rate */
      ends_at: string | null
      /** @description Also those that came back, or of which it is unknown */
      failed: number
      sent: number
      total: number
      /** @description Not sent yet */
      waiting: number
    }
    OperationRequest: {
      action?: string
      /** @default false */
      dry_run?: boolean
      /**
       * @description The action’s
       * @default {}
       */
      options?: {
        [key: string]: unknown
      }
      /** @description Required, unless the options of `give-files` name its files */
      select?:
        | {
            /**
             * @description Ids of files
             * @example [
             *       "file_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e"
             *     ]
             */
            file_ids: string[]
          }
        | {
            filter: {
              /**
               * Any of these
               * @description At least one of these holds: each has the same fields, all of which must hold. As a query parameter it is JSON, like [{"name_like":"A-*"},{"tags":["guide"]}]
               */
              any?: {
                changed_after?: string
                changed_before?: string
                channel?: string[]
                connection?: string
                delivered?: boolean
                downloaded_after?: string
                downloaded_before?: string
                drop_account?: string
                folder?: string
                larger_than?: number
                linked?: boolean
                mapped?: boolean
                name_begins?: string
                name_ends?: string
                name_like?: string
                not_downloaded_for_days?: number
                older_than_days?: number
                pack?: string
                pack_none?: boolean
                product?: string
                product_tag?: string
                search?: string
                smaller_than?: number
                tags?: string[]
                tags_any?: string[]
                tags_none?: string[]
                type?: string[]
                uploaded_after?: string
                uploaded_before?: string
                version_above?: number
              }[]
              /** @description Has a backup, or has none */
              backed_up?: boolean
              /**
               * Changed after
               * @description Last changed on or after this time, or this day, which begins at midnight in the shop’s time zone
               */
              changed_after?: string
              /**
               * Changed before
               * @description Last changed before this time, or this day, which begins at midnight in the shop’s time zone
               */
              changed_before?: string
              /**
               * Channel
               * @description Was imported through one of these channels: csv, api, upload, drop, cloud
               */
              channel?: string[]
              /**
               * Cloud connection
               * @description Is synced with this cloud connection: its id
               */
              connection?: string
              /** @description Is in the trash; absent: is not in the trash */
              deleted?: boolean
              /**
               * Delivered
               * @description Was ever in a delivery (true), or never (false)
               */
              delivered?: boolean
              /**
               * Downloaded after
               * @description A download, or a view in the browser, was on or after this time, or this day, which begins at midnight in the shop’s time zone
               */
              downloaded_after?: string
              /**
               * Downloaded before
               * @description Its last download, or view in the browser, was before this time, or this day, which begins at midnight in the shop’s time zone
               */
              downloaded_before?: string
              /**
               * Drop account
               * @description Was sent through this account of the drop folder: its id
               */
              drop_account?: string
              /** @description As `search`: more words that must be found */
              find?: string
              /**
               * Folder
               * @description Is synced with this folder of a cloud connection or with one below it, like Guides/2026
               */
              folder?: string
              /**
               * Larger than
               * @description Bytes
               */
              larger_than?: number
              /** @description Buyers of it were given licence keys of this list: its id */
              licence_list?: string
              /**
               * Linked
               * @description A link to it or its public address was ever made (true), or never (false)
               */
              linked?: boolean
              /**
               * Mapped
               * @description Is mapped to a product, or is not
               */
              mapped?: boolean
              /**
               * Name begins with
               * @description The name begins with this text, without regard to case
               */
              name_begins?: string
              /** @description The name contains this text, without regard to case and accents */
              name_contains?: string
              /**
               * Name ends with
               * @description The name with its extension ends with this text, without regard to case
               */
              name_ends?: string
              /**
               * Name is like
               * @description The whole name is like this, without regard to case: * is any text, as in A-*
               */
              name_like?: string
              /**
               * Not downloaded for
               * @description No download in this many days, and no view in the browser; views are known for 13 months
               */
              not_downloaded_for_days?: number
              /**
               * Uploaded more than
               * @description Uploaded more than this many days ago
               */
              older_than_days?: number
              /**
               * Pack
               * @description Is in this pack: its id
               */
              pack?: string
              /**
               * In no pack
               * @description Is in no pack (true), or is in a pack (false)
               */
              pack_none?: boolean
              /**
               * Product
               * @description Belongs to this product: its id on the platform
               */
              product?: string
              /**
               * Tag of its product
               * @description Belongs to a product with this tag, without regard to case
               */
              product_tag?: string
              /** @description Is in quarantine: a virus scanner found something in it; or is not */
              quarantined?: boolean
              /** @description Has a release date that has not come in the shop’s time zone (false), or is available to buyers of today (true) */
              released?: boolean
              /**
               * Search
               * @description Words in any order, without regard to case and accents. Each is in the name or in a tag, or in the title, the SKU or the barcode of a product or in the name of the pack. A number is found where it begins. More than 8 words are a part of the name
               */
              search?: string
              /**
               * Smaller than
               * @description Bytes
               */
              smaller_than?: number
              /**
               * @description Its bytes, or a kept copy of them, are in this storage location
               * @enum {string}
               */
              storage?: 'primary' | 'backup'
              /**
               * Tags
               * @description Has all of these tags
               */
              tags?: string[]
              /**
               * Has one of these tags
               * @description Has at least one of these tags
               */
              tags_any?: string[]
              /**
               * Has none of these tags
               * @description Has none of these tags
               */
              tags_none?: string[]
              /**
               * Type
               * @description Extensions, or document, image, video, audio, archive
               */
              type?: string[]
              /**
               * Uploaded after
               * @description Uploaded on or after this time, or this day, which begins at midnight in the shop’s time zone
               */
              uploaded_after?: string
              /**
               * Uploaded before
               * @description Uploaded before this time, or this day, which begins at midnight in the shop’s time zone
               */
              uploaded_before?: string
              /**
               * Version above
               * @description The number of its version is greater: 1 means replaced
               */
              version_above?: number
            }
          }
      workflow?: string
    }
    OperationSteps: {
      data: {
        branch?: components['schemas']['StepBranch']
        /** @description Of files that have ended. `changed`: the step worked on the file; `kept`: it failed, and the file continued unchanged. Null: it works on the whole operation */
        files: {
          changed: number
          failed: number
          /** @description Those that the step got */
          files: number
          kept: number
          skipped: number
          unchanged: number
        } | null
        id: string
        /** @description How long it worked, its batches added up */
        ms: number | null
        plugin: string
        summary: string
        summary_text: components['schemas']['Text']
        title: string
      }[]
      /** @description false: the results of its files are not kept any more */
      kept: boolean
      /** @description How long it took to write the results */
      write_ms: number
    }
    OrderFiles: {
      /** @description What the link asks for before a download or view: nothing, the buyer’s email address, or a `password`; null: what the file asks for */
      ask_for?: ('nothing' | 'email' | 'password') | null
      /**
       * @description Null: unlimited; absent: the file’s
       * @example 5
       */
      download_limit?: number | null
      /**
       * @description Tell the buyer: by email, or by text message where the order has no address and the shop sends them
       * @default false
       */
      email?: boolean
      /**
       * @description Days from now; null: never; absent: the file’s
       * @example 60
       */
      expiry_days?: number | null
      file_ids: string[]
      /** @description The order’s id, name (`#1001` or `1001`) or confirmation number */
      order: string
      /** @description The password that it asks for. It cannot be read again */
      password?: string
      /** @description Days from now for views; null: as long as the link is valid; absent: the file’s */
      view_days?: number | null
      /** @description Null: unlimited; absent: the file’s */
      view_limit?: number | null
    }
    Pack: {
      /** Format: date-time */
      created_at: string
      /** @description Their number, trash excluded */
      files: number
      id: string
      name: string
      products: {
        product_id: string
        product_title: string
        sku: string | null
        variant_id: string | null
      }[]
      /** @description The size of all of them */
      size_bytes: number
      /** Format: date-time */
      updated_at: string
    }
    PackChange: {
      name?: string
      /** @description The products of its files; replaces the current ones */
      products?: {
        product_id: string
        variant_id?: string | null
      }[]
    }
    PackOrder: {
      /**
       * @description Ids of files
       * @example [
       *       "file_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e"
       *     ]
       */
      file_ids: string[]
    }
    PackRequest: {
      name: string
      /**
       * @description The products of its files; replaces the current ones
       * @default []
       */
      products?: {
        product_id: string
        variant_id?: string | null
      }[]
    }
    PackSale: {
      /** @description In the shop’s currency; absent: 0, until it is set in the admin of the store */
      price?: string
      /** @description Absent: the name of the pack */
      title?: string
    }
    PastBuyers: {
      /** @description Their different buyers */
      buyers: number
      /** @description Of the files, those that a past buyer lacks */
      files: number
      /** @description Orders that lack at least one of them */
      orders: number
    }
    PastBuyersRequest: {
      product_id?: string
      /** @description The files: their ids, or a filter as in `GET /api/files` */
      select:
        | {
            /**
             * @description Ids of files
             * @example [
             *       "file_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e"
             *     ]
             */
            file_ids: string[]
          }
        | {
            filter: {
              /**
               * Any of these
               * @description At least one of these holds: each has the same fields, all of which must hold. As a query parameter it is JSON, like [{"name_like":"A-*"},{"tags":["guide"]}]
               */
              any?: {
                changed_after?: string
                changed_before?: string
                channel?: string[]
                connection?: string
                delivered?: boolean
                downloaded_after?: string
                downloaded_before?: string
                drop_account?: string
                folder?: string
                larger_than?: number
                linked?: boolean
                mapped?: boolean
                name_begins?: string
                name_ends?: string
                name_like?: string
                not_downloaded_for_days?: number
                older_than_days?: number
                pack?: string
                pack_none?: boolean
                product?: string
                product_tag?: string
                search?: string
                smaller_than?: number
                tags?: string[]
                tags_any?: string[]
                tags_none?: string[]
                type?: string[]
                uploaded_after?: string
                uploaded_before?: string
                version_above?: number
              }[]
              /** @description Has a backup, or has none */
              backed_up?: boolean
              /**
               * Changed after
               * @description Last changed on or after this time, or this day, which begins at midnight in the shop’s time zone
               */
              changed_after?: string
              /**
               * Changed before
               * @description Last changed before this time, or this day, which begins at midnight in the shop’s time zone
               */
              changed_before?: string
              /**
               * Channel
               * @description Was imported through one of these channels: csv, api, upload, drop, cloud
               */
              channel?: string[]
              /**
               * Cloud connection
               * @description Is synced with this cloud connection: its id
               */
              connection?: string
              /** @description Is in the trash; absent: is not in the trash */
              deleted?: boolean
              /**
               * Delivered
               * @description Was ever in a delivery (true), or never (false)
               */
              delivered?: boolean
              /**
               * Downloaded after
               * @description A download, or a view in the browser, was on or after this time, or this day, which begins at midnight in the shop’s time zone
               */
              downloaded_after?: string
              /**
               * Downloaded before
               * @description Its last download, or view in the browser, was before this time, or this day, which begins at midnight in the shop’s time zone
               */
              downloaded_before?: string
              /**
               * Drop account
               * @description Was sent through this account of the drop folder: its id
               */
              drop_account?: string
              /** @description As `search`: more words that must be found */
              find?: string
              /**
               * Folder
               * @description Is synced with this folder of a cloud connection or with one below it, like Guides/2026
               */
              folder?: string
              /**
               * Larger than
               * @description Bytes
               */
              larger_than?: number
              /** @description Buyers of it were given licence keys of this list: its id */
              licence_list?: string
              /**
               * Linked
               * @description A link to it or its public address was ever made (true), or never (false)
               */
              linked?: boolean
              /**
               * Mapped
               * @description Is mapped to a product, or is not
               */
              mapped?: boolean
              /**
               * Name begins with
               * @description The name begins with this text, without regard to case
               */
              name_begins?: string
              /** @description The name contains this text, without regard to case and accents */
              name_contains?: string
              /**
               * Name ends with
               * @description The name with its extension ends with this text, without regard to case
               */
              name_ends?: string
              /**
               * Name is like
               * @description The whole name is like this, without regard to case: * is any text, as in A-*
               */
              name_like?: string
              /**
               * Not downloaded for
               * @description No download in this many days, and no view in the browser; views are known for 13 months
               */
              not_downloaded_for_days?: number
              /**
               * Uploaded more than
               * @description Uploaded more than this many days ago
               */
              older_than_days?: number
              /**
               * Pack
               * @description Is in this pack: its id
               */
              pack?: string
              /**
               * In no pack
               * @description Is in no pack (true), or is in a pack (false)
               */
              pack_none?: boolean
              /**
               * Product
               * @description Belongs to this product: its id on the platform
               */
              product?: string
              /**
               * Tag of its product
               * @description Belongs to a product with this tag, without regard to case
               */
              product_tag?: string
              /** @description Is in quarantine: a virus scanner found something in it; or is not */
              quarantined?: boolean
              /** @description Has a release date that has not come in the shop’s time zone (false), or is available to buyers of today (true) */
              released?: boolean
              /**
               * Search
               * @description Words in any order, without regard to case and accents. Each is in the name or in a tag, or in the title, the SKU or the barcode of a product or in the name of the pack. A number is found where it begins. More than 8 words are a part of the name
               */
              search?: string
              /**
               * Smaller than
               * @description Bytes
               */
              smaller_than?: number
              /**
               * @description Its bytes, or a kept copy of them, are in this storage location
               * @enum {string}
               */
              storage?: 'primary' | 'backup'
              /**
               * Tags
               * @description Has all of these tags
               */
              tags?: string[]
              /**
               * Has one of these tags
               * @description Has at least one of these tags
               */
              tags_any?: string[]
              /**
               * Has none of these tags
               * @description Has none of these tags
               */
              tags_none?: string[]
              /**
               * Type
               * @description Extensions, or document, image, video, audio, archive
               */
              type?: string[]
              /**
               * Uploaded after
               * @description Uploaded on or after this time, or this day, which begins at midnight in the shop’s time zone
               */
              uploaded_after?: string
              /**
               * Uploaded before
               * @description Uploaded before this time, or this day, which begins at midnight in the shop’s time zone
               */
              uploaded_before?: string
              /**
               * Version above
               * @description The number of its version is greater: 1 means replaced
               */
              version_above?: number
            }
          }
    }
    PastOrdersAccess: {
      /** @description The storefront shows orders of any age (scope `read_all_orders`), not only those of the last 60 days */
      all_orders: boolean
      /** @description Older orders cannot be imported; null: all can */
      earliest: string | null
      /** @description The latest import, or its preview */
      operation_id: string | null
    }
    PastOrdersRequest: {
      /** @default false */
      dry_run?: boolean
      /**
       * @description Each buyer gets the email about the files of the order
       * @default false
       */
      mail?: boolean
      /** @description Absent: all orders that the storefront shows */
      since?: string
    }
    Plan: {
      features: ('workflows' | 'schedules' | 'connections' | 'webhooks' | 'realtime')[]
      id: string
      limits: {
        files: number | null
        monthly_downloads: number | null
        storage_bytes: number | null
      }
      /** @description Null: it costs nothing, or the platform shows its price */
      price: {
        amount: number
        currency: string
        interval: string
      } | null
      title: string
    }
    PlanRequest: {
      plan: string
    }
    PlanState: {
      /** @description False: this installation has no plans */
      enabled: boolean
      /** @description It ends with its present billing cycle */
      ends: boolean
      features: ('workflows' | 'schedules' | 'connections' | 'webhooks' | 'realtime')[]
      limits: {
        files: number | null
        monthly_downloads: number | null
        storage_bytes: number | null
      } | null
      /** @description The shop’s; null: not read yet */
      plan: string | null
      plans: components['schemas']['Plan'][]
      pricing: ('managed' | 'manual') | null
      /** @description The plan’s, or the installation’s if it is lower. Null: none */
      storage_limit_bytes: number | null
      title: string | null
      trial_ends_at: string | null
      used: {
        files: number
        monthly_downloads: number
        /** @description Copies that nothing needs any more, until their bytes are removed, about a day later. With storage_bytes they are at most twice the limit */
        removing_bytes: number
        /** @description All stored copies, in every storage location, and uploads in progress. Purged files leave it immediately */
        storage_bytes: number
      }
    }
    Plugin: {
      /** @description Its entries in menus; none: it is only a step of workflows */
      readonly actions: components['schemas']['PluginAction'][]
      /** @description By error code: what to do next */
      advice: {
        [key: string]: string
      }
      /** @description Decisions of its form that replace several options */
      readonly alternatives: {
        /** @constant */
        as?: 'select'
        readonly choices: {
          readonly fields: string[]
          help?: string
          label: string
          set?: {
            [key: string]: unknown
          }
          titles?: {
            [key: string]: string
          }
          /**
           * @description The initial choice, by the settings of the shop
           * @constant
           */
          usual?: true
        }[]
        title: string
      }[]
      id: string
      /** @enum {string} */
      kind: 'fetch' | 'validate' | 'optimize' | 'map' | 'act' | 'notify'
      makes_files: boolean
      /** @description JSON Schema */
      options: {
        [key: string]: unknown
      }
      permission: ('files:read' | 'files:delete' | 'files:purge' | 'links:write') | null
      /** @enum {string} */
      scope: 'items' | 'operation'
      title: string
      touches_bytes: boolean
      /** @enum {string} */
      undo: 'fields' | 'none'
      /** @description The steps after it are an operation of their own, some time later */
      waits: boolean
      works_on: ('imports' | 'files' | 'trash' | 'all' | 'rows' | 'deliveries') | null
    }
    PluginAction: {
      body: ('rename' | 'merge' | 'links' | 'give' | 'tell' | 'delete' | 'delete-by-filter') | null
      destructive: boolean
      fields: string[] | null
      fits: {
        noun: {
          files: {
            /** @constant */
            capitals?: true
            readonly extensions?: string[]
            /** @constant */
            mapped?: true
            /** @constant */
            tagged?: true
          }
          many: string
          one: string
        } | null
        readonly places: ('files' | 'trash' | 'list')[]
        readonly rules: (
          | {
              files: {
                /** @constant */
                capitals?: true
                readonly extensions?: string[]
                /** @constant */
                mapped?: true
                /** @constant */
                tagged?: true
              }
              least?: number
              /** @constant */
              rule: 'some'
              why: string
            }
          | {
              files: {
                /** @constant */
                capitals?: true
                readonly extensions?: string[]
                /** @constant */
                mapped?: true
                /** @constant */
                tagged?: true
              }
              /** @constant */
              rule: 'every'
              why: string
            }
          | {
              most: number
              /** @constant */
              rule: 'ticked'
              why: string
            }
        )[]
      }
      /** @enum {string} */
      group: 'products' | 'deliver' | 'organize' | 'documents' | 'tags' | 'automate' | 'trash'
      id: string
      /** @description Texts. `title` to `skipped`, `intro` and `note` are ICU messages of `count` and options */
      labels: {
        action: string
        button: string
        done: string
        intro: string | null
        menu: string
        note: string | null
        preview: string
        result: string
        running: string
        skipped: string
        title: string
      }
      preset: {
        [key: string]: unknown
      }
      /** @enum {string} */
      preview: 'exact' | 'estimate' | 'none'
      preview_required: ('always' | 'filter') | null
      promoted: boolean
      readonly required: string[]
      warning: {
        text: string
        title: string
        /** @enum {string} */
        tone: 'warning' | 'critical'
      } | null
    }
    Product: {
      /** @description How many files are mapped to it */
      files: number
      id: string
      image: string | null
      /** @description ACTIVE, DRAFT, ARCHIVED or UNLISTED */
      status: string
      title: string
      variants: {
        id: string
        sku: string | null
        title: string
      }[]
    }
    ProductNewFiles: {
      /** @description Null: as the setting `new_files` of the shop */
      new_files: ('never' | 'ask' | 'always') | null
      product_id: string
      title: string
    }
    ProductNewFilesChoice: {
      new_files: ('never' | 'ask' | 'always') | null
      product_id: string
    }
    ReachableShop: {
      domain: string
      expires_at: string | null
      last_used_at: string | null
      name: string
      scopes: string[]
    }
    RenamePreview: {
      data: {
        after: string
        before: string
        file_id: string
        /** @description Why it cannot have this name, or keeps its own; null: it can */
        problem: string | null
        /** @description Absent: the English text has no values, so it is its own message */
        problem_text?: components['schemas']['Text']
      }[]
      /** @description How many files the selection has */
      total: number
    }
    RenamePreviewRequest: {
      /** @default 20 */
      limit?: number
      /** @description Of the action `rename-files` */
      options: {
        [key: string]: unknown
      }
      /** @description The files: their ids, or a filter as in `GET /api/files` */
      select:
        | {
            /**
             * @description Ids of files
             * @example [
             *       "file_0199c2f5d2c07f0a9b7e3f4a5b6c7d8e"
             *     ]
             */
            file_ids: string[]
          }
        | {
            filter: {
              /**
               * Any of these
               * @description At least one of these holds: each has the same fields, all of which must hold. As a query parameter it is JSON, like [{"name_like":"A-*"},{"tags":["guide"]}]
               */
              any?: {
                changed_after?: string
                changed_before?: string
                channel?: string[]
                connection?: string
                delivered?: boolean
                downloaded_after?: string
                downloaded_before?: string
                drop_account?: string
                folder?: string
                larger_than?: number
                linked?: boolean
                mapped?: boolean
                name_begins?: string
                name_ends?: string
                name_like?: string
                not_downloaded_for_days?: number
                older_than_days?: number
                pack?: string
                pack_none?: boolean
                product?: string
                product_tag?: string
                search?: string
                smaller_than?: number
                tags?: string[]
                tags_any?: string[]
                tags_none?: string[]
                type?: string[]
                uploaded_after?: string
                uploaded_before?: string
                version_above?: number
              }[]
              /** @description Has a backup, or has none */
              backed_up?: boolean
              /**
               * Changed after
               * @description Last changed on or after this time, or this day, which begins at midnight in the shop’s time zone
               */
              changed_after?: string
              /**
               * Changed before
               * @description Last changed before this time, or this day, which begins at midnight in the shop’s time zone
               */
              changed_before?: string
              /**
               * Channel
               * @description Was imported through one of these channels: csv, api, upload, drop, cloud
               */
              channel?: string[]
              /**
               * Cloud connection
               * @description Is synced with this cloud connection: its id
               */
              connection?: string
              /** @description Is in the trash; absent: is not in the trash */
              deleted?: boolean
              /**
               * Delivered
               * @description Was ever in a delivery (true), or never (false)
               */
              delivered?: boolean
              /**
               * Downloaded after
               * @description A download, or a view in the browser, was on or after this time, or this day, which begins at midnight in the shop’s time zone
               */
              downloaded_after?: string
              /**
               * Downloaded before
               * @description Its last download, or view in the browser, was before this time, or this day, which begins at midnight in the shop’s time zone
               */
              downloaded_before?: string
              /**
               * Drop account
               * @description Was sent through this account of the drop folder: its id
               */
              drop_account?: string
              /** @description As `search`: more words that must be found */
              find?: string
              /**
               * Folder
               * @description Is synced with this folder of a cloud connection or with one below it, like Guides/2026
               */
              folder?: string
              /**
               * Larger than
               * @description Bytes
               */
              larger_than?: number
              /** @description Buyers of it were given licence keys of this list: its id */
              licence_list?: string
              /**
               * Linked
               * @description A link to it or its public address was ever made (true), or never (false)
               */
              linked?: boolean
              /**
               * Mapped
               * @description Is mapped to a product, or is not
               */
              mapped?: boolean
              /**
               * Name begins with
               * @description The name begins with this text, without regard to case
               */
              name_begins?: string
              /** @description The name contains this text, without regard to case and accents */
              name_contains?: string
              /**
               * Name ends with
               * @description The name with its extension ends with this text, without regard to case
               */
              name_ends?: string
              /**
               * Name is like
               * @description The whole name is like this, without regard to case: * is any text, as in A-*
               */
              name_like?: string
              /**
               * Not downloaded for
               * @description No download in this many days, and no view in the browser; views are known for 13 months
               */
              not_downloaded_for_days?: number
              /**
               * Uploaded more than
               * @description Uploaded more than this many days ago
               */
              older_than_days?: number
              /**
               * Pack
               * @description Is in this pack: its id
               */
              pack?: string
              /**
               * In no pack
               * @description Is in no pack (true), or is in a pack (false)
               */
              pack_none?: boolean
              /**
               * Product
               * @description Belongs to this product: its id on the platform
               */
              product?: string
              /**
               * Tag of its product
               * @description Belongs to a product with this tag, without regard to case
               */
              product_tag?: string
              /** @description Is in quarantine: a virus scanner found something in it; or is not */
              quarantined?: boolean
              /** @description Has a release date that has not come in the shop’s time zone (false), or is available to buyers of today (true) */
              released?: boolean
              /**
               * Search
               * @description Words in any order, without regard to case and accents. Each is in the name or in a tag, or in the title, the SKU or the barcode of a product or in the name of the pack. A number is found where it begins. More than 8 words are a part of the name
               */
              search?: string
              /**
               * Smaller than
               * @description Bytes
               */
              smaller_than?: number
              /**
               * @description Its bytes, or a kept copy of them, are in this storage location
               * @enum {string}
               */
              storage?: 'primary' | 'backup'
              /**
               * Tags
               * @description Has all of these tags
               */
              tags?: string[]
              /**
               * Has one of these tags
               * @description Has at least one of these tags
               */
              tags_any?: string[]
              /**
               * Has none of these tags
               * @description Has none of these tags
               */
              tags_none?: string[]
              /**
               * Type
               * @description Extensions, or document, image, video, audio, archive
               */
              type?: string[]
              /**
               * Uploaded after
               * @description Uploaded on or after this time, or this day, which begins at midnight in the shop’s time zone
               */
              uploaded_after?: string
              /**
               * Uploaded before
               * @description Uploaded before this time, or this day, which begins at midnight in the shop’s time zone
               */
              uploaded_before?: string
              /**
               * Version above
               * @description The number of its version is greater: 1 means replaced
               */
              version_above?: number
            }
          }
    }
    Retry: {
      /** @description The workflow, or a setting of the shop that it uses, was changed since the operation started: a retry can run either */
      changed: boolean
      /** @description Secret options of its steps that may mend the failures, such as the password of encrypted documents: send them in `options` */
      mending: {
        option: string
        option_title: string
        step: string
        step_title: string
      }[]
      /** @description Why the workflow as it is now cannot be used */
      problem: {
        code: string
        message: string
        message_text: components['schemas']['Text']
      } | null
      /** @description Every reason for the problem */
      reasons: components['schemas']['Text'][]
      /** @description The steps of the workflow as it is now; null: it cannot be used */
      steps:
        | {
            branch?: components['schemas']['StepBranch']
            id: string
            plugin: string
            summary: string
            summary_text: components['schemas']['Text']
            title: string
          }[]
        | null
    }
    /** @default {} */
    RetryRequest: {
      /** @description Options for steps, by the id of the step, in addition to those that they have: such as the `password` of documents, which no workflow stores */
      options?: {
        [key: string]: {
          [key: string]: unknown
        }
      }
      /**
       * @description `current`: the steps of the operation’s workflow as they are now; `as_started`: those that it ran before. Absent: the current ones if the failed files can be processed with them, otherwise those before
       * @enum {string}
       */
      workflow?: 'current' | 'as_started'
    }
    Review: {
      /** @description Best first */
      candidates: {
        /** @description Of the product */
        image: string | null
        /** @enum {string} */
        method: 'sku' | 'filename' | 'title' | 'tags' | 'manual' | 'pack' | 'rule'
        product_id: string
        product_title: string
        reason: string
        /** @description Absent: the English text has no values, so it is its own message */
        reason_text?: components['schemas']['Text']
        score: number
        sku: string | null
        variant_id: string | null
        variant_title: string | null
      }[]
      /** Format: date-time */
      created_at: string
      decided_at: string | null
      decided_by: string | null
      file: {
        filename: string
        id: string
      }
      id: string
      /** @description The operation that asked */
      operation_id: string | null
      /** @description The file has a product, which the candidate replaces */
      replaces: boolean
      /** @description The best candidate’s score */
      score: number
      /** @enum {string} */
      status: 'open' | 'accepted' | 'rejected'
    }
    ReviewAcceptance: {
      product_id: string
      variant_id?: string | null
    }
    ReviewGroup: {
      count: number
      /** @description Names of some of the other files */
      others: string[]
      /** @description The newest of the group */
      review: components['schemas']['Review']
      /** @description What suggested their best candidate */
      rule: string
      /** @description Absent: the English text has no values, so it is its own message */
      rule_text?: components['schemas']['Text']
    }
    ReviewsAcceptance: {
      above: number
    }
    SavedView: {
      columns:
        | (
            | 'size'
            | 'tags'
            | 'products'
            | 'pack'
            | 'downloads'
            | 'paid_by'
            | 'uploaded'
            | 'visibility'
          )[]
        | null
      /** Format: date-time */
      created_at: string
      /** @description How many files it shows now. null: it is a view of another list than the files */
      files: number | null
      /** @description false: there are more than that; totals are counted up to 10,000 */
      files_is_exact: boolean
      /** @description null: it is a view of another list than the files */
      filter: {
        /**
         * Any of these
         * @description At least one of these holds: each has the same fields, all of which must hold. As a query parameter it is JSON, like [{"name_like":"A-*"},{"tags":["guide"]}]
         */
        any?: {
          changed_after?: string
          changed_before?: string
          channel?: string[]
          connection?: string
          delivered?: boolean
          downloaded_after?: string
          downloaded_before?: string
          drop_account?: string
          folder?: string
          larger_than?: number
          linked?: boolean
          mapped?: boolean
          name_begins?: string
          name_ends?: string
          name_like?: string
          not_downloaded_for_days?: number
          older_than_days?: number
          pack?: string
          pack_none?: boolean
          product?: string
          product_tag?: string
          search?: string
          smaller_than?: number
          tags?: string[]
          tags_any?: string[]
          tags_none?: string[]
          type?: string[]
          uploaded_after?: string
          uploaded_before?: string
          version_above?: number
        }[]
        /** @description Has a backup, or has none */
        backed_up?: boolean
        /**
         * Changed after
         * @description Last changed on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        changed_after?: string
        /**
         * Changed before
         * @description Last changed before this time, or this day, which begins at midnight in the shop’s time zone
         */
        changed_before?: string
        /**
         * Channel
         * @description Was imported through one of these channels: csv, api, upload, drop, cloud
         */
        channel?: string[]
        /**
         * Cloud connection
         * @description Is synced with this cloud connection: its id
         */
        connection?: string
        /**
         * Delivered
         * @description Was ever in a delivery (true), or never (false)
         */
        delivered?: boolean
        /**
         * Downloaded after
         * @description A download, or a view in the browser, was on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        downloaded_after?: string
        /**
         * Downloaded before
         * @description Its last download, or view in the browser, was before this time, or this day, which begins at midnight in the shop’s time zone
         */
        downloaded_before?: string
        /**
         * Drop account
         * @description Was sent through this account of the drop folder: its id
         */
        drop_account?: string
        /** @description As `search`: more words that must be found */
        find?: string
        /**
         * Folder
         * @description Is synced with this folder of a cloud connection or with one below it, like Guides/2026
         */
        folder?: string
        /**
         * Larger than
         * @description Bytes
         */
        larger_than?: number
        /** @description Buyers of it were given licence keys of this list: its id */
        licence_list?: string
        /**
         * Linked
         * @description A link to it or its public address was ever made (true), or never (false)
         */
        linked?: boolean
        /**
         * Mapped
         * @description Is mapped to a product, or is not
         */
        mapped?: boolean
        /**
         * Name begins with
         * @description The name begins with this text, without regard to case
         */
        name_begins?: string
        /** @description The name contains this text, without regard to case and accents */
        name_contains?: string
        /**
         * Name ends with
         * @description The name with its extension ends with this text, without regard to case
         */
        name_ends?: string
        /**
         * Name is like
         * @description The whole name is like this, without regard to case: * is any text, as in A-*
         */
        name_like?: string
        /**
         * Not downloaded for
         * @description No download in this many days, and no view in the browser; views are known for 13 months
         */
        not_downloaded_for_days?: number
        /**
         * Uploaded more than
         * @description Uploaded more than this many days ago
         */
        older_than_days?: number
        /**
         * Pack
         * @description Is in this pack: its id
         */
        pack?: string
        /**
         * In no pack
         * @description Is in no pack (true), or is in a pack (false)
         */
        pack_none?: boolean
        /**
         * Product
         * @description Belongs to this product: its id on the platform
         */
        product?: string
        /**
         * Tag of its product
         * @description Belongs to a product with this tag, without regard to case
         */
        product_tag?: string
        /** @description Is in quarantine: a virus scanner found something in it; or is not */
        quarantined?: boolean
        /** @description Has a release date that has not come in the shop’s time zone (false), or is available to buyers of today (true) */
        released?: boolean
        /**
         * Search
         * @description Words in any order, without regard to case and accents. Each is in the name or in a tag, or in the title, the SKU or the barcode of a product or in the name of the pack. A number is found where it begins. More than 8 words are a part of the name
         */
        search?: string
        /**
         * Smaller than
         * @description Bytes
         */
        smaller_than?: number
        /**
         * @description Its bytes, or a kept copy of them, are in this storage location
         * @enum {string}
         */
        storage?: 'primary' | 'backup'
        /**
         * Tags
         * @description Has all of these tags
         */
        tags?: string[]
        /**
         * Has one of these tags
         * @description Has at least one of these tags
         */
        tags_any?: string[]
        /**
         * Has none of these tags
         * @description Has none of these tags
         */
        tags_none?: string[]
        /**
         * Type
         * @description Extensions, or document, image, video, audio, archive
         */
        type?: string[]
        /**
         * Uploaded after
         * @description Uploaded on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        uploaded_after?: string
        /**
         * Uploaded before
         * @description Uploaded before this time, or this day, which begins at midnight in the shop’s time zone
         */
        uploaded_before?: string
        /**
         * Version above
         * @description The number of its version is greater: 1 means replaced
         */
        version_above?: number
      } | null
      id: string
      /**
       * @description The list that it is a view of
       * @enum {string}
       */
      list: 'files' | 'deliveries' | 'links' | 'operations'
      name: string
      /** @description `GET /api/files?…` with it, or that of its list, lists what the view shows */
      query: string
      /** @description How many rows of its list it shows now, of other lists than the files counted up to 100. null: the caller may not read the list */
      rows: number | null
      /** @description false: there are more than that */
      rows_is_exact: boolean
      /** @description null: it is a view of another list than the files */
      sort:
        | (
            | 'created_at'
            | '-created_at'
            | 'filename'
            | '-filename'
            | 'size_bytes'
            | '-size_bytes'
            | 'downloads'
            | '-downloads'
            | 'pack_position'
            | '-pack_position'
          )
        | null
      /** Format: date-time */
      updated_at: string
    }
    SavedViewChange: {
      /** @description In addition to the name. null: those that the browser shows */
      columns?:
        | (
            | 'size'
            | 'tags'
            | 'products'
            | 'pack'
            | 'downloads'
            | 'paid_by'
            | 'uploaded'
            | 'visibility'
          )[]
        | null
      /** @description As of `GET /api/files`; a view never shows the trash */
      filter?: {
        /**
         * Any of these
         * @description At least one of these holds: each has the same fields, all of which must hold. As a query parameter it is JSON, like [{"name_like":"A-*"},{"tags":["guide"]}]
         */
        any?: {
          changed_after?: string
          changed_before?: string
          channel?: string[]
          connection?: string
          delivered?: boolean
          downloaded_after?: string
          downloaded_before?: string
          drop_account?: string
          folder?: string
          larger_than?: number
          linked?: boolean
          mapped?: boolean
          name_begins?: string
          name_ends?: string
          name_like?: string
          not_downloaded_for_days?: number
          older_than_days?: number
          pack?: string
          pack_none?: boolean
          product?: string
          product_tag?: string
          search?: string
          smaller_than?: number
          tags?: string[]
          tags_any?: string[]
          tags_none?: string[]
          type?: string[]
          uploaded_after?: string
          uploaded_before?: string
          version_above?: number
        }[]
        /** @description Has a backup, or has none */
        backed_up?: boolean
        /**
         * Changed after
         * @description Last changed on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        changed_after?: string
        /**
         * Changed before
         * @description Last changed before this time, or this day, which begins at midnight in the shop’s time zone
         */
        changed_before?: string
        /**
         * Channel
         * @description Was imported through one of these channels: csv, api, upload, drop, cloud
         */
        channel?: string[]
        /**
         * Cloud connection
         * @description Is synced with this cloud connection: its id
         */
        connection?: string
        /**
         * Delivered
         * @description Was ever in a delivery (true), or never (false)
         */
        delivered?: boolean
        /**
         * Downloaded after
         * @description A download, or a view in the browser, was on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        downloaded_after?: string
        /**
         * Downloaded before
         * @description Its last download, or view in the browser, was before this time, or this day, which begins at midnight in the shop’s time zone
         */
        downloaded_before?: string
        /**
         * Drop account
         * @description Was sent through this account of the drop folder: its id
         */
        drop_account?: string
        /** @description As `search`: more words that must be found */
        find?: string
        /**
         * Folder
         * @description Is synced with this folder of a cloud connection or with one below it, like Guides/2026
         */
        folder?: string
        /**
         * Larger than
         * @description Bytes
         */
        larger_than?: number
        /** @description Buyers of it were given licence keys of this list: its id */
        licence_list?: string
        /**
         * Linked
         * @description A link to it or its public address was ever made (true), or never (false)
         */
        linked?: boolean
        /**
         * Mapped
         * @description Is mapped to a product, or is not
         */
        mapped?: boolean
        /**
         * Name begins with
         * @description The name begins with this text, without regard to case
         */
        name_begins?: string
        /** @description The name contains this text, without regard to case and accents */
        name_contains?: string
        /**
         * Name ends with
         * @description The name with its extension ends with this text, without regard to case
         */
        name_ends?: string
        /**
         * Name is like
         * @description The whole name is like this, without regard to case: * is any text, as in A-*
         */
        name_like?: string
        /**
         * Not downloaded for
         * @description No download in this many days, and no view in the browser; views are known for 13 months
         */
        not_downloaded_for_days?: number
        /**
         * Uploaded more than
         * @description Uploaded more than this many days ago
         */
        older_than_days?: number
        /**
         * Pack
         * @description Is in this pack: its id
         */
        pack?: string
        /**
         * In no pack
         * @description Is in no pack (true), or is in a pack (false)
         */
        pack_none?: boolean
        /**
         * Product
         * @description Belongs to this product: its id on the platform
         */
        product?: string
        /**
         * Tag of its product
         * @description Belongs to a product with this tag, without regard to case
         */
        product_tag?: string
        /** @description Is in quarantine: a virus scanner found something in it; or is not */
        quarantined?: boolean
        /** @description Has a release date that has not come in the shop’s time zone (false), or is available to buyers of today (true) */
        released?: boolean
        /**
         * Search
         * @description Words in any order, without regard to case and accents. Each is in the name or in a tag, or in the title, the SKU or the barcode of a product or in the name of the pack. A number is found where it begins. More than 8 words are a part of the name
         */
        search?: string
        /**
         * Smaller than
         * @description Bytes
         */
        smaller_than?: number
        /**
         * @description Its bytes, or a kept copy of them, are in this storage location
         * @enum {string}
         */
        storage?: 'primary' | 'backup'
        /**
         * Tags
         * @description Has all of these tags
         */
        tags?: string[]
        /**
         * Has one of these tags
         * @description Has at least one of these tags
         */
        tags_any?: string[]
        /**
         * Has none of these tags
         * @description Has none of these tags
         */
        tags_none?: string[]
        /**
         * Type
         * @description Extensions, or document, image, video, audio, archive
         */
        type?: string[]
        /**
         * Uploaded after
         * @description Uploaded on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        uploaded_after?: string
        /**
         * Uploaded before
         * @description Uploaded before this time, or this day, which begins at midnight in the shop’s time zone
         */
        uploaded_before?: string
        /**
         * Version above
         * @description The number of its version is greater: 1 means replaced
         */
        version_above?: number
      }
      name?: string
      /** @description The parameters of the list, as an object or as text like `tags=summer&sort=-downloads`. Of the files: instead of `filter` and `sort`. Of deliveries and links: without addresses of buyers */
      query?:
        | string
        | {
            [key: string]: unknown
          }
      /** @enum {string} */
      sort?:
        | 'created_at'
        | '-created_at'
        | 'filename'
        | '-filename'
        | 'size_bytes'
        | '-size_bytes'
        | 'downloads'
        | '-downloads'
        | 'pack_position'
        | '-pack_position'
    }
    SavedViewRequest: {
      /** @description In addition to the name. null: those that the browser shows */
      columns?:
        | (
            | 'size'
            | 'tags'
            | 'products'
            | 'pack'
            | 'downloads'
            | 'paid_by'
            | 'uploaded'
            | 'visibility'
          )[]
        | null
      /** @description As of `GET /api/files`; a view never shows the trash */
      filter?: {
        /**
         * Any of these
         * @description At least one of these holds: each has the same fields, all of which must hold. As a query parameter it is JSON, like [{"name_like":"A-*"},{"tags":["guide"]}]
         */
        any?: {
          changed_after?: string
          changed_before?: string
          channel?: string[]
          connection?: string
          delivered?: boolean
          downloaded_after?: string
          downloaded_before?: string
          drop_account?: string
          folder?: string
          larger_than?: number
          linked?: boolean
          mapped?: boolean
          name_begins?: string
          name_ends?: string
          name_like?: string
          not_downloaded_for_days?: number
          older_than_days?: number
          pack?: string
          pack_none?: boolean
          product?: string
          product_tag?: string
          search?: string
          smaller_than?: number
          tags?: string[]
          tags_any?: string[]
          tags_none?: string[]
          type?: string[]
          uploaded_after?: string
          uploaded_before?: string
          version_above?: number
        }[]
        /** @description Has a backup, or has none */
        backed_up?: boolean
        /**
         * Changed after
         * @description Last changed on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        changed_after?: string
        /**
         * Changed before
         * @description Last changed before this time, or this day, which begins at midnight in the shop’s time zone
         */
        changed_before?: string
        /**
         * Channel
         * @description Was imported through one of these channels: csv, api, upload, drop, cloud
         */
        channel?: string[]
        /**
         * Cloud connection
         * @description Is synced with this cloud connection: its id
         */
        connection?: string
        /**
         * Delivered
         * @description Was ever in a delivery (true), or never (false)
         */
        delivered?: boolean
        /**
         * Downloaded after
         * @description A download, or a view in the browser, was on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        downloaded_after?: string
        /**
         * Downloaded before
         * @description Its last download, or view in the browser, was before this time, or this day, which begins at midnight in the shop’s time zone
         */
        downloaded_before?: string
        /**
         * Drop account
         * @description Was sent through this account of the drop folder: its id
         */
        drop_account?: string
        /** @description As `search`: more words that must be found */
        find?: string
        /**
         * Folder
         * @description Is synced with this folder of a cloud connection or with one below it, like Guides/2026
         */
        folder?: string
        /**
         * Larger than
         * @description Bytes
         */
        larger_than?: number
        /** @description Buyers of it were given licence keys of this list: its id */
        licence_list?: string
        /**
         * Linked
         * @description A link to it or its public address was ever made (true), or never (false)
         */
        linked?: boolean
        /**
         * Mapped
         * @description Is mapped to a product, or is not
         */
        mapped?: boolean
        /**
         * Name begins with
         * @description The name begins with this text, without regard to case
         */
        name_begins?: string
        /** @description The name contains this text, without regard to case and accents */
        name_contains?: string
        /**
         * Name ends with
         * @description The name with its extension ends with this text, without regard to case
         */
        name_ends?: string
        /**
         * Name is like
         * @description The whole name is like this, without regard to case: * is any text, as in A-*
         */
        name_like?: string
        /**
         * Not downloaded for
         * @description No download in this many days, and no view in the browser; views are known for 13 months
         */
        not_downloaded_for_days?: number
        /**
         * Uploaded more than
         * @description Uploaded more than this many days ago
         */
        older_than_days?: number
        /**
         * Pack
         * @description Is in this pack: its id
         */
        pack?: string
        /**
         * In no pack
         * @description Is in no pack (true), or is in a pack (false)
         */
        pack_none?: boolean
        /**
         * Product
         * @description Belongs to this product: its id on the platform
         */
        product?: string
        /**
         * Tag of its product
         * @description Belongs to a product with this tag, without regard to case
         */
        product_tag?: string
        /** @description Is in quarantine: a virus scanner found something in it; or is not */
        quarantined?: boolean
        /** @description Has a release date that has not come in the shop’s time zone (false), or is available to buyers of today (true) */
        released?: boolean
        /**
         * Search
         * @description Words in any order, without regard to case and accents. Each is in the name or in a tag, or in the title, the SKU or the barcode of a product or in the name of the pack. A number is found where it begins. More than 8 words are a part of the name
         */
        search?: string
        /**
         * Smaller than
         * @description Bytes
         */
        smaller_than?: number
        /**
         * @description Its bytes, or a kept copy of them, are in this storage location
         * @enum {string}
         */
        storage?: 'primary' | 'backup'
        /**
         * Tags
         * @description Has all of these tags
         */
        tags?: string[]
        /**
         * Has one of these tags
         * @description Has at least one of these tags
         */
        tags_any?: string[]
        /**
         * Has none of these tags
         * @description Has none of these tags
         */
        tags_none?: string[]
        /**
         * Type
         * @description Extensions, or document, image, video, audio, archive
         */
        type?: string[]
        /**
         * Uploaded after
         * @description Uploaded on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        uploaded_after?: string
        /**
         * Uploaded before
         * @description Uploaded before this time, or this day, which begins at midnight in the shop’s time zone
         */
        uploaded_before?: string
        /**
         * Version above
         * @description The number of its version is greater: 1 means replaced
         */
        version_above?: number
      }
      /**
       * @description The list that it is a view of
       * @default files
       * @enum {string}
       */
      list?: 'files' | 'deliveries' | 'links' | 'operations'
      name: string
      /** @description The parameters of the list, as an object or as text like `tags=summer&sort=-downloads`. Of the files: instead of `filter` and `sort`. Of deliveries and links: without addresses of buyers */
      query?:
        | string
        | {
            [key: string]: unknown
          }
      /** @enum {string} */
      sort?:
        | 'created_at'
        | '-created_at'
        | 'filename'
        | '-filename'
        | 'size_bytes'
        | '-size_bytes'
        | 'downloads'
        | '-downloads'
        | 'pack_position'
        | '-pack_position'
    }
    Schedule: {
      /**
       * @description A bulk action: a plugin’s id
       * @default null
       */
      action: string | null
      /**
       * @description Maximum number of files that one run may delete; a run above it waits to be confirmed
       * @default 100
       */
      cap: number
      /** Format: date-time */
      created_at: string
      /**
       * @description Five fields, in the shop’s time zone
       * @example 0 2 1 * *
       */
      cron: string
      /** @default true */
      enabled: boolean
      /**
       * @description The files, selected again with every run
       * @default {}
       */
      filter: {
        /**
         * Any of these
         * @description At least one of these holds: each has the same fields, all of which must hold. As a query parameter it is JSON, like [{"name_like":"A-*"},{"tags":["guide"]}]
         */
        any?: {
          changed_after?: string
          changed_before?: string
          channel?: string[]
          connection?: string
          delivered?: boolean
          downloaded_after?: string
          downloaded_before?: string
          drop_account?: string
          folder?: string
          larger_than?: number
          linked?: boolean
          mapped?: boolean
          name_begins?: string
          name_ends?: string
          name_like?: string
          not_downloaded_for_days?: number
          older_than_days?: number
          pack?: string
          pack_none?: boolean
          product?: string
          product_tag?: string
          search?: string
          smaller_than?: number
          tags?: string[]
          tags_any?: string[]
          tags_none?: string[]
          type?: string[]
          uploaded_after?: string
          uploaded_before?: string
          version_above?: number
        }[]
        /** @description Has a backup, or has none */
        backed_up?: boolean
        /**
         * Changed after
         * @description Last changed on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        changed_after?: string
        /**
         * Changed before
         * @description Last changed before this time, or this day, which begins at midnight in the shop’s time zone
         */
        changed_before?: string
        /**
         * Channel
         * @description Was imported through one of these channels: csv, api, upload, drop, cloud
         */
        channel?: string[]
        /**
         * Cloud connection
         * @description Is synced with this cloud connection: its id
         */
        connection?: string
        /** @description Is in the trash; absent: is not in the trash */
        deleted?: boolean
        /**
         * Delivered
         * @description Was ever in a delivery (true), or never (false)
         */
        delivered?: boolean
        /**
         * Downloaded after
         * @description A download, or a view in the browser, was on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        downloaded_after?: string
        /**
         * Downloaded before
         * @description Its last download, or view in the browser, was before this time, or this day, which begins at midnight in the shop’s time zone
         */
        downloaded_before?: string
        /**
         * Drop account
         * @description Was sent through this account of the drop folder: its id
         */
        drop_account?: string
        /** @description As `search`: more words that must be found */
        find?: string
        /**
         * Folder
         * @description Is synced with this folder of a cloud connection or with one below it, like Guides/2026
         */
        folder?: string
        /**
         * Larger than
         * @description Bytes
         */
        larger_than?: number
        /** @description Buyers of it were given licence keys of this list: its id */
        licence_list?: string
        /**
         * Linked
         * @description A link to it or its public address was ever made (true), or never (false)
         */
        linked?: boolean
        /**
         * Mapped
         * @description Is mapped to a product, or is not
         */
        mapped?: boolean
        /**
         * Name begins with
         * @description The name begins with this text, without regard to case
         */
        name_begins?: string
        /** @description The name contains this text, without regard to case and accents */
        name_contains?: string
        /**
         * Name ends with
         * @description The name with its extension ends with this text, without regard to case
         */
        name_ends?: string
        /**
         * Name is like
         * @description The whole name is like this, without regard to case: * is any text, as in A-*
         */
        name_like?: string
        /**
         * Not downloaded for
         * @description No download in this many days, and no view in the browser; views are known for 13 months
         */
        not_downloaded_for_days?: number
        /**
         * Uploaded more than
         * @description Uploaded more than this many days ago
         */
        older_than_days?: number
        /**
         * Pack
         * @description Is in this pack: its id
         */
        pack?: string
        /**
         * In no pack
         * @description Is in no pack (true), or is in a pack (false)
         */
        pack_none?: boolean
        /**
         * Product
         * @description Belongs to this product: its id on the platform
         */
        product?: string
        /**
         * Tag of its product
         * @description Belongs to a product with this tag, without regard to case
         */
        product_tag?: string
        /** @description Is in quarantine: a virus scanner found something in it; or is not */
        quarantined?: boolean
        /** @description Has a release date that has not come in the shop’s time zone (false), or is available to buyers of today (true) */
        released?: boolean
        /**
         * Search
         * @description Words in any order, without regard to case and accents. Each is in the name or in a tag, or in the title, the SKU or the barcode of a product or in the name of the pack. A number is found where it begins. More than 8 words are a part of the name
         */
        search?: string
        /**
         * Smaller than
         * @description Bytes
         */
        smaller_than?: number
        /**
         * @description Its bytes, or a kept copy of them, are in this storage location
         * @enum {string}
         */
        storage?: 'primary' | 'backup'
        /**
         * Tags
         * @description Has all of these tags
         */
        tags?: string[]
        /**
         * Has one of these tags
         * @description Has at least one of these tags
         */
        tags_any?: string[]
        /**
         * Has none of these tags
         * @description Has none of these tags
         */
        tags_none?: string[]
        /**
         * Type
         * @description Extensions, or document, image, video, audio, archive
         */
        type?: string[]
        /**
         * Uploaded after
         * @description Uploaded on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        uploaded_after?: string
        /**
         * Uploaded before
         * @description Uploaded before this time, or this day, which begins at midnight in the shop’s time zone
         */
        uploaded_before?: string
        /**
         * Version above
         * @description The number of its version is greater: 1 means replaced
         */
        version_above?: number
      }
      id: string
      last_run: {
        /** Format: date-time */
        at: string
        operation_id: string
        /** @enum {string} */
        status:
          | 'previewing'
          | 'previewed'
          | 'queued'
          | 'running'
          | 'paused'
          | 'success'
          | 'partial'
          | 'failed'
          | 'cancelled'
          | 'undone'
      } | null
      name: string
      next_runs: string[]
      /**
       * @default always
       * @enum {string}
       */
      notify: 'always' | 'errors' | 'never'
      /**
       * @description The action’s
       * @default {}
       */
      options: {
        [key: string]: unknown
      }
      /** @example Monthly on the 1st at 02:00 */
      schedule_text: string
      time_zone: string
      /** Format: date-time */
      updated_at: string
      /**
       * @description The id of the workflow, instead of an action
       * @default null
       */
      workflow: string | null
    }
    ScheduleMatch: {
      /** @description Null: it deletes nothing */
      impact: components['schemas']['FilesImpact'] | null
      sample: string[]
      total: number
      /** @description false: there are more than that; totals are counted up to 10,000 */
      total_is_exact: boolean
    }
    ScheduleRequest: {
      /**
       * @description A bulk action: a plugin’s id
       * @default null
       */
      action?: string | null
      /**
       * @description Maximum number of files that one run may delete; a run above it waits to be confirmed
       * @default 100
       */
      cap?: number
      /**
       * @description Five fields, in the shop’s time zone
       * @example 0 2 1 * *
       */
      cron: string
      /** @default true */
      enabled?: boolean
      /** @description The files, selected again with every run */
      filter?: {
        /**
         * Any of these
         * @description At least one of these holds: each has the same fields, all of which must hold. As a query parameter it is JSON, like [{"name_like":"A-*"},{"tags":["guide"]}]
         */
        any?: {
          changed_after?: string
          changed_before?: string
          channel?: string[]
          connection?: string
          delivered?: boolean
          downloaded_after?: string
          downloaded_before?: string
          drop_account?: string
          folder?: string
          larger_than?: number
          linked?: boolean
          mapped?: boolean
          name_begins?: string
          name_ends?: string
          name_like?: string
          not_downloaded_for_days?: number
          older_than_days?: number
          pack?: string
          pack_none?: boolean
          product?: string
          product_tag?: string
          search?: string
          smaller_than?: number
          tags?: string[]
          tags_any?: string[]
          tags_none?: string[]
          type?: string[]
          uploaded_after?: string
          uploaded_before?: string
          version_above?: number
        }[]
        /** @description Has a backup, or has none */
        backed_up?: boolean
        /**
         * Changed after
         * @description Last changed on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        changed_after?: string
        /**
         * Changed before
         * @description Last changed before this time, or this day, which begins at midnight in the shop’s time zone
         */
        changed_before?: string
        /**
         * Channel
         * @description Was imported through one of these channels: csv, api, upload, drop, cloud
         */
        channel?: string[]
        /**
         * Cloud connection
         * @description Is synced with this cloud connection: its id
         */
        connection?: string
        /** @description Is in the trash; absent: is not in the trash */
        deleted?: boolean
        /**
         * Delivered
         * @description Was ever in a delivery (true), or never (false)
         */
        delivered?: boolean
        /**
         * Downloaded after
         * @description A download, or a view in the browser, was on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        downloaded_after?: string
        /**
         * Downloaded before
         * @description Its last download, or view in the browser, was before this time, or this day, which begins at midnight in the shop’s time zone
         */
        downloaded_before?: string
        /**
         * Drop account
         * @description Was sent through this account of the drop folder: its id
         */
        drop_account?: string
        /** @description As `search`: more words that must be found */
        find?: string
        /**
         * Folder
         * @description Is synced with this folder of a cloud connection or with one below it, like Guides/2026
         */
        folder?: string
        /**
         * Larger than
         * @description Bytes
         */
        larger_than?: number
        /** @description Buyers of it were given licence keys of this list: its id */
        licence_list?: string
        /**
         * Linked
         * @description A link to it or its public address was ever made (true), or never (false)
         */
        linked?: boolean
        /**
         * Mapped
         * @description Is mapped to a product, or is not
         */
        mapped?: boolean
        /**
         * Name begins with
         * @description The name begins with this text, without regard to case
         */
        name_begins?: string
        /** @description The name contains this text, without regard to case and accents */
        name_contains?: string
        /**
         * Name ends with
         * @description The name with its extension ends with this text, without regard to case
         */
        name_ends?: string
        /**
         * Name is like
         * @description The whole name is like this, without regard to case: * is any text, as in A-*
         */
        name_like?: string
        /**
         * Not downloaded for
         * @description No download in this many days, and no view in the browser; views are known for 13 months
         */
        not_downloaded_for_days?: number
        /**
         * Uploaded more than
         * @description Uploaded more than this many days ago
         */
        older_than_days?: number
        /**
         * Pack
         * @description Is in this pack: its id
         */
        pack?: string
        /**
         * In no pack
         * @description Is in no pack (true), or is in a pack (false)
         */
        pack_none?: boolean
        /**
         * Product
         * @description Belongs to this product: its id on the platform
         */
        product?: string
        /**
         * Tag of its product
         * @description Belongs to a product with this tag, without regard to case
         */
        product_tag?: string
        /** @description Is in quarantine: a virus scanner found something in it; or is not */
        quarantined?: boolean
        /** @description Has a release date that has not come in the shop’s time zone (false), or is available to buyers of today (true) */
        released?: boolean
        /**
         * Search
         * @description Words in any order, without regard to case and accents. Each is in the name or in a tag, or in the title, the SKU or the barcode of a product or in the name of the pack. A number is found where it begins. More than 8 words are a part of the name
         */
        search?: string
        /**
         * Smaller than
         * @description Bytes
         */
        smaller_than?: number
        /**
         * @description Its bytes, or a kept copy of them, are in this storage location
         * @enum {string}
         */
        storage?: 'primary' | 'backup'
        /**
         * Tags
         * @description Has all of these tags
         */
        tags?: string[]
        /**
         * Has one of these tags
         * @description Has at least one of these tags
         */
        tags_any?: string[]
        /**
         * Has none of these tags
         * @description Has none of these tags
         */
        tags_none?: string[]
        /**
         * Type
         * @description Extensions, or document, image, video, audio, archive
         */
        type?: string[]
        /**
         * Uploaded after
         * @description Uploaded on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        uploaded_after?: string
        /**
         * Uploaded before
         * @description Uploaded before this time, or this day, which begins at midnight in the shop’s time zone
         */
        uploaded_before?: string
        /**
         * Version above
         * @description The number of its version is greater: 1 means replaced
         */
        version_above?: number
      }
      name: string
      /**
       * @default always
       * @enum {string}
       */
      notify?: 'always' | 'errors' | 'never'
      /**
       * @description The action’s
       * @default {}
       */
      options?: {
        [key: string]: unknown
      }
      /**
       * @description The id of the workflow, instead of an action
       * @default null
       */
      workflow?: string | null
    }
    ScheduleRequestOutput: {
      /**
       * @description A bulk action: a plugin’s id
       * @default null
       */
      action: string | null
      /**
       * @description Maximum number of files that one run may delete; a run above it waits to be confirmed
       * @default 100
       */
      cap: number
      /**
       * @description Five fields, in the shop’s time zone
       * @example 0 2 1 * *
       */
      cron: string
      /** @default true */
      enabled: boolean
      /**
       * @description The files, selected again with every run
       * @default {}
       */
      filter: {
        /**
         * Any of these
         * @description At least one of these holds: each has the same fields, all of which must hold. As a query parameter it is JSON, like [{"name_like":"A-*"},{"tags":["guide"]}]
         */
        any?: {
          changed_after?: string
          changed_before?: string
          channel?: string[]
          connection?: string
          delivered?: boolean
          downloaded_after?: string
          downloaded_before?: string
          drop_account?: string
          folder?: string
          larger_than?: number
          linked?: boolean
          mapped?: boolean
          name_begins?: string
          name_ends?: string
          name_like?: string
          not_downloaded_for_days?: number
          older_than_days?: number
          pack?: string
          pack_none?: boolean
          product?: string
          product_tag?: string
          search?: string
          smaller_than?: number
          tags?: string[]
          tags_any?: string[]
          tags_none?: string[]
          type?: string[]
          uploaded_after?: string
          uploaded_before?: string
          version_above?: number
        }[]
        /** @description Has a backup, or has none */
        backed_up?: boolean
        /**
         * Changed after
         * @description Last changed on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        changed_after?: string
        /**
         * Changed before
         * @description Last changed before this time, or this day, which begins at midnight in the shop’s time zone
         */
        changed_before?: string
        /**
         * Channel
         * @description Was imported through one of these channels: csv, api, upload, drop, cloud
         */
        channel?: string[]
        /**
         * Cloud connection
         * @description Is synced with this cloud connection: its id
         */
        connection?: string
        /** @description Is in the trash; absent: is not in the trash */
        deleted?: boolean
        /**
         * Delivered
         * @description Was ever in a delivery (true), or never (false)
         */
        delivered?: boolean
        /**
         * Downloaded after
         * @description A download, or a view in the browser, was on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        downloaded_after?: string
        /**
         * Downloaded before
         * @description Its last download, or view in the browser, was before this time, or this day, which begins at midnight in the shop’s time zone
         */
        downloaded_before?: string
        /**
         * Drop account
         * @description Was sent through this account of the drop folder: its id
         */
        drop_account?: string
        /** @description As `search`: more words that must be found */
        find?: string
        /**
         * Folder
         * @description Is synced with this folder of a cloud connection or with one below it, like Guides/2026
         */
        folder?: string
        /**
         * Larger than
         * @description Bytes
         */
        larger_than?: number
        /** @description Buyers of it were given licence keys of this list: its id */
        licence_list?: string
        /**
         * Linked
         * @description A link to it or its public address was ever made (true), or never (false)
         */
        linked?: boolean
        /**
         * Mapped
         * @description Is mapped to a product, or is not
         */
        mapped?: boolean
        /**
         * Name begins with
         * @description The name begins with this text, without regard to case
         */
        name_begins?: string
        /** @description The name contains this text, without regard to case and accents */
        name_contains?: string
        /**
         * Name ends with
         * @description The name with its extension ends with this text, without regard to case
         */
        name_ends?: string
        /**
         * Name is like
         * @description The whole name is like this, without regard to case: * is any text, as in A-*
         */
        name_like?: string
        /**
         * Not downloaded for
         * @description No download in this many days, and no view in the browser; views are known for 13 months
         */
        not_downloaded_for_days?: number
        /**
         * Uploaded more than
         * @description Uploaded more than this many days ago
         */
        older_than_days?: number
        /**
         * Pack
         * @description Is in this pack: its id
         */
        pack?: string
        /**
         * In no pack
         * @description Is in no pack (true), or is in a pack (false)
         */
        pack_none?: boolean
        /**
         * Product
         * @description Belongs to this product: its id on the platform
         */
        product?: string
        /**
         * Tag of its product
         * @description Belongs to a product with this tag, without regard to case
         */
        product_tag?: string
        /** @description Is in quarantine: a virus scanner found something in it; or is not */
        quarantined?: boolean
        /** @description Has a release date that has not come in the shop’s time zone (false), or is available to buyers of today (true) */
        released?: boolean
        /**
         * Search
         * @description Words in any order, without regard to case and accents. Each is in the name or in a tag, or in the title, the SKU or the barcode of a product or in the name of the pack. A number is found where it begins. More than 8 words are a part of the name
         */
        search?: string
        /**
         * Smaller than
         * @description Bytes
         */
        smaller_than?: number
        /**
         * @description Its bytes, or a kept copy of them, are in this storage location
         * @enum {string}
         */
        storage?: 'primary' | 'backup'
        /**
         * Tags
         * @description Has all of these tags
         */
        tags?: string[]
        /**
         * Has one of these tags
         * @description Has at least one of these tags
         */
        tags_any?: string[]
        /**
         * Has none of these tags
         * @description Has none of these tags
         */
        tags_none?: string[]
        /**
         * Type
         * @description Extensions, or document, image, video, audio, archive
         */
        type?: string[]
        /**
         * Uploaded after
         * @description Uploaded on or after this time, or this day, which begins at midnight in the shop’s time zone
         */
        uploaded_after?: string
        /**
         * Uploaded before
         * @description Uploaded before this time, or this day, which begins at midnight in the shop’s time zone
         */
        uploaded_before?: string
        /**
         * Version above
         * @description The number of its version is greater: 1 means replaced
         */
        version_above?: number
      }
      name: string
      /**
       * @default always
       * @enum {string}
       */
      notify: 'always' | 'errors' | 'never'
      /**
       * @description The action’s
       * @default {}
       */
      options: {
        [key: string]: unknown
      }
      /**
       * @description The id of the workflow, instead of an action
       * @default null
       */
      workflow: string | null
    }
    Session: {
      shop: {
        demo: boolean
        domain: string
        name: string
      }
      user: string
    }
    Settings: {
      /** @default true */
      auto_map: boolean
      /** @default true */
      cdn: boolean
      /**
       * @description When an order’s files are ready: once it is paid, or authorized
       * @default paid
       * @enum {string}
       */
      deliver_on: 'paid' | 'authorized'
      /**
       * @description Who tells buyers: our mail, or the platform’s shipping mail
       * @default own
       * @enum {string}
       */
      delivery_mail: 'own' | 'platform'
      /** @description The workflow (kind `delivery`) that runs on each new delivery; null: none */
      delivery_workflow: string | null
      /** @default 5 */
      download_limit: number | null
      /** @default true */
      email_on_complete: boolean
      /** @default true */
      email_on_errors: boolean
      /** @default 60 */
      expiry_days: number | null
      /**
       * @description Mark delivered lines that need no shipping as fulfilled
       * @default true
       */
      fulfil_orders: boolean
      /**
       * @description Hold deliveries that the platform advises to cancel or to investigate
       * @default true
       */
      hold_risky_orders: boolean
      /**
       * @description Minutes that the mail or text about a new delivery waits, so that an order can be cancelled or its address corrected before; only with `delivery_mail` `own`
       * @default 0
       */
      mail_delay_minutes: number
      /**
       * @description The language of emails to the shop; null: the language of its online store
       * @default null
       */
      mail_language: ('en' | 'de' | 'es' | 'fr' | 'ja' | 'pt') | null
      /**
       * @description How files are matched to products, tried in this order; empty: only manually
       * @default [
       *       "sku",
       *       "filename",
       *       "title"
       *     ]
       */
      match_by: ('sku' | 'filename' | 'title' | 'tags')[]
      /**
       * @description How sure a match must be, from 0 to 1
       * @default 0.8
       */
      match_threshold: number
      /**
       * @description An order of several units gets its download limit for each of them: 3 × 5 downloads are 15
       * @default true
       */
      multiply_limits: boolean
      /**
       * @description Files that a product gets after it was sold: given to its past buyers never, after a question, or always
       * @default ask
       * @enum {string}
       */
      new_files: 'never' | 'ask' | 'always'
      /**
       * @description Past buyers who always get new files are told by email
       * @default true
       */
      new_files_mail: boolean
      /**
       * @description The message about an import names the files that have no product
       * @default true
       */
      notify_unmapped: boolean
      /**
       * @description The tag for orders with files; null: none
       * @default files-delivered
       */
      order_tag: string | null
      /**
       * @description The watermarks of packs, by the id of the pack: their documents get them instead of `watermark`. Replaces the current ones.
       * @default {}
       */
      pack_watermarks: {
        [key: string]: components['schemas']['WatermarkOutput']
      }
      /**
       * @description Paid files stay available when they lose their last product
       * @default true
       */
      paid_deliveries_survive: boolean
      /** @default [] */
      recipients: string[]
      /**
       * @description Buyers are told by email when a file becomes available that they bought before its release; only with `delivery_mail` `own`
       * @default true
       */
      release_mail: boolean
      /**
       * @description A text message when an import of 1,000 files or more has ended
       * @default false
       */
      sms_on_large_import: boolean
      /**
       * @description Phone numbers in the international form (E.164)
       * @default []
       */
      sms_recipients: string[]
      /**
       * @description The storage location of new files; existing files are not moved
       * @default primary
       * @enum {string}
       */
      storage_location: 'primary' | 'backup'
      /**
       * @description Buyers whose order has a phone number and no email address get a text message with the link; only with `delivery_mail` `own`
       * @default false
       */
      text_buyers: boolean
      /** @default UTC */
      time_zone: string
      /**
       * @default download
       * @enum {string}
       */
      view: 'download' | 'both' | 'view_only'
      /**
       * @default private
       * @enum {string}
       */
      visibility: 'private' | 'public'
      /**
       * @description The watermark that PDF documents get with the option `saved`; null: none
       * @default null
       */
      watermark: components['schemas']['WatermarkOutput'] | null
      /**
       * @description An email each Monday morning: the figures of the week, and what needs the shop
       * @default false
       */
      weekly_summary: boolean
    }
    SettingsChange: {
      auto_map?: boolean
      cdn?: boolean
      /**
       * @description When an order’s files are ready: once it is paid, or authorized
       * @enum {string}
       */
      deliver_on?: 'paid' | 'authorized'
      /**
       * @description Who tells buyers: our mail, or the platform’s shipping mail
       * @enum {string}
       */
      delivery_mail?: 'own' | 'platform'
      /** @description The workflow (kind `delivery`) that runs on each new delivery; null: none */
      delivery_workflow?: string | null
      download_limit?: number | null
      email_on_complete?: boolean
      email_on_errors?: boolean
      expiry_days?: number | null
      /** @description Mark delivered lines that need no shipping as fulfilled */
      fulfil_orders?: boolean
      /** @description Hold deliveries that the platform advises to cancel or to investigate */
      hold_risky_orders?: boolean
      /** @description Minutes that the mail or text about a new delivery waits, so that an order can be cancelled or its address corrected before; only with `delivery_mail` `own` */
      mail_delay_minutes?: number
      /** @description The language of emails to the shop; null: the language of its online store */
      mail_language?: ('en' | 'de' | 'es' | 'fr' | 'ja' | 'pt') | null
      /** @description How files are matched to products, tried in this order; empty: only manually */
      match_by?: ('sku' | 'filename' | 'title' | 'tags')[]
      /** @description How sure a match must be, from 0 to 1 */
      match_threshold?: number
      /** @description An order of several units gets its download limit for each of them: 3 × 5 downloads are 15 */
      multiply_limits?: boolean
      /**
       * @description Files that a product gets after it was sold: given to its past buyers never, after a question, or always
       * @enum {string}
       */
      new_files?: 'never' | 'ask' | 'always'
      /** @description Past buyers who always get new files are told by email */
      new_files_mail?: boolean
      /** @description The message about an import names the files that have no product */
      notify_unmapped?: boolean
      /** @description The tag for orders with files; null: none */
      order_tag?: string | null
      /** @description The watermarks of packs, by the id of the pack: their documents get them instead of `watermark`. Replaces the current ones. */
      pack_watermarks?: {
        [key: string]: components['schemas']['Watermark']
      }
      /** @description Paid files stay available when they lose their last product */
      paid_deliveries_survive?: boolean
      recipients?: string[]
      /** @description Buyers are told by email when a file becomes available that they bought before its release; only with `delivery_mail` `own` */
      release_mail?: boolean
      /** @description A text message when an import of 1,000 files or more has ended */
      sms_on_large_import?: boolean
      /** @description Phone numbers in the international form (E.164) */
      sms_recipients?: string[]
      /**
       * @description The storage location of new files; existing files are not moved
       * @enum {string}
       */
      storage_location?: 'primary' | 'backup'
      /** @description Buyers whose order has a phone number and no email address get a text message with the link; only with `delivery_mail` `own` */
      text_buyers?: boolean
      time_zone?: string
      /** @enum {string} */
      view?: 'download' | 'both' | 'view_only'
      /** @enum {string} */
      visibility?: 'private' | 'public'
      /** @description The watermark that PDF documents get with the option `saved`; null: none */
      watermark?: components['schemas']['Watermark'] | null
      /** @description An email each Monday morning: the figures of the week, and what needs the shop */
      weekly_summary?: boolean
    }
    Stats: {
      /** @description Each day of the period, oldest first, in UTC */
      points: {
        /** @description Of the same day in the equally long period before */
        before: number
        /** Format: date */
        day: string
        value: number
      }[]
      total: number
    }
    StepBranch: {
      /**
       * @description The step is for the files that do not meet `when`
       * @default false
       */
      else: boolean
      /** @description The same in all its steps */
      id: string
      when: {
        [key: string]: unknown
      }
    }
    /** @description The step is one of a branch: steps in a row of which a file takes those without `else` if it meets `when` before the first of them, otherwise those with `else`, which come last */
    StepBranchRequest: {
      /**
       * @description The step is for the files that do not meet `when`
       * @default false
       */
      else?: boolean
      /** @description The same in all its steps */
      id: string
      /** @description Stated by the first step of the branch */
      when?: {
        [key: string]: unknown
      }
    }
    StoppedRuns: {
      cancelled: number
    }
    StorefrontAccess: {
      missing: {
        disables: string
        scope: string
      }[]
      scopes: string[]
    }
    Sync: {
      added: number
      /** @description Vanished there and kept here: a new object that may be the same could not be read */
      awaited: number
      bytes: number
      changed: number
      conflicts: number
      /** @description A preview that was not confirmed */
      discarded: boolean
      /** @description Files that it has processed */
      done: number
      error: {
        code: string
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
      } | null
      failed: number
      finished_at: string | null
      /** @description Excluded by patterns or by their size, or left by an operating system */
      ignored: number
      listed: number
      listed_bytes: number
      operation_id: string | null
      preview_reason: ('requested' | 'first_sync' | 'deletions' | 'uploads' | 'changed') | null
      /** @description Cannot be imported, and were not tried again */
      rejected: number
      removed: number
      renamed: number
      /** Format: date-time */
      started_at: string
      /** @description Of its operation */
      status:
        | (
            | 'previewing'
            | 'previewed'
            | 'queued'
            | 'running'
            | 'paused'
            | 'success'
            | 'partial'
            | 'failed'
            | 'cancelled'
            | 'undone'
          )
        | null
      uploaded: number
    }
    TagCount: {
      files: number
      tag: string
    }
    TagTemplate: {
      /** Format: date-time */
      created_at: string
      id: string
      name: string
      tags: string[]
    }
    TagTemplateChange: {
      name?: string
      tags?: string[]
    }
    TagTemplateRequest: {
      name: string
      tags: string[]
    }
    /** @description An English message with its values, for other languages */
    Text: {
      /** @description The translation’s key is then `message || context` */
      context?: string
      /**
       * @description The English ICU message, which is also the key of its translations
       * @example {done} of {total} files {what}
       */
      message: string
      /** @description The arguments of the message; some are texts themselves */
      values: {
        [key: string]: string | number | components['schemas']['Text']
      }
    }
    TriedFile: {
      /** @description The same fields after the change; tags and mappings as {added, removed}. Steps on bytes have really run, so sizes are those of the new bytes */
      after: {
        [key: string]: unknown
      } | null
      /** @description The fields that would change, before */
      before: {
        [key: string]: unknown
      } | null
      file_id: string
      filename: string
      /** @description The new bytes, if they are an image of at most 256 KB */
      picture: {
        base64: string
        content_type: string
      } | null
      /** @description Why the file would stay as it is; null: nothing prevents it */
      problem: string | null
      /** @description Absent: the English text has no values, so it is its own message */
      problem_text?: components['schemas']['Text']
      /** @description Up to the step that ends the file; steps on the whole operation are not tried */
      steps: {
        message: string | null
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
        /**
         * @description `other_files`: its condition excludes the file; `kept`: it failed, and the file continues unchanged
         * @enum {string}
         */
        result: 'done' | 'unchanged' | 'other_files' | 'not_tried' | 'kept' | 'skipped' | 'failed'
        /** @description The index in `steps` */
        step: number
      }[]
      warnings: {
        code: string
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
      }[]
    }
    Trigger: {
      /**
       * @description The most files that one run may delete; a run above it waits to be confirmed
       * @default 100
       */
      cap: number
      /**
       * @description Seconds from the first event to the run, which takes all that came meanwhile
       * @default 10
       */
      collect: number
      /** @default true */
      enabled: boolean
      /**
       * @description Of `event`: its name
       * @default null
       */
      event: string | null
      /**
       * @description Of `imports`: where the files come from
       * @default null
       */
      from: components['schemas']['ImportSource'] | null
      /** @description Of `hook`: a program can call it */
      has_address: boolean
      id: string
      /**
       * @description `imports`: imports of a source run it. `orders`: it prepares each new delivery. `event`: it runs on the files of an event. `hook`: a program runs it
       * @enum {string}
       */
      kind: 'imports' | 'orders' | 'event' | 'hook'
      /**
       * @description The most files of its runs within an hour; above it, it pauses
       * @default null
       */
      max_files: number | null
      /**
       * @description Of files of a drop account whose name is taken; null: the drop folder’s setting
       * @default null
       */
      on_conflict: ('error' | 'skip' | 'rename' | 'overwrite' | 'new_version') | null
      /** @description Why it starts no runs; its events are kept for 7 days */
      paused: components['schemas']['Text'] | null
      /**
       * @description How long a file of a drop account must have been unchanged; null: as usual
       * @default null
       */
      quiet_seconds: number | null
      /** @description Events that wait for the next run */
      waiting: number
      /**
       * @description Only files of the event that meet this
       * @default {}
       */
      which: {
        any?: {
          changed_after?: string
          changed_before?: string
          channel?: string[]
          connection?: string
          delivered?: boolean
          downloaded_after?: string
          downloaded_before?: string
          drop_account?: string
          folder?: string
          larger_than?: number
          linked?: boolean
          mapped?: boolean
          name_begins?: string
          name_ends?: string
          name_like?: string
          not_downloaded_for_days?: number
          older_than_days?: number
          pack?: string
          pack_none?: boolean
          product?: string
          product_tag?: string
          search?: string
          smaller_than?: number
          tags?: string[]
          tags_any?: string[]
          tags_none?: string[]
          type?: string[]
          uploaded_after?: string
          uploaded_before?: string
          version_above?: number
        }[]
        changed_after?: string
        changed_before?: string
        channel?: string[]
        connection?: string
        delivered?: boolean
        downloaded_after?: string
        downloaded_before?: string
        drop_account?: string
        folder?: string
        larger_than?: number
        linked?: boolean
        mapped?: boolean
        name_begins?: string
        name_ends?: string
        name_like?: string
        not_downloaded_for_days?: number
        older_than_days?: number
        pack?: string
        pack_none?: boolean
        product?: string
        product_tag?: string
        search?: string
        smaller_than?: number
        tags?: string[]
        tags_any?: string[]
        tags_none?: string[]
        type?: string[]
        uploaded_after?: string
        uploaded_before?: string
        version_above?: number
      }
    }
    TriggerRequest: {
      /**
       * @description The most files that one run may delete; a run above it waits to be confirmed
       * @default 100
       */
      cap?: number
      /**
       * @description Seconds from the first event to the run, which takes all that came meanwhile
       * @default 10
       */
      collect?: number
      /** @default true */
      enabled?: boolean
      /**
       * @description Of `event`: its name
       * @default null
       */
      event?: string | null
      /**
       * @description Of `imports`: where the files come from
       * @default null
       */
      from?: components['schemas']['ImportSource'] | null
      /** @description Of a trigger that it has already */
      id?: string
      /**
       * @description `imports`: imports of a source run it. `orders`: it prepares each new delivery. `event`: it runs on the files of an event. `hook`: a program runs it
       * @enum {string}
       */
      kind: 'imports' | 'orders' | 'event' | 'hook'
      /**
       * @description The most files of its runs within an hour; above it, it pauses
       * @default null
       */
      max_files?: number | null
      /**
       * @description Of files of a drop account whose name is taken; null: the drop folder’s setting
       * @default null
       */
      on_conflict?: ('error' | 'skip' | 'rename' | 'overwrite' | 'new_version') | null
      /**
       * @description How long a file of a drop account must have been unchanged; null: as usual
       * @default null
       */
      quiet_seconds?: number | null
      /** @description Only files of the event that meet this */
      which?: {
        any?: {
          changed_after?: string
          changed_before?: string
          channel?: string[]
          connection?: string
          delivered?: boolean
          downloaded_after?: string
          downloaded_before?: string
          drop_account?: string
          folder?: string
          larger_than?: number
          linked?: boolean
          mapped?: boolean
          name_begins?: string
          name_ends?: string
          name_like?: string
          not_downloaded_for_days?: number
          older_than_days?: number
          pack?: string
          pack_none?: boolean
          product?: string
          product_tag?: string
          search?: string
          smaller_than?: number
          tags?: string[]
          tags_any?: string[]
          tags_none?: string[]
          type?: string[]
          uploaded_after?: string
          uploaded_before?: string
          version_above?: number
        }[]
        changed_after?: string
        changed_before?: string
        channel?: string[]
        connection?: string
        delivered?: boolean
        downloaded_after?: string
        downloaded_before?: string
        drop_account?: string
        folder?: string
        larger_than?: number
        linked?: boolean
        mapped?: boolean
        name_begins?: string
        name_ends?: string
        name_like?: string
        not_downloaded_for_days?: number
        older_than_days?: number
        pack?: string
        pack_none?: boolean
        product?: string
        product_tag?: string
        search?: string
        smaller_than?: number
        tags?: string[]
        tags_any?: string[]
        tags_none?: string[]
        type?: string[]
        uploaded_after?: string
        uploaded_before?: string
        version_above?: number
      }
    }
    /** @default {} */
    UndoRequest: {
      /** @description Only a preview until it is confirmed */
      dry_run?: boolean
    }
    UnfiledDismissal: {
      /** @default true */
      dismissed?: boolean
      product_id: string
    }
    UnfiledProduct: {
      /**
       * Format: date-time
       * @description To the hour
       */
      last_sold_at: string
      product_id: string
      title: string
    }
    UploadBatch: {
      auto_map: boolean | null
      count: number | null
      /** Format: date-time */
      created_at: string
      /** @description What the import writes to all files */
      files: {
        /**
         * @description Hosts that may link to the file, `*.example.com` for all subdomains; empty: any
         * @example [
         *       "shop.example.com"
         *     ]
         */
        allowed_referrers?: string[]
        /**
         * @description What a link asks for before the file can be downloaded or viewed: the buyer’s email address, or a `password`; null: nothing. Also at links that exist already. A password cannot be read again
         * @example email
         */
        ask_for?: 'email' | null
        /**
         * @description Days after the purchase until buyers get the file; null: immediately. For a link without an order, days after the link was created
         * @example 7
         */
        available_after_days?: number | null
        /**
         * @description The day from which buyers get the file, in the shop’s time zone; null: immediately. With `available_after_days`, the later of both. The expiry counts from then
         * @example 2027-03-01
         */
        available_from?: string | null
        /**
         * @description A text for buyers of the file, such as instructions: on pages of deliveries and packs, in the library and in the mail about an order; null: none. Lines are kept, and addresses become links. Buyers see the current text, also of earlier orders
         * @example Unpack the ZIP file, then open Start.pdf.
         */
        buyer_text?: string | null
        cdn?: boolean
        /**
         * @description The tag that the customer of the order must have, now and at every download; null: none. Applies to orders placed while a file requires one. Links without an order need none
         * @example subscriber
         */
        customer_tag?: string | null
        /**
         * @description Downloads that a link allows; null: unlimited
         * @example 5
         */
        download_limit?: number | null
        download_notification?: boolean
        download_tracking?: boolean
        /**
         * @description Days a link stays valid; null: it never expires
         * @example 60
         */
        expiry_days?: number | null
        /**
         * @description Hours from a buyer’s first download or view after which the link expires; null: the first use changes nothing. `expiry_days` applies too: the earlier of both
         * @example 48
         */
        first_use_hours?: number | null
        /** @description The name of their pack, created if there is none */
        pack?: string
        /** @description The names of several packs, instead of `pack` */
        packs?: string[]
        /** @description Maps to the product with this handle; several with `;` between them */
        product_handle?: string
        /**
         * @description Maps to the product with this id, or number of its id; several with `;` between them
         * @example gid://shopify/Product/1
         */
        product_id?: string
        /** @description Always maps to the product with this SKU; several with `;` between them. A SKU that contains `;` is looked up whole first */
        product_sku?: string
        /** @description Maps to all products with these SKUs; an unknown one is a warning */
        product_skus?: string[]
        /**
         * @description The first pages of a PDF document that everyone may read as a sample, at most half of it; null: none
         * @example 5
         */
        sample_pages?: number | null
        /**
         * @description The first seconds of an audio file that everyone may hear as a sample, at most half of it; null: none
         * @example 30
         */
        sample_seconds?: number | null
        /** @description In addition to the tags of each file */
        tags?: string[]
        /**
         * @description Whether buyers download the file, or read or play it in the browser. Other types than images, audio, video and PDF are always downloads
         * @enum {string}
         */
        view?: 'download' | 'both' | 'view_only'
        /**
         * @description Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`
         * @example 365
         */
        view_days?: number | null
        /**
         * @description Views in the browser that a link allows, counted apart from downloads; null: unlimited. Within four hours the same browser views the file again without a count. Without effect while `view` is `download`
         * @example 10
         */
        view_limit?: number | null
        /** @enum {string} */
        visibility?: 'private' | 'public'
      }
      id: string
      notify: boolean | null
      /** @description The newest import of its files */
      operation_id: string | null
      /** @description All of them, in the order in which they were started */
      operation_ids: string[]
      private: boolean
      /** @description Complete files that are in no import yet */
      received: number
      requested_by: string
      /** @description Files that are being uploaded */
      uploading: number
    }
    UploadBatchChange: {
      files: {
        /**
         * @description Hosts that may link to the file, `*.example.com` for all subdomains; empty: any
         * @example [
         *       "shop.example.com"
         *     ]
         */
        allowed_referrers?: string[]
        /**
         * @description What a link asks for before the file can be downloaded or viewed: the buyer’s email address, or a `password`; null: nothing. Also at links that exist already. A password cannot be read again
         * @example email
         */
        ask_for?: 'email' | null
        /**
         * @description Days after the purchase until buyers get the file; null: immediately. For a link without an order, days after the link was created
         * @example 7
         */
        available_after_days?: number | null
        /**
         * @description The day from which buyers get the file, in the shop’s time zone; null: immediately. With `available_after_days`, the later of both. The expiry counts from then
         * @example 2027-03-01
         */
        available_from?: string | null
        /**
         * @description A text for buyers of the file, such as instructions: on pages of deliveries and packs, in the library and in the mail about an order; null: none. Lines are kept, and addresses become links. Buyers see the current text, also of earlier orders
         * @example Unpack the ZIP file, then open Start.pdf.
         */
        buyer_text?: string | null
        cdn?: boolean
        /**
         * @description The tag that the customer of the order must have, now and at every download; null: none. Applies to orders placed while a file requires one. Links without an order need none
         * @example subscriber
         */
        customer_tag?: string | null
        /**
         * @description Downloads that a link allows; null: unlimited
         * @example 5
         */
        download_limit?: number | null
        download_notification?: boolean
        download_tracking?: boolean
        /**
         * @description Days a link stays valid; null: it never expires
         * @example 60
         */
        expiry_days?: number | null
        /**
         * @description Hours from a buyer’s first download or view after which the link expires; null: the first use changes nothing. `expiry_days` applies too: the earlier of both
         * @example 48
         */
        first_use_hours?: number | null
        /** @description The name of their pack, created if there is none */
        pack?: string
        /** @description The names of several packs, instead of `pack` */
        packs?: string[]
        /** @description Maps to the product with this handle; several with `;` between them */
        product_handle?: string
        /**
         * @description Maps to the product with this id, or number of its id; several with `;` between them
         * @example gid://shopify/Product/1
         */
        product_id?: string
        /** @description Always maps to the product with this SKU; several with `;` between them. A SKU that contains `;` is looked up whole first */
        product_sku?: string
        /** @description Maps to all products with these SKUs; an unknown one is a warning */
        product_skus?: string[]
        /**
         * @description The first pages of a PDF document that everyone may read as a sample, at most half of it; null: none
         * @example 5
         */
        sample_pages?: number | null
        /**
         * @description The first seconds of an audio file that everyone may hear as a sample, at most half of it; null: none
         * @example 30
         */
        sample_seconds?: number | null
        /** @description In addition to the tags of each file */
        tags?: string[]
        /**
         * @description Whether buyers download the file, or read or play it in the browser. Other types than images, audio, video and PDF are always downloads
         * @enum {string}
         */
        view?: 'download' | 'both' | 'view_only'
        /**
         * @description Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`
         * @example 365
         */
        view_days?: number | null
        /**
         * @description Views in the browser that a link allows, counted apart from downloads; null: unlimited. Within four hours the same browser views the file again without a count. Without effect while `view` is `download`
         * @example 10
         */
        view_limit?: number | null
        /** @enum {string} */
        visibility?: 'private' | 'public'
      }
    }
    UploadBatchRequest: {
      /** @description Guess products from names and titles; absent: the shop’s setting */
      auto_map?: boolean
      /** @description The number of files: each is imported when it has arrived, and the import ends with the last one */
      count?: number
      /** @description What the import writes to all files */
      files?: {
        /**
         * @description Hosts that may link to the file, `*.example.com` for all subdomains; empty: any
         * @example [
         *       "shop.example.com"
         *     ]
         */
        allowed_referrers?: string[]
        /**
         * @description What a link asks for before the file can be downloaded or viewed: the buyer’s email address, or a `password`; null: nothing. Also at links that exist already. A password cannot be read again
         * @example email
         */
        ask_for?: 'email' | null
        /**
         * @description Days after the purchase until buyers get the file; null: immediately. For a link without an order, days after the link was created
         * @example 7
         */
        available_after_days?: number | null
        /**
         * @description The day from which buyers get the file, in the shop’s time zone; null: immediately. With `available_after_days`, the later of both. The expiry counts from then
         * @example 2027-03-01
         */
        available_from?: string | null
        /**
         * @description A text for buyers of the file, such as instructions: on pages of deliveries and packs, in the library and in the mail about an order; null: none. Lines are kept, and addresses become links. Buyers see the current text, also of earlier orders
         * @example Unpack the ZIP file, then open Start.pdf.
         */
        buyer_text?: string | null
        cdn?: boolean
        /**
         * @description The tag that the customer of the order must have, now and at every download; null: none. Applies to orders placed while a file requires one. Links without an order need none
         * @example subscriber
         */
        customer_tag?: string | null
        /**
         * @description Downloads that a link allows; null: unlimited
         * @example 5
         */
        download_limit?: number | null
        download_notification?: boolean
        download_tracking?: boolean
        /**
         * @description Days a link stays valid; null: it never expires
         * @example 60
         */
        expiry_days?: number | null
        /**
         * @description Hours from a buyer’s first download or view after which the link expires; null: the first use changes nothing. `expiry_days` applies too: the earlier of both
         * @example 48
         */
        first_use_hours?: number | null
        /** @description The name of their pack, created if there is none */
        pack?: string
        /** @description The names of several packs, instead of `pack` */
        packs?: string[]
        /** @description Maps to the product with this handle; several with `;` between them */
        product_handle?: string
        /**
         * @description Maps to the product with this id, or number of its id; several with `;` between them
         * @example gid://shopify/Product/1
         */
        product_id?: string
        /** @description Always maps to the product with this SKU; several with `;` between them. A SKU that contains `;` is looked up whole first */
        product_sku?: string
        /** @description Maps to all products with these SKUs; an unknown one is a warning */
        product_skus?: string[]
        /**
         * @description The first pages of a PDF document that everyone may read as a sample, at most half of it; null: none
         * @example 5
         */
        sample_pages?: number | null
        /**
         * @description The first seconds of an audio file that everyone may hear as a sample, at most half of it; null: none
         * @example 30
         */
        sample_seconds?: number | null
        /** @description In addition to the tags of each file */
        tags?: string[]
        /**
         * @description Whether buyers download the file, or read or play it in the browser. Other types than images, audio, video and PDF are always downloads
         * @enum {string}
         */
        view?: 'download' | 'both' | 'view_only'
        /**
         * @description Days that the file can be viewed in the browser, whether shorter or longer than `expiry_days`; null: as long as the link is valid. Without effect while `view` is `download`
         * @example 365
         */
        view_days?: number | null
        /**
         * @description Views in the browser that a link allows, counted apart from downloads; null: unlimited. Within four hours the same browser views the file again without a count. Without effect while `view` is `download`
         * @example 10
         */
        view_limit?: number | null
        /** @enum {string} */
        visibility?: 'private' | 'public'
      }
      /** @description Send the import email; absent: the shop’s setting */
      notify?: boolean
      /** @description No product gets the files, by a mapping rule either: they are made for one buyer (`POST /api/orders/files`) */
      private?: boolean
    }
    UploadCheckRequest: {
      files: {
        filename: string
        sha256: string
        size_bytes: number
      }[]
    }
    UploadPiece: {
      /** @description The bytes that have arrived */
      offset: number
      /** @description The next bytes, from the offset on; null: the upload is complete, or its bytes are sent by PATCH */
      piece: {
        /**
         * Format: date-time
         * @description Until then the request must begin
         */
        expires_at: string
        size_bytes: number
        /** @description Send exactly these bytes to it by PUT */
        url: string
      } | null
    }
    UploadPieceRequest: {
      /**
       * @description Changes the `on_conflict` of the upload
       * @enum {string}
       */
      on_conflict?: 'error' | 'skip' | 'rename' | 'overwrite' | 'new_version'
    }
    UploadResult: {
      error: {
        code: string
        detail?: string
        /** @description Absent: the English text has no values, so it is its own message */
        detail_text?: components['schemas']['Text']
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
        retryable: boolean
      } | null
      /** @description The imported file */
      file_id: string | null
      filename: string
      operation_id: string | null
      /** @description The titles of its products */
      products: string[]
      /** @enum {string} */
      status: 'uploading' | 'received' | 'importing' | 'done' | 'failed' | 'skipped'
      upload_id: string
    }
    Version: {
      content_type: string
      /** Format: date-time */
      created_at: string
      current: boolean
      /** @description When it is removed, unless it is restored */
      expires_at: string | null
      /** @description The file’s name when these bytes arrived */
      filename: string
      /** @description The address that buyers of a link are sent to; null: it is no link */
      link_url: string | null
      location: string
      number: number
      size_bytes: number
    }
    VersionRequest: {
      /**
       * @description The next address of a link
       * @example https://courses.example.com/lino-printing
       */
      link_url?: string
      upload_id?: string
      /**
       * @description The address from which the file is fetched
       * @example https://cdn.example.com/guide.pdf
       */
      url?: string
    }
    Watermark: {
      /** Size of the letters (points) */
      font_size?: number
      /**
       * Opacity
       * @default 0.3
       */
      opacity?: number
      /** Image */
      picture?: string
      /**
       * Position
       * @default diagonal
       * @enum {string}
       */
      position?: 'diagonal' | 'center' | 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right'
      /** Text */
      text?: string
    }
    WatermarkOutput: {
      /** Size of the letters (points) */
      font_size?: number
      /**
       * Opacity
       * @default 0.3
       */
      opacity: number
      /** Image */
      picture?: string
      /**
       * Position
       * @default diagonal
       * @enum {string}
       */
      position: 'diagonal' | 'center' | 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right'
      /** Text */
      text?: string
    }
    Webhook: {
      /** Format: date-time */
      created_at: string
      description: string
      enabled: boolean
      /** @description Empty: all */
      events: (
        | 'file.imported'
        | 'sync.finished'
        | 'file.changed'
        | 'file.replaced'
        | 'file.trashed'
        | 'file.quarantined'
        | 'file.deleted'
        | 'link.exhausted'
        | 'link.refused'
        | 'buyer.asked'
        | 'delivery.downloaded'
        | 'file.released'
        | 'delivery.ready'
        | 'delivery.held'
        | 'order.refunded'
        | 'operation.finished'
        | 'workflow.failed'
        | 'workflow.recovered'
        | 'mapping.changed'
        | 'review.opened'
        | 'product.created'
        | 'notice.created'
        | 'workflow.call'
      )[]
      /** @description null: the last message arrived */
      failing_since: string | null
      id: string
      last_error: string | null
      /** @description Absent: the English text has no values, so it is its own message */
      last_error_text?: components['schemas']['Text']
      last_success_at: string | null
      /** @description Until then messages have a second signature, made with the previous secret */
      previous_secret_until: string | null
      /** @description It failed for days and was switched off by the server */
      switched_off: {
        /** Format: date-time */
        at: string
        reason: string
        /** @description Absent: the English text has no values, so it is its own message */
        reason_text?: components['schemas']['Text']
      } | null
      /** @description Without its query, which may contain a secret */
      url: string
    }
    WebhookChange: {
      description?: string
      enabled?: boolean
      /** @description Empty: all, also those that come later. `file.imported`: The files that an import created or gave new contents. `sync.finished`: The synchronisation of a cloud folder that ended, as operation.finished. `file.changed`: The files whose name, tags, settings, products or packs were changed: one event for all files of an operation. `file.replaced`: The files that got a new version, or an earlier one again. `file.trashed`: The files that were moved to the trash. `file.quarantined`: The files in which a virus scanner found something: nobody can download them. `file.deleted`: The files that an operation moved to the trash or removed. `link.exhausted`: A link whose last download was used, or last view if its file is only viewed. `link.refused`: A link whose holder was refused a download: the first time within an hour of the clock, however often they try. `buyer.asked`: The holder of a link asks the shop for more downloads: at most once a day for each link. `delivery.downloaded`: A file of a delivery was downloaded: once a day for each file. `file.released`: The files whose day of release has come for buyers, who can have them from now on. `delivery.ready`: A delivery whose buyer can have its files for the first time. `delivery.held`: A delivery that waits for a decision: its order is risky, or a person holds it. `order.refunded`: A delivery from which files were withdrawn, because its order was refunded, cancelled or changed. `operation.finished`: An operation that ended, as GET /api/operations/{id} answers. `workflow.failed`: A run of one of the shop’s workflows that ended with failed files, or could not ask its question, as operation.finished. `workflow.recovered`: The first run of a workflow without failed files after runs that had some. `mapping.changed`: The files that got other products in an operation. `review.opened`: The files that match several products, so that a person must choose. `product.created`: The products that are new in the catalog, once the catalog was read completely before. `notice.created`: A notice, in English. `workflow.call`: The files of a step “Call a program” that names this webhook. */
      events?: (
        | 'file.imported'
        | 'sync.finished'
        | 'file.changed'
        | 'file.replaced'
        | 'file.trashed'
        | 'file.quarantined'
        | 'file.deleted'
        | 'link.exhausted'
        | 'link.refused'
        | 'buyer.asked'
        | 'delivery.downloaded'
        | 'file.released'
        | 'delivery.ready'
        | 'delivery.held'
        | 'order.refunded'
        | 'operation.finished'
        | 'workflow.failed'
        | 'workflow.recovered'
        | 'mapping.changed'
        | 'review.opened'
        | 'product.created'
        | 'notice.created'
        | 'workflow.call'
      )[]
      /**
       * @description An address of yours on the public internet, port 80 or 443
       * @example https://example.com/hooks/stevedore
       */
      url?: string
    }
    WebhookEvent: {
      /** @description The meaning of its `data` */
      about: string
      name: string
      /** @description When it is sent */
      title: string
      title_text: components['schemas']['Text']
    }
    WebhookRequest: {
      /** @default  */
      description?: string
      /** @default true */
      enabled?: boolean
      /** @description Empty: all, also those that come later. `file.imported`: The files that an import created or gave new contents. `sync.finished`: The synchronisation of a cloud folder that ended, as operation.finished. `file.changed`: The files whose name, tags, settings, products or packs were changed: one event for all files of an operation. `file.replaced`: The files that got a new version, or an earlier one again. `file.trashed`: The files that were moved to the trash. `file.quarantined`: The files in which a virus scanner found something: nobody can download them. `file.deleted`: The files that an operation moved to the trash or removed. `link.exhausted`: A link whose last download was used, or last view if its file is only viewed. `link.refused`: A link whose holder was refused a download: the first time within an hour of the clock, however often they try. `buyer.asked`: The holder of a link asks the shop for more downloads: at most once a day for each link. `delivery.downloaded`: A file of a delivery was downloaded: once a day for each file. `file.released`: The files whose day of release has come for buyers, who can have them from now on. `delivery.ready`: A delivery whose buyer can have its files for the first time. `delivery.held`: A delivery that waits for a decision: its order is risky, or a person holds it. `order.refunded`: A delivery from which files were withdrawn, because its order was refunded, cancelled or changed. `operation.finished`: An operation that ended, as GET /api/operations/{id} answers. `workflow.failed`: A run of one of the shop’s workflows that ended with failed files, or could not ask its question, as operation.finished. `workflow.recovered`: The first run of a workflow without failed files after runs that had some. `mapping.changed`: The files that got other products in an operation. `review.opened`: The files that match several products, so that a person must choose. `product.created`: The products that are new in the catalog, once the catalog was read completely before. `notice.created`: A notice, in English. `workflow.call`: The files of a step “Call a program” that names this webhook. */
      events?: (
        | 'file.imported'
        | 'sync.finished'
        | 'file.changed'
        | 'file.replaced'
        | 'file.trashed'
        | 'file.quarantined'
        | 'file.deleted'
        | 'link.exhausted'
        | 'link.refused'
        | 'buyer.asked'
        | 'delivery.downloaded'
        | 'file.released'
        | 'delivery.ready'
        | 'delivery.held'
        | 'order.refunded'
        | 'operation.finished'
        | 'workflow.failed'
        | 'workflow.recovered'
        | 'mapping.changed'
        | 'review.opened'
        | 'product.created'
        | 'notice.created'
        | 'workflow.call'
      )[]
      /**
       * @description An address of yours on the public internet, port 80 or 443
       * @example https://example.com/hooks/stevedore
       */
      url: string
    }
    WebhookRotation: {
      /**
       * @description 0: the previous secret stops immediately
       * @default 24
       */
      keep_hours?: number
    }
    WebVitals: {
      metrics: {
        /** @enum {string} */
        name: 'LCP' | 'FCP' | 'CLS' | 'INP' | 'TTFB' | 'FID'
        value: number
      }[]
      path: string
    }
    WholeWorkflowVersion: {
      /** @description The request that saves it */
      body: {
        [key: string]: unknown
      }
      /** @description The name of the person or the key */
      by: string
      /** Format: date-time */
      created_at: string
      /** @description From this version to the workflow as it is now */
      differences: components['schemas']['Difference'][]
      /** @description The version that was restored; null: it was saved */
      restored: number | null
      steps: {
        plugin: string
        summary: string
        summary_text: components['schemas']['Text']
        title: string
      }[]
      /** @description From 1 */
      version: number
    }
    Workflow: {
      built_in: boolean
      /** @description Steps whose effect cannot be undone */
      cannot_undo: string[]
      channel: string | null
      created_at: string | null
      enabled: boolean
      /** @description Since when its runs end with failed files; null: the last one did not */
      failing_since: string | null
      id: string
      /** @description What follows when runs end with failed files */
      if_not: components['schemas']['IfNotOutput'] | null
      /** @enum {string} */
      kind: 'import' | 'bulk' | 'delivery'
      last_run: {
        /** Format: date-time */
        created_at: string
        operation_id: string
        /** @enum {string} */
        status:
          | 'previewing'
          | 'previewed'
          | 'queued'
          | 'running'
          | 'paused'
          | 'success'
          | 'partial'
          | 'failed'
          | 'cancelled'
          | 'undone'
      } | null
      name: string
      /** @description When a scheduled task of it is due, or a run continues after a wait */
      next_run: string | null
      parallel: number
      /** @description Its runs that have not ended */
      running: number
      steps: {
        branch?: components['schemas']['StepBranch']
        id: string
        /**
         * @description A failed file is left out (drop), continues as it was with a warning (keep), or ends the operation (stop). Absent: keep in an import where the step’s plugin is of kind optimize or act, otherwise drop
         * @enum {string}
         */
        on_failure?: 'drop' | 'keep' | 'stop'
        options: {
          [key: string]: unknown
        }
        /** @description Seconds between two tries. Absent: 1, then 5 */
        pause?: number
        plugin: string
        summary: string
        summary_text: components['schemas']['Text']
        title: string
        /** @description How often a file is tried at most if its failure may be temporary, as when a server does not answer; all its attempts in a run count. Absent: three times, and not after an attempt of more than 20 seconds */
        tries?: number
        when?: {
          [key: string]: unknown
        }
      }[]
      updated_at: string | null
      /** @description The number of its last version; null: it has none */
      version: number | null
      /** @description Who may answer what a run asks; empty: anyone who may run workflows. Null: no run asks */
      waits_for: string[] | null
      /** @description What starts it, in addition to scheduled tasks */
      when: components['schemas']['Trigger'][]
    }
    WorkflowCheck: {
      cannot_undo: string[]
      /** @description Up to the first 100 */
      problems: {
        message: string
        /** @description Absent: the English text has no values, so it is its own message */
        message_text?: components['schemas']['Text']
        param: string
      }[]
      problems_total: number
      steps: {
        summary: string
        summary_text: components['schemas']['Text']
      }[]
    }
    WorkflowRequest: {
      /**
       * @description Every import of this channel runs it (`GET /api/channels` lists them): as a trigger of `when`
       * @default null
       */
      channel?: string | null
      /**
       * @description false: nothing starts it by itself
       * @default true
       */
      enabled?: boolean
      /** @description What follows when runs end with failed files; absent: as it is */
      if_not?: components['schemas']['IfNot'] | null
      /**
       * @description A `delivery` workflow runs when an order’s files are delivered to its buyer
       * @enum {string}
       */
      kind: 'import' | 'bulk' | 'delivery'
      name: string
      /**
       * @description Batches that may run concurrently; 1: one after another
       * @default 1
       */
      parallel?: number
      steps: {
        branch?: components['schemas']['StepBranchRequest'] | null
        /** @description The same as long as the step exists; absent: a new one is created */
        id?: string
        /**
         * @description A failed file is left out (drop), continues as it was with a warning (keep), or ends the operation (stop). Absent: keep in an import where the step’s plugin is of kind optimize or act, otherwise drop
         * @enum {string}
         */
        on_failure?: 'drop' | 'keep' | 'stop'
        options?: {
          [key: string]: unknown
        }
        /** @description Seconds between two tries. Absent: 1, then 5 */
        pause?: number
        plugin: string
        /** @description How often a file is tried at most if its failure may be temporary, as when a server does not answer; all its attempts in a run count. Absent: three times, and not after an attempt of more than 20 seconds */
        tries?: number
        /** @description Files that do not meet this skip the step */
        when?: {
          [key: string]: unknown
        } | null
      }[]
      /** @description What starts it; absent: as it is */
      when?: components['schemas']['TriggerRequest'][]
    }
    WorkflowRestore: {
      version: number
    }
    WorkflowTrial: {
      data: components['schemas']['TriedFile'][]
    }
    WorkflowTrialRequest: {
      /** @description Absent: the newest ten files */
      file_ids?: string[]
      workflow: components['schemas']['WorkflowRequest']
    }
    WorkflowVersion: {
      /** @description The name of the person or the key */
      by: string
      /** Format: date-time */
      created_at: string
      /** @description To the version before; empty for the first one, and if that is not kept */
      differences: components['schemas']['Difference'][]
      /** @description The version that was restored; null: it was saved */
      restored: number | null
      /** @description From 1 */
      version: number
    }
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export type $defs = Record<string, never>
export type operations = Record<string, never>
