import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'

const site = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const docs = resolve(site, 'src')
const house = process.env.SITE_TREE!
const repository = process.env.SITE_REPOSITORY ?? 'https://reactive-comm.invalid/reactive-comm'

/** The title of a page is its first heading. */
const title = (page: string) => readFileSync(resolve(docs, page + '.md'), 'utf8').match(/^# (.*)$/m)![1]
const pages = (...names: string[]) =>
  names.filter((name) => existsSync(resolve(docs, name + '.md'))).map((name) => ({ text: title(name), link: '/' + name }))

const asOnGitHub = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/** Links that leave docs/ lead to the repository. */
const leaveDocs = (md: any) => {
  md.core.ruler.push('leave-docs', (state: any) => {
    const page = dirname(resolve(docs, state.env.relativePath))
    for (const inline of state.tokens)
      for (const token of inline.children ?? []) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null
        if (!href || /^([a-z]+:|#|\/)/.test(href)) continue
        const [path, anchor] = href.split('#')
        const inDocs = relative(docs, resolve(page, path))
        const isPage = path.endsWith('.md') && !inDocs.startsWith('..')
        if (isPage) continue
        const file = relative(house, resolve(house, 'docs', inDocs))
        if (!existsSync(resolve(house, file))) throw new Error(`${state.env.relativePath}: dead link: ${href}`)
        token.attrSet('href', `${repository}/tree/main/${file}${anchor ? '#' + anchor : ''}`)
      }
  })
}

/** VitePress checks pages, but not anchors. */
const deadAnchors = ({ outDir, site: { base } }: any) => {
  const pages = new Map(
    readdirSync(outDir, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.html') && !file.startsWith('api/'))
      .map((file) => [file.replace(/(^|\/)index\.html$|\.html$/, '$1'), readFileSync(resolve(outDir, file), 'utf8')]),
  )
  const dead = [...pages].flatMap(([page, html]) =>
    [...html.matchAll(/href="([^"#]*)#([^"]+)"/g)]
      .filter(([, path]) => path === '' || (path.startsWith(base) && !path.startsWith(base + 'api/')))
      .filter(([, path, anchor]) => !pages.get(path === '' ? page : path.slice(base.length))?.includes(` id="${decodeURIComponent(anchor)}"`))
      .map(([link]) => `${page}: ${link}`),
  )
  if (dead.length > 0) throw new Error('dead anchors:\n' + dead.join('\n'))
}

export default defineConfig({
  title: 'Reactive Comm',
  description: 'Collective communication for the JVM',
  lang: 'en',
  srcDir: 'src',
  base: process.env.SITE_BASE ?? '/',
  cleanUrls: true,
  markdown: { config: leaveDocs, anchor: { slugify: asOnGitHub } },
  buildEnd: deadAnchors,
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Guide', link: '/guide' },
      { text: 'Reference', link: '/reference' },
      { text: 'Adopt', link: '/adopt' },
      ...(existsSync(resolve(docs, 'public/api/index.html')) ? [{ text: 'Javadoc', link: '/api/index.html', target: '_self' }] : []),
    ],
    sidebar: [
      { text: 'Start', items: pages('tutorial', 'concepts', 'launching', 'adopt') },
      { text: 'Guides', items: pages('guide', 'collectives', 'composites', 'overlap', 'compression', 'pytorch', 'spark', 'gpu', 'nccl', 'mpi', 'hosts', 'security', 'reliability') },
      { text: 'Observability', items: pages('observing', 'slow-job') },
      { text: 'Porting', items: pages('from-torch', 'from-deepspeed', 'from-horovod', 'from-mpi') },
      { text: 'Reference', items: pages('reference', 'algorithms', 'performance', 'write-an-engine') },
    ],
    footer: { message: 'Apache-2.0' },
  },
})
