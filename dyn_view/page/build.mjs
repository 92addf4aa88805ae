// Bundles the page into one HTML file and writes it, compressed, as C++: node build.mjs OUT.cpp [OUT.html]
import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = process.env.DYN_PAGE ?? dirname(fileURLToPath(import.meta.url));
const [cpp, plain] = process.argv.slice(2);
const result = await build({
  entryPoints: [join(here, 'main.js')],
  bundle: true,
  minify: true,
  write: false,
  outdir: 'out',
  target: 'es2020',
  legalComments: 'inline',
  nodePaths: (process.env.NODE_PATH ?? '').split(':').filter(Boolean),
});
const text = (end) => result.outputFiles.find((file) => file.path.endsWith(end)).text;
const html = readFileSync(join(here, 'index.html'), 'utf8')
  .replace('<!-- style -->', () => `<style>${text('.css')}</style>`)
  .replace('<!-- script -->', () => `<script type="module">${text('.js').replaceAll('</script', '<\\/script')}</script>`);
const bytes = gzipSync(html, { level: 9 });
const rows = [];
for (let i = 0; i < bytes.length; i += 4096) {
  const row = [...bytes.subarray(i, i + 4096)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`);
  rows.push(`"${row.join('')}"`);
}
writeFileSync(cpp, `#include "page.hpp"

#include "dyn_view/server.hpp"

namespace dyn::view {
namespace {

constexpr char kPage[] =
${rows.join('\n')};

}  // namespace

std::string_view page() noexcept { return {kPage, sizeof kPage - 1}; }
std::string_view why_no_page() noexcept { return {}; }

}  // namespace dyn::view
`);
if (plain) writeFileSync(plain, html);
console.log(`the page: ${bytes.length} bytes compressed`);
