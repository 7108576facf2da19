// Takes pictures of pages at two widths: node screenshots.mjs [PAGE...], into target/screenshots. Needs chromium; an error on a page's console fails it.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'

const house = join(import.meta.dirname, '..', '..')
const site = join(house, 'target', 'site')
const pictures = join(house, 'target', 'screenshots')
const pages = process.argv.length > 2 ? process.argv.slice(2) : ['', 'tutorial', 'guide', 'reference', 'adopt']
const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.png': 'image/png', '.woff2': 'font/woff2' }

const server = createServer((request, response) => {
  const path = join(site, decodeURIComponent(new URL(request.url, 'http://site').pathname))
  const file = [path, path + '.html', join(path, 'index.html')].find((each) => existsSync(each) && statSync(each).isFile())
  // The browser asks for an icon by itself.
  if (!file) return response.writeHead(path.endsWith('favicon.ico') ? 204 : 404).end()
  response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file))
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))

mkdirSync(pictures, { recursive: true })
let errors = 0
for (const page of pages) {
  for (const width of [1280, 390]) {
    const picture = join(pictures, `${page || 'index'}-${width}.png`)
    const { stderr } = await promisify(execFile)('chromium', [
      '--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--enable-logging=stderr', '--virtual-time-budget=5000',
      `--window-size=${width},1600`, `--screenshot=${picture}`, `http://127.0.0.1:${server.address().port}/${page}`,
    ])
    const messages = stderr.split('\n').filter((line) => line.includes('CONSOLE') && /error|warn|failed/i.test(line))
    errors += messages.length
    console.log(picture, ...messages)
  }
}
server.close()
process.exitCode = errors > 0 ? 1 : 0
